import Basics
import CueSheet
import LiveGame
import TestSupport
import Testing

@testable import LiveSession

/// The timecode of a live programme, with streams that the tests make.
@Suite struct TimecodeKeeperTests {
  /// A stream whose pictures have timecodes.
  private struct Stream {
    var rate: FrameRate
    var isDrop = false
    /// How many pictures share a number.
    var perNumber = 1
    /// Times are rounded to this number of ticks.
    var rounding: Int64 = 1
    /// The timecode of the picture 0, as a number of frames.
    var first: Int
    /// When the picture 0 is presented.
    var start = MediaTime(seconds: 1)
    /// The order of decoding: with two reordered pictures after each reference, if this is true.
    var reorders = false

    init(_ name: String, from text: String, isDrop: Bool = false) throws {
      rate = try #require(FrameRate(name))
      self.isDrop = isDrop
      first = try Timecode(text, rate: rate).frame
    }

    func label(_ picture: Int) -> TimecodeLabel? {
      let day = Timecode.framesOfDay(rate, isDrop: isDrop)
      return TimecodeLabel(Timecode(frame: (first + picture / perNumber) % day, isDrop: isDrop).text(rate: rate))
    }

    func time(_ picture: Int) -> MediaTime {
      let exact = start + MediaTime(ticks: rate.duration(of: picture).ticks / Int64(perNumber))
      return MediaTime(ticks: (exact.ticks + rounding / 2) / rounding * rounding)
    }

    /// The pictures of a range in the order of decoding.
    func found(_ pictures: Range<Int>) -> [FoundTimecode] {
      let order = reorders ? pictures.sorted { Self.rank($0) < Self.rank($1) } : Array(pictures)
      return zip(order, pictures).compactMap { picture, place in
        label(picture).map {
          FoundTimecode(label: $0, time: time(picture), decodingTime: reorders ? time(place) - rate.duration(of: 1) : time(place))
        }
      }
    }

    /// Pictures 3, 1, 2, 6, 4, 5 and so on.
    private static func rank(_ picture: Int) -> Int { picture % 3 == 0 ? picture * 2 - 5 : picture * 2 }
  }

  /// Receives pictures one by one.
  private static func push(_ found: [FoundTimecode], _ keeper: inout TimecodeKeeper) -> [TimecodeKeeper.Notice] {
    found.flatMap { keeper.push([$0], to: $0.time, stretch: nil) }
  }

  private static func anchor(_ keeper: TimecodeKeeper) -> TimecodeAnchor? {
    if case .running(let anchor) = keeper.timecode { anchor } else { nil }
  }

  /// When the first picture with a timecode is presented, as the keeper knows it.
  private static func time(_ text: String, _ keeper: TimecodeKeeper, near time: MediaTime) -> MediaTime? {
    guard let label = TimecodeLabel(text) else { return nil }
    return try? anchor(keeper)?.time(of: label, near: time)
  }

  /// After four timecodes, all others are known, also over midnight and where drop frame skips numbers.
  @Test(arguments: [
    ("25", "23:59:58:00"), ("30", "10:00:00:00"), ("24", "10:00:00:00"), ("50", "10:00:00:00"), ("60", "23:59:59:30"),
    ("29.97", "10:00:00:00"),
    ("29.97", "10:00:58;00"), ("29.97", "23:59:58;00"), ("59.94", "10:00:58;00"),
  ]) func everyFrame(name: String, text: String) throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream(name, from: text, isDrop: text.contains(";"))
    #expect(Self.push(stream.found(0..<3), &keeper).isEmpty && keeper.timecode == .unknown)
    let began = try #require(stream.label(3)?.text)
    #expect(Self.push(stream.found(3..<4), &keeper) == [.began(began, stream.rate)])
    for picture in 0..<300 {
      let wanted = try #require(stream.label(picture)?.text)
      let found = try #require(Self.time(wanted, keeper, near: stream.time(3)))
      // A frame of 59.94 has a fraction of a tick.
      #expect((found - stream.time(picture)).magnitude <= MediaTime(ticks: name == "59.94" ? 1 : 0), "\(wanted)")
    }
    #expect(Self.push(stream.found(4..<500), &keeper).isEmpty)
  }

  /// The anchor stays as it is while nothing changes, since each change wakes a thread.
  @Test func staysAsItIs() throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream("25", from: "10:00:00:00")
    _ = Self.push(stream.found(0..<10), &keeper)
    let anchor = Self.anchor(keeper)
    #expect(anchor != nil)
    for picture in 10..<2_000 {
      _ = Self.push(stream.found(picture..<picture + 1), &keeper)
      if Self.anchor(keeper) != anchor { Issue.record("picture \(picture)") }
    }
  }

  /// Timecodes are compared in the order of presentation.
  @Test func reorderedPictures() throws {
    var keeper = TimecodeKeeper()
    var stream = try Stream("25", from: "10:00:00:00")
    stream.reorders = true
    let notices = Self.push(stream.found(1..<61), &keeper)
    #expect(notices == [.began("10:00:00:04", stream.rate)])
    #expect(Self.time("10:00:02:00", keeper, near: stream.time(50)) == stream.time(50))
  }

  /// Above 30 frames a second two pictures often share a number: the event goes with the first of them.
  @Test func pairsOfPictures() throws {
    var keeper = TimecodeKeeper()
    var stream = try Stream("25", from: "10:00:00:00")
    stream.perNumber = 2
    let notices = Self.push(stream.found(0..<100), &keeper)
    #expect(notices == [.began("10:00:00:03", stream.rate)])
    #expect(Self.time("10:00:10:05", keeper, near: stream.time(99)) == stream.time(510))
  }

  /// Times in milliseconds, as RTMP has them: no event goes before its picture, and the rate shows after some seconds.
  @Test func roundedTimes() throws {
    var keeper = TimecodeKeeper()
    var stream = try Stream("29.97", from: "10:00:00:00")
    stream.rounding = 90
    #expect(Self.push(stream.found(0..<600), &keeper).count == 1)
    #expect(Self.anchor(keeper)?.rate == FrameRate("29.97"))
    for picture in 600..<1_200 {
      let wanted = try #require(stream.label(picture)?.text)
      let found = try #require(Self.time(wanted, keeper, near: stream.time(599)))
      #expect((MediaTime.zero...MediaTime(ticks: 180)).contains(found - stream.time(picture)), "\(wanted)")
    }
  }

  /// A rate of drop frame is known at once.
  @Test func roundedTimesOfDropFrame() throws {
    var keeper = TimecodeKeeper()
    var stream = try Stream("29.97", from: "10:00:59;00", isDrop: true)
    stream.rounding = 90
    #expect(Self.push(stream.found(0..<4), &keeper) == [.began("10:00:59;03", stream.rate)])
    let found = try #require(Self.time("10:01:00;02", keeper, near: stream.time(3)))
    #expect((found - stream.time(30)).magnitude <= MediaTime(ticks: 90))
  }

  /// A timecode that is damaged changes nothing; one that goes on elsewhere is believed after four pictures.
  @Test func jumps() throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream("25", from: "10:00:00:00")
    _ = Self.push(stream.found(0..<50), &keeper)
    let anchor = Self.anchor(keeper)
    var damaged = stream.found(50..<54)
    damaged[1].label = try #require(TimecodeLabel("23:00:00:00"))
    #expect(Self.push(damaged, &keeper).isEmpty && Self.anchor(keeper) == anchor)
    var other = try Stream("25", from: "11:00:00:00")
    other.start = stream.time(54)
    #expect(Self.push(other.found(0..<3), &keeper).isEmpty && Self.anchor(keeper) == anchor)
    #expect(Self.push(other.found(3..<4), &keeper) == [.jumped(from: "10:00:02:07", to: "11:00:00:03")])
    #expect(Self.time("11:00:10:00", keeper, near: other.time(3)) == other.time(250))
  }

  /// A frame that is left out, or repeated, moves the timecode, and nobody needs to be told.
  @Test func aFrameMore() throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream("25", from: "10:00:00:00")
    _ = Self.push(stream.found(0..<50), &keeper)
    var later = stream
    later.start = stream.time(1)
    #expect(Self.push(later.found(50..<60), &keeper).isEmpty)
    #expect(Self.time("10:00:10:00", keeper, near: later.time(60)) == later.time(250))
  }

  // MARK: No timecode

  @Test func none() {
    var keeper = TimecodeKeeper()
    for second in 0...1 {
      #expect(keeper.push([], to: MediaTime(seconds: 10 + second), stretch: nil).isEmpty)
      #expect(keeper.timecode == .unknown)
    }
    #expect(keeper.push([], to: MediaTime(seconds: 11.1), stretch: nil).isEmpty)
    #expect(keeper.timecode == .absent)
  }

  /// A timecode that stands still, or that counts at no known rate, cannot be used; one that is absent for a second is told.
  @Test func unusable() throws {
    var still = TimecodeKeeper()
    let label = try #require(TimecodeLabel("00:00:00:00"))
    for picture in 0..<100 {
      let time = MediaTime(ticks: Int64(picture) * 3_600)
      #expect(still.push([FoundTimecode(label: label, time: time, decodingTime: time)], to: time, stretch: nil).isEmpty)
    }
    #expect(still.timecode == .unusable)
    #expect(still.push([], to: MediaTime(seconds: 9), stretch: nil).isEmpty && still.timecode == .absent)
    var slow = TimecodeKeeper()
    for picture in 0..<100 {
      let time = MediaTime(ticks: Int64(picture) * 9_000)
      let label = try #require(TimecodeLabel(hours: 0, minutes: 0, seconds: picture / 10, frames: picture % 10, isDrop: false))
      #expect(slow.push([FoundTimecode(label: label, time: time, decodingTime: time)], to: time, stretch: nil).isEmpty)
    }
    #expect(slow.timecode == .unusable)
  }

  @Test func endsAndBegins() throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream("25", from: "10:00:00:00")
    _ = Self.push(stream.found(0..<50), &keeper)
    #expect(keeper.push([], to: stream.time(74), stretch: nil).isEmpty)
    #expect(keeper.push([], to: stream.time(75), stretch: nil) == [.ended])
    #expect(keeper.timecode == .absent)
    #expect(Self.push(stream.found(100..<104), &keeper) == [.began("10:00:04:03", stream.rate)])
  }

  /// After an interruption the timecode has a second to go on.
  @Test func anotherStretch() throws {
    var keeper = TimecodeKeeper()
    let stream = try Stream("25", from: "10:00:00:00")
    _ = Self.push(stream.found(0..<50), &keeper)
    let found = stream.found(500..<501)
    #expect(keeper.push(found, to: stream.time(500), stretch: stream.time(500)).isEmpty)
    #expect(Self.anchor(keeper) != nil && Self.push(stream.found(501..<520), &keeper).isEmpty)
    #expect(Self.time("10:00:30:00", keeper, near: stream.time(519)) == stream.time(750))
  }

  /// Whatever comes, nothing traps, and no more than a few timecodes are kept.
  @Test func noise() throws {
    var generator = SeededNumbers(seed: 37)
    var keeper = TimecodeKeeper()
    for _ in 0..<20_000 {
      let label = TimecodeLabel(
        hours: Int.random(in: 0..<24, using: &generator), minutes: Int.random(in: 0..<60, using: &generator),
        seconds: Int.random(in: 0..<3, using: &generator), frames: Int.random(in: 0..<9, using: &generator),
        isDrop: Bool.random(using: &generator))
      let time = MediaTime(ticks: Int64.random(in: -1 << 40...1 << 40, using: &generator))
      let decoding = MediaTime(ticks: Int64.random(in: -1 << 40...1 << 40, using: &generator))
      guard let label else { continue }
      _ = keeper.push(
        [FoundTimecode(label: label, time: time, decodingTime: decoding)], to: time, stretch: Bool.random(using: &generator) ? time : nil)
    }
  }
}

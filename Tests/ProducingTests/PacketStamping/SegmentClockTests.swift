import Basics
import TestSupport
import Testing

@testable import PacketStamping

/// Where the segments of a live stream start.
@Suite struct SegmentClockTests {
  /// An access unit, in hundredths of a second.
  private struct Unit {
    var time: Int64
    var isKey = false
    var hasJumped = false
  }

  private struct Start: Equatable {
    var time: Int64
    var boundary: SegmentClock.Boundary

    init(_ time: Int64, _ boundary: SegmentClock.Boundary) { (self.time, self.boundary) = (time, boundary) }
  }

  /// 25 frames a second from a time on, a key frame first and then every so many frames; none further with 0.
  private func frames(from start: Int64 = 0, seconds: Int64, keyEvery count: Int64) -> [Unit] {
    (0..<seconds * 25).map { Unit(time: start + $0 * 4, isKey: count == 0 ? $0 == 0 : $0 % count == 0) }
  }

  private func run(_ units: [Unit], _ clock: inout SegmentClock) -> [Start] {
    units.compactMap { unit in
      let time = MediaTime(ticks: unit.time * 900)
      let boundary = clock.push(
        time, isRandomAccess: unit.isKey, hasJumped: unit.hasJumped, frameDuration: MediaTime(ticks: 3_600))
      return boundary.map { Start(unit.time, $0) }
    }
  }

  private func clock(_ seconds: Int = 4, target: UInt64? = nil) -> SegmentClock {
    SegmentClock(duration: MediaTime(seconds: seconds), targetDuration: target)
  }

  /// Starts with key frames alone.
  private func starts(_ times: Int64...) -> [Start] { times.map { Start($0, .randomAccess) } }

  @Test func theNearestKeyFrame() {
    // The distance of key frames in frames; where segments of 4 s start within 20 s; the target duration.
    let cases: [(Int64, [Start], UInt64)] = [
      (25, starts(0, 400, 800, 1_200, 1_600), 4), (50, starts(0, 400, 800, 1_200, 1_600), 4),
      (75, starts(0, 300, 600, 900, 1_200, 1_500, 1_800), 4), (63, starts(0, 504, 1_008, 1_512), 5), (125, starts(0, 500, 1_000, 1_500), 5),
      (24, starts(0, 384, 768, 1_152, 1_536, 1_920), 4), (1, starts(0, 400, 800, 1_200, 1_600), 4),
    ]
    for (distance, expected, target) in cases {
      var clock = clock()
      #expect(run(frames(seconds: 20, keyEvery: distance), &clock) == expected, "a key frame every \(distance) frames")
      #expect(clock.targetDuration == target, "a key frame every \(distance) frames")
    }
  }

  @Test func nothingStartsBeforeTheFirstKeyFrame() {
    var clock = clock()
    clock.interrupt()
    let before = (0..<10).map { Unit(time: $0 * 4, hasJumped: $0 == 5) }
    #expect(run(before, &clock) == [])
    #expect(run(frames(from: 40, seconds: 5, keyEvery: 25), &clock) == starts(40, 440))
  }

  /// The first segment decides, within three times what was asked for; none is shorter than asked for.
  @Test func theFirstSegmentFixesTheTargetDuration() {
    let cases: [(Int64, UInt64)] = [(1, 4), (11, 4), (100, 4), (112, 4), (113, 5), (137, 5), (138, 6), (250, 10), (299, 12)]
    for (distance, target) in cases {
      var clock = clock()
      #expect(clock.targetDuration == 4)
      #expect(run(frames(seconds: 13, keyEvery: distance), &clock).allSatisfy { $0.boundary == .randomAccess })
      #expect(clock.targetDuration == target, "a key frame every \(distance) frames")
      _ = run(frames(from: 1_300, seconds: 60, keyEvery: 250), &clock)
      #expect(clock.targetDuration == target, "a key frame every \(distance) frames")
    }
    var endless = clock()
    #expect(run(frames(seconds: 13, keyEvery: 0), &endless) == [Start(0, .randomAccess), Start(1_200, .split)])
    #expect(endless.targetDuration == 12)
  }

  @Test func aTargetDurationThatIsContinuedStays() {
    var clock = clock(4, target: 6)
    #expect(run(frames(seconds: 20, keyEvery: 75), &clock) == starts(0, 300, 600, 900, 1_200, 1_500, 1_800))
    #expect(clock.targetDuration == 6)
  }

  /// Key frames that come later than before do not make segments longer than the target duration.
  @Test func longGroupsAreSplit() {
    var clock = clock()
    let units = frames(seconds: 8, keyEvery: 50) + frames(from: 800, seconds: 16, keyEvery: 250)
    // 4.48 s is the longest duration that is written as 4.
    let splits = [Start(1_248, .split), Start(1_696, .split)] + starts(1_800) + [Start(2_248, .split)]
    #expect(run(units, &clock) == starts(0, 400, 800) + splits)
    #expect(clock.targetDuration == 4)
  }

  @Test func discontinuities() {
    var clock = clock()
    var units = frames(seconds: 20, keyEvery: 25)
    units[60].hasJumped = true
    units[330].hasJumped = true
    #expect(
      run(units, &clock) == starts(0) + [Start(240, .discontinuity)] + starts(600, 1_000) + [Start(1_320, .discontinuity)]
        + starts(1_700))
  }

  @Test func anInterruptionCountsOnce() {
    var clock = clock()
    #expect(run(frames(seconds: 2, keyEvery: 25), &clock) == starts(0))
    clock.interrupt()
    clock.interrupt()
    // What it was so far stays: the segment is in the playlist.
    #expect(clock.targetDuration == 4)
    #expect(run(frames(from: 204, seconds: 6, keyEvery: 25), &clock) == [Start(204, .discontinuity)] + starts(604))
    #expect(clock.targetDuration == 4)
  }

  /// A first segment that is interrupted has the target duration that it would have had without.
  @Test func anInterruptionFixesTheTargetDuration() {
    var clock = clock()
    _ = run(frames(seconds: 7, keyEvery: 0), &clock)
    #expect(clock.targetDuration == 7)
    clock.interrupt()
    _ = run(frames(from: 700, seconds: 20, keyEvery: 0), &clock)
    #expect(clock.targetDuration == 7)
  }

  /// Nothing came for a while: the segment cannot last until then.
  @Test func aStallIsADiscontinuity() {
    var clock = clock()
    let units = frames(seconds: 8, keyEvery: 50) + frames(from: 860, seconds: 8, keyEvery: 50)
    #expect(run(units, &clock) == starts(0, 400) + [Start(860, .discontinuity)] + starts(1_260))
    // A short stall is no discontinuity.
    var patient = self.clock()
    #expect(run(frames(seconds: 6, keyEvery: 50) + frames(from: 680, seconds: 6, keyEvery: 50), &patient) == starts(0, 400, 680, 1_080))
  }

  /// Whatever comes, no segment behind the first one is longer than the target duration: frames are reordered, their distance and that of key
  /// frames change, frames are missing.
  @Test(arguments: 0..<UInt64(200)) func noSegmentIsTooLong(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    var clock = clock(Int.random(in: 1...6, using: &generator), target: Bool.random(using: &generator) ? 7 : nil)
    var time: Int64 = 0
    var latest = MediaTime.zero
    var starts: [(time: MediaTime, boundary: SegmentClock.Boundary)] = []
    // When the segment before each start ends.
    var ends: [MediaTime] = []
    for _ in 0..<60 {
      let frame = [1_800, 3_000, 3_600, 9_000].randomElement(using: &generator) ?? 3_600
      let reordered = Int.random(in: 0...3, using: &generator)
      for group in 0..<Int.random(in: 1...60, using: &generator) {
        if Int.random(in: 0..<40, using: &generator) == 0 { time += Int64.random(in: 0...80_000, using: &generator) }
        for position in 0...reordered {
          let shown = position == 0 ? reordered : position - 1
          let unit = MediaTime(ticks: time + Int64(shown) * Int64(frame))
          let duration = MediaTime(ticks: Int64(frame))
          let boundary = clock.push(unit, isRandomAccess: group == 0 && position == 0, hasJumped: false, frameDuration: duration)
          if let boundary {
            starts.append((unit, boundary))
            ends.append(boundary == .discontinuity ? min(unit, latest) : unit)
          }
          latest = max(latest, unit + duration)
        }
        time += Int64(reordered + 1) * Int64(frame)
      }
    }
    let longest = MediaTime(seconds: Int(clock.targetDuration)) + MediaTime(ticks: 44_999)
    #expect(starts.count > 2)
    #expect(starts.first?.boundary == .randomAccess)
    for (start, end) in zip(starts, ends.dropFirst()) { #expect(end - start.time <= longest && end > start.time) }
  }
}

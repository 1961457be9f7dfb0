import Basics
import GameEvents
import TestSupport
import Testing

@testable import EventSchedule
@testable import LiveHLS
@testable import PacketStamping

/// What the first input has decided, and what is told of it.
@Suite struct LeadingTimelineTests {
  /// Frames of 40 ms in the order of decoding, each presented `delay` later.
  private struct Lead {
    var timeline = LeadingTimeline()
    /// What the stream's clock has at the timeline origin.
    var origin: Int64
    let delay: Int64

    init(origin: Int64 = 900_000, delay: Int64 = 0) { (self.origin, self.delay) = (origin, delay) }

    /// Pushes the frame of this number; every 25th is a random-access point and starts a segment.
    mutating func push(_ number: Int, _ boundary: SegmentClock.Boundary? = nil, _ copies: [EventSchedule.TimedCopy] = []) {
      let time = MediaTime(ticks: Int64(number) * 3_600)
      let presentation = MediaTime(ticks: origin) + time
      timeline.push(
        LiveAccessUnit(
          time: time, presentationTime: presentation, decodingTime: presentation - MediaTime(ticks: delay),
          frameDuration: MediaTime(ticks: 3_600),
          isRandomAccess: number % 25 == 0, boundary: boundary ?? (number % 25 == 0 ? .randomAccess : nil), targetDuration: 1),
        copies)
    }

    mutating func push(_ numbers: Range<Int>) { for number in numbers { push(number) } }

    /// What is told of an access unit of another input with the same clock.
    func tell(_ number: Int, _ position: inout LeadingTimeline.Position) -> ToldUnit {
      timeline.tell(MediaTime(ticks: Int64(number) * 3_600), &position)
    }
  }

  private static func copy(_ name: String, _ number: Int = 1, frame: Int, plus ticks: Int64 = 0) -> EventSchedule.TimedCopy {
    let event = SampleGame.short(name, at: Int64(frame) * 3_600).event
    return .init(
      time: MediaTime(ticks: Int64(frame) * 3_600 + ticks), copy: EventCopy(of: event, copy: number, copies: 3), tag: Array(name.utf8))
  }

  @Test func whatIsKnown() {
    var lead = Lead(delay: 7_200)
    #expect(!lead.timeline.hasBegun && !lead.timeline.knows(.zero))
    lead.push(0..<5)
    // The frames that are decoded next may be presented from frame 3 on.
    #expect(lead.timeline.knows(MediaTime(ticks: 2 * 3_600)) && !lead.timeline.knows(MediaTime(ticks: 2 * 3_600 + 1)))
    lead.timeline.interrupt()
    #expect(lead.timeline.knows(MediaTime(ticks: 5 * 3_600)) && !lead.timeline.knows(MediaTime(ticks: 5 * 3_600 + 1)))
  }

  /// Each segment starts once, with the access unit that is presented with the first input's; copies go where it has them.
  @Test func segmentsAndCopies() {
    var lead = Lead()
    let copies = [Self.copy("a", frame: 3), Self.copy("a", 2, frame: 4), Self.copy("b", frame: 24, plus: 1_800), Self.copy("c", frame: 25)]
    for number in 0..<60 {
      lead.push(number, nil, copies.filter { ($0.time.ticks + 3_599) / 3_600 == number && $0.copy.event.guid.text != "g-b" })
    }
    var position = LeadingTimeline.Position()
    let told = (0..<60).map { lead.tell($0, &position) }
    #expect(told.indices.filter { told[$0].boundary == .randomAccess } == [0, 25, 50])
    #expect(told.map(\.time) == (0..<60).map { MediaTime(ticks: Int64($0) * 3_600) })
    #expect(told.indices.filter { !told[$0].copies.isEmpty } == [3, 4, 25])
    #expect(told.flatMap(\.copies) == [copies[0], copies[1], copies[3]] && told.allSatisfy(\.earlierCopies.isEmpty))
  }

  /// A rendition with fewer frames has a copy behind its last frame still in the segment of the first input.
  @Test func aCopyBehindTheLastFrame() {
    var lead = Lead()
    let copy = Self.copy("a", frame: 24)
    for number in 0..<60 { lead.push(number, nil, number == 24 ? [copy] : []) }
    var position = LeadingTimeline.Position()
    // The frames 21 and 25 are one behind the other.
    let told = stride(from: 1, to: 60, by: 4).map { lead.tell($0, &position) }
    let start = told.firstIndex { $0.boundary != nil }
    #expect(start == 6 && told[6].time == MediaTime(ticks: 25 * 3_600) && told[6].earlierCopies == [copy])
    #expect(told.allSatisfy { $0.copies.isEmpty })
  }

  /// Who joins gets nothing before the next segment starts, nor does who has missed all that is kept.
  @Test(arguments: [false, true]) func joining(isLate: Bool) {
    var lead = Lead()
    for number in 0..<40 { lead.push(number, nil, [Self.copy("a", frame: number)]) }
    var position = LeadingTimeline.Position()
    if isLate {
      _ = lead.tell(0, &position)
    } else {
      #expect(lead.tell(30, &position) == Self.unit(30, [Self.copy("a", frame: 30)], 25...30))
    }
    for number in 40..<3_000 { lead.push(number, nil, [Self.copy("a", frame: number)]) }
    // The segments before the 59th (of 120) are forgotten.
    let told = lead.tell(2_999, &position)
    #expect(told.boundary == .randomAccess && told.copies.map(\.time).first == MediaTime(seconds: 119))
    #expect(told.earlierCopies.map(\.time.ticks) == (2_950..<2_975).map { $0 * 3_600 })
  }

  private static func unit(_ frame: Int, _ copies: [EventSchedule.TimedCopy], _ frames: ClosedRange<Int>) -> ToldUnit {
    var unit = ToldUnit(time: MediaTime(ticks: Int64(frame) * 3_600))
    unit.copies = frames.map { copy("a", frame: $0) }
    return unit
  }

  /// Timestamps wrap, of either input first; another clock is none.
  @Test(arguments: [900_000, 8_589_934_592 - 36_000, 8_589_934_592 * 3 - 1]) func clocks(origin: Int64) {
    var lead = Lead(origin: origin)
    lead.push(0..<50)
    func time(_ ticks: Int64) -> MediaTime? { lead.timeline.time(of: TimestampUnwrapper.timestamp(of: MediaTime(ticks: origin + ticks))) }
    for ticks in [-90_000, 0, 1, 36_000, 180_000, 30 * 90_000] as [Int64] { #expect(time(ticks) == MediaTime(ticks: ticks)) }
    for ticks in [-31 * 90_000, 33 * 90_000, 1 << 32] as [Int64] { #expect(time(ticks) == nil) }
  }

  /// Behind a jump the new clock tells the time, and until a second behind it the old one.
  @Test func anotherStretch() {
    var lead = Lead()
    lead.push(0..<50)
    lead.origin = 80_000_000
    lead.push(50, .discontinuity)
    func time(_ ticks: Int64) -> MediaTime? { lead.timeline.time(of: UInt64(ticks)) }
    #expect(time(900_000 + 49 * 3_600) == MediaTime(ticks: 49 * 3_600))
    #expect(time(80_000_000 + 50 * 3_600) == MediaTime(ticks: 50 * 3_600))
    #expect(time(900_000 + 76 * 3_600) == nil && time(80_000_000) == nil)
    // The first input was not there shortly before its clock began.
    let clocks: [UInt64] = [80_000_000, 80_000_000 - 31 * 90_000, 900_000]
    #expect(clocks.map { lead.timeline.precedesStretch($0) } == [true, false, false])
    // A file that begins anew tells the same times: they go on behind the one before.
    lead.origin = 900_000 - 51 * 3_600
    lead.push(51, .discontinuity)
    #expect(time(900_000) == MediaTime(ticks: 51 * 3_600))
    let again = [MediaTime.zero, MediaTime(ticks: 50 * 3_600)].map { lead.timeline.time(of: 900_000, after: $0) }
    #expect(again == [.zero, MediaTime(ticks: 51 * 3_600)])
    var position = LeadingTimeline.Position()
    _ = lead.tell(49, &position)
    #expect(lead.tell(50, &position).boundary == .discontinuity)
  }
}

import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

/// No event goes with the segments that are lost: it is repeated in the two after the last one in which it was active.
@Suite struct LostSegmentTests {
  /// Which events have a copy in which segment, in streams of segments that last so many frames each.
  private func guids(_ events: [PlannedEvent], segments: [Int], isFragmented: Bool, policy: CopyPolicy = CopyPolicy()) throws -> [[String]]
  {
    var schedule = EventSchedule(events, policy: policy)
    var fragments = FragmentSchedule(schedule)
    var frame = 0
    return try segments.map { length in
      let (start, end) = (frame, frame + length)
      frame = end
      if isFragmented {
        return try fragments.copies(from: .frames(Double(start)), to: .frames(Double(end)), startsSegment: true)
          .map(\.copy.event.guid.text)
      }
      schedule.startSegment(at: .frames(Double(start)))
      var copies: [EventSchedule.TimedCopy] = []
      for frame in start..<end { copies += try schedule.copies(before: .init(time: .frames(Double(frame)), duration: .frame)) }
      copies += try schedule.endSegment(at: .frames(Double(end)))
      #expect(copies.allSatisfy { (.frames(Double(start)))..<(.frames(Double(end))) ~= $0.time })
      return copies.map(\.copy.event.guid.text)
    }
  }

  /// A game within a second, in a segment of two: any two neighbouring segments may be lost.
  @Test(arguments: [false, true]) func aGameWithinASegment(isFragmented: Bool) throws {
    let events: [PlannedEvent] = [
      .start("s", at: .frames(55)), .ask("q", at: .frames(60)), .info("i1", at: .frames(61)), .info("i2", at: .frames(62)),
      .show("r", of: "q", at: .frames(70)), .end("e", at: .frames(80)),
    ]
    let all = Set(events.map(\.event.guid.text))
    let found = try guids(events, segments: [50, 50, 50, 50, 50], isFragmented: isFragmented).map { Set($0) }
    #expect(found == [[], all, all, all, ["e"]])
  }

  /// Everything that happens in two lost segments can be read from the others.
  @Test(arguments: Seeds.some(of: 60)) func anyTwoNeighboursMayBeLost(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let lengths = (0..<12).map { _ in Int.random(in: 20...120, using: &random) }
    // Two segments follow the last event.
    let end = lengths.dropLast(2).reduce(0, +)
    var events: [PlannedEvent] = [.start("s", at: .zero)]
    for number in 0..<Int.random(in: 1...20, using: &random) {
      let time = MediaTime.frames(Double(Int.random(in: 0..<end * 10, using: &random)) / 10)
      switch number % 4 {
      case 0: events.append(.ask("e\(number)", at: time))
      case 1: events.append(.show("e\(number)", of: "e\(number - 1)", at: time))
      case 2: events.append(.info("e\(number)", at: time))
      default: events.append(.poll("e\(number)", at: time, currentFor: .frames(Double(Int.random(in: 1...100, using: &random)))))
      }
    }
    events.append(.end("end", at: .frames(Double(end) - 0.5)))
    let all = Set(events.map(\.event.guid.text))
    for isFragmented in [false, true] {
      let found = try guids(events, segments: lengths, isFragmented: isFragmented)
      for first in lengths.indices.dropLast() {
        let left = found.indices.filter { $0 != first && $0 != first + 1 }.flatMap { found[$0] }
        #expect(Set(left) == all, "without \(first) and \(first + 1), fragmented: \(isFragmented)")
      }
    }
  }

  /// A stream without segments repeats what is over for eight seconds, on the grid of the refreshes, and what is active first.
  @Test func aStreamWithoutSegments() throws {
    let events: [PlannedEvent] = [.start("s", at: .zero), .info("i1", at: .frames(10)), .info("i2", at: .frames(20))]
    let placed = try copies(of: events, units: (0..<400).map { Double($0) }, policy: CopyPolicy(copies: 1)).filter { $0.copy > 1 }
    #expect(placed.filter { $0.guid == "i1" }.map(\.time) == [50, 100, 150, 200])
    #expect(placed.filter { $0.guid == "i1" }.map(\.age) == [40, 90, 140, 190])
    #expect(placed.prefix(3).map(\.guid) == ["s", "i2", "i1"])
    // An interval above eight seconds is the time.
    let rare = CopyPolicy(copies: 1, refreshInterval: .seconds(12))
    let few = try copies(of: events, units: (0..<700).map { Double($0) }, policy: rare).filter { $0.guid == "i1" }
    #expect(few.map(\.time) == [10, 300])
  }

  /// Of a crowd the newest few of each kind are repeated, so that it does not crowd out everything else.
  @Test(arguments: [false, true]) func ofACrowdTheNewestAreRepeated(isFragmented: Bool) throws {
    let infos = (0..<500).map { PlannedEvent.info("i\($0)", at: .frames(Double($0) / 10)) }
    let events: [PlannedEvent] = [.start("s", at: .zero), .ask("q", at: .frames(1)), .show("r", of: "q", at: .frames(2))] + infos
    let found = try guids(events, segments: [60, 60, 60], isFragmented: isFragmented, policy: CopyPolicy(copies: 1))
    #expect(Set(found[0]).count == 503)
    let expected = Set(["s", "r", "i499", "q"] + (484..<499).map { "i\($0)" })
    #expect(Set(found[1]) == expected)
  }

  /// What the repeats of a crowd take is bounded, however many events there are.
  @Test func aCrowdCostsLittle() throws {
    func copies(_ count: Int) throws -> Int {
      let events = (0..<count).map { PlannedEvent.info("i\($0)", at: MediaTime(ticks: Int64($0) * 2_700_000 / Int64(count))) }
      var schedule = EventSchedule(events, policy: CopyPolicy()) { _ in [0] }
      var number = 0
      for frame in 0..<750 { number += try schedule.copies(before: .init(time: .frames(Double(frame)), duration: .frame)).count }
      #expect(schedule.heldCount <= ActiveLimit.most)
      return number + (try schedule.finish(at: .seconds(30), frameDuration: .frame).count)
    }
    // Every two seconds one event is active and sixteen are over.
    for count in [100, 2_000] { #expect(try copies(count) <= 3 * count + 14 * 17) }
  }

  private enum ActiveLimit {
    /// One active event, sixteen that are over, bursts that go on, and what is known of 64 tags.
    static let most = 1 + 16 + 20 + 64
  }
}

import Basics
import CueSheet
import GameEvents
import TestSupport
import Testing

/// When the events of a stream that was cut happen as it plays now.
@Suite struct PresentedTimesTests {
  private func copy(_ name: String, at time: Double?, age: Double = 0) throws -> EventCopy {
    let guid = try #require(GUID(name))
    let event = GameEvent(
      guid: guid, game: "g", sequence: 1, at: time.map { MediaTime(seconds: $0) }, content: .custom(EventType("poll"), JSONObject()))
    return EventCopy(of: event, copy: 1, copies: 3, age: MediaTime(seconds: age))
  }

  /// Ten seconds of the beginning are gone, then from 40 to 60 s.
  @Test func severalCuts() throws {
    var times = PresentedTimes()
    let copies: [(String, Double?, Double, Double)] = [
      ("before", 4, 8, 2), ("first", 15, 0, 5), ("first", 15, 6, 11), ("no time", nil, 1, 13), ("cut out", 50, 15, 35),
      ("first", 15, 50, 35), ("behind", 66, 0, 36), ("last", 70, 0.01, 40.01),
    ]
    for (name, at, age, time) in copies { times.receive(try copy(name, at: at, age: age), at: MediaTime(seconds: time)) }
    let found = Dictionary(uniqueKeysWithValues: times.times.map { ($0.key.text, $0.value) })
    let expected = ["before": 0, "first": 5, "no time": 12, "cut out": 35, "behind": 36, "last": 40]
    #expect(found == expected.mapValues { MediaTime(seconds: $0) })
    #expect(times.early.map(\.text) == ["before"] && times.differ)
    #expect(times.distances == "10.000 s earlier at first, 30.000 s earlier from 00:35.000 on")
  }

  @Test func nothingWasCut() throws {
    var times = PresentedTimes()
    for second in 0..<5 { times.receive(try copy("\(second)", at: Double(second)), at: MediaTime(seconds: Double(second) + 0.02)) }
    #expect(!times.differ && times.early.isEmpty && times.times.count == 5)
  }
}

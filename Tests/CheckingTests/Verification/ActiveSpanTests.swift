import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import Verification

/// The ends of active spans, all in one pass.
@Suite struct ActiveSpanTests {
  /// What the rule of the wire format says, event by event.
  private static func ends(_ events: [PlannedEvent], programmeEnd: MediaTime) -> [MediaTime?] {
    events.indices.map { index in
      let event = events[index]
      guard event.currentFor != nil || EventType.known.contains(event.event.type) else { return nil }
      let limit = min(event.time + (event.currentFor ?? EventCopy.largestAge), programmeEnd)
      return min(events[(index + 1)...].first { $0.event.endsActiveSpan(of: event.event) }?.time ?? limit, limit)
    }
  }

  @Test(arguments: 0..<UInt64(100)) func areThoseOfTheRule(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let events = (0..<40).map { number in
      let game = "g\(random.below(3))"
      let content: EventContent =
        switch random.below(7) {
        case 0: .startGame(StartGame(title: "T", totalQuestions: 1))
        case 1:
          .askQuestion(AskQuestion(question: "Q", answers: ["a", "b"], questionNumber: 1, allottedTime: MediaTime(seconds: 1)))
        case 2:
          .showResults(
            ShowResults(
              questionGuid: SampleGame.guid("\(game)-e\(max(number - random.below(4), 0))"), questionNumber: 1, correctAnswer: 0))
        case 3: .periodicInfo(PeriodicInfo(viewers: 1))
        case 5:
          .adjustTime(
            AdjustTime(questionGuid: SampleGame.guid("\(game)-e\(max(number - random.below(4), 0))"), allottedTime: MediaTime(seconds: 9)))
        case 4: .endGame(EndGame(totalQuestions: 1))
        default: .custom(EventType("poll"), JSONObject())
        }
      var event = SampleGame.event(game, "e\(number)", number + 1, at: Int64(number + random.below(2)) * 90_000, content)
      if event.event.type == EventType("poll"), random.below(2) == 0 { event.currentFor = MediaTime(seconds: 1 + random.below(20)) }
      return event
    }.sorted { $0.time < $1.time }
    let end = MediaTime(seconds: 35)
    #expect(events.endsOfActiveSpans(programmeEnd: end) == Self.ends(events, programmeEnd: end))
  }
}

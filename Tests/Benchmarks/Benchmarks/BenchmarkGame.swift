import Basics
import EventSchedule
import GameEvents

/// A long game whose events are like those of real ones, made for measuring. Equal arguments give equal games.
struct BenchmarkGame {
  /// The events, in their order.
  let events: [PlannedEvent]
  /// How long the programme is.
  let duration: MediaTime

  /// A game with this number of events, evenly spread over its seconds: a start, then questions, their results and counters in turn, and an end.
  init(eventCount: Int, seconds: Int) {
    let count = max(eventCount, 2)
    let questions = (count - 2 + 2) / 3
    duration = MediaTime(seconds: seconds)
    let step = duration.ticks / Int64(count + 1)
    events = (0..<count).compactMap { index in
      guard let guid = Self.guid(index), let question = Self.guid(max(index - 1, 0)) else { return nil }
      let content: EventContent =
        switch index {
        case 0: .startGame(StartGame(title: "Friday Night Trivia", totalQuestions: questions))
        case count - 1: .endGame(EndGame(totalQuestions: questions))
        default:
          Self.content((index - 1) / 3 + 1, (index - 1) % 3, after: question, of: questions, seconds: step / MediaTime.ticksPerSecond)
        }
      return PlannedEvent(
        GameEvent(
          guid: guid, game: "friday-2026-11-20", sequence: index + 1, at: MediaTime(ticks: Int64(index + 1) * step), content: content))
    }
  }

  /// A question, its result (the event after it) or counters.
  private static func content(_ number: Int, _ kind: Int, after question: GUID, of total: Int, seconds: Int64) -> EventContent {
    switch kind {
    case 0:
      .askQuestion(
        AskQuestion(
          question: "Which of these planets has the shortest day, number \(number)?", answers: ["Jupiter", "Earth", "Mars"],
          questionNumber: number, totalQuestions: total, allottedTime: MediaTime(seconds: Int(max(seconds, 1))),
          category: "Science & Nature",
          difficulty: "easy", seal: String(repeating: "9a3f01bc", count: 8)))
    case 1:
      .showResults(
        ShowResults(
          questionGuid: question, questionNumber: number, correctAnswer: number % 3, salt: "c0ffee00c0ffee00",
          counts: [812, 45, 143]))
    default: .periodicInfo(PeriodicInfo(viewers: 1_204 + number))
    }
  }

  private static func guid(_ index: Int) -> GUID? {
    let digits = String(index, radix: 16)
    return GUID("3f0c8e5a-7d21-5b9e-a1c4-\(String(repeating: "0", count: max(12 - digits.utf8.count, 0)))\(digits)")
  }

  /// The copies that a schedule puts into video of 25 frames a second.
  func copies(_ policy: CopyPolicy = CopyPolicy()) -> [EventSchedule.TimedCopy] {
    var schedule = EventSchedule(events, policy: policy)
    var copies: [EventSchedule.TimedCopy] = []
    let frame = MediaTime(ticks: 3_600)
    var time = MediaTime.zero
    while time < duration {
      // The events are far smaller than a tag can be.
      copies += (try? schedule.copies(before: .init(time: time, duration: frame))) ?? []
      time += frame
    }
    return copies
  }
}

package import Basics
import EventSchedule
package import GameEvents

/// A show as a stream carries it: the copies of its events and when they are presented, on the programme's timeline.
package struct SimulatedShow: Sendable {
  /// For how long each question takes answers.
  package static let allotted = MediaTime(seconds: 10)
  static let length = MediaTime(seconds: 180)
  static let segment = MediaTime(seconds: 6)
  static let frame = MediaTime(ticks: 3_600)

  /// A question, and when it is asked.
  package struct Question: Sendable {
    package let guid: GUID
    package let time: MediaTime
  }

  /// The questions, in their order.
  package let questions: [Question]
  let copies: [EventSchedule.TimedCopy]

  /// A show of six questions whose times the numbers decide.
  package init(_ random: inout SeededNumbers) throws(EventError) {
    var events = [try Self.event("start", 1, at: MediaTime(seconds: 1), .startGame(StartGame(title: "Simulated", totalQuestions: 6)))]
    var questions: [Question] = []
    for number in 1...6 {
      let time = MediaTime(seconds: number * 25 - 15) + MediaTime(ticks: Int64(random.below(5 * 90_000)))
      let question = AskQuestion(
        question: "Question \(number)?", answers: ["yes", "no"], questionNumber: number, allottedTime: Self.allotted, correctAnswer: 0)
      let asking = try Self.event("ask\(number)", number * 2, at: time, .askQuestion(question))
      let result = ShowResults(questionGuid: asking.event.guid, questionNumber: number, correctAnswer: 0)
      events.append(asking)
      events.append(try Self.event("show\(number)", number * 2 + 1, at: time + MediaTime(seconds: 12), .showResults(result)))
      questions.append(Question(guid: asking.event.guid, time: time))
    }
    events.append(try Self.event("end", 14, at: MediaTime(seconds: 175), .endGame(EndGame(totalQuestions: 6))))
    self.questions = questions
    copies = try Self.copies(of: events)
  }

  private static func event(
    _ name: String, _ sequence: Int, at time: MediaTime, _ content: EventContent
  ) throws(EventError) -> PlannedEvent {
    guard let guid = GUID("sim-\(name)") else { throw .notAnEvent }
    return PlannedEvent(GameEvent(guid: guid, game: "sim", sequence: sequence, at: time, content: content))
  }

  /// What a stream of segments carries of the events.
  private static func copies(of events: [PlannedEvent]) throws(EventError) -> [EventSchedule.TimedCopy] {
    var schedule = EventSchedule(events, policy: CopyPolicy())
    var copies: [EventSchedule.TimedCopy] = []
    var time = MediaTime.zero
    while time < length {
      if time.ticks % segment.ticks == 0 {
        if time > .zero { copies += try schedule.endSegment(at: time) }
        schedule.startSegment(at: time)
      }
      copies += try schedule.copies(before: .init(time: time, duration: frame))
      time += frame
    }
    return copies
  }
}

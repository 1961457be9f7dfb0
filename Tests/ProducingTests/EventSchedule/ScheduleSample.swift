import Basics
import EventSchedule
import GameEvents

extension GUID {
  /// The identifier of a text that is known to be one.
  static func of(_ text: String) -> GUID {
    guard let guid = GUID(text) else { preconditionFailure("no GUID: \(text)") }
    return guid
  }
}

extension MediaTime {
  /// The duration of a frame at 25 frames a second.
  static let frame = MediaTime(ticks: 3_600)

  static func seconds(_ seconds: Int) -> MediaTime { MediaTime(seconds: seconds) }

  /// Frames of 40 ms, tenths of a frame being exact.
  static func frames(_ frames: Double) -> MediaTime { MediaTime(ticks: Int64((frames * 10).rounded()) * 360) }
}

/// Where a copy lies, in frames of 40 ms.
struct ScheduledCopy: Equatable, CustomStringConvertible {
  /// Before which access unit, counted from 0 in decoding order; `nil` at the end of the stream.
  var unit: Int?
  var time: Double
  var guid: String
  var copy: Int
  var age: Double

  init(_ unit: Int?, _ time: Double, _ guid: String, _ copy: Int, age: Double) {
    (self.unit, self.time, self.guid, self.copy, self.age) = (unit, time, guid, copy, age)
  }

  init(_ unit: Int?, _ timed: EventSchedule.TimedCopy) {
    self.init(
      unit, Double(timed.time.ticks) / 3_600, timed.copy.event.guid.text, timed.copy.copy, age: Double(timed.copy.age.ticks) / 3_600)
  }

  var description: String { "(\(unit.map { "\($0)" } ?? "end"), \(time), \(guid), \(copy), age: \(age))" }
}

extension PlannedEvent {
  static func of(_ guid: String, _ content: EventContent, game: String = "g", sequence: Int? = nil, at time: MediaTime) -> PlannedEvent {
    PlannedEvent(GameEvent(guid: .of(guid), game: game, sequence: sequence, at: time, content: content))
  }

  static func start(_ guid: String, game: String = "g", sequence: Int? = nil, at time: MediaTime) -> PlannedEvent {
    of(guid, .startGame(StartGame(title: "T", totalQuestions: 1)), game: game, sequence: sequence, at: time)
  }

  static func ask(_ guid: String, sequence: Int? = nil, at time: MediaTime, padding: Int = 0) -> PlannedEvent {
    let question = String(repeating: "?", count: 1 + padding)
    let content = AskQuestion(question: question, answers: ["A", "B"], questionNumber: 1, allottedTime: .seconds(10))
    return of(guid, .askQuestion(content), sequence: sequence, at: time)
  }

  static func info(_ guid: String, sequence: Int? = nil, at time: MediaTime) -> PlannedEvent {
    of(guid, .periodicInfo(PeriodicInfo(viewers: 1)), sequence: sequence, at: time)
  }

  static func show(_ guid: String, of question: String, sequence: Int? = nil, at time: MediaTime) -> PlannedEvent {
    of(
      guid, .showResults(ShowResults(questionGuid: .of(question), questionNumber: 1, correctAnswer: 0)), sequence: sequence, at: time)
  }

  static func end(_ guid: String, sequence: Int? = nil, at time: MediaTime) -> PlannedEvent {
    of(guid, .endGame(EndGame(totalQuestions: 1)), sequence: sequence, at: time)
  }

  static func poll(_ guid: String, at time: MediaTime, currentFor: MediaTime? = nil, padding: Int = 0) -> PlannedEvent {
    let keys = JSONObject([.init(key: "text", value: .string(String(repeating: "x", count: padding)))])
    return PlannedEvent(of(guid, .custom(EventType("poll"), keys), at: time).event, currentFor: currentFor)
  }
}

/// All copies of events in a stream of access units whose presentation times are given in decoding order, in frames.
///
/// Every frame lasts 40 ms unless `durations` says otherwise; the stream ends a frame after the latest time unless `end` says otherwise.
func copies(
  of events: [PlannedEvent], units: [Double], durations: [Double] = [], policy: CopyPolicy = CopyPolicy(), end: Double? = nil
) throws -> [ScheduledCopy] {
  var schedule = EventSchedule(events, policy: policy)
  var output: [ScheduledCopy] = []
  for (index, time) in units.enumerated() {
    let duration = index < durations.count ? durations[index] : 1
    let unit = EventSchedule.AccessUnit(time: .frames(time), duration: .frames(duration))
    output += try schedule.copies(before: unit).map { ScheduledCopy(index, $0) }
  }
  let last = try schedule.finish(at: .frames(end ?? (units.max() ?? 0) + 1), frameDuration: .frame)
  return output + last.map { ScheduledCopy(nil, $0) }
}

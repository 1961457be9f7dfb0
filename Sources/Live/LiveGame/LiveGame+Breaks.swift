import Basics
import CueSheet
import EventSchedule
import GameEvents
package import SCTE35

/// Questions and ad breaks.
extension LiveGame {
  /// The type of events that stay out of ad breaks.
  static let question = "askQuestion"
  /// The type of events that wait if their question does.
  static let result = "showResults"

  /// The breaks that are announced or open, in the order of their announcement.
  package var breaks: [AdBreak] { scheduled.breaks.list }

  /// How many breaks the stream has had.
  package var breakCount: Int { scheduled.breaks.count }

  /// The break that is open, or the next one that is announced; `nil` for none.
  package var nearestBreak: AdBreak? {
    breaks.filter { $0.state == .open }.min { $0.start < $1.start } ?? breaks.min { $0.start < $1.start }
  }

  /// How many questions wait for the end of a break.
  package var heldCount: Int { scheduled.events.count { $0.isHeld && $0.heldSpan != nil } }

  /// Records breaks, or what has become of them.
  ///
  /// - Returns: The change, and the events that are held from now on, or no longer.
  package mutating func note(_ changed: [AdBreak], now: Now) -> (change: Change, statuses: [EventStatus]) {
    for known in changed { scheduled.breaks.note(known) }
    return (Change(records: changed.map { .adBreak($0) }), noteHeld(now))
  }

  /// Records which events wait for the end of a break, or for a question that does; returns those for which that is new.
  @discardableResult
  mutating func noteHeld(_ now: Now) -> [EventStatus] {
    guard settings.breaks == .hold else { return [] }
    return scheduled.noteHeld(now).compactMap { hold($0.guid, $0.reason) }
  }

  /// When a question goes that would go now: after a break; `nil` if no break is in its way.
  ///
  /// - Throws: `LiveProblem.inBreak` if questions are refused.
  func dueAfterBreak(_ request: LiveRequest, _ guid: GUID, at time: MediaTime?) throws(LiveProblem) -> LiveRequest.Due? {
    guard settings.breaks != .pass, let time, let span = questionSpan(request, guid), let met = scheduled.breaks.met(from: time, for: span)
    else { return nil }
    guard settings.breaks == .hold else { throw .inBreak(met) }
    return .at(time)
  }

  /// When a request has to wait for its time, for the operator or for the end of a break; `nil` if it goes before the next access unit.
  ///
  /// - Throws: `LiveProblem`.
  func waiting(
    _ request: LiveRequest, _ guid: GUID, _ acceptance: JournalRecord.Acceptance, _ now: Now
  ) throws(LiveProblem) -> LiveRequest.Due? {
    let due = try request.due(acceptance, now.timecode)
    guard let due else {
      return try dueAfterBreak(request, guid, at: acceptance.time) ?? dueAfterQuestion(request, guid, at: acceptance.time)
    }
    if settings.breaks == .refuse { _ = try dueAfterBreak(request, guid, at: ScheduledEvents.time(due, now)) }
    return due
  }

  /// When a result goes that would go now: with the question that it belongs to, if that one is held; `nil` if it does not wait.
  func dueAfterQuestion(_ request: LiveRequest, _ guid: GUID, at time: MediaTime?) -> LiveRequest.Due? {
    guard let time, request.type == Self.result, scheduled.isHolding(gameID(of: request)) else { return nil }
    var composer = composer(of: request.game)
    // Otherwise its question is in the stream, or nobody knows it.
    guard (try? composer.event(of: request.cue, guid: guid)) == nil, (try? check(request, guid, .at(time))) != nil else { return nil }
    return .at(time)
  }

  /// The game in which a question or a result keeps its place while ad breaks hold questions; `nil` for another event.
  func heldGame(of request: LiveRequest) -> GameID? {
    settings.breaks == .hold && [Self.question, Self.result].contains(request.type) ? gameID(of: request) : nil
  }

  private func gameID(of request: LiveRequest) -> GameID { GameID(request.game ?? settings.game) }

  /// How long players may answer the question of a request; `nil` if it is no question, or has mistakes.
  func questionSpan(_ request: LiveRequest, _ guid: GUID) -> MediaTime? {
    guard request.type == Self.question else { return nil }
    var composer = composer(of: request.game)
    guard case .askQuestion(let question)? = (try? composer.event(of: request.cue, guid: guid))?.event.content else { return nil }
    return question.allottedTime
  }
}

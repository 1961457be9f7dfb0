package import Basics
package import EventReading
package import GameEvents
package import StateMachine

/// A way in which a stream differs from its cue sheet.
package enum Difference: Equatable, Sendable {
  /// An event of the cue sheet is not in the stream.
  case missing(GameEvent)
  /// The stream has an event of this game that is not in the cue sheet.
  case unexpected(GameEvent)
  /// Copies of one event have different contents.
  case conflict(GameEvent)
  /// The content of an event differs from the cue sheet.
  case content(GameEvent, key: String, found: String, expected: String)
  /// All events that were found, `count` of `total`, are `off` later than their cues (earlier if negative). Or `count` events are, from some
  /// time of the stream on.
  case shifted(off: MediaTime, count: Int, total: Int, from: MediaTime?)
  /// A copy of an event is `off` later than its cue (earlier if negative).
  case time(GameEvent, off: MediaTime, at: Place)
  /// A result does not open the seal of its question.
  case seal(GameEvent)
  /// A copy of an event's burst is not in the stream.
  case copyMissing(GameEvent, number: Int, of: Int)
  /// A copy of an event's burst is in the stream several times.
  case copyRepeated(GameEvent, number: Int, times: Int)
  /// The copies of an event's burst state another number of copies.
  case burstLength(GameEvent, found: Int, expected: Int)
  /// An active event is not repeated for too long.
  case notRefreshed(GameEvent, since: MediaTime, for: MediaTime)
  /// An event is repeated after its burst, though there should be no refreshes.
  case refreshed(GameEvent, times: Int)
  /// The stream carries events of another game and none of the cue sheet's.
  case otherGame(found: GameID, expected: GameID)
  /// The game does not end in the same state as with the cue sheet's events alone.
  case finalState(found: GameState.Phase, expected: GameState.Phase, what: String)
}

extension Difference {
  /// The event that it is about; `nil` if it is about the whole game.
  package var event: GameEvent? {
    switch self {
    case .missing(let event), .unexpected(let event), .conflict(let event), .content(let event, _, _, _), .time(let event, _, _),
      .seal(let event), .copyMissing(let event, _, _), .copyRepeated(let event, _, _), .burstLength(let event, _, _),
      .notRefreshed(let event, _, _), .refreshed(let event, _):
      event
    case .finalState, .otherGame, .shifted: nil
    }
  }

  /// The kind of difference, in a word.
  package var kind: String {
    switch self {
    case .missing: "missing"
    case .unexpected: "unexpected"
    case .conflict: "conflict"
    case .content: "content"
    case .time, .shifted: "time"
    case .seal: "seal"
    case .copyMissing, .copyRepeated, .burstLength: "copies"
    case .notRefreshed, .refreshed: "refreshes"
    case .otherGame: "otherGame"
    case .finalState: "finalState"
    }
  }
}

extension Difference: CustomStringConvertible {
  /// The difference in words.
  package var description: String { event.map { Self.text($0, [detail]) } ?? detail }

  /// The difference, without the event's name.
  fileprivate var detail: String {
    switch self {
    case .missing: "is missing"
    case .unexpected: "is not in the cue sheet"
    case .conflict: "its copies have different contents"
    case .content(_, let key, let found, let expected): "\"\(key)\" is \(found) instead of \(expected)"
    case .time(_, let off, let place): "the copy at byte \(place.offset) is \(off.distanceText) too \(off < .zero ? "early" : "late")"
    case .seal: "does not open the seal of its question"
    case .copyMissing(_, let number, let count): "copy \(number) of \(count) is missing"
    case .copyRepeated(_, let number, let times): "copy \(number) occurs \(times) times"
    case .burstLength(_, let found, let expected): "its burst has \(found.of("copy", "copies")) instead of \(expected)"
    case .notRefreshed(_, let start, let duration): "is not refreshed for \(duration.distanceText) from \(start.clockText) on"
    case .refreshed(_, let times): "is refreshed \(times == 1 ? "once" : "\(times) times"), and should not be"
    case .otherGame(let found, let expected):
      "the stream carries the game \"\(found.text)\", the cue sheet is for \"\(expected.text)\""
    case .finalState(let found, let expected, let what):
      found == expected
        ? "the game ends in another state: \(what) differs" : "the game ends in phase \(found.text) instead of \(expected.text)"
    case .shifted(let off, let count, let total, let start):
      Self.text(off, start.map { "from \($0.clockText) on, \(count) events" } ?? Self.all(count, of: total), isBeginning: start == nil)
    }
  }

  private static func all(_ count: Int, of total: Int) -> String { count == total ? "all events" : "all \(count) events that are there" }

  private static func text(_ off: MediaTime, _ events: String, isBeginning: Bool) -> String {
    let distance = "\(events) are \(off.distanceText) \(off < .zero ? "early" : "late")"
    // A cut or an insertion is longer than a few frames.
    guard off.magnitude >= MediaTime(ticks: 45_000) else { return distance }
    let question =
      switch (off < .zero, isBeginning) {
      case (true, true): "was the beginning cut?"
      case (true, false): "was something cut out there?"
      case (false, true): "was something inserted in front?"
      case (false, false): "was something inserted there?"
      }
    return "\(distance): \(question)"
  }

  /// The differences of an event in one line.
  fileprivate static func text(_ event: GameEvent, _ details: [String]) -> String {
    // "askQuestion 2 at 00:10.000 is missing" is a sentence.
    let isSentence = details == [Self.missing(event).detail] || details == [Self.unexpected(event).detail]
    return name(event) + (isSentence ? " " : ": ") + details.joined(separator: "; ")
  }

  /// The name of an event: its type, its sequence number and its time.
  static func name(_ event: GameEvent) -> String {
    let sequence = event.sequence.map { " \($0)" } ?? ""
    return "\(event.type)\(sequence) at \(event.at?.clockText ?? "no time") (\(event.guid))"
  }
}

extension [Difference] {
  /// The differences in words: a line for each event, in the order of their first differences.
  package var lines: [String] {
    var order: [GUID] = []
    var byEvent: [GUID: [Difference]] = [:]
    var lines: [(line: String, guid: GUID?)] = []
    for difference in self {
      guard let guid = difference.event?.guid else {
        lines.append((difference.description, nil))
        continue
      }
      if byEvent[guid] == nil {
        order.append(guid)
        lines.append(("", guid))
      }
      byEvent[guid, default: []].append(difference)
    }
    return lines.map { line, guid in
      guard let guid, let about = byEvent[guid], let event = about.first?.event else { return line }
      return Difference.text(event, about.details)
    }
  }

  /// The differences of one event; missing copies are combined.
  private var details: [String] {
    var details: [String] = []
    var missing: [Int] = []
    for (index, difference) in enumerated() {
      guard case .copyMissing(_, let number, let count) = difference else {
        details.append(difference.detail)
        continue
      }
      missing.append(number)
      if index + 1 < self.count, case .copyMissing = self[index + 1] { continue }
      let numbers = missing.map { "\($0)" }
      let list = numbers.count > 1 ? "\(numbers.dropLast().joined(separator: ", ")) and \(numbers.last ?? "")" : numbers.joined()
      details.append(missing.count == 1 ? difference.detail : "copies \(list) of \(count) are missing")
      missing = []
    }
    return details
  }
}

extension MediaTime {
  /// A distance in seconds, to a thousandth, or to a millionth below that.
  package var distanceText: String { "\(magnitude.text(decimals: magnitude.ticks < 90 ? 6 : 3)) s" }
}

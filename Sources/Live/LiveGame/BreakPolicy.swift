package import Basics
package import SCTE35

/// What happens to a question whose time meets an ad break.
package enum BreakPolicy: String, CaseIterable, Equatable, Sendable {
  /// It goes into the stream as always.
  case pass
  /// It waits for the end of the break.
  case hold
  /// It is refused.
  case refuse
}

/// The ad breaks that are announced or open.
struct KnownBreaks: Sendable {
  private(set) var list: [AdBreak] = []
  /// How many breaks the stream has had.
  private(set) var count = 0

  /// Records a break, or what has become of one.
  mutating func note(_ known: AdBreak) {
    count = max(count, known.number.addingReportingOverflow(1).partialValue)
    list.removeAll { $0.number == known.number }
    if known.state != .ended, list.count < AdBreaks.mostBreaks { list.append(known) }
  }

  /// The first break that a time range meets; `nil` for none.
  func met(from: MediaTime, for duration: MediaTime) -> AdBreak? {
    list.filter { $0.meets(from: from, to: from + duration) }.min { $0.start < $1.start }
  }

  /// The first time from which on a time range of a duration meets no break; `nil` if that is not known.
  func free(from: MediaTime, for duration: MediaTime) -> MediaTime? {
    var time = from
    for _ in 0...list.count {
      guard let met = met(from: time, for: duration) else { return time }
      guard let end = met.end ?? (met.state == .announced ? met.expectedEnd : nil), end > time else { return nil }
      time = end
    }
    return nil
  }
}

extension AdBreak {
  /// The break in words: `the ad break from 01:05 to 01:35`.
  var words: String {
    let end = expectedEnd.map { state == .open && self.end == nil ? ", which should end at \($0.clockText)" : " to \($0.clockText)" }
    return "the ad break from \(start.clockText)\(end ?? ", whose end is not known")"
  }

  /// The break as the HTTP interface tells it.
  package var object: JSONObject {
    JSONObject(fields: ["id": name, "state": state.rawValue, "from": start, "to": expectedEnd, "duration": duration])
  }
}

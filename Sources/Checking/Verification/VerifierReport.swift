package import Basics
package import GameEvents

extension Verifier {
  /// The result of a ``Verifier``.
  package struct Report: Equatable, Sendable {
    /// The differences, in the order of the events' times.
    package var differences: [Difference] = []
    /// The number of events of the cue sheet that were found.
    package var events = 0
    /// The number of copies of the cue sheet's game.
    package var copies = 0
    /// The number of events of other games.
    package var otherEvents = 0
    /// The number of damaged places of the stream.
    package var damages = 0
    /// The number of copies without checksum. They may be damaged.
    package var unverified = 0
    /// The largest distance of a copy from its cue.
    package var largestOffset = MediaTime.zero
    /// The offset of the cues with which the stream was stamped, if all events come later than their cues by it and say so themselves.
    package var cueOffset: MediaTime?
    /// The outcome of each event of the cue sheet, in its order.
    package var results: [EventResult] = []
  }

  /// The outcome of an event of the cue sheet.
  package struct EventResult: Equatable, Sendable {
    /// The event.
    package var event: GameEvent
    /// The number of copies of its burst in the stream.
    package var burst = 0
    /// The number of refreshes, which serve late viewers.
    package var refreshes = 0
    /// The time from the event to its first copy; `nil` if there is none.
    package var delay: MediaTime?
    /// The largest distance of a copy from the cue.
    package var offset = MediaTime.zero
    /// The differences of this event.
    package var differences: [Difference] = []
  }

  /// What is compared.
  package enum Conditions: Equatable, Sendable {
    /// The stream is complete: the video determines the time, and copies are counted.
    case whole(ExpectedCopies)
    /// The stream has losses: the first video frame may be missing, so copies determine the time. Copies are not counted.
    case lossy
  }
}

extension Verifier.Report {
  /// The differences in words, a line for each event. If no event of the cue sheet was found, one line says so.
  package var lines: [String] {
    guard events == 0, results.count > 1 else {
      guard let cueOffset else { return differences.lines }
      let option = "--offset \(cueOffset.shortestDecimalSeconds)"
      let advice = "the events themselves say so: the cues were stamped at other times, and \(option) expects them"
      return differences.lines.prefix(1) + [advice] + differences.lines.dropFirst()
    }
    let others = differences.filter { if case .missing = $0 { false } else { true } }
    let all = "all \(results.count) events are missing"
    if case .otherGame = others.first { return Array(others.prefix(1)).lines + [all] + Array(others.dropFirst()).lines }
    return [all] + others.lines
  }
}

package import Basics
import HLSPlaylist
package import SCTE35
import Sheets

/// Why a request about events is refused.
package enum LiveProblem: Error, Equatable, Sendable {
  /// The request has mistakes, each with the JSON pointer (RFC 6901) to its place.
  case invalid([Mistake])
  /// The time has passed; `now` is the programme time.
  case tooLate(at: Moment, now: MediaTime)
  /// Another event has the identifier.
  case conflict(String)
  /// No event has the identifier.
  case unknownEvent(String)
  /// The event is in the stream, or will never be.
  case notCancellable(EventStatus.State)
  /// No cue waits for the operator.
  case nothingWaits
  /// The time of a question meets an ad break.
  case inBreak(AdBreak)
  /// The stream has no timecode, for this reason.
  case noTimecode(String)
  /// No more events can be accepted for the moment.
  case busy(String)

  /// When an event should happen, as the request says it.
  package enum Moment: Equatable, Sendable {
    /// On the programme's timeline.
    case time(MediaTime)
    /// At a date, with the date that it is, in milliseconds since 1970.
    case date(Int64, now: Int64)
    /// At a timecode of the stream, with the one that it has.
    case timecode(String, now: String)
  }

  /// A mistake in a request.
  package struct Mistake: Equatable, Sendable {
    /// Where it is; empty for the whole request.
    package var pointer: String
    /// What was found and what to do about it.
    package var message: String

    /// A mistake at a place.
    package init(pointer: String, message: String) { (self.pointer, self.message) = (pointer, message) }
  }

  /// The mistakes of a sheet that was read as a tree.
  ///
  /// - Parameter prefix: The pointer to the tree in the request.
  init(_ error: SheetError, in root: SheetNode?, prefix: String = "") {
    self = .invalid(
      error.problems.map { problem in
        Mistake(pointer: prefix + (root?.pointer(to: problem.place) ?? ""), message: problem.message)
      })
  }

  /// The problem with a prefix for the pointers of its mistakes.
  package func at(_ prefix: String) -> LiveProblem {
    guard case .invalid(let mistakes) = self else { return self }
    return .invalid(mistakes.map { Mistake(pointer: prefix + $0.pointer, message: $0.message) })
  }
}

extension LiveProblem: CustomStringConvertible {
  private static func text(_ date: Int64) -> String { PlaylistDate(milliseconds: date)?.text ?? "the date" }

  /// The reason in words.
  package var description: String {
    switch self {
    case .invalid(let mistakes): mistakes.map { $0.pointer.isEmpty ? $0.message : "\($0.pointer): \($0.message)" }.joined(separator: "\n")
    case .tooLate(.time(let time), let now): "\(time.clockText) has passed: the programme is at \(now.clockText)"
    case .tooLate(.date(let date, let now), _): "\(Self.text(date)) has passed: it is \(Self.text(now))"
    case .tooLate(.timecode(let label, let now), _): "\(label) has passed: the stream's timecode is \(now)"
    case .conflict(let guid): "the guid \(guid.quoted) is that of an event that says something else"
    case .unknownEvent(let guid): "no event has the guid \(guid.quoted)"
    case .notCancellable(let state): "the event is \(state.rawValue) already"
    case .nothingWaits: "no cue waits for a sign to go"
    case .inBreak(let known): "the time of the question meets \(known.words)"
    case .noTimecode(let reason): reason
    case .busy(let reason): reason
    }
  }
}

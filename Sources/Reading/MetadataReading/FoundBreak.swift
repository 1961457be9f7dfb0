package import Basics
package import HLSReading
package import SCTE35

/// An ad break that something in a stream or in a playlist announces.
package struct FoundBreak: Equatable, Sendable {
  /// What announces it.
  package enum Form: Equatable, Sendable {
    /// A section of SCTE 35 in the stream.
    case section
    /// A date range with this ID.
    case dateRange(String)
    /// A tag of a playlist.
    case tag(String)
  }

  /// What announces it.
  package var form: Form
  /// The identifier in its section; `nil` if there is none.
  package var id: AdBreak.Identifier?
  /// When it begins, on the programme's timeline.
  package var start: MediaTime
  /// When it ends, or is expected to end; `nil` if nothing says it.
  package var end: MediaTime?
  /// Whether anything ends it: a cue, a duration that counts without one, or the end of a date range.
  package var isEnded = false
  /// Whether an earlier break has the same identifier.
  package var hasKnownID = false
  /// Where the first cue for it starts, in bytes from the start of the stream or the segment; 0 in a playlist.
  package var offset: Int
  /// The segment of a presentation that contains the cue.
  package var source: HLSSource?

  /// What announces it, in words.
  package var name: String {
    switch form {
    case .section: id.map { "the break with the event id \($0.eventID)" } ?? "the break"
    case .dateRange(let id): "the date range \(id)"
    case .tag(let name): "the break of \(name)"
    }
  }

  /// Whether it has a part of a time range. A range without a duration is its start.
  package func meets(from: MediaTime, to: MediaTime) -> Bool {
    (start..<max(start, end ?? MediaTime(ticks: .max))).meets(from: from, to: to)
  }
}

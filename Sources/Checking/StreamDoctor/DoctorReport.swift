package import EventReading

/// What a ``StreamDoctor`` found.
package struct DoctorReport: Equatable, Sendable {
  /// What was checked.
  package struct Content: Equatable, Sendable {
    /// The format of the first rendition; `nil` if none was recognised.
    package var container: Container?
    /// The number of renditions of a presentation; `nil` for a single stream.
    package var renditions: Int?
  }

  /// The rules that are broken: errors first.
  package var findings: [Finding]
  /// What players are expected to make of the stream, or of the first rendition of a presentation.
  package var players: [PlayerPrediction]
  /// What was checked.
  package var content: Content
  /// The number of streams, initialization segments and segments that were checked.
  package var resources: Int
  /// The number of tags.
  package var tags: Int
  /// The number of events.
  package var events: Int

  /// The number of broken rules of a severity.
  package func count(_ severity: DoctorRule.Severity) -> Int { findings.filter { $0.rule.severity == severity }.count }
}

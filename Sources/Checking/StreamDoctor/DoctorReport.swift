package import EventReading

/// The result of a ``StreamDoctor``.
package struct DoctorReport: Equatable, Sendable {
  /// What was checked.
  package struct Content: Equatable, Sendable {
    /// The format of the first rendition; `nil` if none was recognised.
    package var container: Container?
    /// The number of renditions of a presentation; `nil` for a single stream.
    package var renditions: Int?
    /// Whether the renditions are those of an MPD.
    package var isManifest = false
  }

  /// The broken rules: errors first.
  package var findings: [Finding]
  /// The expected behaviour of players with the stream, or with the first rendition of a presentation.
  package var players: [PlayerPrediction]
  /// What was checked.
  package var content: Content
  /// The number of streams, initialization segments and segments that were checked.
  package var resources: Int
  /// The number of tags.
  package var tags: Int
  /// The number of events.
  package var events: Int

  /// The number of events in SEI messages of the video.
  package var messageEvents = 0

  /// The number of broken rules of a severity.
  package func count(_ severity: DoctorRule.Severity) -> Int { findings.filter { $0.rule.severity == severity }.count }
}

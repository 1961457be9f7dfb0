/// What a ``StreamDoctor`` found.
package struct DoctorReport: Equatable, Sendable {
  /// The rules that are broken: errors first.
  package var findings: [Finding]
  /// What players are expected to make of the stream, or of the first rendition of a presentation.
  package var players: [PlayerPrediction]
  /// The number of streams, initialization segments and segments that were checked.
  package var resources: Int
  /// The number of tags.
  package var tags: Int
  /// The number of events.
  package var events: Int

  /// The number of broken rules of a severity.
  package func count(_ severity: DoctorRule.Severity) -> Int { findings.filter { $0.rule.severity == severity }.count }
}

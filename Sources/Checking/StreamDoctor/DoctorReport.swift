/// What a ``StreamDoctor`` found.
public struct DoctorReport: Equatable, Sendable {
  /// The rules that are broken: errors first.
  public var findings: [Finding]
  /// What players are expected to make of the stream, or of the first rendition of a presentation.
  public var players: [PlayerPrediction]
  /// How many streams, maps and segments were looked at.
  public var resources: Int
  /// How many tags there are.
  public var tags: Int
  /// How many events there are.
  public var events: Int

  /// How many rules of a severity are broken.
  public func count(_ severity: DoctorRule.Severity) -> Int { findings.filter { $0.rule.severity == severity }.count }
}

/// Where a rule is broken, and what is there.
public struct FindingPlace: Equatable, Sendable {
  /// Where in a resource something lies.
  public enum Position: Equatable, Sendable {
    /// So many bytes from its start.
    case byte(Int)
    /// In this line of a playlist, from 1.
    case line(Int)
  }

  /// The stream, the segment or the playlist, by its name.
  public var resource: String
  /// Where in it; `nil` where it is about all of it.
  public var position: Position?
  /// What is there.
  public var found: String

  /// A place, and what is there.
  public init(resource: String, position: Position?, found: String) {
    self.resource = resource
    self.position = position
    self.found = found
  }
}

extension FindingPlace: CustomStringConvertible {
  /// The place in words, for example `show.ts byte 1234`.
  public var description: String {
    switch position {
    case .byte(let offset): "\(resource) byte \(offset)"
    case .line(let line): "\(resource) line \(line)"
    case nil: resource
    }
  }
}

/// A rule that a stream breaks, once or often.
public struct Finding: Equatable, Sendable {
  /// The rule.
  public var rule: DoctorRule
  /// How often it is broken.
  public var count: Int
  /// The first few places, in their order.
  public var places: [FindingPlace]

  /// A rule and where it is broken.
  public init(rule: DoctorRule, count: Int, places: [FindingPlace]) {
    self.rule = rule
    self.count = count
    self.places = places
  }
}

/// Gathers findings in bounded memory: of each rule the count and the first few places.
struct FindingLog: Sendable {
  /// What is being looked at.
  var resource: String
  /// Where in that its first byte lies, where it is a part of a file.
  var base = 0

  private var findings: [String: Finding] = [:]

  /// So many places of each rule are kept.
  private static let placesKept = 5

  init(resource: String) { self.resource = resource }

  /// Takes note of what lies at an offset of what is being looked at.
  mutating func add(_ rule: DoctorRule, at offset: Int, _ found: String) {
    let (sum, overflows) = base.addingReportingOverflow(offset)
    add(rule, FindingPlace(resource: resource, position: .byte(overflows ? .max : sum), found: found))
  }

  /// Takes note of a place.
  mutating func add(_ rule: DoctorRule, _ place: FindingPlace) {
    var finding = findings[rule.id] ?? Finding(rule: rule, count: 0, places: [])
    finding.count += 1
    if finding.places.count < Self.placesKept { finding.places.append(place) }
    findings[rule.id] = finding
  }

  /// Whether tags, or what should be some, broke a rule: then the input is not without them.
  var hasTagFindings: Bool {
    let layers: [DoctorRule.Layer] = [.packets, .tags, .eventMessages]
    return findings.values.contains { layers.contains($0.rule.layer) }
  }

  /// What was found: errors first, each severity in the order of the rules.
  var sorted: [Finding] {
    DoctorRule.Severity.allCases.flatMap { severity in
      DoctorRule.all.compactMap { $0.severity == severity ? findings[$0.id] : nil }
    }
  }
}

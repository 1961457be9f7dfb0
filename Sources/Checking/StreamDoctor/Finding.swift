/// Where a rule is broken, and what was found there.
package struct FindingPlace: Equatable, Sendable {
  /// A position in a resource.
  package enum Position: Equatable, Sendable {
    /// This number of bytes from its start.
    case byte(Int)
    /// In this line of a playlist, from 1.
    case line(Int)
  }

  /// The stream, the segment or the playlist, by its name.
  package var resource: String
  /// The position in it; `nil` for all of it.
  package var position: Position?
  /// What was found there.
  package var found: String
}

extension FindingPlace: CustomStringConvertible {
  /// The place in words, for example `show.ts byte 1234`.
  package var description: String {
    switch position {
    case .byte(let offset): "\(resource) byte \(offset)"
    case .line(let line): "\(resource) line \(line)"
    case nil: resource
    }
  }
}

/// A rule that a stream breaks, once or several times.
package struct Finding: Equatable, Sendable {
  /// The rule.
  package var rule: DoctorRule
  /// How often it is broken.
  package var count: Int
  /// The first few places, in their order.
  package var places: [FindingPlace]
}

/// Gathers findings in bounded memory: for each rule the count and the first few places.
struct FindingLog: Sendable {
  /// The name of the stream, the playlist or the segment that is being checked.
  var resource: String
  /// The offset of its first byte in its file; not 0 for a byte range.
  var base = 0

  private var findings: [String: Finding] = [:]

  /// The number of places that are kept for each rule.
  private static let placesKept = 5

  init(resource: String) { self.resource = resource }

  /// Records a finding at an offset of the current resource.
  mutating func add(_ rule: DoctorRule, at offset: Int, _ found: String) { add(rule, place(at: offset, found)) }

  /// The place at an offset of the current resource, to be recorded now or later.
  func place(at offset: Int, _ found: String) -> FindingPlace {
    let (sum, overflows) = base.addingReportingOverflow(offset)
    return FindingPlace(resource: resource, position: .byte(overflows ? .max : sum), found: found)
  }

  /// Records a finding in a line of a playlist, or about a whole resource: the current one, or another one with this name.
  mutating func add(_ rule: DoctorRule, in other: String? = nil, line: Int? = nil, _ found: String) {
    add(rule, FindingPlace(resource: other ?? resource, position: line.map { .line($0) }, found: found))
  }

  /// Records a place.
  mutating func add(_ rule: DoctorRule, _ place: FindingPlace) {
    var finding = findings[rule.id] ?? Finding(rule: rule, count: 0, places: [])
    finding.count += 1
    if finding.places.count < Self.placesKept { finding.places.append(place) }
    findings[rule.id] = finding
  }

  /// Whether a tag, or something that should be a tag, is wrong. Then the input is not without tags.
  var hasTagFindings: Bool {
    let layers: [DoctorRule.Layer] = [.packets, .tags, .eventMessages]
    return findings.values.contains { layers.contains($0.rule.layer) && $0.rule.severity == .error }
  }

  /// Whether an event breaks a rule. Then the input is not without events.
  var hasEventFindings: Bool { [DoctorRule.damaged, .signature, .dateRangeEvent].contains { findings[$0.id] != nil } }

  /// Forgets the findings of all other rules.
  mutating func keep(_ isKept: (DoctorRule) -> Bool) { findings = findings.filter { isKept($0.value.rule) } }

  /// All findings: errors first, each severity in the order of the rules.
  var sorted: [Finding] {
    DoctorRule.Severity.allCases.flatMap { severity in
      DoctorRule.all.compactMap { $0.severity == severity ? findings[$0.id] : nil }
    }
  }
}

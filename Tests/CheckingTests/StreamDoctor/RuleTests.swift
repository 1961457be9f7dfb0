import Foundation
import StreamDoctor
import Testing

/// Each rule has a fixture that breaks it and no other.
@Suite struct RuleTests {
  @Test(arguments: Fixture.all) func isBrokenAlone(_ fixture: Fixture) throws {
    let report = try fixture.report()
    // Faults of tables and playlists are found without tags and events, too.
    let withoutEvents = report.events == 0 && !fixture.rule.hasPrefix("EVENT-NO")
    #expect(report.rules.filter { !withoutEvents || !$0.hasPrefix("EVENT-NO") } == [fixture.rule])
    for finding in report.findings {
      #expect(finding.count >= 1 && finding.places.count == min(finding.count, 5))
      #expect(finding.places.allSatisfy { !$0.found.isEmpty && !$0.resource.isEmpty })
    }
  }

  /// The advice of each rule, followed, leaves nothing of that rule, and brings up no other.
  @Test(arguments: Fixture.advised) func theAdviceHelps(_ fixture: Fixture) throws {
    let report = try fixture.report()
    let withoutEvents = report.events == 0 && !fixture.rule.hasPrefix("EVENT-NO")
    #expect(report.rules.filter { !withoutEvents || !$0.hasPrefix("EVENT-NO") } == [])
  }

  @Test func everyAdviceIsFollowed() {
    let followed = Fixture.advised.map(\.rule) + Fixture.withoutAdvice
    #expect(Set(followed) == Set(DoctorRule.all.map(\.id)), "\(Set(followed).symmetricDifference(DoctorRule.all.map(\.id)))")
  }

  @Test(arguments: Fixture.rightManifests) func manifestsThatAreRight(_ fixture: Fixture) throws {
    let report = try fixture.report()
    #expect(report.rules == [] && report.events == 1)
  }

  /// A rule that is not in the list would be found in streams, but not reported.
  @Test func everyRuleIsInTheList() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/Checking/StreamDoctor/Rules").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let written = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: /static let \w+ = DoctorRule\(\s*"([A-Z0-9-]+)"/)
        .map { String($0.output.1) }
    }
    #expect(written.count > 50 && Set(written) == Set(DoctorRule.all.map(\.id)) && written.count == DoctorRule.all.count)
  }

  @Test func everyRuleHasAFixture() {
    let missing = DoctorRule.all.map(\.id).filter { id in !Fixture.all.contains { $0.rule == id } }
    #expect(missing == [])
    #expect(Set(DoctorRule.all.map(\.id)).count == DoctorRule.all.count)
  }
}

import Basics
import EventReading
import EventSchedule
import GameEvents
import StateMachine
import TestSupport
import Testing

@testable import Verification

/// Reports as tables, and for continuous integration.
@Suite struct ReportTests {
  /// The question is missing, the information says something else.
  static func report() throws -> Verifier.Report {
    var events = VerifierTests.plan(changing: 3) { $0.content = .periodicInfo(PeriodicInfo(viewers: 7)) }
    events.remove(at: 1)
    return VerifierTests.verify(try VerifierTests.items(events, CopyPolicy(refreshInterval: nil)))
  }

  @Test func aTable() throws {
    #expect(
      try Self.report().table == [
        "event                  at  copies  refreshes  known after      off",
        "startGame 1     00:00.000       3          0      0.000 s  0.000 s  ok",
        "askQuestion 2   00:00.800       0          0            -        -  missing",
        "showResults 3   00:01.520       3          0      0.000 s  0.000 s  ok",
        "periodicInfo 4  00:01.556       3          0      0.000 s  0.000 s  content",
        "endGame 5       00:02.200       3          0      0.000 s  0.000 s  ok",
      ])
  }

  @Test func aSuiteHasACaseForEachEvent() throws {
    var suite = JUnitReport(name: "show.ts")
    let report = try Self.report()
    suite.add(report, of: "show.ts")
    let names = VerifierTests.planned.map { Difference.name($0.event) } + ["no other events", "final state"]
    #expect(suite.cases.map { $0.name } == names)
    #expect(suite.cases.filter { !$0.failures.isEmpty }.map { $0.name } == [names[1], names[3]])
    #expect(suite.cases.flatMap { $0.failures }.count == report.differences.count)
  }

  @Test func itsXML() {
    var suite = JUnitReport(name: "a \"b\" & c")
    suite.duration = MediaTime(ticks: 135_000)
    suite.cases = [
      .init(name: "fine", group: "a"),
      .init(name: "x<y", group: "a", failures: [.init(kind: "content", message: "1 < 2\u{1}\n"), .init(kind: "time", message: "late")]),
    ]
    #expect(
      suite.xml == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="cuelight verify" tests="2" failures="1" errors="0" skipped="0" time="1.500">
          <testsuite name="a &quot;b&quot; &amp; c" tests="2" failures="1" errors="0" skipped="0" time="1.500">
            <testcase classname="a" name="fine" time="0"/>
            <testcase classname="a" name="x&lt;y" time="0">
              <failure type="content" message="1 &lt; 2\u{FFFD}&#10;">1 &lt; 2\u{FFFD}&#10;
        late</failure>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  /// A mark behind a character makes one letter of both, and the character is still one that XML must not have raw.
  @Test func marksHideNothingFromXML() {
    let suite = JUnitReport(name: "&\u{301}<\u{301}\u{202E}")
    #expect(suite.xml.contains("<testsuite name=\"&amp;\u{301}&lt;\u{301}\u{FFFD}\""))
  }

  @Test func otherCommandsAndNotes() {
    var report = JUnitReport(command: "doctor", name: "a.ts")
    report.cases = [.init(name: "rule", group: "a.ts", notes: ["one & two", "three"])]
    #expect(
      report.xml == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="cuelight doctor" tests="1" failures="0" errors="0" skipped="0" time="0.000">
          <testsuite name="a.ts" tests="1" failures="0" errors="0" skipped="0" time="0.000">
            <testcase classname="a.ts" name="rule" time="0">
              <system-out>one &amp; two
        three</system-out>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func anErrorIsACase() {
    var report = JUnitReport(name: "a.ts")
    report.error = .init(kind: "status 66", message: "a.ts: no \"such\" file")
    #expect(
      report.xml == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="cuelight verify" tests="1" failures="0" errors="1" skipped="0" time="0.000">
          <testsuite name="a.ts" tests="1" failures="0" errors="1" skipped="0" time="0.000">
            <testcase classname="a.ts" name="verify" time="0">
              <error type="status 66" message="a.ts: no &quot;such&quot; file">a.ts: no &quot;such&quot; file</error>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  /// A line for each event, in one unit.
  @Test func linesAreOneAnEvent() throws {
    let (first, second) = (VerifierTests.planned[0].event, VerifierTests.planned[1].event)
    let place = try #require(try VerifierTests.items(SampleGame.plan()).copies.first?.place)
    let differences: [Difference] = [
      .copyMissing(first, number: 1, of: 4), .copyMissing(first, number: 2, of: 4), .copyMissing(first, number: 4, of: 4),
      .refreshed(first, times: 2), .missing(second), .finalState(found: .ended, expected: .ended, what: "the phase"),
      .time(first, off: MediaTime(ticks: -45), at: place), .notRefreshed(second, since: .zero, for: MediaTime(ticks: 123_456)),
    ]
    #expect(
      differences.lines == [
        "startGame 1 at 00:00.000 (friday-start): copies 1, 2 and 4 of 4 are missing; is refreshed 2 times, and should not be; "
          + "the copy at byte \(place.offset) is 0.000500 s too early",
        "askQuestion 2 at 00:00.800 (friday-ask): is missing; is not refreshed for 1.372 s from 00:00.000 on",
        "the game ends in another state: the phase differs",
      ])
    #expect([Difference.missing(second)].lines == ["\(Difference.missing(second))"])
    #expect([Difference]().lines == [])
  }

  @Test func everyKindOfDifferenceHasAWord() {
    let event = VerifierTests.planned[0].event
    let differences: [Difference] = [
      .missing(event), .unexpected(event), .conflict(event), .seal(event), .copyRepeated(event, number: 1, times: 2),
      .refreshed(event, times: 1), .finalState(found: .ended, expected: .ended, what: "the phase"),
    ]
    #expect(differences.map { $0.kind } == ["missing", "unexpected", "conflict", "seal", "copies", "refreshes", "finalState"])
    #expect(differences.map { $0.event == nil } == [false, false, false, false, false, false, true])
    let texts = ["copy 1 occurs 2 times", "is refreshed once, and should not be"]
    #expect(differences[4...5].map { $0.description } == texts.map { "startGame 1 at 00:00.000 (friday-start): \($0)" })
  }
}

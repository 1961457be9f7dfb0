import Basics
import GameJSON
import Testing

/// A run is compared with the journal of another.
@Suite struct JournalTests {
  private static let lines = [
    #"{"time":1,"transition":"gameStarted","state":{"phase":"lobby","question":null}}"#,
    #"{"time":2,"transition":"questionAsked","state":{"phase":"asking","question":{"number":1,"answers":["a","b"]}}}"#,
  ]

  private func compare(_ run: [String], with journal: [String] = lines) throws -> Journal {
    var journal = try Journal(Array(journal.map { $0 + "\n" }.joined().utf8))
    for line in run { journal.compare(try #require(try JSONValue(parsing: line).object)) }
    journal.finish()
    return journal
  }

  @Test func theSameRunDiffersInNothing() throws {
    let compared = try compare(Self.lines)
    #expect(compared.differences == [] && compared.differingLines == 0)
  }

  @Test(arguments: [
    (
      1, #"{"time":2,"transition":"questionAsked","state":{"phase":"asking","question":{"number":2,"answers":["a","b"]}}}"#,
      "line 2: state.question.number is 2 instead of 1"
    ),
    (
      1, #"{"time":2,"transition":"questionAsked","state":{"phase":"asking","question":{"number":1,"answers":["a","c"]}}}"#,
      #"line 2: state.question.answers is ["a","c"] instead of ["a","b"]"#
    ),
    (
      1, #"{"time":2,"transition":"questionAsked","state":{"phase":"asking"}}"#,
      #"line 2: state.question is missing instead of {"number":1,"answers":["a","b"]}"#
    ),
    (
      0, #"{"time":1,"transition":"gameStarted","state":{"phase":"lobby","question":null},"more":true}"#,
      "line 1: more is true instead of missing"
    ),
  ])
  func theFirstValueThatDiffersIsNamed(_ test: (index: Int, line: String, text: String)) throws {
    var run = Self.lines
    run[test.index] = test.line
    let compared = try compare(run)
    #expect(compared.differences.map { "\($0)" } == [test.text] && compared.differingLines == 1)
  }

  @Test func linesTooFewAndTooMany() throws {
    #expect(try compare([]).differences.map { $0.line } == [1, 2])
    #expect(try "\(compare([]).differences[0])" == "line 1: is missing: \(Self.lines[0])")
    let longer = try compare(Self.lines + [Self.lines[0]])
    #expect(longer.differences.map { "\($0)" } == ["line 3: is \(Self.lines[0]), and the journal has ended"])
  }

  @Test func ofManyDifferencesTheFirstAreKept() throws {
    let compared = try compare([String](repeating: Self.lines[0], count: 100), with: [])
    #expect(compared.differences.count == Journal.mostDifferences && compared.differingLines == 100)
  }

  @Test func aJournalThatIsNoneIsRefusedWithItsLine() {
    #expect {
      try compare([], with: [Self.lines[0], "[]"])
    } throws: { error in
      (error as? Journal.ParsingError)?.line == 2
    }
  }
}

import Basics
import CueSheet
import EventSchedule
import GameEvents
import Sheets
import Testing

/// The same sheet in different spellings.
@Suite struct SyntaxTests {
  private let yaml = """
    game: g
    title: T
    cues:
      - at: 1
        event: startGame
      - {at: 2, event: askQuestion, question: "😀 \\"?\\"", answers: [Yes, No, 1.10, 010], correct: 010}
      - {at: 3, event: showResults, counts: [1, 2, 3, 4]}
      - {at: 4, event: thing, a: 1, b: "1", c: 1.50, d: [true, null, {e: x}], f: -0.5e3}
    """

  private let json = """
    \t{"game":"g","title":"T","cues":[
    \t{"at":1,"event":"startGame"},
    {"at":2.0,"event":"askQuestion","question":"\\ud83d\\ude00 \\"?\\"","answers":["Yes","No","1.10","010"],"correctAnswer":3},
    {"event":"showResults","at":"00:03","counts":[1,2,3,4]},
    {"at":4,"event":"thing","a":1,"b":"1","c":1.50,"d":[true,null,{"e":"x"}],"f":-0.5e3}
    ]}
    """

  @Test func jsonIsRead() throws {
    let fromYAML = try parse(yaml)
    let fromJSON = try parse(json)
    #expect(fromYAML.events == fromJSON.events)
    #expect(fromYAML.places == [(4, 5), (6, 5), (7, 5), (8, 5)].map { CuePlace(line: $0.0, column: $0.1) })
    #expect(fromJSON.places == [(2, 2), (3, 1), (4, 1), (5, 1)].map { CuePlace(line: $0.0, column: $0.1) })
    guard case .askQuestion(let question) = fromYAML.events[1].event.content else {
      Issue.record("the second event is no question")
      return
    }
    #expect(question.question == "😀 \"?\"")
    #expect(question.answers == ["Yes", "No", "1.10", "010"])
  }

  @Test func flowYAMLWithBracesIsRead() throws {
    #expect(try parse("{game: g, cues: [{at: 1, event: x,},]}").events.count == 1)
  }

  @Test func byteOrderMarkAndLineEndings() throws {
    let expected = try parse(yaml)
    #expect(try parse("\u{FEFF}" + yaml) == expected)
    #expect(try parse(yaml.split(separator: "\n").joined(separator: "\r\n")) == expected)
    #expect(try parse("---\n" + yaml + "\n...\n").events == expected.events)
  }

  @Test func aliasesStandForTheirAnchors() throws {
    let text = sheet(
      "at: 1, event: askQuestion, question: Q, answers: &choice [A, B], correct: A",
      "at: 2, event: askQuestion, question: R, answers: *choice, correct: B")
    let answers = try parse(text).events.map { planned -> [String]? in
      guard case .askQuestion(let question) = planned.event.content else { return nil }
      return question.answers
    }
    #expect(answers == [["A", "B"], ["A", "B"]])
  }

  @Test(arguments: [
    ("1", "1"), ("-1", "-1"), ("+1", "1"), ("010", "10"), ("0x1F", "31"), ("0o17", "15"), ("1.5", "1.5"), (".5", "0.5"), ("1.", "1.0"),
    ("-.5E+3", "-0.5E+3"), ("1e400", "1e400"), ("true", "true"), ("FALSE", "false"), ("~", "null"), ("null", "null"), ("", "null"),
    ("yes", #""yes""#), ("1_000", #""1_000""#), ("1:30", #""1:30""#), (".inf", #"".inf""#), ("-a", #""-a""#), ("0x", #""0x""#),
    ("0x-1", #""0x-1""#), (".", #"".""#), ("1e", #""1e""#), ("2026-11-20", #""2026-11-20""#), ("'1'", #""1""#), ("\"true\"", #""true""#),
  ])
  func unquotedScalarsAreTyped(scalar: String, json: String) throws {
    let event = try parse("game: g\ncues:\n  - at: 1\n    event: x\n    k: \(scalar)\n").events[0].event
    guard case .custom(_, let keys) = event.content else {
      Issue.record("no custom event")
      return
    }
    #expect(keys.text == "{\"k\":\(json)}")
  }

  @Test(
    arguments: [
      ("0", 0), ("12.5", 1_125_000), ("12.5s", 1_125_000), ("2s", 180_000), ("01:02", 5_580_000), ("1:02.5", 5_625_000),
      ("90:00", 486_000_000), ("00:00:05.000", 450_000), ("10:00:00.040", 3_240_003_600), ("0.033333", 3_000), ("0.0000111", 1),
      ("100000:00:00", 32_400_000_000_000),
    ] as [(String, Int64)])
  func timesAreExact(text: String, ticks: Int64) throws {
    #expect(try parse(sheet("at: \(text), event: x")).events[0].time.ticks == ticks)
  }

  @Test(arguments: [
    "", "s", ".5", "5.", "1e3", "5 s", "1,5", "1:5", "1:60", "1:60:00", "1:2:03", "1:02:3", ":05", "5:", "abc", "0x10",
    "12:30.", "--5", "9999999999", "999999999:00:00", "99999999999999999999:00",
  ])
  func otherTimesAreNone(text: String) {
    let expected = "4:11: \"at\" is \"\(text)\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"
    #expect(problems(sheet("at: '\(text)', event: x")) == [expected])
  }

  /// Times of other kinds say what they lack.
  @Test func timesWithoutWhatTheyCountFrom() {
    #expect(
      problems(sheet("at: '+5', event: x")) == ["4:11: there is no cue before this cue that its time could count from; write a time"])
    #expect(
      problems(sheet("at: '1:02:03:04', event: x")) == [
        "4:11: \"at\" is \"1:02:03:04\", a timecode; say at the top of the sheet what it counts, as in timecode: { rate: 25 }"
      ])
  }

  @Test func sortedByTimeThenByPlace() throws {
    let sheet = try parse(sheet("at: 2, event: c", "at: 1, event: a", "at: 2, event: d", "at: 1.5, event: b"))
    #expect(sheet.events.map(\.event.type.text) == ["a", "b", "c", "d"])
    #expect(sheet.events.map(\.event.sequence) == [1, 2, 3, 4])
    #expect(sheet.places.map(\.line) == [5, 7, 4, 6])
  }

  @Test func givenNumbersCountOn() throws {
    let sheet = try parse(
      sheet(
        "at: 1, event: startGame, totalQuestions: 9, title: Own, sequence: 5", question(at: "2", "correct: B, questionNumber: 4"),
        question(at: "3", "correctAnswer: 2, totalQuestions: 8, guid: mine"), "at: 4, event: showResults, questionNumber: 4",
        "at: 5, event: showResults, questionNumber: 5", "at: 6, event: endGame, totalQuestions: 7, guid: end"))
    #expect(sheet.events.map(\.event.sequence) == [5, 6, 7, 8, 9, 10])
    let questions = sheet.events[1...2].map(\.event)
    let expected = [("Q", 4, 9), ("Q", 5, 8)].map { "\($0.0) \($0.1) \($0.2)" }
    let found = questions.map { event -> String in
      guard case .askQuestion(let content) = event.content else { return "" }
      return "\(content.question) \(content.questionNumber) \(content.totalQuestions ?? 0)"
    }
    #expect(found == expected)
    #expect(questions[1].guid.text == "mine")
    let results = sheet.events[3...4].map { planned -> String in
      guard case .showResults(let content) = planned.event.content else { return "" }
      return "\(content.questionGuid) \(content.questionNumber) \(content.correctAnswer ?? -1)"
    }
    #expect(results == ["\(questions[0].guid) 4 1", "mine 5 2"])
    #expect(sheet.events[5].event.content == .endGame(EndGame(totalQuestions: 7)))
  }
}

import Basics
import GameEvents
import Sheets
import TestSupport
import Testing

@testable import Questions

/// Files of questions, whatever they hold.
@Suite struct QuizFileTests {
  static let yaml = """
    id: friday
    title: Friday Night
    questions:
      - question: Which planet?
        answers: [Earth, Mars, 1.10, Yes]
        correct: Mars
        points: [0, 2, -1, 0]
      - { question: Sicher?, answers: [True, False], correctAnswer: 1, difficulty: easy }

    """

  static func read(_ text: String, _ format: BankFormat? = nil) -> QuestionBank.Reading { QuizFile.read(Array(text.utf8), format: format) }

  @Test func yaml() {
    let questions = [
      Placed(
        Question(text: "Which planet?", answers: ["Earth", "Mars", "1.10", "Yes"], correctAnswer: 1, points: [0, 2, -1, 0]),
        at: SheetPlace(line: 4, column: 5)),
      Placed(
        Question(text: "Sicher?", answers: ["True", "False"], correctAnswer: 1, difficulty: .easy), at: SheetPlace(line: 8, column: 5)),
    ]
    let bank = QuestionBank(id: "friday", title: "Friday Night", questions: questions)
    #expect(Self.read(Self.yaml, .yaml) == QuestionBank.Reading(bank))
    // The content tells what it is, whatever the name says.
    #expect(Self.read(Self.yaml) == QuestionBank.Reading(bank) && Self.read(Self.yaml, .json) == QuestionBank.Reading(bank))
    for format in [QuizFormat.yaml, .json] {
      let again = Self.read(QuizFile.text(bank, format: format), BankFormat("\(format)")).bank
      #expect(again.questions.map(\.value) == questions.map(\.value) && again.id == "friday" && again.title == "Friday Night")
    }
  }

  @Test func mistakesHavePlaces() {
    #expect(
      Self.read("questions:\n- question: Q\n  answers: [a, a]\n  correct: b\n").problems.map(\.description) == [
        "3:16: the answer \"a\" is already in line 3, column 13; make all answers different",
        "4:12: \"correct\" is \"b\", which is none of the answers; write one of \"a\", \"a\"",
      ])
    #expect(Self.read("questions: [").problems.map(\.line) == [1])
    #expect(Self.read("").problems.map(\.description) == ["1:1: the file is empty; write questions:"])
    #expect(QuizFile.read([0x61, 0xFF], format: .yaml).problems.map(\.description) == ["1:2: this is not UTF-8; save the file as UTF-8"])
    #expect(Self.read("a: 1\na: 2").problems.map(\.line) == [1, 1, 2])
  }

  @Test func answersOfOpenTriviaDB() {
    let text = """
      {"response_code":0,"results":[{"type":"boolean","difficulty":"hard","category":"Art","question":"R&amp;D?",
      "correct_answer":"False","incorrect_answers":["True"]}]}
      """
    let expected = Question(text: "R&D?", answers: ["True", "False"], correctAnswer: 1, category: "Art", difficulty: .hard)
    #expect(Self.read(text, .json).bank.questions.map(\.value) == [expected])
    #expect(
      Self.read("{\"response_code\":2,\"results\":[]}").problems.map(\.description) == [
        "1:1: response code 2: a parameter is not understood; check the amount, category, difficulty and type"
      ])
  }

  @Test func tables() {
    #expect(
      Self.read("question,correct,wrong\nQ,a,b\n", .csv).bank.questions.map(\.value) == [
        Question(text: "Q", answers: ["a", "b"], correctAnswer: 0)
      ])
  }

  @Test func brokenJSONIsToldAsJSON() {
    let text = "{\"questions\":[\n{\"question\":\"\\ud800\",\"answers\":[\"a\",\"b\"],\"correct\":\"a\"}]}"
    for format in [BankFormat.json, nil] {
      let problems = Self.read(text, format).problems
      #expect(problems.count == 1 && problems[0].line == 2 && problems[0].message.hasPrefix("this is no JSON: "))
      #expect(Self.read("[1,", format).problems.map(\.message).allSatisfy { $0.hasPrefix("this is no JSON: ") })
    }
    #expect(Self.read("{\"response_code\":0,\"results\":[]}").problems.count == 1)
  }

  /// What YAML would take is still wrong in a file under the name of JSON.
  @Test func jsonThatOnlyYAMLTakes() {
    let head = "{\"questions\": [\n  {\"question\": \"Q\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\"}"
    let cases: [(String, String)] = [
      (head + ",\n]}", "3:1: this is no JSON: a JSON value is expected here"), (head + "],\n}", "3:1: this is no JSON: "),
      ("[1, 2,]", "1:7: this is no JSON: "), (" {questions: []}", "1:3: this is no JSON: "),
      (head + "\n]} # end", "3:4: this is no JSON: "),
    ]
    for (text, message) in cases {
      let problems = Self.read(text, .json).problems.map(\.description)
      #expect(problems.count == 1 && problems[0].hasPrefix(message), "\(problems)")
    }
    #expect(Self.read(head + ",\n]}", .yaml).problems == [] && Self.read(head + "\n]}", .json).problems == [])
  }

  @Test func tablesUnderAnotherName() {
    let table = "Q,a,b\nIs it so: yes?,yes,no\n"
    let advice = "; if this is a table, say --format csv --no-header --columns question,correct,wrong"
    #expect(Self.read(table).bank.questions.isEmpty && Self.read(table).problems.allSatisfy { $0.message.hasSuffix(advice) })
    let plain = QuizFile.read(Array(table.utf8), format: nil, table: TableOptions(hasNoHeader: true))
    #expect(plain.bank.questions.count == 2 && plain.problems == [])
    let named = "question,correct,wrong\nQ,a,b\nR,a,a\n"
    #expect(Self.read(named) == Self.read(named, .csv) && Self.read(named).problems.count == 1)
    #expect(Self.read(table, .yaml).problems.count == 1)
  }

  @Test func formatsByName() {
    #expect(["a.yaml", "a.YML", "b/c.json", "x.y.CSV"].map { QuizFormat(path: $0) } == [.yaml, .yaml, .json, .csv])
    #expect(
      ["a.yml", "b/c.json", "x.TSV", "q.gift", "q.aiken", "b.xlsx", "b.xlsm", "b.ods"].map { BankFormat(path: $0) }
        == [.yaml, .json, .csv, .gift, .aiken, .xlsx, .xlsx, .ods])
    #expect(["a.txt", "a", ".", ""].allSatisfy { BankFormat(path: $0) == nil } && BankFormat("xlsx") == .xlsx)
    #expect(["a", "a.txt", "", "yaml"].allSatisfy { QuizFormat(path: $0) == nil } && QuizFormat("yaml") == .yaml)
  }

  /// Any text survives writing and reading, in every format.
  @Test func generatedTexts() {
    var random = SeededNumbers(seed: 12)
    let line = Array("aZé😀π '\"\\:#,[]{}&*!|>%@`?-_=~<>0.9\u{A0}\u{FEFF}и漢".unicodeScalars)
    let lines = line + Array("\t\n\u{2028}".unicodeScalars)
    func text(_ ink: [Unicode.Scalar]? = nil) -> String {
      let ink = ink ?? line
      let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in ink.randomElement(using: &random) }
      return "\(String(String.UnicodeScalarView(scalars)))\(Int.random(in: 0...9, using: &random))"
    }
    let reserved = ["yes", "No", "null", "True", "~", "1.10", "010", "- a", "a: b", "a #b", "{a}", "[a]", "'a'", "&a", "%a", "@a", "on"]
    for turn in 0..<300 {
      let first = turn < reserved.count ? reserved[turn] : "x\(text())"
      let question = Question(
        text: "q\(text(lines))", answers: [first, "y\(text())", "z\(text())"], correctAnswer: turn % 3,
        points: turn % 2 == 0 ? nil : [1, -2, 3],
        category: "c\(text())", difficulty: Difficulty.allCases.randomElement(using: &random),
        allottedTime: turn % 4 == 0 ? nil : MediaTime(ticks: Int64.random(in: 90_000...324_000_000, using: &random)),
        media: turn % 3 == 0 ? QuestionMedia() : TableTests.picture("https://example.com/\(turn)?a=1,2&b='"), explanation: "e\(text(lines))"
      )
      let bank = QuestionBank(id: "i\(text())", title: "t\(text())", questions: [Placed(question, at: .start)])
      for format in QuizFormat.allCases {
        let again = Self.read(QuizFile.text(bank, format: format), BankFormat("\(format)"))
        let expected = format == .csv ? question.reordered([turn % 3] + [0, 1, 2].filter { $0 != turn % 3 }) : question
        #expect(again.problems == [] && again.bank.questions.map(\.value) == [expected])
      }
    }
  }

  @Test func damagedAndCutFiles() {
    var random = SeededNumbers(seed: 13)
    let ink = Array("{}[]:,-?*&!|>'\"#%@ \n\t0aé\\".utf8) + [0, 0xFF]
    for _ in 0..<500 {
      var bytes = Array(Self.yaml.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = ink.randomElement(using: &random) ?? 0
      }
      let reading = QuizFile.read(bytes, format: .yaml)
      #expect(reading == QuizFile.read(bytes, format: .yaml) && reading.problems.allSatisfy { !$0.message.contains("\n") })
    }
    for count in 0..<Self.yaml.utf8.count {
      #expect(QuizFile.read(Array(Self.yaml.utf8.prefix(count)), format: .yaml).bank.questions.count <= 2)
    }
  }
}

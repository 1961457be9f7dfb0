import Basics
import Foundation
import GameEvents
import Sheets
import TestSupport
import Testing

@testable import Questions

/// Questions of all kinds in quiz files and in tables.
@Suite struct KindTests {
  static let yaml = """
    questions:
      - question: Which are moons?
        kind: multiple
        answers: [Io, Mars, Europa, "1;3"]
        correct: [Io, Europa]
        partial: true
        points: [2, -1, 2, 0]
      - { question: How was it?, kind: poll, answers: [good, bad], live: true, seconds: 20 }
      - { question: Who wins?, kind: prediction, answers: [Reds, Blues, "2"] }
      - { question: How far?, kind: number, correct: 384.4, least: -5, most: 500, step: 0.1, unit: Mm # of course
        , within: 2.5, explanation: Because. }
      - { question: How many?, kind: number, correctNumber: 7, most: 9 }
      - { question: Sort., kind: order, correct: [one, two, three], answers: [three, one, two] }
      - { question: Plain?, answers: [yes it is, no, "1"], correct: no }

    """

  static func number(_ text: String) -> DecimalNumber { DecimalNumber(text) ?? .zero }

  static let questions = [
    Question(
      text: "Which are moons?", task: QuestionTask(.multiple, grading: Grading(isPartial: true)), answers: ["Io", "Mars", "Europa", "1;3"],
      right: .several([0, 2]), points: [2, -1, 2, 0]),
    Question(
      text: "How was it?", task: QuestionTask(.poll, isLive: true), answers: ["good", "bad"], right: nil,
      allottedTime: MediaTime(seconds: 20)),
    Question(text: "Who wins?", task: QuestionTask(.prediction), answers: ["Reds", "Blues", "2"], right: nil),
    Question(
      text: "How far?",
      task: QuestionTask(
        .number, grading: Grading(within: number("2.5")),
        scale: NumberScale(least: number("-5"), most: number("500"), step: number("0.1")), unit: "Mm"),
      answers: [], right: .number(number("384.4")), explanation: "Because."),
    Question(
      text: "How many?", task: QuestionTask(.number, scale: NumberScale(least: .zero, most: number("9"), step: .one)), answers: [],
      right: .number(number("7"))),
    Question(text: "Sort.", task: QuestionTask(.order), answers: ["one", "two", "three"], right: .order([0, 1, 2])).hidingOrder(),
    Question(text: "Plain?", answers: ["yes it is", "no", "1"], correctAnswer: 1),
  ]

  static func read(_ text: String, _ format: BankFormat) -> QuestionBank.Reading { QuizFile.read(Array(text.utf8), format: format) }

  @Test(arguments: QuizFormat.allCases) func writtenAndReadAgain(format: QuizFormat) throws {
    let reading = Self.read(Self.yaml, .yaml)
    #expect(reading.problems == [] && reading.notices == [] && reading.bank.questions.map(\.value) == Self.questions)
    let text = QuizFile.text(reading.bank, format: format)
    let again = Self.read(text, try #require(BankFormat("\(format)")))
    #expect(again.problems == [] && again.notices == [] && again.bank.questions.map(\.value) == Self.questions, "\(text)")
  }

  static let table = """
    question,kind,option 1,option 2,option 3,option 4,right number,least,most,step,unit,within,partial,live,points,seconds,explanation
    Which are moons?,multiple,Io,Mars,Europa,1;3,1;3,,,,,,true,,2 -1 2 0,,
    How was it?,poll,good,bad,,,,,,,,,,true,,20,
    Who wins?,prediction,Reds,Blues,2,,,,,,,,,,,,
    How far?,number,,,,,384.4,-5,500,0.1,Mm,2.5,,,,,Because.
    How many?,number,,,,,7,0,9,1,,,,,,,
    Sort.,order,one,two,three,,,,,,,,,,,,
    Plain?,single,yes it is,no,1,,2,,,,,,,,,,

    """

  @Test func aTable() { #expect(Self.read(Self.yaml, .yaml).bank.csv == Self.table) }

  @Test func otherTables() {
    func questions(_ text: String) -> [Question] { TableTests.questions(text) }
    let moons = Question(text: "Q", task: QuestionTask(.multiple), answers: ["Io", "Europa", "Mars"], right: .several([0, 1]))
    #expect(questions("question,correct,correct,wrong\nQ,Io,Europa,Mars") == [moons])
    #expect(questions("question,correct 1,correct 2,wrong 1\nQ,Io,Europa,Mars") == [moons])
    #expect(questions("question;kind;correct;correct;wrong\nQ;Multiple;Io;Europa;Mars") == [moons])
    for key in ["1,2", "A;B", "b + a", "Io, Europa", "Io;Europa"] {
      #expect(questions("question\tA\tB\tC\tcorrect\nQ\tIo\tEuropa\tMars\t\(key)") == [moons], "\(key)")
    }
    // One of several that are right is right, too.
    let one = Question(text: "Q", task: QuestionTask(.multiple), answers: ["Io", "Mars"], right: .several([0]), worth: 3)
    #expect(questions("question,kind,correct,wrong,points\nQ,multiple,Io,Mars,3") == [one])
    let poll = Question(text: "Q", task: QuestionTask(.poll), answers: ["a", "b"], right: nil)
    #expect(questions("question,kind,option 1,option 2\nQ,poll,a,b") == [poll])
    #expect(questions("question,kind,correct,wrong,wrong\nQ,poll,,a,b") == [poll])
    let order = Question(text: "Q", task: QuestionTask(.order), answers: ["a", "b", "c"], right: .order([0, 1, 2])).hidingOrder()
    for table in ["kind,correct,wrong,wrong\nQ,order,a,b,c", "kind,A,B,C,correct\nQ,order,c,a,b,\"2,3,1\"", "kind,A,B,C\nQ,order,a,b,c"] {
      #expect(questions("question,\(table)") == [order], "\(table)")
    }
    // A comma may be a decimal point, but not before three digits.
    let number = Question(
      text: "Q",
      task: QuestionTask(.number, scale: NumberScale(least: .zero, most: Self.number("9.5"), step: Self.number("0.5")), unit: "m"),
      answers: [], right: .number(Self.number("2.5")))
    #expect(questions("Frage;kind;Richtig;most;step;unit\nQ;number;2,5;9,5;0,5;m") == [number])
    let twelve = (1...12).map { "option \($0)" }.joined(separator: ",")
    let all = questions("question,\(twelve),correct\nQ,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,L\nR,b,c,,,,,,,,,,,2")
    #expect(all.map(\.correctAnswer) == [11, 1] && all.map(\.answers.count) == [12, 2])
  }

  /// Columns that happen to be called as those of kinds are ignored, as others are, where no cell names a kind.
  @Test func tablesWithoutKinds() {
    let reading = TableTests.read("question,correct,wrong,kind,unit,most,live\nQ,a,b,trivia,Unit 3,x,maybe\nR,c,d,,,,")
    #expect(reading.problems == [] && reading.notices.map(\.description) == ["1:1: columns ignored: kind, unit, most, live"])
    #expect(
      reading.bank.questions.map(\.value)
        == [("Q", ["a", "b"]), ("R", ["c", "d"])].map { Question(text: $0.0, answers: $0.1, correctAnswer: 0) })
  }

  @Test(arguments: [
    (
      "multiple,a,b,,\"1,4\"",
      "\"1,4\" has what is none of the 2 options, or one of them twice; write their numbers from 1 on, as in 1,3"
    ),
    (
      "multiple,a,b,,\"1,1\"",
      "\"1,1\" has what is none of the 2 options, or one of them twice; write their numbers from 1 on, as in 1,3"
    ),
    ("multiple,a,b,,", "the right answer is missing; write its number, its letter or its text"),
    (
      "single,a,b,,1;2",
      "2 answers are said to be right; exactly one is: leave out the others, or write multiple as the kind"
    ),
    ("poll,a,b,,1", "a poll has no right answer; leave this cell empty, and write the answers into the other columns"),
    ("prediction,a,b,,1", "the right answer of a prediction is named by the host when it is known; leave this cell empty"),
    ("number,a,,,1,,9", "a question for a number has no answers to choose from; leave this cell empty"),
    ("number,,,,,,9", "the right answer is missing; write the right number"),
    ("number,,,,7", "\"most\" is missing in this row; add it"),
    ("number,,,,soon,,9", "\"correct\" is \"soon\"; write a number with at most six decimals"),
    ("number,,,,1,,\"1,000\"", "\"most\" is \"1,000\"; write a number with at most six decimals"),
    ("order,a,b,c,1;2", "an order names all 3 answers; or leave this cell empty, and write them in their right order"),
    ("order,a,b,,", "a question has 3 to 8 answers, this one has 2"),
    ("multipel,a,b,,1", "unknown kind of question \"multipel\"; did you mean \"multiple\"?"),
    ("single,a,b,,1,,9", "\"most\" is nothing that a question of the kind single has; remove it"),
    ("poll,a,b,,,,,true", "\"partial\" is nothing that a question of the kind poll has; remove it"),
    ("multiple,a,b,,1,,,perhaps", "\"partial\" is \"perhaps\"; write true or false"),
  ])
  func mistakes(cells: String, message: String) {
    let table = "question,kind,A,B,C,correct,least,most,partial\n"
    let reading = TableTests.read("\(table)Q,\(cells)\nG,poll,a,b,c,,,,\n")
    let problem = reading.problems.first.map { "\($0.message)" }
    #expect(
      reading.problems.count == 1 && problem == message, "\(reading.problems)")
    #expect(reading.bank.questions.map(\.value.text) == ["G"])
  }

  /// Mistakes in a quiz file, each with its place.
  @Test(arguments: [
    (
      "\"kind\": \"pol\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\"",
      ["2:27: unknown kind of question \"pol\"; did you mean \"poll\"?"]
    ),
    (
      "\"kind\": \"multiple\", \"answers\": [\"a\", \"b\"]",
      ["2:1: no answer is right; add correct: with a list of the right answers"]
    ),
    (
      "\"kind\": \"multiple\", \"answers\": [\"a\", \"b\"], \"correct\": [\"a\", \"c\"]",
      ["2:79: \"correct\" is \"c\", which is none of the answers; write one of \"a\", \"b\""]
    ),
    (
      "\"kind\": \"multiple\", \"answers\": [\"a\", \"b\"], \"correct\": [\"a\", \"a\"]",
      ["2:73: the right answer does not fit the question: write a list of one or more answers, each once"]
    ),
    (
      "\"kind\": \"poll\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\"",
      ["2:58: \"correct\" is what a poll does not have; remove it"]
    ),
    (
      "\"kind\": \"prediction\", \"answers\": [\"a\", \"b\"], \"correctAnswer\": 0",
      ["2:64: \"correctAnswer\" is named by the host when it is known; remove it"]
    ),
    ("\"kind\": \"number\", \"correct\": 1", ["2:1: \"most\" is missing in this question; add it"]),
    ("\"kind\": \"number\", \"most\": 9", ["2:1: no answer is right; add correct: with the right number"]),
    (
      "\"kind\": \"number\", \"correct\": 1, \"most\": 9, \"step\": 2",
      ["2:70: \"most\" is not reached from \"least\" in 1 to 1000000 whole steps; change most, or step"]
    ),
    ("\"kind\": \"number\", \"correct\": 1, \"most\": 9, \"within\": -1", ["2:72: \"within\" is \"-1\"; write a number from 0"]),
    (
      "\"kind\": \"number\", \"correct\": 1, \"most\": 9, \"points\": [5]",
      ["2:72: \"points\" are for answers to choose from, and a question of the kind number has none; remove them"]
    ),
    (
      "\"kind\": \"number\", \"correct\": 1, \"most\": 9, \"unit\": \"k\\tm\"",
      ["2:70: the unit has a tab; write a space"]
    ),
    (
      "\"kind\": \"number\", \"correct\": 1, \"most\": 9, \"answers\": [\"a\", \"b\"]",
      ["2:62: \"answers\" is what a question for a number does not have; remove it"]
    ),
    (
      "\"kind\": \"order\", \"answers\": [\"a\", \"b\"]",
      ["2:47: a question has 3 to 8 answers, this one has 2"]
    ),
    (
      "\"kind\": \"order\", \"answers\": [\"a\", \"b\", \"c\"], \"correct\": [\"a\", \"b\"]",
      ["2:75: the right answer does not fit the question: write all 3 answers in their right order"]
    ),
    (
      "\"answers\": [\"a\", \"b\"], \"correct\": \"a\", \"least\": 1",
      [
        "2:58: unknown key \"least\"; this question has question, kind, answers, correct, correctAnswer, points, category, difficulty, seconds, at, picture, "
          + "pictureText, pictureSize, sound, soundText, explanation, link"
      ]
    ),
  ])
  func mistakesInQuizFiles(members: String, expected: [String]) {
    #expect(questionProblems("\"question\": \"Q\", \(members)") == expected)
  }

  /// What is said after a number, a kind or a word for yes and no is a comment, and no rest of a text.
  @Test func comments() {
    let text = "questions:\n- question: Q\n  kind: multiple #x\n  answers: [a, b]\n  correctAnswers: [0] #y\n  partial: true #z\n"
    let reading = Self.read(text, .yaml)
    #expect(reading.problems == [] && reading.notices == [])
    let unit = "questions:\n- { question: Q, kind: number, most: 9, correct: 1, unit: km #2\n}\n"
    #expect(Self.read(unit, .yaml).notices.map(\.line) == [2])
  }

  /// The examples of the page about questions are read without a mistake.
  @Test func theExamplesOfThePage() throws {
    let path = "\(#filePath)/../../../../Sources/Producing/CuelightStamper/CuelightStamper.docc/Questions.md"
    let page = String(decoding: try Data(contentsOf: URL(filePath: path).standardizedFileURL), as: UTF8.self)
    let examples = page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    let questions = examples.flatMap { example in
      let reading = Self.read(example, .yaml)
      #expect(reading.problems == [] && reading.notices == [], "\(example)")
      return reading.bank.questions.map(\.value)
    }
    #expect(questions.map(\.task.kind) == [.single, .multiple, .poll, .prediction, .number, .order, .text, .poll])
    #expect(questions.map(\.rightAnswer) == ["Jupiter", "Io, Europa", "", "", "384 Mm", "Mercury → Venus → Earth", "Mars", ""])
  }

  /// Polls have no right answer by which they could be alike.
  @Test func repetitions() {
    var repetitions = Repetitions()
    func poll(_ answers: [String]) -> Question { Question(text: "Q", task: QuestionTask(.poll), answers: answers, right: nil) }
    let found = [poll(["a", "b"]), poll(["c", "d"]), poll(["b", "a"])].map { repetitions.add($0) }
    #expect(found == [nil, nil, .same(as: 0)])
  }

  @Test func damagedAndCutTables() {
    var random = SeededNumbers(seed: 44)
    for _ in 0..<500 {
      let reading = TableTests.read(damaged(Self.table, &random))
      let again = TableTests.read(reading.bank.csv)
      let isPlain = reading.bank.questions.allSatisfy { $0.value.task.kind == .single }
      let questions = reading.bank.questions.map(\.value)
      #expect(questions.isEmpty || again.problems == [] && (isPlain || again.bank.questions.map(\.value) == questions))
    }
    for count in 0...Self.table.utf8.count {
      #expect(TableTests.read(String(decoding: Array(Self.table.utf8).prefix(count), as: UTF8.self)).bank.questions.count <= 7)
    }
  }
}

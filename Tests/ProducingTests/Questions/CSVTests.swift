import Basics
import Sheets
import TestSupport
import Testing

@testable import Questions

/// Tables of questions.
@Suite struct CSVTests {
  static func read(_ text: String) -> QuestionBank.Reading { QuestionBank.Reading(csv: text) }
  static func plain(_ text: String) -> QuestionBank.Reading { QuestionBank.Reading(csv: text, TableOptions(hasNoHeader: true)) }
  static func problems(_ text: String) -> [String] { read(text).problems.map(\.description) }

  @Test(arguments: ["\n", "\r\n", "\r"]) func rowsWithoutNames(lineEnd: String) {
    let text = ["Who?,Ada,Bob", "\"What, then?\", \"a \"\"b\"\"\" ,c,,d,", "", "Is it?,True,False", ""].joined(separator: lineEnd)
    let expected = [
      Placed(Question(text: "Who?", answers: ["Ada", "Bob"], correctAnswer: 0), at: SheetPlace(1, 1)),
      Placed(Question(text: "What, then?", answers: ["a \"b\"", "c", "d"], correctAnswer: 0), at: SheetPlace(2, 1)),
      Placed(Question(text: "Is it?", answers: ["True", "False"], correctAnswer: 0), at: SheetPlace(4, 1)),
    ]
    let notice = SheetProblem(
      at: .start, "no row names the columns, so the second cell of each row is taken for the right answer")
    let reading = QuestionBank.Reading(QuestionBank(questions: expected), notices: [notice])
    #expect(Self.plain(text) == reading && Self.plain(String(text.dropLast(lineEnd.count))) == reading)
  }

  static let table = """
    Question,category,correct,wrong,wrong,points,difficulty,link,explanation
    Who?,Art,Ada,Bob,Cy,2 0 -1,easy,https://a.example,"One
    of three"
    Why?,,So,No,,,,,

    """

  @Test func namedColumns() {
    let expected = [
      Placed(
        Question(
          text: "Who?", answers: ["Ada", "Bob", "Cy"], correctAnswer: 0, points: [2, 0, -1], category: "Art", difficulty: .easy,
          explanation: "One\nof three", link: "https://a.example"), at: SheetPlace(2, 1)),
      Placed(Question(text: "Why?", answers: ["So", "No"], correctAnswer: 0), at: SheetPlace(4, 1)),
    ]
    #expect(Self.read(Self.table) == QuestionBank.Reading(QuestionBank(questions: expected)))
    let bank = QuestionBank(questions: expected)
    #expect(Self.read(bank.csv).bank.questions.map(\.value) == expected.map(\.value))
  }

  @Test(arguments: [
    "question,right answer,wrong answers", "QUESTION,Right_Answer,Wrong answer(s),Wrong answer(s)", "Question,Answer,Wrong 1,Wrong 2",
    "question,Correct Answer,wrong answer 1,wrong answer 2", "question,right,wrong1,WRONG2",
  ])
  func otherNamesOfColumns(header: String) {
    let count = header.split(separator: ",").count - 1
    let question = Question(text: "Q", answers: Array(["a", "b", "c"].prefix(count)), correctAnswer: 0)
    let rows = "Q," + question.answers.joined(separator: ",")
    let expected = QuestionBank(questions: [Placed(question, at: SheetPlace(2, 1))])
    #expect(Self.read("\(header)\n\(rows)") == QuestionBank.Reading(expected))
    #expect(Self.problems("question,answer 1,wrong\nQ,a,b").count == 2)
  }

  /// What a spreadsheet would compute has an apostrophe in front, which is none of the text; numbers are no formulas.
  @Test(arguments: [
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("+1-1", "'+1-1"), ("-x", "'-x"), ("@SUM(A1)", "'@SUM(A1)"), ("'=1", "''=1"),
    ("-", "'-"), ("-5", "-5"), ("+3.5", "+3.5"), ("1=1", "1=1"), ("'tis", "'tis"), ("a-b", "a-b"),
  ])
  func formulas(text: String, cell: String) {
    let question = Question(text: text + "?", answers: [text, "other"], correctAnswer: 0, category: text)
    let bank = QuestionBank(questions: [Placed(question, at: SheetPlace(2, 1))])
    let mark = text.hasPrefix("-5") || text.hasPrefix("+3") ? "'" : ""
    #expect(bank.csv == "question,correct,wrong,category\n\(mark)\(cell)?,\(cell),other,\(cell)\n")
    #expect(Self.read(bank.csv) == QuestionBank.Reading(bank))
  }

  @Test func theRightAnswerComesFirst() {
    let question = Question(text: "Q, \"q\"", answers: ["a", "b", "c"], correctAnswer: 1, points: [1, 2, 3])
    let bank = QuestionBank(id: "x", questions: [Placed(question, at: .start)])
    #expect(bank.csv == "question,correct,wrong,wrong,points\n\"Q, \"\"q\"\"\",b,a,c,2 1 3\n")
    #expect(Self.read(bank.csv).bank.questions.map(\.value) == [question.reordered([1, 0, 2])])
  }

  @Test func mistakes() {
    func problems(_ text: String) -> [String] { Self.plain(text).problems.map(\.description) }
    let way = "; or say what the columns hold: --columns question,correct,wrong"
    #expect(problems("") == ["1:1: there is no question; write a question, the right answer and the wrong ones in each row"])
    #expect(
      problems("Q,a\nR,a,a,b,b")
        == [
          "1:3: a question has 2 to 12 answers, this one has 1",
          "2:5: the answer \"a\" is already in line 2, column 3; make all answers different",
          "2:9: the answer \"b\" is already in line 2, column 7; make all answers different",
        ].map { $0.replacing("1:3: a question", with: "1:1: a question") })
    #expect(problems("Q") == ["1:1: the right answer is missing; write it after the question"])
    #expect(problems("Q; R\nS,a,b\nT,c,d") == ["1:1: the right answer is missing; write it after the question"])
    #expect(problems("Q,,b") == ["1:3: the right answer is missing; write it after the question"])
    #expect(problems(",a,b") == ["1:1: the question is empty; write a text"])
    #expect(problems("Q,\"a\"x,b") == ["1:6: text after a closing quotation mark; write a quotation mark within the text twice"])
    #expect(problems("Q,a,\"b\nR,c,d").first == "1:5: this quotation mark is never closed; add one after the text")
    #expect(
      Self.problems("question,correct,wrong,link,link\nQ,a,b,,") == ["1:29: the column \"link\" is there twice; remove one of them"])
    #expect(
      Self.problems("question,option 1,option 2,correct,correct\nQ,a,b,1,2") == [
        "1:36: the column \"correct\" is there twice; remove one of them"
      ])
    #expect(
      Self.problems("question,correct,wrong\nQ,a,b,red") == ["2:7: this cell is in a column without a name; remove it or name the column"])
    #expect(
      Self.problems("question,correct\nQ,a") == [
        "1:1: no column is called \"wrong\"; name one so, as in question,correct,wrong,wrong" + way
      ])
    #expect(
      Self.problems("question,correct,wrong,points\nQ,a,b,1 x") == ["2:7: \"points\" has \"x\"; write integers from -1000000 to 1000000"])
    #expect(
      Self.problems("question,correct,wrong,difficulty\nQ,a,b,so so") == ["2:7: \"difficulty\" is \"so so\"; write easy, medium or hard"])
  }

  @Test func damagedAndCutTables() {
    var random = SeededNumbers(seed: 9)
    for _ in 0..<1_000 {
      let text = damaged(Self.table, &random)
      let reading = Self.read(text)
      #expect(reading == Self.read(text))
      #expect(Self.read(reading.bank.csv).bank.questions.map(\.value) == reading.bank.questions.map(\.value))
    }
    for count in 0...Self.table.utf8.count {
      let cut = String(decoding: Array(Self.table.utf8).prefix(count), as: UTF8.self)
      #expect(Self.read(cut).bank.questions.count <= 2)
    }
  }

  @Test func manyRows() {
    let text = "question,correct,wrong\n" + String(repeating: "Q,a,b\n", count: QuestionLimits.questions + 1)
    #expect(Self.problems(text) == ["100002:1: there are 100001 questions, above the limit of 100000; split the file here"])
  }
}

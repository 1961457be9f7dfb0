import Basics
import Sheets
import TestSupport
import Testing

@testable import Questions

/// Tables whose first row does not say what the columns hold, or says more than is known.
@Suite struct TableColumnTests {
  private static func read(_ text: String, _ columns: String? = nil, noHeader: Bool = false) throws -> QuestionBank.Reading {
    let layout = try columns.map { try TableLayout($0) }
    return QuizFile.read(Array(text.utf8), format: .csv, table: TableOptions(columns: layout, hasNoHeader: noHeader))
  }

  static let body = "Capital of France?,Rome,Paris,Oslo,Bern,2\nLargest planet?,Mars,Venus,Earth,Jupiter,4\n"
  static let expected = [
    Question(text: "Capital of France?", answers: ["Rome", "Paris", "Oslo", "Bern"], correctAnswer: 1),
    Question(text: "Largest planet?", answers: ["Mars", "Venus", "Earth", "Jupiter"], correctAnswer: 3),
  ]

  /// Names that are not known never become a question, nor the second cell of each row the right answer.
  @Test(arguments: [
    "Q,A1,A2,A3,A4,Right", "問題,選択肢1,選択肢2,選択肢3,選択肢4,正解", "Вопрос,Ответ 1,Ответ 2,Ответ 3,Ответ 4,Номер",
    "Fråga,Svar A,Svar B,Svar C,Svar D,Facit",
    "Aufgabe,Wahl eins,Wahl zwei,Wahl drei,Wahl vier,Kategorie", "",
  ])
  func unknownNames(header: String) throws {
    let text = (header.isEmpty ? "" : header + "\n") + Self.body
    let message =
      "line 1 does not name the columns as in question,correct,wrong, and nothing says which answer is right; say what the columns hold: "
      + "--columns question,option,option,option,option,number, and --no-header if line 1 is a question"
    #expect(try Self.read(text) == QuestionBank.Reading(SheetError(at: .start, message)))
    let read = try Self.read(text, "question,option,option,option,option,number")
    #expect(read.bank.questions.map(\.value) == Self.expected && read.problems == [])
    let notice = "line 1 is taken for the names of the columns and left out; say --no-header if it is a question"
    #expect(read.notices.map(\.message) == (header.isEmpty ? [] : [notice]))
  }

  @Test func columnsThatTheUserNames() throws {
    let plain = try Self.read("x,Who?,Ada,Bob,Cy,note\n", "-,question,correct,wrong,wrong,-", noHeader: true)
    #expect(
      plain
        == QuestionBank.Reading(
          QuestionBank(questions: [Placed(Question(text: "Who?", answers: ["Ada", "Bob", "Cy"], correctAnswer: 0), at: SheetPlace(1, 1))])))
    let more = try Self.read("Who?,Ada,Bob,Cy,Di\n", "question,correct,wrong", noHeader: true)
    #expect(more.bank.questions.map(\.value.answers) == [["Ada", "Bob", "Cy", "Di"]])
    let letters = try Self.read("30,Who?,Ada,Bob,B,Art\n", "seconds,question,option,option,number,category", noHeader: true)
    #expect(
      letters.bank.questions.map(\.value) == [
        Question(text: "Who?", answers: ["Ada", "Bob"], correctAnswer: 1, category: "Art", allottedTime: MediaTime(seconds: 30))
      ])
    for (list, message) in [
      ("question,colour", "\"colour\" is no column; write question, correct, "), ("question,option,number", "the columns have to say"),
      ("option,option,number", "the columns have to say"), ("", "the columns have to say"),
    ] {
      let error = #expect(throws: TableLayoutError.self) { try TableLayout(list) }
      #expect(error?.description.hasPrefix(message) == true, "\(list)")
    }
  }

  /// Columns that nothing knows are named once, and take no question away.
  @Test func ignoredColumns() throws {
    let reading = try Self.read("Question,Author,Correct,Wrong,Notes,\nWho?,me,Ada,Bob,,\nWhy?,,So,No,later,\n")
    #expect(reading.problems == [] && reading.notices.map(\.description) == ["1:1: columns ignored: Author, Notes"])
    #expect(reading.bank.questions.map(\.value.text) == ["Who?", "Why?"])
    let alone = try Self.read("Question,Author,Text\nWho?,Ada,Bob\n")
    #expect(
      alone.bank.questions.isEmpty && alone.problems.allSatisfy { $0.message.contains("not Author, Text; or say what the columns hold") })
  }

  @Test func oneNumberOfPoints() throws {
    let reading = try Self.read(
      "question,option 1,option 2,option 3,correct,points\nWho?,Ada,Bob,Cy,2,100\nWhy?,a,b,c,3,1 2 3\nHow?,a,b,c,1,\n")
    #expect(reading.problems == [] && reading.bank.questions.map(\.value.points) == [nil, [1, 2, 3], nil])
    #expect(reading.bank.questions.map(\.value.worth) == [100, nil, nil])
  }

  /// A row in which something else is wrong is no question.
  @Test func rowsWithMistakesAreLeftOut() throws {
    let reading = try Self.read("question,correct,wrong\nWho?,Ada,\"B\"ob\nWhy?,So,No\nHow?,So,\"No\n")
    #expect(reading.problems.map(\.line) == [2, 4] && reading.bank.questions.map(\.value.text) == ["Why?"])
  }

  @Test(arguments: [
    ("at", "00:12", "00:12"), ("Timecode", "01:00:12:05", "01:00:12:05"), ("Zeit", "1:30", "1:30"), ("Heure", "0:01:30,5", "0:01:30.5"),
    ("Tiempo de inicio", "75", "75"), ("Start", "12,5 s", "12.5"), ("start", "00:00:10;02", "00:00:10;02"),
  ])
  func timesOfQuestions(name: String, cell: String, time: String) throws {
    let reading = try Self.read("question;correct;wrong;seconds;\(name)\nWho?;Ada;Bob;20;\"\(cell)\"\n")
    #expect(
      reading.bank.questions.map(\.value) == [
        Question(text: "Who?", answers: ["Ada", "Bob"], correctAnswer: 0, allottedTime: MediaTime(seconds: 20), time: time)
      ])
    // What is written is read again.
    for format in QuizFormat.allCases {
      let again = QuizFile.read(Array(QuizFile.text(reading.bank, format: format).utf8), format: BankFormat("\(format)"))
      #expect(again.bank.questions.map(\.value) == reading.bank.questions.map(\.value))
    }
  }

  @Test func timesAndSeconds() throws {
    let seconds = try Self.read("question;correct;wrong;Time\nWho?;Ada;Bob;20\n").bank.questions.map(\.value)
    #expect(seconds.map(\.allottedTime) == [MediaTime(seconds: 20)] && seconds.map(\.time) == [nil])
    let times = try Self.read("question;correct;wrong;Time\nWho?;Ada;Bob;20\nWhy?;So;No;00:40\n").bank.questions.map(\.value)
    #expect(times.map(\.allottedTime) == [nil, nil] && times.map(\.time) == ["20", "00:40"])
    #expect(
      try Self.read("question;correct;wrong;at\nWho?;Ada;Bob;soon\n").problems.map(\.description) == [
        "2:14: \"at\" is \"soon\", which is no time; write seconds (12.5), mm:ss, hh:mm:ss or a timecode hh:mm:ss:ff"
      ])
  }
}

import Basics
import GameEvents
import Sheets
import Testing

@testable import Questions

/// Questions for texts, polls with words, and points, in all formats.
@Suite struct TextKindTests {
  private static let yaml = """
    questions:
      - { question: Which planet is red?, kind: text, correct: [Mars, "the red planet"], tolerance: 1, points: 2000 }
      - { question: Capital of Peru?, kind: text, correct: Lima }
      - { question: One word?, kind: poll, words: true, live: true }
      - { question: Plain?, answers: [yes it is, no], correct: no, points: 0 }
      - { question: Each?, answers: [a, b], correct: a, points: [5, -1] }

    """

  private static func right(_ texts: String...) -> RightAnswer { .texts(texts.compactMap { AnswerText($0) }) }

  private static let questions = [
    Question(
      text: "Which planet is red?", task: QuestionTask(.text, grading: Grading(tolerance: 1)), answers: [],
      right: right("Mars", "the red planet"), worth: 2_000),
    Question(text: "Capital of Peru?", task: QuestionTask(.text), answers: [], right: right("Lima")),
    Question(text: "One word?", task: QuestionTask(.poll, isLive: true, takesWords: true), answers: [], right: nil),
    Question(text: "Plain?", task: QuestionTask(), answers: ["yes it is", "no"], right: .one(1), worth: 0),
    Question(text: "Each?", answers: ["a", "b"], correctAnswer: 0, points: [5, -1]),
  ]

  @Test(arguments: QuizFormat.allCases) func writtenAndReadAgain(format: QuizFormat) throws {
    let reading = KindTests.read(Self.yaml, .yaml)
    #expect(reading.problems == [] && reading.bank.questions.map(\.value) == Self.questions)
    let text = QuizFile.text(reading.bank, format: format)
    let again = KindTests.read(text, try #require(BankFormat("\(format)")))
    #expect(again.problems == [] && again.bank.questions.map(\.value) == Self.questions, "\(text)")
  }

  @Test(arguments: [
    "{ question: A?, kind: text }", "{ question: A?, kind: text, correct: [] }", "{ question: A?, kind: text, answers: [a], correct: a }",
    "{ question: A?, kind: text, correct: a, tolerance: 4 }", "{ question: A?, kind: poll, words: true, answers: [a, b] }",
    "{ question: A?, answers: [a, b], correct: a, points: 10001 }", "{ question: A?, kind: text, correct: a, points: [1] }",
  ])
  func mistakes(question: String) {
    let reading = KindTests.read("questions:\n  - \(question)\n", .yaml)
    #expect(reading.problems.count == 1 && reading.bank.questions.isEmpty, "\(reading.problems)")
  }

  /// Templates of Kahoot and Quizizz have the spellings among the options.
  @Test func templates() {
    let reading = KindTests.read(
      """
      Question Text,Question Type,Option 1,Option 2,Correct Answer,Time in seconds
      Red planet?,Fill-in-the-Blank,Mars,The red planet,,20
      How was it?,Open-Ended,,,,30
      Which?,Multiple Choice,A,B,2,30

      """, .csv)
    let expected = [
      Question(
        text: "Red planet?", task: QuestionTask(.text), answers: [], right: Self.right("Mars", "The red planet"),
        allottedTime: MediaTime(seconds: 20)),
      Question(
        text: "How was it?", task: QuestionTask(.poll, takesWords: true), answers: [], right: nil, allottedTime: MediaTime(seconds: 30)),
      Question(text: "Which?", answers: ["A", "B"], correctAnswer: 1, allottedTime: MediaTime(seconds: 30)),
    ]
    #expect(reading.problems == [] && reading.bank.questions.map(\.value) == expected)
  }

  @Test func moodle() {
    let gift = KindTests.read("Capital of Peru? {=Lima =Ciudad de los Reyes#It was once called so.}\n", .gift)
    #expect(gift.problems == [])
    #expect(gift.bank.questions.map(\.value.right) == [Self.right("Lima", "Ciudad de los Reyes")])
    func xml(_ answers: String) -> QuestionBank.Reading {
      let text = """
        <?xml version="1.0"?><quiz><question type="shortanswer"><name><text>n</text></name><questiontext><text>Peru?</text></questiontext>\(answers)</question></quiz>
        """
      return QuizFile.read(Array(text.utf8), format: nil)
    }
    let whole = xml(#"<answer fraction="100"><text>Lima</text></answer><answer fraction="50"><text>Lim</text></answer>"#)
    #expect(whole.bank.questions.map(\.value.right) == [Self.right("Lima")])
    let open = xml(#"<answer fraction="100"><text>*Lima*</text></answer>"#)
    #expect(open.bank.questions.isEmpty && open.notices.count == 1)
  }
}

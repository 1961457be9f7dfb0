import SeededRandom
import SheetSyntax
import Testing

@testable import QuestionBank

/// Our own quiz files, here in JSON: what is right, and every mistake with its place.
@Suite struct QuizSheetTests {
  static let whole = """
    {"id": "friday", "title": "Friday Night",
    "questions": [
    {"question": " Which planet? ", "answers": ["Earth", "Mars", 1.10], "correct": "Mars", "category": "Science", "difficulty": "hard",
    "points": [0, 2, -1], "explanation": "Because.", "link": "https://example.com/mars"},
    {"question": "Yes?", "answers": ["True", "False"], "correctAnswer": 1}]}
    """

  static let bank = QuestionBank(
    id: "friday", title: "Friday Night",
    questions: [
      Placed(
        Question(
          text: "Which planet?", answers: ["Earth", "Mars", "1.10"], correctAnswer: 1, points: [0, 2, -1], category: "Science",
          difficulty: .hard, explanation: "Because.", link: "https://example.com/mars"), at: SheetPlace(3, 1)),
      Placed(Question(text: "Yes?", answers: ["True", "False"], correctAnswer: 1), at: SheetPlace(5, 1)),
    ])

  @Test func aWholeFile() {
    #expect(quiz(Self.whole) == QuestionBank.Reading(Self.bank))
    #expect(Self.bank.questions.map(\.value.kind) == [.multiple, .boolean])
  }

  @Test func answersThatAreRight() {
    let question = "\"question\": \"Q\", \"answers\": [\"a\", \"b\"]"
    #expect(
      questionProblems(question) == [
        "2:1: no answer is right; add correct: with the text of an answer or correctAnswer: with its index from 0"
      ])
    #expect(
      questionProblems("\(question), \"correct\": [\"a\", \"b\"]") == [
        "2:53: 2 answers are said to be right; exactly one is: write its text alone"
      ])
    #expect(
      questionProblems("\(question), \"correct\": \"c\"") == [
        "2:53: \"correct\" is \"c\", which is none of the answers; write one of \"a\", \"b\""
      ])
    #expect(questionProblems("\(question), \"correctAnswer\": 2") == ["2:59: \"correctAnswer\" is \"2\"; write an integer from 0 to 1"])
    #expect(
      questionProblems("\(question), \"correct\": \"a\", \"correctAnswer\": 0") == [
        "2:75: \"correct\" and \"correctAnswer\" are both given; exactly one answer is right, remove one of them"
      ])
    #expect(questionProblems("\(question), \"correctAnswer\": [0]").count == 1)
  }

  @Test func answersThatAreWrong() {
    #expect(
      questionProblems("\"question\": \"Q\", \"answers\": [\"a\", \" a\"], \"correct\": \"a\"") == [
        "2:36: the answer \"a\" is already in line 2, column 31; make all answers different"
      ])
    #expect(
      questionProblems("\"question\": \"Q\", \"answers\": [\"a\"], \"correct\": \"a\"") == [
        "2:30: a question has 2 to 9 answers, this one has 1"
      ])
    #expect(
      questionProblems("\"question\": \"Q\", \"answers\": [\"a\", \"\"], \"correct\": \"a\"") == ["2:36: the answer is empty; write a text"]
    )
    let long = String(repeating: "é", count: 61)
    #expect(
      questionProblems("\"question\": \"Q\", \"answers\": [\"a\", \"\(long)\"], \"correct\": \"a\"") == [
        "2:36: the answer has 122 bytes, above the limit of 120; shorten it"
      ])
  }

  @Test func otherMistakes() {
    let question = "\"question\": \"Q\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\""
    #expect(
      questionProblems("\(question), \"points\": [1]") == [
        "2:68: \"points\" has 1 numbers, but the question has 2 answers; write one for each"
      ])
    #expect(
      questionProblems("\(question), \"points\": [1, 0.5]") == ["2:72: \"points\" is \"0.5\"; write an integer from -1000000 to 1000000"])
    #expect(
      questionProblems("\(question), \"link\": \"example.com\"") == [
        "2:66: the link \"example.com\" is no address; write one that begins with https:// or http://"
      ])
    #expect(questionProblems("\(question), \"difficulty\": \"Hard\"") == ["2:72: \"difficulty\" is \"Hard\"; write easy, medium or hard"])
    #expect(questionProblems("\(question), \"categroy\": \"x\"") == ["2:58: unknown key \"categroy\"; did you mean \"category\"?"])
    #expect(questionProblems("\(question), \"category\": \" \"") == ["2:70: the category is empty; write a text"])
    #expect(questionProblems("\"question\": [], \"answers\": 1, \"correct\": {}").count == 3)
  }

  @Test func sizesTogether() {
    let answers = (0..<5).map { "\"\($0)\(String(repeating: "x", count: 100))\"" }.joined(separator: ",")
    let question = "\"question\": \"\(String(repeating: "q", count: 100))\", \"answers\": [\(answers)], \"correctAnswer\": 0"
    #expect(
      questionProblems(question) == [
        "2:1: the question, its answers and its category have 627 bytes together, above the limit of 530; shorten them"
      ])
    let shown = "\"explanation\": \"\(String(repeating: "e", count: 390))\", \"link\": \"https://\(String(repeating: "l", count: 150))\""
    #expect(
      questionProblems("\"question\": \"Q\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\", \(shown)") == [
        "2:1: the explanation and the link have 555 bytes together, above the limit of 460; shorten them"
      ])
  }

  @Test func filesThatAreNoQuiz() {
    #expect(quizProblems("{}") == ["1:1: \"questions\" is missing in the quiz file; add it"])
    #expect(quizProblems("{\"questions\":[]}") == ["1:14: there is no question; add one"])
    #expect(
      quizProblems("{\"questions\":1}") == ["1:14: \"questions\" is a single value; write a list of questions, each beginning with a dash"])
    #expect(
      quizProblems("{\"questions\":[1],\"id\":\"\"}") == [
        "1:15: a question is a single value here; write a mapping such as { question: …, answers: […], correct: … }",
        "1:23: the id is empty; write a text",
      ])
    let list = SheetNode.list([], .start)
    #expect(
      QuestionBank.Reading(quiz: list).problems.map(\.description) == ["1:1: the quiz file is a list; write a mapping with questions:"])
  }

  /// One wrong question does not keep the others from being read.
  @Test func rightQuestionsAreKept() {
    let reading = quiz(
      "{\"questions\":[{\"question\":\"Q\",\"answers\":[\"a\",\"a\"],\"correct\":\"a\"},\n{\"question\":\"R\",\"answers\":[\"a\",\"b\"],\"correct\":\"b\"}]}"
    )
    #expect(reading.problems.count == 1)
    #expect(reading.bank.questions.map(\.value) == [Question(text: "R", answers: ["a", "b"], correctAnswer: 1)])
  }

  @Test func damagedFiles() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<1_000 {
      let text = damaged(Self.whole, &random)
      let reading = quiz(text)
      #expect(reading == quiz(text))
      #expect(reading.problems.allSatisfy { !$0.message.contains("\n") })
      // What was read is right: it can be written and read again.
      let written = quiz(reading.bank.json)
      if !reading.bank.questions.isEmpty { #expect(written.bank.questions.map(\.value) == reading.bank.questions.map(\.value)) }
    }
  }

  @Test func writtenFilesSayTheSame() {
    let expected = Self.bank.questions.map(\.value)
    #expect(quiz(Self.bank.json).bank.questions.map(\.value) == expected)
    #expect(quiz(Self.bank.json).bank.id == "friday" && quiz(Self.bank.json).bank.title == "Friday Night")
    #expect(
      Self.bank.yaml
        == """
        id: friday
        title: Friday Night
        questions:
          - question: Which planet?
            answers: [Earth, Mars, "1.10"]
            correct: Mars
            points: [0, 2, -1]
            category: Science
            difficulty: hard
            explanation: Because.
            link: "https://example.com/mars"
          - question: "Yes?"
            answers: ["True", "False"]
            correct: "False"

        """.replacing("\"Yes?\"", with: "Yes?"))
  }
}

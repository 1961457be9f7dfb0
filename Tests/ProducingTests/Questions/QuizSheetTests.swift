import Basics
import Sheets
import Testing

@testable import Questions

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
    #expect(Self.bank.questions.map(\.value.type) == [.multiple, .boolean])
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
      questionProblems("\(question), \"correct\": [\"a\"]") == [
        "2:53: the right answer stands in a list; write it without brackets or dash"
      ])
    #expect(
      questionProblems("\(question), \"correct\": []") == ["2:53: no answer is said to be right; exactly one is: write its text alone"])
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
        "2:30: a question has 2 to 12 answers, this one has 1"
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

  @Test func textsThatLookEmpty() {
    let (nothing, looksEmpty) = ("\u{200B}", "looks empty: it has only invisible characters; write a text")
    let members = [
      "\"question\": \"\(nothing)\"", "\"answers\": [\"a\", \"\(nothing)\", \"\u{A0}\", \"\u{2060}\"]", "\"correct\": \"a\"",
      "\"category\": \"\u{3000}\"", "\"explanation\": \"\u{AD}\"",
    ]
    #expect(
      questionProblems(members.joined(separator: ",\n")) == [
        "2:14: the question \(looksEmpty)", "3:18: the answer \(looksEmpty)", "3:23: the answer \(looksEmpty)",
        "3:28: the answer \(looksEmpty)", "5:13: the category \(looksEmpty)", "6:16: the explanation \(looksEmpty)",
      ])
    #expect(quizProblems("{\"title\": \"\u{200B}\", \"questions\": [\n]}").first == "1:11: the title \(looksEmpty)")
  }

  @Test func answersThatLookEqual() {
    func problems(_ answers: String...) -> [String] {
      let list = answers.map { "\n\"\($0)\"" }.joined(separator: ",")
      return questionProblems("\"question\": \"Q\", \"correctAnswer\": 0, \"answers\": [\(list)]")
    }
    let same = "differs from that in line 3, column 1 only in case or in characters that do not show; make all answers different"
    #expect(
      problems("Yes", "yes", "YES ", "Yes\u{200B}", "Yes") == [
        "4:1: the answer \"yes\" \(same)", "5:1: the answer \"YES\" \(same)", "6:1: the answer \"Yes\\u{200b}\" \(same)",
        "7:1: the answer \"Yes\" is already in line 3, column 1; make all answers different",
      ])
    #expect(problems("New York", "new\u{A0}\u{A0}york") == ["4:1: the answer \"new\u{A0}\u{A0}york\" \(same)"])
    // Letters beyond ASCII are not folded, and two ways to write an accent are two texts.
    #expect(problems("\u{C9}t\u{E9}", "\u{E9}t\u{E9}", "e\u{301}t\u{E9}") == [])
    #expect(problems("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{1F469}", "C", "C++", "-5", "5") == [])
  }

  @Test func textsThatChangeWhatStandsBesideThem() {
    let question = "\"question\": \"a\\nb\\tc\u{200F}\", \"explanation\": \"a\\nb\", \"correctAnswer\": 0"
    #expect(questionProblems("\(question), \"answers\": [\"a\u{200E}\", \"b\"]") == [])
    let problems = questionProblems(
      "\"question\": \"\u{202E}evil\", \"answers\": [\n\"a\\nb\",\n\"b\\u2028c\",\n\"c\\td\",\n\"x\u{2066}\"], \"correctAnswer\": 0")
    let turns = "which changes the direction of the text around it; remove it"
    #expect(
      problems == [
        "2:14: the question has the character U+202E, \(turns)", "3:1: the answer has a line break; write it on one line",
        "4:1: the answer has a line break; write it on one line", "5:1: the answer has a tab; write a space",
        "6:1: the answer has the character U+2066, \(turns)",
      ])
  }

  @Test func otherMistakes() {
    let question = "\"question\": \"Q\", \"answers\": [\"a\", \"b\"], \"correct\": \"a\""
    #expect(
      questionProblems("\(question), \"points\": [1]") == [
        "2:68: \"points\" has 1 number, but the question has 2 answers; write one for each"
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
    let answers = (0..<12).map { "\"\($0)\(String(repeating: "x", count: 115))\"" }.joined(separator: ",")
    let question = "\"question\": \"\(String(repeating: "q", count: 100))\", \"answers\": [\(answers)], \"correctAnswer\": 0"
    #expect(
      questionProblems(question) == [
        "2:1: the question, its answers and its category have 1537 bytes together, above the limit of 1448; shorten them"
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
    var random = SeededNumbers(seed: 6)
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

  /// What YAML takes for a comment may be the rest of a question.
  @Test func textsThatACommentCuts() {
    let text = "questions:\n  - question: Who was #1?\n    answers: [a, b]   # two\n    correct: a\n"
    for format in [BankFormat.yaml, nil] {
      let reading = QuizFile.read(Array(text.utf8), format: format)
      #expect(reading.problems == [] && reading.bank.questions.map(\.value.text) == ["Who was"])
      #expect(reading.notices.map { "\($0.line):\($0.column)" } == ["2:23"])
    }
  }
}

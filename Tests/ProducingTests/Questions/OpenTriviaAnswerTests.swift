import Basics
import Sheets
import Testing

@testable import Questions

/// Answers of Open Trivia DB: every encoding, both orders of keys, every response code, every mistake.
@Suite struct OpenTriviaAnswerTests {
  @Test(.enabled(if: SharedAnswers.folder != nil)) func html() throws {
    let reading = try OpenTriviaAnswer(parsing: try sharedAnswer("opentdb-html-10q-general-new-order.json")).questions
    #expect(reading.problems == [])
    let questions = reading.bank.questions.map(\.value)
    #expect(questions.count == 10)
    #expect(
      questions[2]
        == Question(
          text: "Which of these is the name of a Japanese system of alternative medicine, literally meaning \"finger pressure\"?",
          answers: ["Shiatsu", "Ukiyo", "Majime", "Ikigai"], correctAnswer: 0, category: "General Knowledge", difficulty: .medium))
    #expect(questions[1].text == "In the Morse code, which letter is indicated by 3 dots?")
    #expect(
      questions[5]
        == Question(
          text: "The term \"Spam\" came before the food product \"Spam\".", answers: ["True", "False"], correctAnswer: 1,
          category: "General Knowledge", difficulty: .medium))
    #expect(questions.allSatisfy { !$0.text.contains("&") && $0.category == "General Knowledge" })
  }

  @Test(.enabled(if: SharedAnswers.folder != nil)) func base64() throws {
    let reading = try OpenTriviaAnswer(parsing: try sharedAnswer("opentdb-base64-5q-old-order.json")).questions
    #expect(reading.problems == [] && reading.bank.questions.count == 5)
    #expect(
      reading.bank.questions[1].value
        == Question(
          text: "The bikini is named after the \"Bikini Atoll\", an island where the United States conducted tests on atomic bombs.",
          answers: ["True", "False"], correctAnswer: 0, category: "General Knowledge", difficulty: .medium))
    #expect(
      reading.bank.questions[2].value
        == Question(
          text: "In which Mario game did the Mega Mushroom make its debut?",
          answers: ["Mario Party 4", "New Super Mario Bros.", "Mario Kart Wii", "Super Mario 3D World"], correctAnswer: 0,
          category: "Entertainment: Video Games", difficulty: .medium))
    #expect(reading.bank.questions[4].value.category == "Entertainment: Japanese Anime & Manga")
  }

  @Test(.enabled(if: SharedAnswers.folder != nil)) func url3986() throws {
    let reading = try OpenTriviaAnswer(parsing: try sharedAnswer("opentdb-url3986-5q.json")).questions
    #expect(reading.problems == [] && reading.bank.questions.count == 5)
    let questions = reading.bank.questions.map(\.value)
    #expect(questions[0].text == "The original Roman alphabet lacked the following letters EXCEPT:")
    #expect(questions[1].category == "Science & Nature" && questions[1].difficulty == .hard)
    #expect(questions[3].text == "How many stars are featured on New Zealand's flag?" && questions[3].answers == ["4", "5", "2", "0"])
    #expect(questions[4].text == "In \"Star Trek\", who was the founder of the Klingon Empire and its philosophy?")
  }

  /// The questions without the answer around them, as programs keep them.
  @Test func resultsAlone() throws {
    let whole = answer(category: "Art", question: "Who?", correct: "Ada", incorrect: ["Bob", "Eve"])
    let list = String(whole[try #require(whole.firstIndex(of: "["))...].dropLast())
    let expected = [Question(text: "Who?", answers: ["Ada", "Bob", "Eve"], correctAnswer: 0, category: "Art", difficulty: .easy)]
    #expect(try OpenTriviaAnswer(parsing: whole).questions.bank.questions.map(\.value) == expected)
    for text in [list, "{\"results\":\(list)}"] {
      #expect(QuizFile.read(Array(text.utf8), format: .json).bank.questions.map(\.value) == expected, "\(text)")
    }
  }

  @Test func urlLegacy() throws {
    let text = answer(category: "Science+%26+Nature", question: "What+is+1+%2B+1%3F", correct: "2", incorrect: ["A%2B", "B"])
    let expected = Question(
      text: "What is 1 + 1?", answers: ["2", "A+", "B"], correctAnswer: 0, category: "Science & Nature", difficulty: .easy)
    #expect(try OpenTriviaAnswer(parsing: text).questions.bank.questions.map(\.value) == [expected])
    #expect(try OpenTriviaAnswer(parsing: text, encoding: .urlLegacy).questions.bank.questions.map(\.value) == [expected])
  }

  /// The same question in every encoding is the same question, whether the encoding is told or found out.
  @Test func everyNamedEntityInEveryEncoding() throws {
    for (name, _, text) in HTMLTextTests.entities {
      // Questions may have lines and tabs, answers may not: these stand at their ends, where white space is taken off.
      let html = answer(question: "a&\(name);b", correct: "&\(name);x", incorrect: ["y&\(name);"])
      let expected = Question(
        text: "a\(text)b", answers: ["\(text)x".trimmed, "y\(text)".trimmed], correctAnswer: 0, category: "Art", difficulty: .easy)
      let read = try OpenTriviaAnswer(parsing: html).questions
      #expect(read.bank.questions.map(\.value) == [expected], "\(name)")
      // Written and read again in our own formats.
      #expect(quiz(read.bank.json).bank.questions.map(\.value) == [expected], "\(name)")
      #expect(QuestionBank.Reading(csv: read.bank.csv).bank.questions.map(\.value) == [expected], "\(name)")
    }
  }

  @Test func bothOrdersOfKeysAndUnknownKeys() throws {
    let new = """
      {"results": [{"extra": {"a": [1]}, "incorrect_answers": ["B"], "correct_answer": "A", "question": "Who?", "category": "Art",
        "difficulty": "easy", "type": "multiple"}], "response_code": 0}
      """
    let (one, other) = (try OpenTriviaAnswer(parsing: new), try OpenTriviaAnswer(parsing: answer(incorrect: ["B"])))
    #expect(one.questions.bank.questions.map(\.value) == other.questions.bank.questions.map(\.value))
    #expect(one.questions.bank.questions.map(\.place) == [SheetPlace(1, 14)])
    #expect(other.questions.bank.questions.map(\.place) == [SheetPlace(2, 1)])
  }

  @Test(arguments: 0...5) func responseCodes(code: Int) throws {
    let read = try OpenTriviaAnswer(parsing: "{\"response_code\":\(code),\"results\":[]}")
    #expect(read.code == OpenTriviaCode(rawValue: code) && read.questions.bank.questions.isEmpty)
    #expect(read.code.message.hasPrefix("response code \(code): "))
  }

  @Test func everyCodeHasItsOwnMessage() {
    #expect(Set((0...6).map { OpenTriviaCode(rawValue: $0).message }).count == 7)
    #expect(OpenTriviaCode(rawValue: 6).message == "response code 6, which is unknown")
  }

  @Test func tokens() throws {
    let text = "{\"response_code\":0,\"response_message\":\"Token Generated Successfully!\",\"token\":\"ab12\"}"
    #expect(try OpenTriviaAnswer(parsing: text).token == "ab12")
    #expect(try OpenTriviaAnswer(parsing: "{\"response_code\":0,\"token\":12}").token == nil)
  }

  static func problems(_ text: String, _ encoding: OpenTriviaEncoding? = nil) -> [String] {
    do throws(SheetError) {
      return try OpenTriviaAnswer(parsing: text, encoding: encoding).questions.problems.map(\.description)
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func mistakes() {
    #expect(
      Self.problems(answer(incorrect: ["B", "A"])) == ["3:47: the answer \"A\" is already in line 3, column 18; make all answers different"]
    )
    #expect(Self.problems(answer(incorrect: [])) == ["2:1: a question has 2 to 12 answers, this one has 1"])
    for (correct, incorrect) in [("A", ["B"]), ("True", ["B"]), ("True", ["False", "B"])] {
      #expect(
        Self.problems(answer(type: "boolean", correct: correct, incorrect: incorrect)) == [
          "2:1: \"type\" is boolean, but the answers are not True and False; correct the answers or the type"
        ])
    }
    #expect(Self.problems(answer(type: "boolean", correct: "False", incorrect: ["True"])) == [])
    #expect(Self.problems(answer(question: " ")) == ["2:68: the question is empty; write a text"])
    #expect(Self.problems(answer(type: "many")) == ["2:26: \"type\" is \"many\"; multiple or boolean is expected"])
    #expect(Self.problems(answer(difficulty: "tricky")) == ["2:50: \"difficulty\" is \"tricky\"; write easy, medium or hard"])
    #expect(
      Self.problems(answer(question: String(repeating: "x", count: 401))) == [
        "2:68: the question has 401 bytes, above the limit of 400; shorten it"
      ])
    #expect(Self.problems(answer(correct: "A&#1;")) == ["3:18: the answer has the control character U+0001; remove it"])
    #expect(Self.problems(answer(correct: "%zz"), .url3986) == ["3:18: \"%zz\" is not written in url3986"])
    #expect(Self.problems(answer(), .base64).contains("2:68: \"Who?\" is not written in base64"))
    #expect(Self.problems("{\"response_code\":0,\"results\":[{}]}").count == 6)
  }

  @Test func textsThatAreNoAnswer() {
    #expect(Self.problems("") == ["1:1: this is no JSON: cut off: 1 byte needed, 0 there"])
    #expect(
      Self.problems("{\"response_code\":0,\n \"results\": nope}") == [
        "2:14: this is no JSON: a JSON value is expected here, such as null"
      ])
    #expect(Self.problems("[]") == ["1:1: this is no answer of Open Trivia DB: it is a list"])
    #expect(Self.problems("{}") == ["1:1: \"response_code\" is missing in the answer of Open Trivia DB; add it"])
    #expect(Self.problems("{\"response_code\":\"x\"}") == ["1:18: \"response_code\" is \"x\"; write an integer from 0"])
    #expect(
      Self.problems("{\"response_code\":0,\"results\":1}") == ["1:30: \"results\" is a single value where a list of questions is expected"])
    #expect(
      Self.problems("{\"response_code\":0,\"results\":[1]}") == ["1:31: a question is a single value here where an object is expected"])
  }

  @Test func cutAndDamagedAnswers() throws {
    let text = answer(question: "Caf&eacute; &#39;A&#39;?", correct: "x%20y")
    for count in 0..<text.utf8.count {
      let cut = String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)
      #expect(Self.problems(cut).count == 1)
    }
    var random = SeededNumbers(seed: 4)
    for _ in 0..<1_000 {
      let text = damaged(text, &random)
      let found = Self.problems(text)
      #expect(found == Self.problems(text))
      #expect(found.allSatisfy { !$0.contains("\n") })
    }
  }

  @Test func plainWordsAreNotTakenForAnEncoding() throws {
    let read = try OpenTriviaAnswer(parsing: answer(question: "A+", correct: "100%", incorrect: ["B"]))
    #expect(read.questions.bank.questions.map(\.value.text) == ["A+"] && read.questions.bank.questions.map(\.value.rightAnswer) == ["100%"])
  }
}

import Basics
import CueSheet
import EventSchedule
import GameEvents
import Questions
import Seals
import Sheets
import TestSupport
import Testing

@testable import ShowPlanning

/// Shows with questions of all kinds: what a bank asks is in the sheet and in its events, and nothing tells the right answer before its time.
@Suite struct PlanOfKindsTests {
  static let number = QuestionTask(
    .number, grading: Grading(within: DecimalNumber("2.5")), scale: NumberScale(least: .zero, most: .one, step: .one), unit: "km # 1")

  /// Questions with these right answers.
  static func questions(_ several: [Int], _ number: Int, _ order: [Int], _ one: Int) -> [Question] {
    [
      Question(
        text: "Which?", task: QuestionTask(.multiple, grading: Grading(isPartial: true)), answers: ["a", "b", "c"],
        right: .several(several), points: [1, 2, 3]),
      Question(text: "How was it?", task: QuestionTask(.poll, isLive: true), answers: ["good", "bad"], right: nil),
      Question(text: "Who wins?", task: QuestionTask(.prediction), answers: ["Reds", "Blues"], right: nil, explanation: "Later."),
      Question(text: "How far?", task: Self.number, answers: [], right: DecimalNumber(number).map { .number($0) }),
      Question(text: "Sort.", task: QuestionTask(.order), answers: ["one", "two", "three"], right: .order(order)),
      Question(text: "Plain?", answers: ["yes", "no"], correctAnswer: one),
    ]
  }

  static func sheet(_ questions: [Question], _ key: SealKey?) throws -> CueSheet {
    var options = PlanOptions(game: "g", title: "T")
    options.selection.seed = 3
    let text = try ShowPlan(questions, options).cueSheet()
    return try CueSheet.parse(text, policy: CopyPolicy(), answers: key.map { .sealed($0) } ?? .open)
  }

  static func asked(_ sheet: CueSheet) -> [(guid: GUID, question: AskQuestion)] {
    sheet.events.compactMap { event in
      if case .askQuestion(let question) = event.event.content { (event.event.guid, question) } else { nil }
    }
  }

  static func results(_ sheet: CueSheet) -> [ShowResults] {
    sheet.events.compactMap { if case .showResults(let results) = $0.event.content { results } else { nil } }
  }

  /// The texts of right answers, each sorted unless their order matters.
  static func words(_ right: RightAnswer?, _ question: AskQuestion) -> String {
    if case .several(let indices) = right { return indices.map { question.answers[$0] }.sorted().joined(separator: ", ") }
    return right?.words(of: question) ?? ""
  }

  @Test func whatABankAsksIsInTheEvents() throws {
    let questions = Self.questions([0, 2], 1, [2, 0, 1], 1)
    let sheet = try Self.sheet(questions, nil)
    let asked = Self.asked(sheet).map(\.question)
    #expect(asked.map(\.question) == questions.map(\.text) && asked.map(\.task) == questions.map(\.task))
    #expect(asked.map { $0.answers.sorted() } == questions.map { $0.answers.sorted() })
    // The order of polls, predictions and items is the bank's.
    #expect([1, 2, 4].map { asked[$0].answers } == [1, 2, 4].map { questions[$0].answers })
    let right = zip(asked, Self.results(sheet)).map { Self.words($1.right, $0) }
    #expect(right == ["a, c", "", "", "1 km # 1", "three → one → two", "no"])
    let points = try #require(Self.results(sheet).first?.points)
    #expect(asked[0].answers.map { ["a": 1, "b": 2, "c": 3][$0] } == points)
  }

  /// Each seal commits to the right answer that its result opens, and to no other.
  @Test func sealedAnswers() throws {
    let sheet = try Self.sheet(Self.questions([0, 2], 1, [2, 0, 1], 1), testKey)
    let (asked, results) = (Self.asked(sheet), Self.results(sheet))
    #expect(asked.count == 6 && results.count == 6)
    var sealed = 0
    for (asked, result) in zip(asked, results) {
      #expect(asked.question.right == nil && result.questionGuid == asked.guid)
      guard let right = result.right else {
        #expect([.poll, .prediction].contains(asked.question.task.kind) && asked.question.seal == nil && result.salt == nil)
        continue
      }
      let (seal, salt) = (try #require(asked.question.seal), try #require(result.salt))
      #expect(AnswerSeal.verify(seal: seal, salt: salt, guid: asked.guid, right: right))
      let others: [RightAnswer] = [.one(0), .several([0]), .several([0, 1, 2]), .order([0, 1, 2]), .number(.zero)]
      for other in others where other.sealedText != right.sealedText {
        #expect(!AnswerSeal.verify(seal: seal, salt: salt, guid: asked.guid, right: other))
      }
      sealed += 1
    }
    #expect(sealed == 4)
  }

  /// Whichever answers are right, the events that ask are the same, but for their seals.
  @Test func nothingOfTheRightAnswerIsInTheGUIDs() throws {
    func events(_ questions: [Question]) throws -> [(GUID, AskQuestion)] {
      Self.asked(try Self.sheet(questions, testKey)).map { asked in
        var question = asked.question
        question.seal = nil
        return (asked.guid, question)
      }
    }
    let first = try events(Self.questions([0, 2], 1, [2, 0, 1], 1))
    let second = try events(Self.questions([1], 0, [0, 1, 2], 0))
    #expect(first.map(\.0) == second.map(\.0) && first.map(\.1) == second.map(\.1))
    let open = Self.asked(try Self.sheet(Self.questions([0], 1, [1, 2, 0], 0), nil))
    #expect(open.map(\.guid) == first.map(\.0))
  }

  /// A bank's items are shown in one order, whichever is right.
  @Test func theOrderOfItemsSaysNothing() throws {
    let items = ["one", "two", "three", "four"]
    func shown(_ right: [String]) throws -> [String] {
      let text =
        "questions:\n- { question: Sort., kind: order, answers: [\(items.joined(separator: ", "))], correct: [\(right.joined(separator: ", "))] }"
      let reading = QuizFile.read(Array(text.utf8), format: .yaml)
      let question = try #require(reading.bank.questions.first).value
      #expect(question.rightAnswer == right.joined(separator: " → "))
      return question.answers
    }
    let expected = try shown(items)
    var orders = [items]
    // All orders of four: each by moving the last item to each place of all orders of three, and so on.
    orders = (1...4).reduce([[]]) { orders, count in
      orders.flatMap { order in (0..<count).map { Array(order[..<$0]) + [items[count - 1]] + Array(order[$0...]) } }
    }
    #expect(orders.count == 24)
    for order in orders { #expect(try shown(order) == expected) }
  }
}

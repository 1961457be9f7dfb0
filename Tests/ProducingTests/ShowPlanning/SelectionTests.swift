import Questions
import Testing

@testable import ShowPlanning

/// Which questions a show takes, and in which order.
@Suite struct SelectionTests {
  /// Questions of all difficulties, two categories, and every fourth with True and False.
  static func questions(_ count: Int) -> [Question] {
    (0..<count).map { number in
      let answers = number % 4 == 3 ? ["True", "False"] : ["A\(number)", "B", "C", "D"]
      return Question(
        text: "Question \(number)?", answers: answers, correctAnswer: 0, points: number % 4 == 0 ? [4, 3, 2, 1] : nil,
        category: number % 2 == 0 ? "Art" : "History", difficulty: number % 5 == 4 ? nil : Difficulty.allCases[number % 3])
    }
  }

  static func chosen(_ questions: [Question], _ change: (inout QuestionSelection) -> Void = { _ in }) throws -> [Question] {
    var selection = QuestionSelection()
    change(&selection)
    let chosen = try selection.chosen(from: questions)
    return selection.asked(chosen, count: selection.number ?? chosen.count)
  }

  @Test func asGiven() throws {
    let questions = Self.questions(12)
    #expect(try Self.chosen(questions).map(\.text) == questions.map(\.text))
    #expect(try Self.chosen(questions) { $0.number = 3 }.map(\.text) == questions.prefix(3).map(\.text))
  }

  @Test func filters() throws {
    let questions = Self.questions(40)
    let art = try Self.chosen(questions) {
      $0.categories = ["art"]
      $0.difficulties = [.easy, .hard]
      $0.kind = .multiple
    }
    let expected = questions.filter { $0.category == "Art" && ($0.difficulty == .easy || $0.difficulty == .hard) && $0.type == .multiple }
    #expect(art.map(\.text) == expected.map(\.text) && !art.isEmpty)
    #expect(throws: PlanningError.noQuestions(of: 0, selection: QuestionSelection(), categories: [])) { try Self.chosen([]) }
    #expect(throws: PlanningError.tooFewQuestions(wanted: 41, there: 40)) { try Self.chosen(questions) { $0.number = 41 } }
  }

  /// Who filters everything away is told by what, and which categories there are.
  @Test func filtersThatLeaveNothing() throws {
    func refusal(_ questions: [Question], _ change: (inout QuestionSelection) -> Void) throws -> String {
      try #require(throws: PlanningError.self) { try Self.chosen(questions, change) }.description
    }
    let questions = Self.questions(40)
    #expect(
      try refusal(questions) { $0.categories = ["histry"] }
        == "none of the 40 questions has the category \"histry\"; the categories are \"Art\", \"History\"")
    #expect(
      try refusal(questions) {
        $0.categories = ["Poetry", "99"]
        $0.difficulties = [.hard, .easy]
        $0.kind = .boolean
      }
        == "none of the 40 questions has the category \"Poetry\" or \"99\", the difficulty easy or hard, the type boolean; "
        + "the categories are \"Art\", \"History\"")
    #expect(
      try refusal(questions.filter { $0.type == .multiple }) { $0.kind = .boolean }
        == "none of the 30 questions has the type boolean; ask for others")
    #expect(
      try refusal([Question(text: "Q", answers: ["a", "b"], correctAnswer: 0)]) { $0.categories = ["Art"] }
        == "the only question does not have the category \"Art\"; no question says its category")
    let many = (0..<12).map { Question(text: "Q\($0)", answers: ["a", "b"], correctAnswer: 0, category: $0 == 0 ? "c1" : "C\($0)") }
    #expect(
      try refusal(many) { $0.categories = ["x"] }.hasSuffix(
        "; the categories are \"c1\", \"C2\", \"C3\", \"C4\", \"C5\", \"C6\", \"C7\", \"C8\", \"C9\", \"C10\" and 1 more"))
  }

  @Test func noQuestionTwice() throws {
    let questions = Self.questions(6)
    let again = Question(text: "question 2", answers: ["A2", "x"], correctAnswer: 0)
    #expect(try Self.chosen(questions + questions + [again]).map(\.text) == questions.map(\.text))
    #expect(throws: PlanningError.tooFewQuestions(wanted: 7, there: 6)) { try Self.chosen(questions + questions) { $0.number = 7 } }
  }

  @Test func shuffledBySeed() throws {
    let questions = Self.questions(30)
    func order(_ seed: UInt64) throws -> [String] {
      try Self.chosen(questions) {
        $0.order = .shuffled
        $0.seed = seed
        $0.number = 20
      }.map(\.text)
    }
    let first = try order(7)
    #expect(try order(7) == first && Set(first).count == 20)
    #expect(try order(8) != first && first != questions.prefix(20).map(\.text))
  }

  @Test func easyToHard() throws {
    let sorted = try Self.chosen(Self.questions(30)) {
      $0.order = .easyToHard
      $0.number = 20
    }
    let difficulties = sorted.map { $0.difficulty ?? .medium }
    #expect(difficulties == difficulties.sorted() && Set(difficulties).count == 3 && Set(sorted.map(\.text)).count == 20)
  }

  /// Answers change places, never the right one, their points or what a question says; True stays before False.
  @Test(arguments: 0..<20) func answersAreShuffled(seed: UInt64) throws {
    let questions = Self.questions(30)
    let shuffled = try Self.chosen(questions) { $0.seed = seed }
    for (before, after) in zip(questions, shuffled) {
      #expect(after.rightAnswer == before.rightAnswer && after.answers.sorted() == before.answers.sorted())
      #expect(after.pointsOfTheRightOne == before.pointsOfTheRightOne)
      if before.type == .boolean { #expect(after.answers == ["True", "False"]) }
    }
    #expect(shuffled.map(\.answers) != questions.map(\.answers))
    // A question's answers stay where they are when other questions come and go.
    #expect(try Self.chosen(Array(questions.dropFirst(10))) { $0.seed = seed } == Array(shuffled.dropFirst(10)))
  }

  /// Numbers and years come in their order, whichever is right, and whatever the seed.
  @Test(arguments: [
    (["1989", "1990", "44", "1066"], ["44", "1066", "1989", "1990"]), (["10", "9", "8.5"], ["8.5", "9", "10"]),
    (["1,500", "900", "12,000"], ["900", "1,500", "12,000"]), (["1.500", "900", "12.000"], ["900", "1.500", "12.000"]),
    (["3,5", "2,75", "10"], ["2,75", "3,5", "10"]), (["12 km", "3 km", "100 km"], ["3 km", "12 km", "100 km"]),
    (["50%", "5 %", "-5%"], ["-5%", "5 %", "50%"]), (["$20", "$3", "$100"], ["$3", "$20", "$100"]),
    (["−3 °C", "10 °C"], ["−3 °C", "10 °C"]),
    (["20 000", "1 000", "300"], ["300", "1 000", "20 000"]),
  ])
  func numbersAreInOrder(answers: [String], sorted: [String]) throws {
    for index in answers.indices {
      let question = Question(text: "Q", answers: answers, correctAnswer: index, points: answers.indices.map { $0 })
      for seed in [nil, 1, 2] as [UInt64?] {
        let chosen = try #require(try Self.chosen([question]) { $0.seed = seed }.first)
        #expect(chosen.answers == sorted && chosen.rightAnswer == answers[index] && chosen.pointsOfTheRightOne == index)
      }
    }
  }

  @Test(arguments: [
    ["44 BC", "14 AD", "1066"], ["3", "3.0"], ["1st", "2nd"], ["A1", "A2"], ["1,2,3", "4,5,6"], ["3D", "2D"], ["12:30", "8:15"],
    ["1", "two"],
    ["12 km", "3 m"], ["", "1"], ["1-2", "3-4"], ["$3", "€4"],
  ])
  func otherAnswersAreNoNumbers(answers: [String]) { #expect(NumericOrder.order(of: answers) == nil) }

  @Test func theRightAnswerIsEverywhereAlike() throws {
    var counts = [0, 0, 0, 0]
    for seed in 0..<100 as Range<UInt64> {
      for question in try Self.chosen(Self.questions(24), { $0.seed = seed }) where question.type == .multiple {
        counts[try #require(question.correctAnswer)] += 1
      }
    }
    #expect(counts.reduce(0, +) == 1_800 && counts.allSatisfy { (390...510).contains($0) })
  }
}

extension Question {
  /// What the right answer is worth.
  fileprivate var pointsOfTheRightOne: Int? { correctAnswer.flatMap { points?[$0] } }
}

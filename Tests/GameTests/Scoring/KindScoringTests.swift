import Basics
import GameEvents
import TestSupport
import Testing

@testable import Scoring

/// Points for questions of all kinds.
@Suite struct KindScoringTests {
  private static func number(_ text: String) -> DecimalNumber { DecimalNumber(text) ?? .zero }

  private static let scale = NumberScale(least: number("0"), most: number("100"), step: number("0.5"))

  private static func question(
    _ number: Int, _ form: AnswerForm, _ right: RightAnswer?, _ grading: Grading = Grading(), points: [Int]? = nil
  ) -> ScoredQuestion {
    ScoredQuestion(
      guid: .of("q\(number)"), number: number, form: form, grading: grading, opensAt: .seconds(number * 20), allottedTime: .seconds(10),
      right: right, points: points)
  }

  /// The points, right answers and places of players who each answer a second after the question opened.
  private static func lines(
    _ question: ScoredQuestion, _ answers: [GivenAnswer], rules: String = "right:100"
  ) throws -> [[Int]] {
    var game = ScoredGame(rules: try ScoringRules(parsing: rules))
    game.receive([question])
    for (index, answer) in answers.enumerated() {
      let player = try game.join("p\(index)")
      #expect(game.answer(answer, to: question.guid, by: player, at: question.opensAt + .seconds(1)) == .taken, "\(answer)")
    }
    return try answers.indices.map { index in
      let player = try #require(game.roster.player(named: try Nickname("p\(index)")))
      let standing = game.standing(of: player)
      return [standing.score, standing.right, standing.rank]
    }
  }

  @Test func severalAnswers() throws {
    let answers: [GivenAnswer] = [
      .several([0, 2]), .several([0]), .several([0, 1]), .several([0, 1, 2, 3]), .several([1]), .several([0, 2, 3]),
    ]
    let whole = try Self.lines(Self.question(1, .several(of: 4), .several([0, 2])), answers)
    #expect(whole == [[100, 1, 1], [0, 0, 2], [0, 0, 2], [0, 0, 2], [0, 0, 2], [0, 0, 2]])
    let partial = try Self.lines(Self.question(1, .several(of: 4), .several([0, 2]), Grading(isPartial: true)), answers)
    #expect(partial == [[100, 1, 1], [50, 0, 2], [0, 0, 4], [0, 0, 4], [0, 0, 4], [50, 0, 2]])
    let points = try Self.lines(
      Self.question(1, .several(of: 4), .several([0, 2]), points: [5, -3, 2, 0]), answers, rules: "points")
    #expect(points.map { $0[0] } == [7, 5, 2, 4, -3, 7])
  }

  @Test func orders() throws {
    let lines = try Self.lines(
      Self.question(1, .order(of: 4), .order([2, 0, 3, 1])),
      [.order([2, 0, 3, 1]), .order([0, 2, 3, 1]), .order([1, 3, 0, 2]), .several([2, 3, 0, 1])], rules: "right:90+streak:5:1")
    // All pairs; five of six; none; five of six. Only a whole order is right, and has a streak.
    #expect(lines == [[95, 1, 1], [75, 0, 2], [0, 0, 4], [75, 0, 2]])
  }

  @Test func theNearestNumber() throws {
    let form = AnswerForm.number(try #require(Self.scale))
    let question = Self.question(1, form, .number(Self.number("41.3")))
    let lines = try Self.lines(question, ["40", "42.5", "0", "42.5"].map { .number(Self.number($0)) })
    #expect(lines == [[0, 0, 3], [100, 1, 1], [0, 0, 3], [100, 1, 1]])
    // 40.1 and 42.5 would be as far away; of the scale, 40 is further away.
    let tie = Self.question(1, form, .number(Self.number("41.25")))
    #expect(try Self.lines(tie, ["40", "42.5", "3"].map { .number(Self.number($0)) }) == [[100, 1, 1], [100, 1, 1], [0, 0, 3]])
  }

  @Test func aNumberWithinADistance() throws {
    let form = AnswerForm.number(try #require(Self.scale))
    let question = Self.question(1, form, .number(Self.number("50")), Grading(within: Self.number("10")))
    let lines = try Self.lines(question, ["50", "55", "40", "60", "60.5", "0"].map { .number(Self.number($0)) })
    // All points at the number, half of them at the largest distance.
    #expect(lines == [[100, 1, 1], [75, 1, 2], [50, 1, 3], [50, 1, 3], [0, 0, 5], [0, 0, 5]])
    let exact = Self.question(1, form, .number(Self.number("50")), Grading(within: .zero))
    #expect(try Self.lines(exact, ["50", "50.5"].map { .number(Self.number($0)) }) == [[100, 1, 1], [0, 0, 2]])
  }

  /// A poll is never scored: it gives no points, ends no streak, eliminates nobody, and is no answered question.
  @Test func aPoll() throws {
    var game = ScoredGame(rules: try ScoringRules(parsing: "right+streak:10+elimination"))
    let (ann, ben) = (try game.join("ann"), try game.join("ben"))
    let questions = [Self.question(1, .one(of: 2), .one(0)), Self.question(2, .one(of: 3), nil), Self.question(3, .one(of: 2), .one(1))]
    game.receive(questions)
    for (question, answer) in zip(questions, [0, 2, 1]) {
      #expect(game.answer(answer, to: question.guid, by: ann, at: question.opensAt) == .taken)
      if answer != 2 { #expect(game.answer(answer, to: question.guid, by: ben, at: question.opensAt) == .taken) }
    }
    for player in [ann, ben] {
      let standing = game.standing(of: player)
      #expect([standing.score, standing.right, standing.answered] == [12, 2, 2])
      #expect(standing.outAt == nil)
    }
    let poll = game.summary(of: .of("q2"))
    let summary = try #require(poll)
    #expect(summary.counts == [0, 0, 1] && summary.taken == 1 && !summary.isScored)
  }

  /// A prediction is scored when its answer is known, at its place among the other questions, however late that is.
  @Test func aPredictionIsSettledLate() throws {
    func game() throws -> ScoredGame {
      var game = ScoredGame(rules: try ScoringRules(parsing: "right:10+streak:5"))
      for (name, answers) in [("ann", [0, 1, 0]), ("ben", [0, 0, 0])] {
        let player = try game.join(name)
        for (number, answer) in zip(1...3, answers) {
          _ = game.answer(answer, to: .of("q\(number)"), by: player, at: .seconds(number * 20))
        }
      }
      return game
    }
    let (first, third) = (Self.question(1, .one(of: 2), .one(0)), Self.question(3, .one(of: 2), .one(0)))
    var late = try game()
    late.receive([first, Self.question(2, .one(of: 2), nil), third])
    #expect(late.leaders(2).map(\.score) == [25, 25])
    late.receive([Self.question(2, .one(of: 2), .one(1))])
    var atOnce = try game()
    atOnce.receive([first, Self.question(2, .one(of: 2), .one(1)), third])
    #expect(late.leaders(2).map { [$0.score, $0.right] } == [[40, 3], [20, 2]])
    #expect(late.leaders(2) == atOnce.leaders(2))
  }

  /// A question of an unknown kind takes no answer.
  @Test func anUnknownKind() throws {
    var game = ScoredGame()
    let player = try game.join("ann")
    let question = Self.question(1, .none, .one(0))
    game.receive([question])
    #expect(game.answer(0, to: question.guid, by: player, at: question.opensAt) == .unknownAnswer)
    #expect(game.answer(GivenAnswer.one(0), to: question.guid, by: player, at: question.opensAt) == .unknownAnswer)
    #expect(game.summary(of: question.guid)?.taken == 0)
  }

  @Test func summaries() throws {
    var game = ScoredGame()
    let form = AnswerForm.number(try #require(Self.scale))
    let questions = [
      Self.question(1, .several(of: 3), nil), Self.question(2, .order(of: 3), .order([2, 0, 1])), Self.question(3, form, nil),
    ]
    game.receive(questions)
    let given: [[GivenAnswer]] = [
      [.several([0, 2]), .several([2])], [.order([2, 1, 0]), .order([2, 0, 1])],
      [.number(Self.number("0.5")), .number(Self.number("100"))],
    ]
    for index in 0..<2 {
      let player = try game.join("p\(index)")
      for (question, answers) in zip(questions, given) {
        #expect(game.answer(answers[index], to: question.guid, by: player, at: question.opensAt) == .taken)
      }
    }
    #expect(game.summary(of: questions[0].guid)?.counts == [1, 0, 2])
    // By item: how many had it in its right place.
    #expect(game.summary(of: questions[1].guid)?.counts == [1, 1, 2])
    let last = game.summary(of: questions[2].guid)
    let numbers = try #require(last)
    #expect(numbers.counts == [] && numbers.taken == 2)
    #expect(numbers.histogram?.counts.first == 1 && numbers.histogram?.counts.last == 1)
    #expect(numbers.histogram?.counts.reduce(0, +) == 2)
  }

  // MARK: Any order of arrival

  /// The share of the points that an answer gets, in hundred thousandths, from its definition.
  private static func share(_ answer: GivenAnswer, _ question: ScoredQuestion, _ all: [GivenAnswer]) -> Double {
    switch (answer, question.right) {
    case (.one(let answer), .one(let right)): return answer == right ? 1 : 0
    case (.several(let answer), .several(let right)):
      if Set(answer) == Set(right) { return 1 }
      guard question.grading.isPartial else { return 0 }
      let good = Set(answer).intersection(right).count
      return max(0, Double(good - (answer.count - good)) / Double(right.count))
    case (.order(let answer), .order(let right)):
      var (good, pairs) = (0, 0)
      for (place, item) in right.enumerated() {
        for later in right[(place + 1)...] {
          pairs += 1
          if (answer.firstIndex(of: item) ?? 0) < (answer.firstIndex(of: later) ?? 0) { good += 1 }
        }
      }
      return Double(good) / Double(pairs)
    case (.number(let answer), .number(let right)):
      let distance = Double(answer.distance(to: right))
      if let within = question.grading.within {
        return distance > Double(within.millionths) ? 0 : within == .zero ? 1 : 1 - distance / Double(within.millionths) / 2
      }
      let distances = all.map { other -> Double in if case .number(let number) = other { Double(number.distance(to: right)) } else { 0 } }
      let nearest = distances.min()
      return distance == nearest ? 1 : 0
    default: return 0
    }
  }

  /// In any order, split and repeated, the same answers make one board, which is that of the definitions.
  @Test(arguments: 0..<30) func anyOrder(seed: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(seed))
    let scale = try #require(Self.scale)
    let right = RightAnswer.order(numbers.shuffled(Array(0..<5)))
    var questions = [
      Self.question(1, .several(of: 5), .several([1, 3]), Grading(isPartial: numbers.below(2) == 0)),
      Self.question(2, .order(of: 5), right), Self.question(3, .one(of: 12), .one(11)),
      Self.question(4, .number(scale), .number(Self.number("33.3")), Grading(within: numbers.below(2) == 0 ? Self.number("20") : nil)),
      Self.question(5, .one(of: 4), nil),
    ]
    let players = 6
    var answers: [(player: Int, question: Int, answer: GivenAnswer)] = []
    for player in 0..<players {
      for (index, question) in questions.enumerated() where numbers.below(5) > 0 {
        let code = question.form.codes.lowerBound + UInt32(numbers.below(question.form.codes.count))
        answers.append((player, index, try #require(question.form.answer(code))))
      }
    }
    let expected = (0..<players).map { player in
      questions.indices.reduce(0) { sum, index in
        guard let answer = answers.first(where: { $0.player == player && $0.question == index })?.answer else { return sum }
        let all = answers.filter { $0.question == index }.map(\.answer)
        return sum + Int(Self.share(answer, questions[index], all) * 840 + 1e-6)
      }
    }
    for _ in 0..<8 {
      var game = ScoredGame(rules: try ScoringRules(parsing: "right:840"))
      let ids = try (0..<players).map { try game.join("p\($0)") }
      // Forms are known before answers of other forms than an index are taken; results come at any time.
      game.receive(
        questions.map { question in
          var question = question
          question.right = nil
          return question
        })
      questions = numbers.shuffled(questions)
      let deeds = numbers.shuffled(answers + answers.prefix(5))
      let middle = numbers.below(deeds.count)
      for (index, deed) in deeds.enumerated() {
        if index == middle { game.receive(questions) }
        let question = try #require(questions.first { $0.number == deed.question + 1 })
        _ = game.answer(deed.answer, to: question.guid, by: ids[deed.player], at: question.opensAt + .seconds(1))
        if numbers.below(6) == 0 { _ = game.leaders(3) }
      }
      game.receive(questions)
      #expect(ids.map { game.standing(of: $0).score } == expected)
      questions.sort { $0.number < $1.number }
    }
  }
}

import Basics
import GameEvents
import TestSupport
import Testing

@testable import Scoring

/// Points for texts, and points of questions.
@Suite struct TextScoringTests {
  private static func text(_ text: String) throws -> AnswerText { try #require(AnswerText(text)) }

  private static func question(_ number: Int, _ right: [String]?, tolerance: Int = 0, worth: Int? = nil) throws -> ScoredQuestion {
    ScoredQuestion(
      guid: .of("q\(number)"), number: number, form: .text, grading: Grading(tolerance: tolerance), worth: worth,
      opensAt: .seconds(number * 20), allottedTime: .seconds(10), right: try right.map { .texts(try $0.map { try text($0) }) })
  }

  @Test func rightTexts() throws {
    var game = ScoredGame(rules: try ScoringRules(parsing: "right:100"))
    let question = try Self.question(1, ["Mars", "The red planet"], tolerance: 1)
    let texts = ["mars", "MARS", "Mar", "Mors", "Ma", "the red planets", "Venus", "arsM"]
    game.receive([question])
    for (index, text) in texts.enumerated() {
      let player = try game.join("p\(index)")
      #expect(game.answer(.text(try Self.text(text)), to: question.guid, by: player, at: question.opensAt) == .taken)
      #expect(game.answer(.one(0), to: question.guid, by: player, at: question.opensAt) == .unknownAnswer)
    }
    let scores = try texts.indices.map { game.standing(of: try #require(game.roster.player(named: try Nickname("p\($0)")))).score }
    #expect(scores == [100, 100, 100, 100, 0, 100, 0, 0])
    let found = game.summary(of: question.guid)
    let summary = try #require(found)
    #expect(summary.taken == texts.count && summary.counts.isEmpty)
    #expect(summary.texts?.entries.first == .init(try Self.text("Mars"), count: 2, isRight: true))
    #expect(summary.texts?.entries.map(\.count) == [2, 1, 1, 1, 1, 1, 1] && summary.texts?.others == 0)
  }

  /// Any order, any split into records, and repetitions make one board and one count of texts.
  @Test(arguments: 0..<20 as Range<UInt64>) func anyOrderMakesOneBoard(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed, purpose: 36)
    let words = ["Mars", "mars", "Marz", "Venus", "venus ", "Pluto", "Io", "x"]
    let questions = [try Self.question(1, ["Mars"], tolerance: 1), try Self.question(2, nil), try Self.question(3, ["Io"], worth: 2_000)]
    let answers = try (0..<60).map { index in
      (
        player: numbers.below(12), question: numbers.below(3), text: try Self.text(words[numbers.below(words.count)]),
        time: numbers.below(12), arrival: Int64(index + 1)
      )
    }
    func play(_ order: [Int], receivingAt place: Int) throws -> ([Standing], [TextCounts?]) {
      var game = ScoredGame(rules: try ScoringRules(parsing: "speed:1000:500+streak:100"))
      let players = try (0..<12).map { try game.join("p\($0)") }
      for (count, index) in order.enumerated() {
        if count == place { game.receive(questions) }
        let answer = answers[index]
        _ = game.answer(
          .text(answer.text), to: questions[answer.question].guid, by: players[answer.player],
          at: questions[answer.question].opensAt + .seconds(answer.time), arrival: answer.arrival)
      }
      game.receive(questions)
      let standings = game.standings()
      var counts: [TextCounts?] = []
      for question in questions { counts.append(game.summary(of: question.guid)?.texts) }
      return (standings, counts)
    }
    let expected = try play(Array(answers.indices), receivingAt: 0)
    for _ in 0..<5 {
      let order = numbers.shuffled(Array(answers.indices) + (0..<10).map { _ in numbers.below(answers.count) })
      let found = try play(order, receivingAt: numbers.below(order.count))
      #expect(found.0 == expected.0 && found.1 == expected.1)
    }
  }

  /// Further texts have one code; a right one always has its own.
  @Test func theTableIsBounded() throws {
    var table = TextTable()
    for number in 0..<TextTable.mostTexts { #expect(table.code(of: try Self.text("t\(number)"), .plain) < TextTable.other) }
    #expect(table.code(of: try Self.text("one more"), .plain) == TextTable.other && !table.isRight(TextTable.other))
    table.accept([try Self.text("Right")], tolerance: 0, .plain)
    let code = table.code(of: try Self.text("right"), .plain)
    #expect(code < TextTable.other && table.isRight(code) && table.text(code)?.text == "Right")
    #expect(
      table.counts([code: 2, TextTable.other: 5], .plain) == TextCounts([.init(try Self.text("Right"), count: 2, isRight: true)], others: 5)
    )
  }

  /// What must not be shown counts among the others.
  @Test func whatIsShown() throws {
    let comparison = TextComparison(key: { $0 }, isShown: { $0 != "bad" })
    var table = TextTable()
    let codes = try ["good", "bad"].map { table.code(of: try Self.text($0), comparison) }
    #expect(table.counts([codes[0]: 1, codes[1]: 9], comparison) == TextCounts([.init(try Self.text("good"), count: 1)], others: 9))
  }

  /// The distance near the diagonal is that of the whole table.
  @Test(arguments: 0..<10 as Range<UInt64>) func distances(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed, purpose: 37)
    func whole(_ left: [Int], _ right: [Int]) -> Int {
      var row = Array(0...right.count)
      for (index, letter) in left.enumerated() {
        var next = [index + 1]
        for (place, other) in right.enumerated() {
          next.append(min(row[place] + (letter == other ? 0 : 1), row[place + 1] + 1, next[place] + 1))
        }
        row = next
      }
      return row[right.count]
    }
    for _ in 0..<300 {
      let left = (0..<numbers.below(9)).map { _ in numbers.below(3) }
      let right = (0..<numbers.below(9)).map { _ in numbers.below(3) }
      for limit in 0...4 {
        #expect(EditDistance.isAtMost(limit, left, right) == (whole(left, right) <= limit), "\(left) \(right) \(limit)")
      }
    }
  }

  /// Points of a question replace what the rules give for a right answer at once, and the rest in proportion.
  @Test func worth() throws {
    func score(_ rules: String, _ worth: Int?, at seconds: Int = 0) throws -> Int {
      var game = ScoredGame(rules: try ScoringRules(parsing: rules))
      let player = try game.join("ann")
      let question = try Self.question(1, ["Io"], worth: worth)
      game.receive([question])
      _ = game.answer(.text(try Self.text("io")), to: question.guid, by: player, at: question.opensAt + .seconds(seconds))
      return game.standing(of: player).score
    }
    #expect(try [nil, 0, 5, 10_000].map { try score("right", $0) } == [1, 0, 5, 10_000])
    #expect(try [nil, 0, 500, 2_000].map { try score("speed:1000:500", $0, at: 5) } == [750, 0, 375, 1_500])
    #expect(try score("right:500+speed:500", 2_000) == 2_000)
    #expect(try score("first:10", 30) == 30 && score("points", 30) == 30 && score("points", nil) == 1)
  }
}

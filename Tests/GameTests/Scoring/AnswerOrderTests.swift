import Basics
import TestSupport
import Testing

@testable import Scoring

/// Whatever the order in which players, answers, questions and results come, the scoreboard is that of a straightforward recount.
@Suite struct AnswerOrderTests {
  static let rules = [
    "right", "first", "points", "speed:100:20", "streak:5", "right+first:3+streak:2:3", "elimination", "elimination:1",
    "elimination:1:answered", "first+elimination:2", "right+points+speed:1000+streak:7+elimination:3:answered",
  ]

  /// Something that is told to a game.
  enum Deed {
    case join(Int, MediaTime)
    case answer(RecountedAnswer)
    case question(ScoredQuestion)
    case look
  }

  /// A game made of chance: some results never come, some answers are late, early, changed or given twice.
  struct Script {
    var deeds: [Deed] = []
    var questions: [ScoredQuestion] = []
    var answers: [RecountedAnswer] = []
    /// When each player joins: from the beginning, or in mid-game.
    var joinTimes: [MediaTime]
    static let players = 7
    static let beginning = MediaTime(ticks: .min)

    init(_ generator: inout SeededNumbers) {
      joinTimes = (0..<Self.players).map { _ in
        Bool.random(using: &generator) ? Self.beginning : MediaTime(seconds: Int.random(in: 15...140, using: &generator))
      }
      for player in 0..<Self.players { deeds.append(.join(player, joinTimes[player])) }
      for number in 1...Int.random(in: 1...6, using: &generator) {
        let right = Int.random(in: 0..<6, using: &generator)
        // Some games have an order in which answers arrived.
        let isOrdered = Bool.random(using: &generator)
        var question = Sample.question(number, right: right < 4 ? right % 3 : nil, points: right < 3 ? [-3, 4, 10] : nil)
        if right == 1 { question.closesAt = question.opensAt + MediaTime(seconds: 4) }
        questions.append(question)
        // It is asked, perhaps corrected, and has its result, in whatever order these arrive: the last one holds.
        deeds.append(.question(question))
        for player in 0..<Self.players {
          let most = Int.random(in: 0..<50, using: &generator) == 0 ? 20 : 3
          for _ in 0..<Int.random(in: 0...most, using: &generator) {
            let time = question.opensAt + MediaTime(seconds: Int.random(in: -1...11, using: &generator))
            let arrival = isOrdered ? Int64(answers.count + 1) : 0
            let answer = RecountedAnswer(
              player: player, question: question, answer: Int.random(in: 0...3, using: &generator), time: time, arrival: arrival)
            answers.append(answer)
            deeds.append(.answer(answer))
            if time.ticks % 2 == 0 { deeds.append(.answer(answer)) }
          }
        }
      }
      for _ in 0..<5 { deeds.append(.look) }
    }
  }

  func play(_ deeds: [Deed], _ rules: ScoringRules) throws -> ScoredGame {
    var game = ScoredGame(rules: rules)
    for deed in deeds {
      switch deed {
      case .join(let player, let time): _ = try game.join(Sample.name(player), at: time == Script.beginning ? nil : time)
      case .answer(let given):
        let player = try game.entering(Sample.name(given.player))
        let outcome = game.answer(given.answer, to: given.question.guid, by: player, at: given.time, arrival: given.arrival)
        if given.time >= given.question.opensAt + given.question.allottedTime { #expect(outcome != .taken) }
      case .question(let question):
        // First without its result, and with a window that is wrong.
        var draft = question
        draft.correctAnswer = nil
        draft.closesAt = question.opensAt + MediaTime(seconds: 7)
        game.receive([draft])
        _ = game.leaders(2)
        game.receive([question])
      case .look: _ = game.leaders(3)
      }
    }
    return game
  }

  @Test(arguments: rules) func everyOrderGivesTheRecount(text: String) throws {
    let rules = try ScoringRules(parsing: text)
    var generator = SeededNumbers(seed: UInt64(text.utf8.count))
    for _ in 0..<40 {
      let script = Script(&generator)
      let recount = Recount(rules: rules, questions: script.questions, answers: script.answers, joinTimes: script.joinTimes)
      let (lines, counts) = recount.count()
      for _ in 0..<4 {
        var game = try play(script.deeds.shuffled(using: &generator), rules)
        let standings = game.standings()
        #expect(standings.count == Script.players)
        for standing in standings {
          let player = Int(standing.nickname.text.utf8.first ?? 0) - 0x61
          let line = lines[player]
          #expect((standing.score, standing.right, standing.outAt) == (line.score, line.right, line.outAt))
          let ahead = lines.filter { $0.isAhead(of: line) }
          #expect(standing.rank == ahead.count + 1)
          #expect(game.standing(of: standing.player) == standing)
        }
        #expect(game.leaders(3) == Array(standings.prefix(3)))
        checkBoards(&game, script, lines)
        for (question, count) in zip(script.questions, counts) {
          let known = game.summary(of: question.guid)
          let summary = try #require(known)
          #expect(summary.counts == count)
          #expect(summary.taken == count.reduce(0, +))
          #expect(summary.isScored == (question.correctAnswer != nil))
        }
      }
    }
  }

  /// On the scoreboard of a time stand those who had joined by then, with the same points.
  private func checkBoards(_ game: inout ScoredGame, _ script: Script, _ lines: [Recount.Line]) {
    for time in [MediaTime(seconds: 14), script.joinTimes[0], MediaTime(seconds: 77), MediaTime(seconds: 140)] {
      let board = game.standings(at: time)
      let there = script.joinTimes.indices.filter { script.joinTimes[$0] <= time }
      #expect(board.map { $0.nickname.text }.sorted() == there.map { Sample.name($0) })
      #expect(game.roster.count(at: time) == there.count)
      #expect(game.playersLeft(at: time) == there.count { lines[$0].outAt == nil })
      #expect(game.leaders(3, at: time) == Array(board.prefix(3)))
      for standing in board {
        let line = lines[Int(standing.nickname.text.utf8.first ?? 0) - 0x61]
        let ahead = there.filter { lines[$0].isAhead(of: line) }
        #expect(standing.rank == ahead.count + 1)
        #expect(game.standing(of: standing.player, at: time) == standing)
      }
      #expect(game.winners(at: time).allSatisfy { board.contains($0) })
    }
  }

  /// However often somebody changes an answer, before and after the time is up, the last one in time counts.
  @Test func ofAnyNumberOfChangesTheLastInTimeCounts() throws {
    var generator = SeededNumbers(seed: 9)
    for _ in 0..<5 {
      var game = try Sample.scoredGame(players: 1)
      game.receive([Sample.question(1, right: 0)])
      // As fast as a held key repeats.
      let moments = (0..<ScoredGame.largestAnswerCount).map { (second: Double($0) / 70, answer: Int.random(in: 0...2, using: &generator)) }
      for moment in moments.shuffled(using: &generator) { _ = try game.answer("a", 1, moment.answer, after: moment.second) }
      let last = moments.last { $0.second < 10 }
      let known = game.summary(of: Sample.guid("q1"))
      let summary = try #require(known)
      #expect(summary.counts == (0..<3).map { $0 == last?.answer ? 1 : 0 })
      #expect(summary.tooLate == moments.count { $0.second >= 10 })
      #expect(summary.otherwiseRefused == 0 && summary.tooMany.isEmpty)
      #expect(game.leaders(1).map { $0.score } == [last?.answer == 0 ? 1 : 0])
    }
  }

  /// Late answers that come before their question do not push out the one that was given in time.
  @Test func manyAnswersBeforeTheirQuestionAreJudgedAsAfterIt() throws {
    var generator = SeededNumbers(seed: 4)
    let question = Sample.question(1, right: 0)
    for _ in 0..<100 {
      let moments = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        (second: Double.random(in: -10...30, using: &generator), answer: Int.random(in: 0...3, using: &generator))
      }
      let inTime = moments.filter { (0..<10).contains($0.second) && $0.answer < 3 }
      let last = inTime.max { $0.second < $1.second }
      for _ in 0..<4 {
        var game = try Sample.scoredGame(players: 1)
        let order = moments.shuffled(using: &generator)
        let known = Int.random(in: 0...order.count, using: &generator)
        for (index, moment) in order.enumerated() {
          if index == known { game.receive([question]) }
          _ = try game.answer("a", 1, moment.answer, after: moment.second)
        }
        game.receive([question])
        let found = game.summary(of: question.guid)
        let summary = try #require(found)
        #expect(summary.counts == (0..<3).map { $0 == last?.answer ? 1 : 0 })
        #expect(summary.tooLate == moments.count { $0.second >= 10 && $0.answer < 3 })
        #expect(summary.tooEarly == moments.count { $0.second < 0 && $0.answer < 3 })
        #expect(summary.otherwiseRefused == moments.count { $0.answer == 3 })
        #expect(game.leaders(1).map { $0.score } == [last?.answer == 0 ? 1 : 0])
      }
    }
  }

  /// Where there are more answers than the limit, the earliest are kept, in whatever order they arrive and however the question is corrected.
  @Test func ofTooManyAnswersTheEarliestAreKept() throws {
    var generator = SeededNumbers(seed: 14)
    let limit = ScoredGame.largestAnswerCount
    let moments = (0..<limit + 30).map { (second: Double($0) / 120, answer: $0 % 3) }
    let early = moments.prefix(limit)
    for round in 0..<8 {
      // All that are kept are in time, or some are too late.
      let window = Double(round % 2 == 0 ? 10 : 5)
      var question = Sample.question(1, right: 0)
      question.closesAt = question.opensAt + MediaTime(seconds: window)
      let last = early.last { $0.second < window }
      var game = try Sample.scoredGame(players: 1)
      let order = (moments + moments.prefix(10)).shuffled(using: &generator)
      let known = Int.random(in: 0...order.count, using: &generator)
      for (index, moment) in order.enumerated() {
        if index == known { game.receive([Sample.question(1, right: 0)]) }
        _ = try game.answer("a", 1, moment.answer, after: moment.second)
      }
      game.receive([question])
      let found = game.summary(of: question.guid)
      let summary = try #require(found)
      #expect(summary.counts == (0..<3).map { $0 == last?.answer ? 1 : 0 })
      #expect(summary.tooLate == early.count { $0.second >= window })
      let player = try game.entering("a")
      #expect((summary.tooMany, summary.otherwiseRefused) == ([player: 30], 30))
      #expect(try game.answer("a", 1, 1, after: 9.95) == .tooMany)
      #expect(try game.answer("a", 1, 1, after: -1) == .tooEarly)
      #expect(try game.answer("a", 1, moments[limit - 1].answer, after: moments[limit - 1].second) == .tooMany)
    }
  }

  @Test func theBestOfManyAreThoseThatSortingFinds() throws {
    var generator = SeededNumbers(seed: 5)
    var game = ScoredGame()
    game.receive((1...5).map { Sample.question($0, right: 0) })
    for index in 0..<500 {
      let player = try game.join("player \(Int.random(in: 0..<1_000_000, using: &generator)) \(index)")
      for number in 1...5 {
        let answer = Int.random(in: 0...1, using: &generator)
        _ = game.answer(answer, to: Sample.guid("q\(number)"), by: player, at: Sample.question(number).opensAt)
      }
    }
    let all = game.standings()
    for count in [0, 1, 2, 99, 100, 499, 500, 501] { #expect(game.leaders(count) == Array(all.prefix(count))) }
    #expect(game.winners() == all.filter { $0.rank == 1 })
  }
}

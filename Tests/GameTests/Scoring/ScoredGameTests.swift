import Basics
import GameEvents
import Testing

@testable import Scoring

/// Players, answers and points, rule by rule.
@Suite struct ScoredGameTests {
  @Test func aTakenNicknameIsRefused() throws {
    var game = ScoredGame()
    let ann = try game.join("Ann")
    let (taken, other) = (try Nickname("ANN"), try Nickname("Ann"))
    #expect(throws: JoiningError.taken(taken, by: other)) { _ = try game.join(" ANN ") }
    #expect(throws: JoiningError.nickname(.empty)) { _ = try game.join(" ") }
    #expect("\(JoiningError.taken(taken, by: other))" == "the nickname ANN is taken by Ann; choose another")
    #expect("\(JoiningError.taken(other, by: other))" == "the nickname Ann is taken; choose another")
    #expect(try game.entering("ann") == ann)
    #expect(game.roster.count == 1)
  }

  @Test func whoOnlyAnsweredMayJoinOnce() throws {
    var game = ScoredGame()
    game.receive([Sample.question(1, right: 0)])
    #expect(try game.answer("ben", 1, 0, after: 1) == .taken)
    #expect(game.board() == ["1 ben 1"])
    let ben = try game.join("Ben", at: MediaTime(seconds: 22))
    #expect(game.board() == ["1 ben 0"])
    #expect(game.roster.joinTime(of: ben) == MediaTime(seconds: 22))
    #expect(throws: JoiningError.self) { _ = try game.join("ben") }
    #expect(try game.answer("ben", 1, 0, after: 1.5) == .beforeJoining)
    #expect(try game.answer("ben", 1, 0, after: 2) == .taken)
    #expect(game.board() == ["1 ben 1"])
  }

  @Test func answersAreJudgedByTheirTimes() throws {
    var game = try Sample.scoredGame(players: 1)
    #expect(try game.answer("a", 1, 1, after: 1) == .questionNotKnownYet)
    game.receive([Sample.question(1)])
    #expect(try game.answer("a", 1, 0, after: -0.001) == .tooEarly)
    #expect(try game.answer("a", 1, 0, after: 10) == .tooLate)
    #expect(try game.answer("a", 1, 3, after: 2) == .unknownAnswer)
    #expect(try game.answer("a", 1, 9, after: 2) == .unknownAnswer)
    #expect(try game.answer("a", 1, -1, after: 2) == .unknownAnswer)
    #expect(try game.answer("a", 1, 2, after: 9.999) == .taken)
    #expect(try game.answer("a", 1, 1, after: 5) == .taken)
    let known = game.summary(of: Sample.guid("q1"))
    let summary = try #require(known)
    #expect(summary.counts == [0, 0, 1])
    #expect((summary.taken, summary.tooLate, summary.tooEarly, summary.otherwiseRefused) == (1, 1, 1, 3))
    #expect(!summary.isScored)
    #expect(game.board() == ["1 a 0"])
    game.receive([Sample.question(1, right: 2)])
    #expect(game.board() == ["1 a 1"])
    #expect(game.summary(of: Sample.guid("q2")) == nil)
  }

  @Test func ofTwoAnswersAtOneTickTheSmallerIndexCounts() throws {
    for answers in [[0, 2], [2, 0]] {
      var game = try Sample.scoredGame(players: 1)
      game.receive([Sample.question(1, right: 0)])
      for answer in answers { #expect(try game.answer("a", 1, answer, after: 3) == .taken) }
      #expect(game.board() == ["1 a 1"])
    }
  }

  @Test func equalScoresShareARank() throws {
    var game = try Sample.scoredGame(players: 5)
    game.receive([Sample.question(1, right: 0), Sample.question(2, right: 0)])
    for (name, number) in [("c", 1), ("c", 2), ("a", 1), ("e", 2), ("b", 1)] { _ = try game.answer(name, number, 0, after: 1) }
    #expect(game.board() == ["1 c 2", "2 a 1", "2 b 1", "2 e 1", "5 d 0"])
    #expect(game.board(2) == ["1 c 2", "2 a 1"])
    #expect(game.board(0) == [])
    #expect(game.standings().map { $0.rank } == [1, 2, 2, 2, 5])
    let d = try #require(game.roster.player(named: Nickname("d")))
    #expect(game.standing(of: d).rank == 5)
    #expect(game.winnerNames() == ["c"])
  }

  @Test func allWhoTieWinAndNobodyWithoutPoints() throws {
    var game = try Sample.scoredGame(players: 3)
    #expect(game.winnerNames() == [])
    game.receive([Sample.question(1, right: 0)])
    #expect(game.winnerNames() == [])
    _ = try game.answer("c", 1, 0, after: 1)
    _ = try game.answer("a", 1, 0, after: 9)
    #expect(game.winnerNames() == ["a", "c"])
  }

  @Test func theFirstRightAnswerTakesThePoint() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "first"), players: 4)
    game.receive([Sample.question(1, right: 0)])
    _ = try game.answer("a", 1, 1, after: 1)
    _ = try game.answer("b", 1, 0, after: 3)
    #expect(game.board() == ["1 b 1", "2 a 0", "2 c 0", "2 d 0"])
    // Somebody further behind answers later by the clock and earlier in the programme.
    _ = try game.answer("c", 1, 0, after: 2)
    #expect(game.board(1) == ["1 c 1"])
    _ = try game.answer("d", 1, 0, after: 2)
    #expect(game.board() == ["1 c 1", "1 d 1", "3 a 0", "3 b 0"])
    // Both change their minds.
    for name in ["c", "d"] { _ = try game.answer(name, 1, 2, after: 4) }
    #expect(game.board(1) == ["1 b 1"])
  }

  @Test func streaksAndSpeedAddUp() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "right+speed:100+streak:10"), players: 1)
    for (number, answer) in [(1, 0), (2, 0), (3, 1), (4, 0), (6, 0)] { _ = try game.answer("a", number, answer, after: 5) }
    var scores: [Int] = []
    for number in 1...6 {
      game.receive([Sample.question(number, right: 0)])
      scores += game.leaders(1).map { $0.score }
    }
    // Wrong in question 3, nothing in question 5.
    #expect(scores == [51, 51 + 61, 112, 163, 163, 214])
    #expect(game.leaders(1).map { [$0.right, $0.answered] } == [[4, 5]])
  }

  @Test func negativePoints() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "points"), players: 2)
    _ = try game.answer("a", 1, 0, after: 1)
    _ = try game.answer("b", 1, 1, after: 1)
    game.receive([Sample.question(1, right: 1, points: [10, -5, 0])])
    #expect(game.board() == ["1 a 10", "2 b -5"])
    #expect(game.winnerNames() == ["a"])
  }

  @Test func pointsFromStreamsSaturate() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "right+points"), players: 2)
    for number in 1...2 {
      _ = try game.answer("a", number, 0, after: 1)
      _ = try game.answer("b", number, 1, after: 1)
    }
    game.receive((1...2).map { Sample.question($0, right: 0, points: [.max, .min, 0]) })
    #expect(game.leaders(2).map { $0.score } == [.max, .min])
  }

  @Test func eliminationWithASecondChance() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "elimination:1"), players: 3)
    game.receive((1...3).map { Sample.question($0) })
    let answers: [(String, [Int?])] = [("a", [0, 0, 0]), ("b", [1, 0, nil]), ("c", [1, nil, 0])]
    for (name, list) in answers {
      for (index, answer) in list.enumerated() {
        guard let answer else { continue }
        #expect(try game.answer(name, index + 1, answer, after: 1) == .taken)
      }
    }
    game.receive((1...2).map { Sample.question($0, right: 0) })
    #expect(game.board() == ["1 a 2", "2 b 1", "3 c 0 out 2"])
    #expect(game.playersLeft() == 2)
    // An answer that came before anybody knew is not taken either.
    let known = game.summary(of: Sample.guid("q3"))
    let summary = try #require(known)
    #expect(summary.counts == [1, 0, 0])
    #expect(summary.otherwiseRefused == 1)
    #expect(try game.answer("c", 3, 0, after: 2) == .eliminated)
    game.receive([Sample.question(3, right: 0)])
    #expect(game.board() == ["1 a 3", "2 b 1 out 3", "3 c 0 out 2"])
    #expect(game.winnerNames() == ["a"])
  }

  @Test func whoJoinsLaterHasMissedNothingBefore() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "elimination"), players: 2)
    // While the second question takes answers, when it does not any more, and after everything.
    for (name, second) in [("c", 49.0), ("d", 50), ("e", 90)] { _ = try game.join(name, at: MediaTime(seconds: second)) }
    for number in 1...3 { _ = try game.answer("a", number, 0, after: 1) }
    game.receive([Sample.question(1, right: 0), Sample.question(2)])
    #expect(try game.answer("c", 2, 0, after: 9.5) == .taken)
    game.receive([Sample.question(2, right: 0), Sample.question(3)])
    #expect(try game.answer("d", 3, 0, after: 1) == .taken)
    game.receive([Sample.question(3, right: 0)])
    #expect(game.board() == ["1 a 3", "2 d 1", "3 e 0", "4 c 1 out 3", "5 b 0 out 1"])
    // Who came after everything has won nothing.
    #expect(game.winnerNames() == ["a", "d"])
  }

  @Test func aScoreboardIsOfItsTime() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "right+elimination"), players: 2)
    let cat = try game.join("c", at: MediaTime(seconds: 45))
    game.receive([Sample.question(1, right: 0), Sample.question(2, right: 0)])
    _ = try game.answer("a", 1, 0, after: 1)
    _ = try game.answer("a", 2, 1, after: 1)
    _ = try game.answer("c", 2, 0, after: 6)
    #expect(game.board() == ["1 c 1", "2 a 1 out 2", "3 b 0 out 1"])
    let boards = [44, 45].map { second in game.leaders(9, at: MediaTime(seconds: second)).map { "\($0.rank) \($0.nickname)" } }
    #expect(boards == [["1 a", "2 b"], ["1 c", "2 a", "3 b"]])
    for (second, count, left, winners) in [(44, 2, 0, []), (45, 3, 1, ["c"])] {
      let time = MediaTime(seconds: second)
      #expect(game.standings(at: time) == game.leaders(9, at: time))
      #expect((game.roster.count(at: time), game.playersLeft(at: time)) == (count, left))
      #expect(game.winners(at: time).map { $0.nickname.text } == winners)
    }
    let a = try #require(game.roster.player(named: Nickname("a")))
    #expect(game.standing(of: a, at: MediaTime(seconds: 44)).rank == 1)
    #expect((game.standing(of: a).rank, game.standing(of: cat).rank) == (2, 1))
  }

  @Test(arguments: ["elimination", "first+elimination"]) func whoIsOutIsToldWithoutAskingForTheScoreboard(rules: String) throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: rules), players: 3)
    game.receive([Sample.question(1), Sample.question(2)])
    #expect(try game.answer("a", 1, 1, after: 2) == .taken)
    #expect(try game.answer("b", 1, 0, after: 2) == .taken)
    #expect(try game.answer("a", 2, 0, after: 2) == .taken)
    game.receive([Sample.question(1, right: 0)])
    #expect(try game.answer("a", 2, 0, after: 3) == .eliminated)
    #expect(try game.answer("b", 2, 0, after: 3) == .taken)
    // The question was missed.
    #expect(try game.answer("c", 2, 0, after: 3) == .eliminated)
    // It was another answer that was right.
    game.receive([Sample.question(1, right: 1)])
    #expect(try game.answer("a", 2, 0, after: 4) == .taken)
    #expect(try game.answer("b", 2, 0, after: 4) == .eliminated)
  }

  @Test func answersThatNoQuestionHasAreCounted() throws {
    var game = try Sample.scoredGame(players: 1)
    #expect(try game.answer("a", 1, 7, after: 2) == .questionNotKnownYet)
    // A number that large is none of a few answers, but may be one of many numbers.
    #expect(try game.answer("a", 1, 99, after: 2) == .questionNotKnownYet)
    #expect(try game.answer("a", 1, -1, after: 2) == .unknownAnswer)
    game.receive([Sample.question(1, right: 0)])
    for answer in [8, 9, .max] { #expect(try game.answer("a", 1, answer, after: 3) == .unknownAnswer) }
    #expect(game.summary(of: Sample.guid("q1"))?.otherwiseRefused == 6)
  }

  @Test func survivorsWinTogetherOrTheBestOfThem() throws {
    for (rules, winners) in [("elimination:1", ["a", "b"]), ("right+elimination:1", ["a"]), ("elimination", ["a"]), ("right", ["a"])] {
      var game = try Sample.scoredGame(ScoringRules(parsing: rules), players: 2)
      _ = try game.answer("a", 1, 0, after: 1)
      _ = try game.answer("b", 1, 1, after: 1)
      game.receive([Sample.question(1, right: 0)])
      #expect(game.winnerNames() == winners)
    }
  }

  @Test func missedQuestionsAreForgivenWhereTheRuleSaysSo() throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "elimination:0:answered"), players: 2)
    game.receive((1...2).map { Sample.question($0, right: 0) })
    _ = try game.answer("a", 2, 0, after: 1)
    _ = try game.answer("b", 2, 1, after: 1)
    #expect(game.board() == ["1 a 1", "2 b 0 out 2"])
  }

  @Test func correctionsChangeWhatCounts() throws {
    var game = try Sample.scoredGame(players: 1)
    game.receive([Sample.question(1, right: 1)])
    _ = try game.answer("a", 1, 1, after: 3)
    _ = try game.answer("a", 1, 0, after: 6)
    #expect(game.board() == ["1 a 0"])
    // It turns out that the question was closed sooner: the answer before that counts.
    var shorter = Sample.question(1, right: 1)
    shorter.closesAt = MediaTime(seconds: 25)
    game.receive([shorter])
    #expect(game.board() == ["1 a 1"])
    #expect(game.summary(of: shorter.guid)?.tooLate == 1)
    game.receive([Sample.question(1, right: 0)])
    #expect(game.board() == ["1 a 1"])
    #expect(game.questions == [Sample.question(1, right: 0)])
  }

  @Test func questionsBeyondTheLimitAreRefused() throws {
    var game = try Sample.scoredGame(players: 1)
    let player = try game.entering("a")
    for number in 0..<ScoredGame.largestQuestionCount {
      #expect(game.answer(0, to: Sample.guid("x\(number)"), by: player, at: .zero) == .questionNotKnownYet)
    }
    #expect(game.answer(0, to: Sample.guid("one more"), by: player, at: .zero) == .unknownQuestion)
  }
}

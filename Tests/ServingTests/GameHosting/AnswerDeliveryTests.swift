import AnswerIntake
import Basics
import GameEvents
import Questions
import Scoring
import Testing

@testable import GameHosting

/// Answers are delivered at least once, in batches of any size and in any order. Of a player's answers the one that was acknowledged last counts.
@Suite struct AnswerDeliveryTests {
  /// A show of three questions in which players are right and wrong, change their minds at any position that is allowed, and come late.
  private func sample() throws -> HostedShow {
    var show = HostedShow(HostedShow.settings(scoring: "speed:1000:500"))
    for name in ["Ann", "Ben", "Cem", "Dee", "Eva", "Fay"] { try show.join(name) }
    var numbers = SeededNumbers(seed: 14)
    for _ in 0..<3 {
      try show.ask()
      for _ in 0..<24 {
        show.go(to: show.seconds + 0.4)
        show.answer(numbers.below(2), by: numbers.below(6), at: show.seconds - Double(numbers.below(9)) * 0.4)
      }
      show.finishQuestion()
    }
    try show.command(.next)
    show.placeAll()
    return show
  }

  /// For each question how often each answer was a player's last one.
  private func lastAnswers(_ show: HostedShow) -> [[Int]] {
    show.game.asked.enumerated().map { index, asked in
      var last: [UInt32: Int] = [:]
      for answer in show.answers where answer.question == index { last[answer.player] = Int(answer.answer) }
      return show.game.settings.questions[asked.quizIndex].answers.indices.map { answer in last.values.count { $0 == answer } }
    }
  }

  /// A later answer counts at whatever position: at the same one with a larger or smaller index, and at an earlier one.
  @Test(arguments: [(0, 16.0, 1, 16.0), (1, 16, 0, 16), (0, 16, 1, 12), (1, 12, 0, 11)])
  func theLaterAnswerCounts(first: Int, at position: Double, then second: Int, at earlier: Double) throws {
    var show = HostedShow()
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.go(to: 16)
    #expect(show.answer(first, by: 0, at: position) == nil && show.answer(second, by: 0, at: earlier) == nil)
    var counts = [0, 0, 0]
    counts[second] = 1
    #expect(show.game.counts(0) == counts)
    let snapshot = try #require(show.snapshots.last)
    var again = try show.restored(snapshot)
    #expect(again.game.counts(0) == counts)
  }

  /// Nobody gains time by a change: it counts as given at the latest position of those that it replaces, and nobody loses any.
  @Test(arguments: [(13.0, 11.0, 3.0), (11, 13, 3), (12, 12, 2)]) func aChangeGainsNoTime(
    first: Double, then second: Double, seconds: Double
  ) throws {
    var show = HostedShow(HostedShow.settings(scoring: "speed:1000:0:exact"))
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 9.5)
    try show.ask()
    show.go(to: 14)
    // The question is open from 10 s to 20 s.
    #expect(show.answer(0, by: 0, at: first) == nil && show.answer(1, by: 0, at: second) == nil)
    #expect(show.answer(1, by: 1, at: 10 + seconds) == nil)
    show.finishQuestion()
    #expect(show.board == ["1 Ann \(1_000 - Int(100 * seconds))", "1 Ben \(1_000 - Int(100 * seconds))"])
  }

  /// A thousand ways in which one record may come: split anywhere, the batches in any order, and some of them again.
  @Test func oneRecordAThousandTimes() throws {
    let show = try sample()
    let expected = show.facts
    #expect(expected.isOver && expected.boards.count == 4 && show.answers.count > 40)
    #expect(expected.boards.compactMap { $0.scoreboard?.summary.counts } == lastAnswers(show))
    var numbers = SeededNumbers(seed: 1_000)
    for round in 0..<1_000 {
      var answers = show.answers
      var batches: [(number: Int, bytes: [UInt8])] = []
      var number = 0
      while !answers.isEmpty {
        // Batches of other games are between them.
        number += 1 + numbers.below(3)
        let count = min(1 + numbers.below(12), answers.count)
        batches.append((number, AnswerBatch.encode(Array(answers.prefix(count)))))
        answers.removeFirst(count)
      }
      for _ in 0..<numbers.below(4) { batches.append(batches[numbers.below(batches.count)]) }
      batches = numbers.shuffled(batches)
      var game = HostedGame(show.game.settings)
      for player in show.players {
        let isRestored = game.restore(player: player.nickname, key: player.key, at: player.joinedAt)
        #expect(isRestored)
      }
      for record in show.records { game.restore(record) }
      for batch in batches { game.record(try AnswerBatch.decode(batch.bytes.span), batch: batch.number) }
      game.republish()
      game.resume()
      let facts = GameFacts(game, show.now)
      guard facts == expected else { return #expect(facts == expected, "round \(round)") }
    }
  }

  /// Whoever replays the record of a game, in whatever order its lines are, comes to the same board.
  @Test func theRecordReplayed() throws {
    let show = try sample()
    let lines = show.answers.enumerated().map { index, answer in
      AudienceRecord.answer(
        nickname: show.players[Int(answer.player)].nickname, question: .guid(show.game.asked[Int(answer.question)].guid),
        answer: .one(Int(answer.answer)), time: answer.time, arrival: Int64(index + 1)
      ).line
    }
    var numbers = SeededNumbers(seed: 3)
    for _ in 0..<20 {
      var game = ScoredGame(rules: show.game.settings.rules.scoring)
      for line in numbers.shuffled(lines) {
        guard
          case .answer(let nickname, .guid(let guid), let answer, let time, let arrival?) = try AudienceRecord(parsing: Array(line.utf8))
        else { return #expect(Bool(false), "\(line)") }
        _ = game.answer(answer, to: guid, by: try game.entering(nickname), at: time, arrival: arrival)
      }
      game.receive(show.game.scored.questions)
      #expect(game.standings().map { "\($0.rank) \($0.nickname) \($0.score)" } == show.board)
    }
  }
}

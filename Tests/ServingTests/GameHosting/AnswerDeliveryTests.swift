import AnswerIntake
import Basics
import Testing

@testable import GameHosting

/// Answers are delivered at least once, in batches of any size and in any order.
@Suite struct AnswerDeliveryTests {
  /// A show of three questions in which players are right and wrong, change their minds, and come late.
  private func sample() throws -> HostedShow {
    var show = HostedShow(HostedShow.settings(scoring: "speed:1000:500"))
    for name in ["Ann", "Ben", "Cem", "Dee", "Eva", "Fay"] { try show.join(name) }
    var numbers = SeededNumbers(seed: 14)
    for _ in 0..<3 {
      try show.ask()
      for _ in 0..<24 {
        show.go(to: show.seconds + 0.4)
        show.answer(numbers.below(2), by: numbers.below(6))
      }
      show.finishQuestion()
    }
    try show.command(.next)
    show.placeAll()
    return show
  }

  /// A thousand ways in which one record may come: shuffled, split anywhere, with answers and whole batches that come again.
  @Test func oneRecordAThousandTimes() throws {
    let show = try sample()
    let expected = show.facts
    #expect(expected.isOver && expected.boards.count == 4 && show.answers.count > 40)
    var numbers = SeededNumbers(seed: 1_000)
    for round in 0..<1_000 {
      var answers = show.answers
      for _ in 0..<numbers.below(20) { answers.append(show.answers[numbers.below(show.answers.count)]) }
      answers = numbers.shuffled(answers)
      var batches: [[UInt8]] = []
      while !answers.isEmpty {
        let count = min(1 + numbers.below(12), answers.count)
        batches.append(AnswerBatch.encode(Array(answers.prefix(count))))
        answers.removeFirst(count)
      }
      for _ in 0..<numbers.below(4) { batches.append(batches[numbers.below(batches.count)]) }
      var game = HostedGame(show.game.settings)
      for player in show.players {
        let isRestored = game.restore(player: player.nickname, key: player.key, at: player.joinedAt)
        #expect(isRestored)
      }
      for record in show.records { game.restore(record) }
      for batch in batches { game.record(try AnswerBatch.decode(batch.span)) }
      game.republish()
      game.resume()
      let facts = GameFacts(game, show.now)
      guard facts == expected else { return #expect(facts == expected, "round \(round)") }
    }
  }
}

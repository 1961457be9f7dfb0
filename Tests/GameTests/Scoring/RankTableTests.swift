import Basics
import TestSupport
import Testing

@testable import Scoring

/// Ranks that are found once for all players are those that are found for each of them.
@Suite struct RankTableTests {
  /// Asks for everybody in both ways.
  private func standings(_ game: ScoredGame, at time: MediaTime, _ table: inout RankTable?) -> (once: [Standing], each: [Standing]) {
    var game = game
    var (once, each): ([Standing], [Standing]) = ([], [])
    for player in game.roster.players {
      once.append(game.standing(of: player, at: time, &table))
      each.append(game.standing(of: player, at: game.roster.joinTime(of: player).map { max($0, time) } ?? time))
    }
    return (once, each)
  }

  /// A game of chance, in which some join late, some answer early or late, and somebody is taken out.
  @Test(arguments: AnswerOrderTests.rules) func asForEach(rules: String) throws {
    for seed in UInt64(0)..<12 {
      var numbers = SeededNumbers(seed: seed)
      var game = ScoredGame(rules: try ScoringRules(parsing: rules))
      var table: RankTable?
      for player in 0..<40 {
        _ = try game.join("p\(player)", at: numbers.below(2) == 0 ? nil : MediaTime(seconds: 15 + numbers.below(120)))
      }
      for number in 1...4 {
        let question = Sample.question(number, right: numbers.below(3), points: [-3, 4, 10])
        for player in game.roster.players where numbers.below(4) > 0 {
          let time = question.opensAt + MediaTime(seconds: numbers.below(12) - 1)
          game.record(numbers.below(3), to: question.guid, by: player, at: time)
        }
        game.receive([question])
        if number == 3 { game.remove(PlayerID(numbers.below(40))) }
        table = nil
        let time = question.closesAt + MediaTime(seconds: 2)
        var (once, each) = standings(game, at: time, &table)
        #expect(once == each, "\(rules), seed \(seed), question \(number)")
        // Who joins now is counted in.
        for player in 0..<numbers.below(4) {
          _ = try game.join("q\(number).\(player)", at: time + MediaTime(ticks: 1 + Int64(numbers.below(900_000))))
        }
        (once, each) = standings(game, at: time, &table)
        #expect(once == each, "\(rules), seed \(seed), question \(number), with those who joined")
        // A table of another time is none.
        (once, each) = standings(game, at: question.opensAt, &table)
        #expect(once == each && table?.time == question.opensAt, "\(rules), seed \(seed), question \(number), before it")
      }
    }
  }

  /// Before anything was asked all are first, also those who come while others ask.
  @Test func lobby() throws {
    var game = ScoredGame()
    var table: RankTable?
    for number in 0..<50 {
      let player = try game.join("p\(number)")
      let standing = game.standing(of: player, at: .zero, &table)
      #expect(standing.rank == 1 && standing.nickname.text == "p\(number)")
    }
    #expect(table?.time == .zero)
  }
}

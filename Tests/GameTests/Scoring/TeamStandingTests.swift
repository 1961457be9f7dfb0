import Basics
import TestSupport
import Testing

@testable import Scoring

/// The points of teams are those of their players, whatever the order in which everything comes.
@Suite struct TeamStandingTests {
  /// A straightforward recount of one team: in hundredths, half a hundredth away from zero.
  private func points(_ scores: [Int], _ scoring: TeamScoring) -> Int {
    switch scoring {
    case .sum: scores.reduce(0, +) * 100
    case .best(let count): scores.sorted(by: >).prefix(count).reduce(0, +) * 100
    case .mean: Int((Double(scores.reduce(0, +)) * 100 / Double(scores.count)).rounded(.toNearestOrAwayFromZero))
    }
  }

  @Test(arguments: [TeamScoring.mean, .sum, .best(1), .best(2), .best(100)]) func everyOrderGivesOneBoard(scoring: TeamScoring) throws {
    let names = try ["Reds", "Blues", "Ants"].map { try Nickname($0) }
    var generator = SeededNumbers(seed: 36)
    for text in ["right", "points", "speed:100:20", "first+elimination:2"] {
      let rules = try ScoringRules(parsing: text)
      for _ in 0..<20 {
        let script = AnswerOrderTests.Script(&generator)
        let lines = Recount(
          rules: rules, questions: script.questions, answers: script.answers, joinTimes: script.joinTimes
        ).count().lines
        // The last team has nobody, and some players have no team.
        let teams = script.joinTimes.indices.map { _ in Int.random(in: -1...1, using: &generator) }
        for time in [nil, MediaTime(seconds: 77)] {
          var wanted: [(name: Nickname, points: Int, players: Int)] = []
          for team in 0...1 {
            let players = teams.indices.filter { player in
              guard teams[player] == team else { return false }
              guard let time else { return true }
              return script.joinTimes[player] <= time
            }
            guard !players.isEmpty else { continue }
            wanted.append((names[team], points(players.map { lines[$0].score }, scoring), players.count))
          }
          wanted.sort { $0.points == $1.points ? $0.name < $1.name : $0.points > $1.points }
          for _ in 0..<3 {
            var game = try AnswerOrderTests().play(script.deeds.shuffled(using: &generator), rules)
            let places = game.roster.nicknames.map { Int32(teams[Int($0.text.utf8.first ?? 0) - 0x61]) }
            let standings = game.teamStandings(names, of: places, scoring, at: time)
            #expect(standings.map { names[$0.team] } == wanted.map(\.name))
            #expect(standings.map(\.hundredths) == wanted.map(\.points) && standings.map(\.players) == wanted.map(\.players))
            #expect(standings.map(\.rank) == wanted.map { line in 1 + wanted.count { $0.points > line.points } })
          }
        }
      }
    }
  }

  /// Equal points are one rank, in the order of the names.
  @Test func ranks() throws {
    var game = try Sample.scoredGame(players: 6)
    game.receive([Sample.question(1, right: 0)])
    for player in ["a", "b"] { _ = try game.answer(player, 1, 0, after: 1) }
    let names = try ["Zebras", "Ants", "Bees"].map { try Nickname($0) }
    let board = game.teamStandings(names, of: [0, 1, 0, 1, 2, 2], .mean)
    #expect(
      board == [
        TeamStanding(team: 1, rank: 1, hundredths: 50, players: 2), TeamStanding(team: 0, rank: 1, hundredths: 50, players: 2),
        TeamStanding(team: 2, rank: 3, hundredths: 0, players: 2),
      ])
    // A player without a place in the list, and one of a team that there is not, are in no team.
    #expect(game.teamStandings(names, of: [0, 7], .sum) == [TeamStanding(team: 0, rank: 1, hundredths: 100, players: 1)])
  }

  /// The largest points overflow nothing.
  @Test(arguments: [TeamScoring.mean, .sum, .best(2)]) func large(scoring: TeamScoring) throws {
    var game = try Sample.scoredGame(ScoringRules(parsing: "points"), players: 3)
    game.receive([Sample.question(1, right: 0, points: [.max, .min, 0])])
    for (player, answer) in [("a", 0), ("b", 0), ("c", 1)] { _ = try game.answer(player, 1, answer, after: 1) }
    let names = [try Nickname("Reds")]
    let most = (1 << 31) * 100
    let wanted = [TeamScoring.sum: most, .best(2): 2 * most, .mean: most / 3 + 1][scoring]
    #expect(game.teamStandings(names, of: [0, 0, 0], scoring).map { $0.hundredths } == [wanted])
  }

  @Test func texts() {
    for scoring in [TeamScoring.mean, .sum, .best(1), .best(100)] { #expect(TeamScoring(scoring.text) == scoring) }
    for text in ["", "Mean", "best", "best:", "best:0", "best:101", "best:-1", "best:+3", "best:03", "best:3 ", "sum:2"] {
      #expect(TeamScoring(text) == nil, "\(text)")
    }
  }
}

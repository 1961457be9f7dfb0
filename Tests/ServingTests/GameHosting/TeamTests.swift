import Basics
import Scoring
import TestSupport
import Testing

@testable import GameHosting

/// Teams of players, and other nicknames before the show.
@Suite struct TeamTests {
  private static func settings(_ teams: String, scoring: String = "right") throws -> HostedGame.Settings {
    let object = try #require(try JSONValue(parsing: teams).object)
    var settings = HostedShow.settings(scoring: scoring)
    try settings.rules.change(object)
    return settings
  }

  private func lines(_ show: HostedShow) -> [String] { (show.game.boards.last?.teams ?? []).map(\.object.text) }

  /// The rules are read as they are written.
  @Test(arguments: [
    #"{"teams":"free","teamPoints":"mean"}"#, #"{"teams":["Red","Blue"],"teamPoints":"sum"}"#,
    #"{"teams":["Red","Blue","Gr\u00fcn"],"teamPoints":"best:3"}"#,
  ]) func rules(text: String) throws {
    let rules = try Self.settings(text).rules
    var again = GameRules()
    try again.change(rules.object)
    let object = try #require(try JSONValue(parsing: text).object)
    #expect(again == rules && rules.teams != nil)
    #expect(rules.object["teams"] == object["teams"] && rules.object["teamPoints"] == object["teamPoints"])
  }

  @Test(arguments: [
    (#"{"teams":true}"#, "/rules/teams"), (#"{"teams":[]}"#, "/rules/teams"), (#"{"teams":["Red"]}"#, "/rules/teams"),
    (#"{"teams":["Red","red!"]}"#, "/rules/teams/1"), (#"{"teams":["Red",""]}"#, "/rules/teams/1"), (#"{"teams":[1,2]}"#, "/rules/teams/0"),
    (#"{"teams":["Red","Admin"]}"#, "/rules/teams/1"), (#"{"teams":"free","teamPoints":"best:0"}"#, "/rules/teamPoints"),
  ]) func wrongRules(text: String, pointer: String) throws {
    let object = try #require(try JSONValue(parsing: text).object)
    var rules = GameRules()
    let error = #expect(throws: HostingProblem.self) { try rules.change(object) }
    guard case .invalid(pointer, _)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  /// Of teams that the host has made, a player is in one of them, written as the host has.
  @Test func madeByTheHost() throws {
    var show = HostedShow(try Self.settings(#"{"teams":["Red","Blue"]}"#))
    #expect(try show.join("Ann", team: "r\u{E9}d").team == "Red")
    #expect(try show.join("Ben").team == nil)
    for team in ["Green", "", "Redd"] {
      let error = #expect(throws: HostingProblem.self) { try show.join("Cem", team: team) }
      guard case .teamInvalid? = error else { return #expect(Bool(false), "\(team): \(String(describing: error))") }
    }
    #expect(show.game.playerCount == 2)
  }

  /// Names that look alike are one team, and what nobody may be called, no team may.
  @Test func madeByPlayers() throws {
    var show = HostedShow(try Self.settings(#"{"teams":"free"}"#))
    #expect(try show.join("Ann", team: " Reds ").team == "Reds")
    #expect(try show.join("Ben", team: "r e d s").team == "Reds")
    #expect(try show.join("Cem", team: "Blues").team == "Blues")
    for team in ["...", "a\u{200B}b", "Moderator", String(repeating: "x", count: 65)] {
      let error = #expect(throws: HostingProblem.self) { try show.join("Dee", team: team) }
      guard case .teamInvalid? = error else { return #expect(Bool(false), "\(team): \(String(describing: error))") }
    }
    // A game without teams has none.
    var other = HostedShow()
    #expect(throws: HostingProblem.teamInvalid("this game has no teams")) { try other.join("Ann", team: "Reds") }
  }

  /// There are so many teams and no more; a team that everybody has left is none.
  @Test func atMostSoMany() throws {
    var show = HostedShow(try Self.settings(#"{"teams":"free"}"#))
    for number in 0..<TeamIndex.most { try show.join("P \(number)", team: "Team \(number)") }
    #expect(throws: HostingProblem.self) { try show.join("late", team: "Another") }
    #expect(try show.join("late", team: "Team 7").team == "Team 7")
    #expect(try show.join("P 3", team: "Team 7").team == "Team 7")
    #expect(try show.join("latest", team: "Another").team == "Another")
    #expect(throws: HostingProblem.self) { try show.join("P 4", team: "Team 3") }
  }

  /// Until the show begins, a player may have another nickname and be in another team; the old nickname is free.
  @Test func changes() throws {
    var show = HostedShow(try Self.settings(#"{"teams":"free"}"#))
    try show.join("Ann", key: "a", team: "Reds")
    try show.join("Ben", key: "b", team: "Blues")
    #expect(throws: HostingProblem.self) { try show.join("b e n", key: "a") }
    #expect(try show.join("\u{C4}nn", key: "a").isChanged)
    #expect(try show.join("Anna", key: "a", team: "Blues").team == "Blues")
    #expect(try show.join("Ann", key: "c", team: "Greens").player == 2)
    let names = show.game.scored.roster.nicknames.map(\.text)
    #expect(names == ["Anna", "Ben", "Ann"] && show.game.playerCount == 3)
    // As it is made again from what is kept.
    let again = try HostedShow(show.game.settings, players: show.players, records: show.records, answers: [], now: show.now)
    #expect(again.facts == show.facts && (0..<3).map { again.game.team(of: $0) } == ["Blues", "Blues", "Greens"])
    try show.command(.start)
    #expect(throws: HostingProblem.joinedOtherwise(nickname: "Anna")) { try show.join("Anne", key: "a") }
    #expect(throws: HostingProblem.joinedOtherwise(nickname: "Anna")) { try show.join("Anna", key: "a", team: "Reds") }
    #expect(try show.join("Anna", key: "a", team: "blues") == show.join("Anna", key: "a"))
  }

  /// The board of teams comes with that of the players, follows who leaves, and is the same after a restart.
  @Test(arguments: [
    ("mean", [#"{"rank":1,"team":"Reds","score":0.5,"players":2}"#, #"{"rank":2,"team":"Blues","score":0.33,"players":3}"#]),
    ("sum", [#"{"rank":1,"team":"Blues","score":1,"players":3}"#, #"{"rank":1,"team":"Reds","score":1,"players":2}"#]),
    ("best:1", [#"{"rank":1,"team":"Blues","score":1,"players":3}"#, #"{"rank":1,"team":"Reds","score":1,"players":2}"#]),
  ]) func boards(points: String, board: [String]) throws {
    var show = HostedShow(try Self.settings(#"{"teams":"free","teamPoints":"\#(points)"}"#))
    for (name, team) in [("Ann", "Reds"), ("Ben", "Reds"), ("Cem", "Blues"), ("Dee", "Blues"), ("Eve", "Blues")] {
      try show.join(name, team: team)
    }
    try show.join("Fay")
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    for (player, answer) in [(0, 1), (1, 0), (2, 1), (5, 1)] { #expect(show.answer(answer, by: player) == nil) }
    #expect(lines(show) == [])
    show.finishQuestion()
    #expect(lines(show) == board)
    #expect(show.game.teamPlace(of: 4)?.name.text == "Blues" && show.game.teamPlace(of: 5) == nil)
    var game = show.game
    let stage = game.stage(at: show.now)
    #expect(stage["teams"]?.array?.count == 2)
    for snapshot in show.snapshots { #expect(try show.restored(snapshot).facts == GameFacts(snapshot.game, snapshot.now)) }
    // Who leaves takes the points along.
    try show.remove(0)
    game = show.game
    #expect(game.boards.last?.teams?.map(\.standing.players) == [3, 1])
    try show.remove(1)
    #expect(show.game.boards.last?.teams?.map(\.name.text) == ["Blues"])
    game = show.game
    let later = game.stage(at: show.now)
    #expect(!later.text.contains("Reds"))
  }

  /// Whatever the order in which another process hears of changes, it has the same names and teams in the end.
  @Test func changesOfOthers() throws {
    // The first has become Dee, and then the second Cem, which is the old name of the first.
    let rows = [("Dee", "a", "Reds"), ("Cem", "b", "Blues")]
    for order in [[0, 1], [1, 0]] {
      var game = HostedGame(try Self.settings(#"{"teams":"free"}"#))
      for (name, key) in [("Cem", "a"), ("Ben", "b")] {
        let isThere = game.restore(player: name, key: key, at: nil, team: "Reds")
        #expect(isThere)
      }
      for player in order {
        let isNew = game.alter(player: player, nickname: rows[player].0, key: rows[player].1, team: rows[player].2)
        #expect(isNew)
      }
      #expect(game.scored.roster.nicknames.map(\.text) == ["Dee", "Cem"])
      #expect((0..<2).map { game.team(of: $0) } == ["Reds", "Blues"])
      let again = game.alter(player: 0, nickname: "Dee", key: "a", team: "Reds")
      let ofAnother = game.alter(player: 0, nickname: "Eve", key: "z", team: nil)
      #expect(!again && !ofAnother)
    }
  }

  /// A board of 100,000 players in 1,000 teams takes a step for each player.
  @Test func manyPlayers() throws {
    var game = HostedGame(try Self.settings(#"{"teams":"free","teamPoints":"best:100"}"#))
    for player in 0..<100_000 {
      let isThere = game.restore(player: "P\(player)", key: "\(player)", at: nil, team: "Team \(player % 1_000)")
      try #require(isThere)
    }
    let known = game.teamPlaces(at: nil)
    let places = try #require(known)
    #expect(places.count == 1_000 && places.allSatisfy { $0.standing.players == 100 && $0.standing.rank == 1 })
    #expect(game.teams.count == 1_000)
  }
}

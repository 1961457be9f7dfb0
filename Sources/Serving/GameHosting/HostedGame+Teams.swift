package import Basics
import Nicknames
package import Scoring

/// Teams of players.
extension HostedGame {
  /// A team on a scoreboard.
  package struct TeamPlace: Equatable, Sendable {
    package var standing: TeamStanding
    package var name: Nickname

    /// The place as JSON. The points have up to two decimals.
    package var object: JSONObject {
      var object = JSONObject(fields: ["rank": standing.rank, "team": name.text])
      object.append("score", .number(score))
      return object.with("players", standing.players)
    }

    /// The points in their shortest notation.
    package var score: JSONNumber {
      let (whole, rest) = standing.hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
      let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
      // A number of these digits is always one.
      return JSONNumber("\(standing.hundredths < 0 ? "-" : "")\(whole)\(decimals)") ?? JSONNumber(0)
    }
  }

  /// Whether players may still change their nicknames and teams: until the show begins.
  package var mayChangePlayers: Bool { start == nil && end == nil }

  /// The name of a player's team; `nil` for none.
  package func team(of player: Int) -> String? { teams.name(of: player)?.text }

  /// The team that a player names, as the others in it have written it.
  ///
  /// - Throws: ``HostingProblem`` if there can be no such team.
  func checkedTeam(_ text: String?) throws(HostingProblem) -> Nickname? {
    guard let text else { return nil }
    guard let rules = settings.rules.teams else { throw .teamInvalid("this game has no teams") }
    let name = try TeamRules.name(text)
    if rules.names.isEmpty {
      if let known = teams.known(name) { return known }
      guard teams.count < TeamIndex.most else { throw .teamInvalid("there are too many teams; name one that others are in") }
      return name
    }
    let look = NicknameLook.look(of: name.text)
    guard let made = rules.names.first(where: { NicknameLook.look(of: $0.text) == look }) else {
      throw .teamInvalid("there is no such team; choose one of \(rules.names.map(\.text).joined(separator: ", "))")
    }
    return made
  }

  /// Changes the nickname and the team of a player, as this or another process has stored them; returns whether anything is different.
  ///
  /// - Parameter key: The identifier of the player's client. A player of another one has left, and stays as it is.
  @discardableResult
  package mutating func alter(player: Int, nickname: String, key: String, team: String?) -> Bool {
    guard player >= 0, player < scored.roster.count, players.key(of: player).hasSameBytes(as: key), let name = try? Nickname(nickname)
    else { return false }
    let old = scored.roster.nicknames[player]
    let isRenamed = !old.text.hasSameBytes(as: name.text)
    let isMoved = self.team(of: player) != team
    guard isRenamed || isMoved else { return false }
    if isRenamed {
      // Changes of others may be delivered one by one: who still has the name here has given it up already.
      if let other = scored.roster.player(named: name), other.index != player, let mark = try? Nickname(PlayerIndex.mark(of: other.index)) {
        rename(other.index, to: mark)
      }
      rename(player, to: name)
    }
    if isMoved { teams.set(team.flatMap { try? Nickname($0) }, of: player) }
    ranks = nil
    // Scoreboards have the names and teams of the moment at which they were made.
    if !boards.isEmpty {
      areBoardsStale = true
      refresh()
    }
    return true
  }

  private mutating func rename(_ player: Int, to name: Nickname) {
    players.rename(player, from: scored.roster.nicknames[player], to: name)
    scored.rename(PlayerID(player), to: name)
    published.rename(PlayerID(player), to: name)
  }

  /// The places of all teams now, from the points that are public; `nil` in a game without teams.
  mutating func teamPlaces(at time: MediaTime?) -> [TeamPlace]? {
    guard let rules = settings.rules.teams else { return nil }
    let names = teams.names
    return published.teamStandings(names, of: teams.ofPlayers, rules.scoring, at: time).map {
      TeamPlace(standing: $0, name: names[$0.team])
    }
  }

  /// The place of a player's team on the latest scoreboard.
  package func teamPlace(of player: Int) -> TeamPlace? {
    guard let name = teams.name(of: player) else { return nil }
    return boards.last?.teams?.first { $0.name == name }
  }

  /// The first teams for a screen, each with its rank on the scoreboard before; `nil` where there is none to show.
  func stageTeams(_ state: StageState) -> [JSONObject]? {
    guard [.result, .board, .podium].contains(state), let board = boards.last, let teams = board.teams else { return nil }
    // The end has the places of the last question: a movement is since the question before it.
    let before = self.board(boards.count - (board.results != nil ? 2 : 1))?.teams ?? []
    let ranks = Dictionary(before.map { ($0.name, $0.standing.rank) }) { first, _ in first }
    return teams.prefix(Self.stagePlaces).map { $0.object.with("before", ranks[$0.name]) }
  }
}

import Nicknames
package import Scoring

/// The teams of a game, and which one each player is in. Two names that look alike are one team.
package struct TeamIndex: Sendable {
  private struct Team: Sendable {
    var name: Nickname
    var look: String
    var players = 0
  }

  private var teams: [Team] = []
  /// By looks.
  private var numbers: [String: Int] = [:]
  /// The numbers of teams without players, which the next teams get.
  private var free: [Int] = []
  /// The number of each player's team, by the players' places; -1 for none.
  package private(set) var ofPlayers: [Int32] = []

  /// The maximum number of teams whose names the players make up.
  static let most = 1_000
  private static let none: Int32 = -1

  /// How many teams have players.
  package var count: Int { numbers.count }

  /// The names of all teams by their numbers.
  package var names: [Nickname] { teams.map(\.name) }

  /// The name of a player's team.
  package func name(of player: Int) -> Nickname? { number(of: player).map { teams[$0].name } }

  /// The number of a player's team.
  package func number(of player: Int) -> Int? {
    guard player < ofPlayers.count, ofPlayers[player] != Self.none else { return nil }
    return Int(ofPlayers[player])
  }

  /// The team that a name stands for, as it is written; `nil` if no player is in it.
  func known(_ name: Nickname) -> Nickname? { numbers[NicknameLook.look(of: name.text)].map { teams[$0].name } }

  /// Puts a player into a team, or into none.
  mutating func set(_ name: Nickname?, of player: Int) {
    while ofPlayers.count <= player { ofPlayers.append(Self.none) }
    let old = number(of: player)
    let new = name.map { enter($0) }
    ofPlayers[player] = new.map { Int32(truncatingIfNeeded: $0) } ?? Self.none
    if let old { leave(old) }
  }

  private mutating func enter(_ name: Nickname) -> Int {
    let look = NicknameLook.look(of: name.text)
    if let number = numbers[look] {
      teams[number].players += 1
      // Two nodes may have made a team at the same time. All nodes write it in the same way, whichever they hear of first.
      if name.text < teams[number].name.text { teams[number].name = name }
      return number
    }
    let team = Team(name: name, look: look, players: 1)
    let number = free.popLast() ?? teams.count
    if number < teams.count { teams[number] = team } else { teams.append(team) }
    numbers[look] = number
    return number
  }

  private mutating func leave(_ number: Int) {
    teams[number].players -= 1
    guard teams[number].players == 0 else { return }
    numbers[teams[number].look] = nil
    free.append(number)
  }
}

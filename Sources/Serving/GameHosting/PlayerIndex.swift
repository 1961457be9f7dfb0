import Nicknames
import Scoring

/// The players by nickname: no two nicknames look alike.
struct PlayerIndex: Sendable {
  private var keys: [String: Int] = [:]
  /// By the places of players: the identifiers of their clients.
  private var ownKeys: [String] = []
  private var looks: Set<String> = []
  /// The players who were removed, by the host or by their own request.
  private(set) var kicked: Set<Int> = []
  /// The players who have deleted their stored data.
  private(set) var removed: Set<Int> = []

  /// The player whom a client's key belongs to.
  func player(of key: String) -> Int? { keys[key] }

  /// - Throws: ``HostingProblem`` if the nickname is taken, or is one that nobody may have.
  ///
  /// - Parameter old: The nickname that the player gives up for it; `nil` for a new player.
  func check(_ nickname: Nickname, insteadOf old: Nickname? = nil) throws(HostingProblem) {
    let own = NicknameLook.looks(of: nickname.text)
    guard !own.contains("") else { throw .nicknameInvalid("the nickname has no letter or digit; write one") }
    guard !NicknameLook.isForbidden(nickname.text) else { throw .nicknameInvalid("this nickname is not allowed; choose another") }
    guard looks.isDisjoint(with: own.subtracting(old.map { NicknameLook.looks(of: $0.text) } ?? [])) else {
      throw .nicknameTaken(suggestions: suggestions(for: nickname))
    }
  }

  mutating func add(_ nickname: Nickname, key: String, player: Int) {
    keys[key] = player
    ownKeys.append(key)
    looks.formUnion(NicknameLook.looks(of: nickname.text))
  }

  /// Gives a player another nickname; the old one is free.
  mutating func rename(_ player: Int, from old: Nickname, to nickname: Nickname) {
    looks.subtract(NicknameLook.looks(of: old.text))
    looks.formUnion(NicknameLook.looks(of: nickname.text))
  }

  /// The identifier of a player's client.
  func key(of player: Int) -> String { player < ownKeys.count ? ownKeys[player] : "" }

  /// Removes a player. The nickname stays taken: a player who was removed must not come back under it.
  mutating func kick(_ player: Int) { kicked.insert(player) }

  /// Forgets a player: the nickname is free, and a client with that key is a new player.
  mutating func forget(_ player: Int, _ nickname: Nickname) {
    removed.insert(player)
    guard player < ownKeys.count else { return }
    keys[ownKeys[player]] = nil
    ownKeys[player] = Self.mark(of: player)
    keys[ownKeys[player]] = player
    looks.subtract(NicknameLook.looks(of: nickname.text))
  }

  /// The replacement for the nickname and the key of a deleted player, different for each player. No nickname can be equal to it: it has no letter or
  /// digit.
  static func mark(of player: Int) -> String { String(String(player, radix: 2).map { $0 == "0" ? "." : "-" }) }

  /// Free nicknames that resemble one.
  func suggestions(for nickname: Nickname) -> [String] {
    var found: [String] = []
    var stem = nickname.text
    while stem.utf8.count > Nickname.largestLength - Self.suffixRoom { stem.removeLast() }
    // If the small numbers are taken, a random number is free sooner than the next one.
    let numbers = Array(2...9) + (0..<Self.tries).map { _ in Int.random(in: 10...9_999) }
    for number in numbers where found.count < Self.suggestionCount {
      let candidate = "\(stem)\(number)"
      if isFree(candidate) { found.append(candidate) }
    }
    return found
  }

  /// Whether a player may have a nickname: a number after a name may turn it into a forbidden word.
  private func isFree(_ nickname: String) -> Bool {
    (try? Nickname(nickname)) != nil && looks.isDisjoint(with: NicknameLook.looks(of: nickname)) && !NicknameLook.isForbidden(nickname)
  }

  private static let suggestionCount = 3
  private static let suffixRoom = 5
  private static let tries = 12
}

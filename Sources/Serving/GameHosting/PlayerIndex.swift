import Scoring

/// Who has which nickname: no two that look alike.
struct PlayerIndex: Sendable {
  private var keys: [String: Int] = [:]
  /// By the places of players: what their clients identify themselves with.
  private var ownKeys: [String] = []
  private var looks: Set<String> = []
  private(set) var kicked: Set<Int> = []

  /// The player whom a client's key belongs to.
  func player(of key: String) -> Int? { keys[key] }

  /// - Throws: ``HostingProblem`` where the nickname is taken, or is one that nobody may have.
  func check(_ nickname: Nickname) throws(HostingProblem) {
    let own = NicknameLook.looks(of: nickname.text)
    guard !own.contains("") else { throw .nicknameInvalid("the nickname has no letter or digit; write one") }
    guard !NicknameLook.isForbidden(nickname.text) else { throw .nicknameInvalid("this nickname is not allowed; choose another") }
    guard looks.isDisjoint(with: own) else { throw .nicknameTaken(suggestions: suggestions(for: nickname)) }
  }

  mutating func add(_ nickname: Nickname, key: String, player: Int) {
    keys[key] = player
    ownKeys.append(key)
    looks.formUnion(NicknameLook.looks(of: nickname.text))
  }

  /// What a player's client identifies itself with.
  func key(of player: Int) -> String { player < ownKeys.count ? ownKeys[player] : "" }

  /// The nickname stays taken: who was taken out shall not come back under it.
  mutating func kick(_ player: Int) { kicked.insert(player) }

  /// Free nicknames that resemble one.
  func suggestions(for nickname: Nickname) -> [String] {
    var found: [String] = []
    var stem = nickname.text
    while stem.utf8.count > Nickname.largestLength - Self.suffixRoom { stem.removeLast() }
    // Where the small numbers are taken, chance finds a free one sooner than counting.
    let numbers = Array(2...9) + (0..<Self.tries).map { _ in Int.random(in: 10...9_999) }
    for number in numbers where found.count < Self.suggestionCount {
      let candidate = "\(stem)\(number)"
      if isFree(candidate) { found.append(candidate) }
    }
    return found
  }

  /// Whether a player may have a nickname: a number behind another one may make a word of it.
  private func isFree(_ nickname: String) -> Bool {
    (try? Nickname(nickname)) != nil && looks.isDisjoint(with: NicknameLook.looks(of: nickname)) && !NicknameLook.isForbidden(nickname)
  }

  private static let suggestionCount = 3
  private static let suffixRoom = 5
  private static let tries = 12
}

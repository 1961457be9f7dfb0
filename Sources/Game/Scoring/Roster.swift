public import Basics

/// A player of one game, by index in its roster.
public struct PlayerID: Hashable, Sendable {
  /// How many players entered before this one.
  public let index: Int

  package init(_ index: Int) { self.index = index }
}

/// The players of a game, in the order in which they entered.
public struct Roster: Sendable {
  /// The maximum number of players: their indices have 32 bits, and more players would take more memory than one machine should spend on a game.
  public static let largestCount = 16_000_000

  /// Their nicknames.
  public private(set) var nicknames: [Nickname] = []
  /// When each joined; the smallest time for players who were present from the beginning.
  private var joinTimes: [MediaTime] = []
  /// When the last of them joined. If that is early enough, the times of single players need not be compared.
  private var latestJoinTime = Self.beginning
  /// Players with answers whose time of joining may still be recorded.
  private var undeclared: Set<Int32> = []
  private var numbers: [Nickname: Int32] = [:]

  /// Nobody.
  public init() {}

  /// How many there are.
  public var count: Int { nicknames.count }

  /// The players.
  public var players: some RandomAccessCollection<PlayerID> { nicknames.indices.lazy.map { PlayerID($0) } }

  /// The player of this nickname.
  public func player(named nickname: Nickname) -> PlayerID? { numbers[nickname].map { PlayerID(Int($0)) } }

  /// A player's nickname.
  public func nickname(of player: PlayerID) -> Nickname { nicknames[player.index] }

  /// When a player joined; `nil` for the beginning.
  public func joinTime(of player: PlayerID) -> MediaTime? {
    let time = joinTimes[player.index]
    return time == Self.beginning ? nil : time
  }

  static let beginning = MediaTime(ticks: .min)

  /// How many had joined by `time`; with `nil` all.
  public func count(at time: MediaTime?) -> Int {
    guard let limit = limit(at: time) else { return count }
    var joined = 0
    for joinTime in joinTimes where joinTime <= limit { joined += 1 }
    return joined
  }

  /// The time by which players must have joined to be present at `time`; `nil` if all have.
  func limit(at time: MediaTime?) -> MediaTime? {
    // Removed players are present at no time.
    let time = time ?? (latestJoinTime == Self.never ? MediaTime(ticks: .max - 1) : nil)
    return time.flatMap { latestJoinTime > $0 ? $0 : nil }
  }

  private static let never = MediaTime(ticks: .max)

  /// Whether a player had joined by a limit, if there is one.
  func hasJoined(_ player: Int, by limit: MediaTime?) -> Bool { limit.map { joinTimes[player] <= $0 } ?? true }

  /// Whether a player could answer before `time`.
  func hadJoined(_ player: Int, before time: MediaTime) -> Bool { joinTimes[player] < time }

  /// Whether all players could answer before `time`.
  func hadAllJoined(before time: MediaTime) -> Bool { latestJoinTime < time }

  /// The first time at which an answer of a player counts.
  func firstTime(of player: Int) -> MediaTime { joinTimes[player] }

  /// Adds a player, or sets the time at which an undeclared one joined.
  mutating func join(_ nickname: Nickname, at time: MediaTime?) throws(JoiningError) -> PlayerID {
    guard let number = numbers[nickname] else {
      let player = try add(nickname)
      declare(player, at: time)
      return player
    }
    let player = PlayerID(Int(number))
    guard undeclared.remove(number) != nil else { throw .taken(nickname, by: nicknames[player.index]) }
    declare(player, at: time)
    return player
  }

  /// Removes a player from the roster for all others: the player was present at no time.
  mutating func remove(_ player: PlayerID) { declare(player, at: Self.never) }

  /// Gives a player another nickname, one that nobody has; the old one is free.
  mutating func rename(_ player: PlayerID, to nickname: Nickname) {
    numbers[nicknames[player.index]] = nil
    numbers[nickname] = Int32(truncatingIfNeeded: player.index)
    nicknames[player.index] = nickname
  }

  private mutating func declare(_ player: PlayerID, at time: MediaTime?) {
    guard let time else { return }
    joinTimes[player.index] = time
    latestJoinTime = max(latestJoinTime, time)
  }

  /// The player of this nickname. If there is none, one is added who was present from the beginning, and who may still join once.
  mutating func entering(_ nickname: Nickname) throws(JoiningError) -> PlayerID {
    if let player = player(named: nickname) { return player }
    let player = try add(nickname)
    undeclared.insert(Int32(truncatingIfNeeded: player.index))
    return player
  }

  private mutating func add(_ nickname: Nickname) throws(JoiningError) -> PlayerID {
    guard count < Self.largestCount else { throw .full }
    let player = PlayerID(count)
    numbers[nickname] = Int32(truncatingIfNeeded: player.index)
    nicknames.append(nickname)
    joinTimes.append(Self.beginning)
    return player
  }
}

/// Why somebody cannot join a game.
public enum JoiningError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text cannot be a nickname.
  case nickname(NicknameError)
  /// Another player has the nickname, perhaps written in another way.
  case taken(Nickname, by: Nickname)
  /// There are ``Roster/largestCount`` players already.
  case full

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .nickname(let error): "\(error)"
    case .taken(let nickname, let other):
      "the nickname \(nickname.text) is taken\(nickname.text.hasSameBytes(as: other.text) ? "" : " by \(other.text)"); choose another"
    case .full: "the game has \(Roster.largestCount) players, which is the limit; start another game"
    }
  }
}

import Basics

/// Who the players of a crowd are and what they do, from the seed alone: neither the number of threads nor the server's answers change it.
struct CrowdScript: Sendable {
  /// What a player does with a question.
  struct Choice: Equatable, Sendable {
    /// When, as a share of the window, from 0 up to 1.
    var moment: Double
    var answer: UInt8
    /// Whether the player takes the other answer a little later.
    var changes: Bool
    /// Whether the same request is sent twice.
    var repeats: Bool
  }

  private let seed: UInt64
  private let keys: SeededNumbers
  private let nicknameStart: String

  static let mostPlayers = 10_000_000
  /// All numbers are written with as many digits, so that nicknames of different seeds differ even where the signs between are left out.
  private static let digits = 7
  /// How much later a player who changes the answer does so, in microseconds.
  private static let changePause = 1_000_000
  private static let changingPercent: UInt64 = 5
  private static let repeatingPercent: UInt64 = 1

  init(seed: UInt64) {
    self.seed = seed
    keys = SeededNumbers(seed: seed)
    nicknameStart = "crowd-\(seed)-"
  }

  // MARK: Who plays

  func nickname(of player: Int) -> String { nicknameStart + player.digits(Self.digits) }

  /// The player of a nickname; `nil` where it is none of this crowd's.
  func player(of nickname: String) -> Int? {
    guard nickname.utf8.starts(with: nicknameStart.utf8) else { return nil }
    let number = nickname.utf8.dropFirst(nicknameStart.utf8.count)
    guard number.count == Self.digits, number.allSatisfy(\.isASCIIDigit) else { return nil }
    return number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }

  /// What a player's client identifies itself with: a UUID, the same in every run, so that a run that is repeated joins the same players.
  func key(of player: Int) -> String {
    let place = UInt64(player) * 2
    // The version and the variant of random numbers (RFC 9562, 5.4).
    let high = keys[place] & ~0xF000 | 0x4000
    let low = keys[place + 1] & (1 << 62 - 1) | 1 << 63
    func hexadecimal(_ number: UInt64, _ width: Int) -> String { number.digits(width, radix: 16, uppercase: false) }
    return [
      hexadecimal(high >> 32, 8), hexadecimal(high >> 16 & 0xFFFF, 4), hexadecimal(high & 0xFFFF, 4), hexadecimal(low >> 48, 4),
      hexadecimal(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }

  // MARK: What they do

  /// What a player does with the question of a number, from 1.
  func choice(of player: Int, question: Int) -> Choice {
    let numbers = SeededNumbers(seed: seed, purpose: UInt64(clamping: question))
    let place = UInt64(player) * 2
    let number = numbers[place + 1]
    return Choice(
      moment: Double(numbers[place] >> 11) / Double(1 << 53 as UInt64), answer: UInt8(number & 1),
      changes: (number >> 8 & 0xFFFF_FFFF) % 100 < Self.changingPercent, repeats: (number >> 40) % 100 < Self.repeatingPercent)
  }

  /// When players join, in the order of their moments.
  ///
  /// - Parameters:
  ///   - rate: How many join a second of all the crowd; `nil` for all at once.
  ///   - every: How many squads take turns, and which of them this one is.
  func joins(_ players: Range<Int>, rate: Int?, every squads: (count: Int, index: Int)) -> [Sending] {
    players.map { player in
      let turn = (player - players.lowerBound) * squads.count + squads.index
      let moment = rate.map { turn * 1_000_000 / $0 } ?? 0
      return Sending(kind: .join, player: UInt32(player - players.lowerBound), moment: UInt32(clamping: moment))
    }
  }

  /// What players send for a question, in the order of the moments.
  ///
  /// - Parameters:
  ///   - number: The question's number in the game, from 1.
  ///   - place: Its place among those that the squad was asked.
  ///   - window: Over how many microseconds the answers are spread. Who changes an answer begins so early that the second one fits, too.
  func answers(_ players: Range<Int>, number: Int, place: Int, window: Int) -> [Sending] {
    var sendings: [Sending] = []
    sendings.reserveCapacity(players.count + players.count / 10)
    for player in players {
      let choice = choice(of: player, question: number)
      let changes = choice.changes && window > Self.changePause
      let moment = Int(choice.moment * Double(changes ? window - Self.changePause : window))
      var sending = Sending(
        kind: .answer, player: UInt32(player - players.lowerBound), question: UInt16(clamping: place), answer: choice.answer,
        moment: UInt32(clamping: moment))
      sendings.append(sending)
      if choice.repeats {
        sending.kind = .again
        sendings.append(sending)
      }
      if changes {
        (sending.kind, sending.answer) = (.change, 1 - choice.answer)
        sending.moment = UInt32(clamping: moment + Self.changePause)
        sendings.append(sending)
      }
    }
    return sendings.sorted { $0.moment < $1.moment }
  }
}

import Foundation
import Scoring

/// Who has which nickname: no two that look alike.
struct PlayerIndex: Sendable {
  private var keys: [String: Int] = [:]
  /// By the places of players: what their clients identify themselves with.
  private var ownKeys: [String] = []
  private var looks: Set<String> = []
  /// Who is out, by the host's will or the player's own.
  private(set) var kicked: Set<Int> = []
  /// Who has deleted what was kept.
  private(set) var removed: Set<Int> = []

  /// The player whom a client's key belongs to.
  func player(of key: String) -> Int? { keys[key] }

  /// - Throws: ``HostingProblem`` where the nickname is taken, or is one that nobody may have.
  func check(_ nickname: Nickname) throws(HostingProblem) {
    let own = NicknameLook.looks(of: nickname.text)
    guard !own.contains("") else { throw .nicknameInvalid("the nickname has no letter or digit; write one") }
    guard !own.contains(where: { NicknameLook.isForbidden($0) }) else {
      throw .nicknameInvalid("this nickname is not allowed; choose another")
    }
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

  /// Knows a player no more: the nickname is free, and a client with that key is somebody new.
  mutating func forget(_ player: Int, _ nickname: Nickname) {
    removed.insert(player)
    guard player < ownKeys.count else { return }
    keys[ownKeys[player]] = nil
    ownKeys[player] = Self.mark(of: player)
    keys[ownKeys[player]] = player
    looks.subtract(NicknameLook.looks(of: nickname.text))
  }

  /// What stands in the place of a forgotten player's nickname and key, for each place another one. Nobody can be called that: it has no letter or digit.
  static func mark(of player: Int) -> String { String(String(player, radix: 2).map { $0 == "0" ? "." : "-" }) }

  /// Free nicknames that resemble one.
  func suggestions(for nickname: Nickname) -> [String] {
    var found: [String] = []
    var stem = nickname.text
    while stem.utf8.count > Nickname.largestLength - Self.suffixRoom { stem.removeLast() }
    // Where the small numbers are taken, chance finds a free one sooner than counting.
    let numbers = Array(2...9) + (0..<Self.tries).map { _ in Int.random(in: 10...9_999) }
    for number in numbers where found.count < Self.suggestionCount {
      let candidate = "\(stem)\(number)"
      if (try? Nickname(candidate)) != nil, looks.isDisjoint(with: NicknameLook.looks(of: candidate)) { found.append(candidate) }
    }
    return found
  }

  private static let suggestionCount = 3
  private static let suffixRoom = 5
  private static let tries = 12
}

/// What a nickname looks like: two that look alike are one.
package enum NicknameLook {
  /// The looks of a nickname: with small letters, and by the shapes of its capital letters, since some of Greek resemble other letters than their
  /// small ones do.
  package static func looks(of text: String) -> Set<String> {
    var shapes = ""
    for scalar in text.precomposedStringWithCompatibilityMapping.decomposedStringWithCanonicalMapping.unicodeScalars {
      shapes.unicodeScalars.append(capitals[scalar] ?? scalar)
    }
    return [look(of: text), look(of: shapes)]
  }

  private static let capitals: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
    uniqueKeysWithValues: zip(
      "\u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39A}\u{39C}\u{39D}\u{39F}\u{3A1}\u{3A4}\u{3A5}\u{3A7}".unicodeScalars,
      "ABEZHIKMNOPTYX".unicodeScalars))

  /// The nickname in compatibility form, with letters that resemble others replaced by these, in one case, without marks, signs and blanks.
  package static func look(of text: String) -> String {
    var look = ""
    // Some letters become several, or other letters, when their case is folded.
    for scalar in folded(folded(text)).decomposedStringWithCanonicalMapping.unicodeScalars {
      // Accents of European letters; the marks of other scripts are letters of their own.
      guard !(0x300...0x36F).contains(scalar.value), !isSelector(scalar.value) else { continue }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .spacingMark, .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
        .otherLetter, .decimalNumber, .letterNumber, .otherNumber,
        .otherSymbol, .modifierSymbol, .mathSymbol, .currencySymbol:
        look += twins[scalar] ?? String(scalar)
      default: continue
      }
    }
    return look
  }

  /// Whether it only chooses one of several shapes of the character before it.
  private static func isSelector(_ scalar: UInt32) -> Bool { (0xFE00...0xFE0F).contains(scalar) || (0xE0100...0xE01EF).contains(scalar) }

  private static func folded(_ text: String) -> String {
    text.precomposedStringWithCompatibilityMapping.lowercased()
  }

  /// Letters and digits that resemble a letter of the Latin alphabet, in lower case.
  private static let twins: [Unicode.Scalar: String] = {
    let rows: [(String, String)] = [
      ("a", "аαɑ"), ("b", "ьвβъ"), ("c", "сϲᴄ"), ("d", "ԁɗđ"), ("e", "еєεɛ"), ("f", "ƒғ"), ("g", "ɡցǥ"), ("h", "һнհħ"),
      ("i", "іιıɩl1|ӏǀ∣"), ("j", "јϳ"), ("k", "кκқ"), ("m", "мɱ"), ("n", "пηո"), ("o", "оοσςօ0øө"), ("p", "рρ"), ("q", "ԛգ"),
      ("r", "гᴦ"), ("s", "ѕꜱ"), ("t", "тτŧ"), ("u", "υսцʋ"), ("v", "νѵᴠ"), ("w", "ԝωшѡ"), ("x", "хχ×"), ("y", "уγүყ"), ("z", "ᴢ"),
      ("ss", "ß"),
    ]
    var twins: [Unicode.Scalar: String] = [:]
    for (letter, others) in rows {
      for scalar in others.unicodeScalars { twins[scalar] = letter }
    }
    return twins
  }()

  /// Whether a look is one of a person who runs the show, or insults.
  package static func isForbidden(_ look: String) -> Bool {
    forbidden.contains(look) || insults.contains { look.contains($0) }
  }

  private static let forbidden: Set<String> = Set(
    ["admin", "administrator", "host", "moderator", "system", "cuelight", "null", "undefined"].map { look(of: $0) })
  private static let insults = ["fuck", "cunt", "nigger", "faggot", "hitler", "arschloch", "fotze"].map { look(of: $0) }
}

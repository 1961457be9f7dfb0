import ByteCursor

/// What a player is called. No two players of a game have the same.
///
/// Spaces at the ends are taken off. Two nicknames are the same where their UTF-8 bytes are, letters of ASCII in either case: `Ann` is
/// `ann`. Beyond ASCII nothing is folded or normalised, because that takes tables that a reader does not carry: `Émile` and `émile` differ,
/// and so do two ways to write an accent.
public struct Nickname: Hashable, Sendable, CustomStringConvertible {
  /// The nickname as the player wrote it, without spaces at its ends.
  public let text: String

  /// The longest nickname, in bytes of UTF-8: sixteen characters of any script.
  public static let largestLength = 64

  /// A nickname of this text.
  ///
  /// - Throws: ``NicknameError`` where it is empty, too long, or has characters that do not show where they stand, or blanks other than
  ///   the space.
  public init(_ text: String) throws(NicknameError) {
    let utf8 = text.utf8
    let bytes = utf8.span
    var (start, end) = (0, bytes.count)
    while start < end, bytes[start] == Self.space { start += 1 }
    while start < end, bytes[end - 1] == Self.space { end -= 1 }
    guard start < end else { throw .empty }
    guard end - start <= Self.largestLength else { throw .tooLong(end - start) }
    if let hidden = Self.firstHidden(in: text) { throw .hiddenCharacter(hidden) }
    self.text = end - start == bytes.count ? text : String(decoding: Array(utf8)[start..<end], as: UTF8.self)
  }

  private static let space = UInt8(ascii: " ")

  /// The first character that does not show where it stands.
  private static func firstHidden(in text: String) -> UInt32? {
    var previous: UInt32 = 0
    // What shows only if the next character is one that goes with it.
    var open: UInt32?
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if isHidden(value) { return value }
      if let code = open {
        let isMet = isJoiner(code) ? value >= firstJoined && !isJoiner(value) && !isSelector(value) : value == keycap
        guard isMet else { return code }
        open = nil
      }
      if isJoiner(value) {
        guard previous >= firstJoined else { return value }
        open = value
      } else if isSelector(value) {
        switch previous {
        case 0x23, 0x2A, 0x30...0x39: open = value
        case 0xA9, 0xAE: break
        default: guard previous >= firstSelected, !isSelector(previous) else { return value }
        }
      }
      previous = value
    }
    return open
  }

  /// Control characters, breaks of lines, marks of direction, and what has no width or shows as a blank: with them two nicknames could look
  /// alike or like nothing, or one could change what stands beside it. The only blank is the space of ASCII.
  private static func isHidden(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5, 0x180B...0x180F, 0x2000...0x200B,
      0x200E...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x2800, 0x3000, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF:
      true
    default: false
    }
  }

  /// What joins or parts letters of some scripts, and joins parts of emoji: it is allowed between two of those alone.
  private static func isJoiner(_ scalar: UInt32) -> Bool { scalar == 0x200C || scalar == 0x200D }

  /// What chooses a shape of the character before it: it is allowed behind one of those that have several, such as emoji and ideographs.
  private static func isSelector(_ scalar: UInt32) -> Bool { (0xFE00...0xFE0F).contains(scalar) || (0xE0100...0xE01EF).contains(scalar) }

  /// With a selector before it, a digit becomes an emoji.
  private static let keycap: UInt32 = 0x20E3
  /// Arabic is the first script with joiners; before it are those in which one would not show.
  private static let firstJoined: UInt32 = 0x600
  /// Myanmar is the first script with selectors, but for two signs.
  private static let firstSelected: UInt32 = 0x1000

  /// Whether both are the same nickname.
  public static func == (left: Nickname, right: Nickname) -> Bool {
    let (leftText, rightText) = (left.text.utf8, right.text.utf8)
    guard leftText.count == rightText.count else { return false }
    let leftBytes = leftText.span
    let rightBytes = rightText.span
    for index in leftBytes.indices where folded(leftBytes[index]) != folded(rightBytes[index]) { return false }
    return true
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    let utf8 = text.utf8
    let bytes = utf8.span
    var word: UInt64 = 0
    for index in bytes.indices {
      word = word << 8 | UInt64(Self.folded(bytes[index]))
      if index & 7 == 7 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(bytes.count)
  }

  /// The byte with which a byte is compared.
  private static func folded(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }

  /// The nickname as the player wrote it.
  public var description: String { text }
}

extension Nickname: Comparable {
  /// The order of the bytes that are compared.
  public static func < (left: Nickname, right: Nickname) -> Bool {
    let (leftText, rightText) = (left.text.utf8, right.text.utf8)
    let leftBytes = leftText.span
    let rightBytes = rightText.span
    for index in 0..<min(leftBytes.count, rightBytes.count) {
      let (leftByte, rightByte) = (folded(leftBytes[index]), folded(rightBytes[index]))
      if leftByte != rightByte { return leftByte < rightByte }
    }
    return leftBytes.count < rightBytes.count
  }
}

/// Why a text is no nickname.
public enum NicknameError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nothing is left without the spaces at its ends.
  case empty
  /// It has so many bytes.
  case tooLong(Int)
  /// It has a character that does not show, or a blank other than the space: its code.
  case hiddenCharacter(UInt32)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .empty: "the nickname is empty; write at least one character that is no space"
    case .tooLong(let count): "the nickname has \(count) bytes of UTF-8; write at most \(Nickname.largestLength)"
    case .hiddenCharacter(let code):
      "the nickname has the hidden character U+\(Self.hexadecimal(code)); leave it out"
    }
  }

  private static func hexadecimal(_ code: UInt32) -> String {
    let digits = String(code, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

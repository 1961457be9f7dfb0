import Basics

/// The name of a player, unique in a game.
///
/// Spaces at the ends are removed. Two nicknames are equal if their UTF-8 bytes are, ignoring the case of ASCII letters: `Ann` is
/// `ann`. Beyond ASCII nothing is folded or normalised, because that needs tables that are too large for a reader: `Émile` and `émile`
/// differ, and so do two ways to write an accent.
public struct Nickname: Hashable, Sendable, CustomStringConvertible {
  /// The nickname as the player wrote it, without spaces at its ends.
  public let text: String

  /// The longest nickname, in bytes of UTF-8: sixteen characters of any script.
  public static let largestLength = 64

  /// A nickname of this text.
  ///
  /// - Throws: ``NicknameError`` if it is empty, too long, or has characters that do not show, or blanks other than
  ///   the space.
  public init(_ text: String) throws(NicknameError) {
    let trimmed = text.trimmingSpaces
    let length = trimmed.utf8.count
    guard length > 0 else { throw .empty }
    guard length <= Self.largestLength else { throw .tooLong(length) }
    if let hidden = HiddenCharacters.first(in: text) { throw .hiddenCharacter(hidden) }
    self.text = trimmed
  }

  /// Whether both are the same nickname.
  public static func == (left: Nickname, right: Nickname) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    return left.text.withBytes { leftBytes in
      right.text.withBytes { rightBytes in
        for index in leftBytes.indices where leftBytes[index].asciiLowercased != rightBytes[index].asciiLowercased { return false }
        return true
      }
    }
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    text.withBytes { bytes in
      var word: UInt64 = 0
      for index in bytes.indices {
        word = word << 8 | UInt64(bytes[index].asciiLowercased)
        if index & 7 == 7 {
          hasher.combine(word)
          word = 0
        }
      }
      hasher.combine(word)
      hasher.combine(bytes.count)
    }
  }

  /// The nickname as the player wrote it.
  public var description: String { text }
}

extension Nickname: Comparable {
  /// The order of the bytes that are compared.
  public static func < (left: Nickname, right: Nickname) -> Bool {
    left.text.utf8.lazy.map { $0.asciiLowercased }.lexicographicallyPrecedes(right.text.utf8.lazy.map { $0.asciiLowercased })
  }
}

/// Why a text is not a nickname.
public enum NicknameError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It consists of spaces only.
  case empty
  /// It has more bytes than are allowed: their number.
  case tooLong(Int)
  /// It has a character that does not show, or a blank other than the space: its code.
  case hiddenCharacter(UInt32)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .empty: "the nickname is empty; write at least one character that is no space"
    case .tooLong(let count): "the nickname has \(count) bytes of UTF-8; write at most \(Nickname.largestLength)"
    case .hiddenCharacter(let code):
      "the nickname has the hidden character U+\(HiddenCharacters.code(code)); leave it out"
    }
  }
}

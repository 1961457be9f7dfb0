import Basics

/// A text that a player may give as an answer: 1 to 64 visible characters on one line.
public struct AnswerText: Hashable, Sendable {
  /// The text, without spaces at its ends.
  public let text: String

  /// The maximum number of characters, as Unicode's code points.
  public static let largestLength = 64
  /// The maximum number of right spellings.
  public static let mostSpellings = 16
  /// What a list of right spellings is.
  static let expectedList = "a list of 1 to \(mostSpellings) texts of 1 to \(largestLength) characters"

  /// A text without spaces at its ends; `nil` if it is empty, too long, or has characters that do not show.
  public init?(_ text: String) {
    guard text.utf8.count <= 4 * Self.largestLength + 64, HiddenCharacters.first(in: text) == nil else { return nil }
    let trimmed = text.trimmingSpaces
    guard (1...Self.largestLength).contains(trimmed.utf8.count(where: { $0 & 0xC0 != 0x80 })) else { return nil }
    self.text = trimmed
  }

  /// Whether both have the same bytes.
  public static func == (left: AnswerText, right: AnswerText) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

  /// Whether both have the same letters, apart from the case of ASCII.
  func isSpelled(as other: AnswerText) -> Bool {
    text.utf8.elementsEqual(other.text.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }

  /// Right spellings; `nil` if the key is absent.
  static func list(_ key: String, from fields: inout EventFields) throws(EventError) -> [AnswerText]? {
    guard let texts = try fields.list(key, expectedList, { $0.string.flatMap { AnswerText($0) } }) else { return nil }
    guard (1...mostSpellings).contains(texts.count) else { throw .invalid(key: key, expected: expectedList) }
    return texts
  }
}

/// How texts are compared, and which ones are shown. Unicode's tables are too large for readers: those who have them say it.
public struct TextComparison: Sendable {
  /// What texts have in common that count as the same.
  public var key: @Sendable (String) -> String
  /// Whether a text of a player may be shown to everybody.
  public var isShown: @Sendable (String) -> Bool

  /// A way to compare texts.
  public init(key: @escaping @Sendable (String) -> String, isShown: @escaping @Sendable (String) -> Bool) {
    (self.key, self.isShown) = (key, isShown)
  }

  /// Compares without Unicode's tables: by the letters, apart from the case of ASCII. All are shown.
  public static let plain = TextComparison(
    key: { text in String(decoding: text.utf8.map { $0.asciiLowercased }, as: UTF8.self) }, isShown: { _ in true })
}

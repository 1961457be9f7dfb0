import Basics

/// How Open Trivia DB encodes texts (`encode=` of its API, with the same words).
public enum OpenTriviaEncoding: String, CaseIterable, Sendable {
  /// HTML with character references, the default without `encode=`.
  case html
  /// Percent-encoding of RFC 3986: a space is `%20`.
  case url3986
  /// The encoding of HTML forms: a space is `+`.
  case urlLegacy
  /// Base64 of UTF-8.
  case base64

  /// The decoded text; `nil` if `text` is not written in this encoding.
  public func decode(_ text: String) -> String? {
    switch self {
    case .html: HTMLText.decode(text)
    case .url3986: Self.percentDecoded(text.utf8)
    case .urlLegacy: Self.percentDecoded(text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    case .base64: Base64.decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }

  private static func percentDecoded(_ bytes: some Collection<UInt8>) -> String? {
    // Two digits must follow each percent sign.
    let encoded = bytes.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
    guard encoded.allSatisfy({ $0.prefix(2).count { $0.hexadecimalDigit != nil } == 2 }) else { return nil }
    return String(validating: PercentEncoding.decode(bytes), as: UTF8.self)
  }

  /// The encoding in which an answer's texts are written.
  ///
  /// If even the type is base64, everything is. Encoded URLs have nothing but letters, digits, `-_.~%` and, for spaces, `+` in the older form; in
  /// plain text there is a space or a mark somewhere. Texts that are the same in all of these are read as HTML.
  static func detect(types: [String], texts: [String]) -> OpenTriviaEncoding {
    if !types.isEmpty, types.allSatisfy({ base64.decode($0).flatMap { OpenTriviaType(rawValue: $0) } != nil }) { return .base64 }
    var (hasPercent, hasPlus) = (false, false)
    for text in texts {
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "%"): hasPercent = true
        case UInt8(ascii: "+"): hasPlus = true
        case _ where byte.isASCIILetter || byte.isASCIIDigit: break
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"): break
        default: return .html
        }
      }
      if hasPercent, url3986.decode(text) == nil { return .html }
    }
    // A plus sign alone may be text, such as in "A+".
    return hasPlus && (hasPercent || texts.count > types.count * 2) ? .urlLegacy : hasPercent ? .url3986 : .html
  }
}

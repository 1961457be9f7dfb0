import Basics

// Reading and writing the values of attributes.

/// The size of video in pixels (RFC 8216bis, 4.2, decimal-resolution).
package struct Resolution: Hashable, Sendable {
  /// The width in pixels.
  package var width: UInt64
  /// The height in pixels.
  package var height: UInt64

  /// A size in pixels.
  package init(width: UInt64, height: UInt64) { (self.width, self.height) = (width, height) }

  /// The size as written, for example `1920x1080`.
  package var text: String { "\(width)x\(height)" }
}

extension AttributeValue {
  /// The text, with or without quotes.
  package var text: String {
    switch self {
    case .quoted(let text), .unquoted(let text): text
    }
  }

  /// The text of a quoted string; `nil` for an unquoted value.
  package var quotedText: String? { if case .quoted(let text) = self { text } else { nil } }

  /// The text of an unquoted value; `nil` for a quoted string.
  package var unquotedText: String? { if case .unquoted(let text) = self { text } else { nil } }

  /// The decimal-integer, from 0 to 2^64 - 1; `nil` for anything else.
  package var integer: UInt64? { unquotedText.flatMap { decimalInteger(Array($0.utf8)[...]) } }

  /// The decimal number; `nil` for anything else.
  package var decimal: PlaylistDecimal? { unquotedText.flatMap { PlaylistDecimal($0) } }

  /// The decimal-resolution; `nil` for anything else.
  package var resolution: Resolution? {
    guard let characters = unquotedText.map({ Array($0.utf8) }), let cross = characters.firstIndex(of: UInt8(ascii: "x")) else {
      return nil
    }
    guard let width = decimalInteger(characters[..<cross]), let height = decimalInteger(characters[cross...].dropFirst()) else {
      return nil
    }
    return Resolution(width: width, height: height)
  }

  /// The bytes of a hexadecimal-sequence, `0x` or `0X` and digits; an odd number of digits gets a leading zero. `nil` for anything else.
  package var hexadecimal: [UInt8]? {
    guard let characters = unquotedText.map({ Array($0.utf8) }), characters.count >= 2, characters[0] == UInt8(ascii: "0"),
      characters[1] | 0x20 == UInt8(ascii: "x")
    else { return nil }
    // If the number of digits is odd, the first one alone is the first byte.
    let zero = characters.count % 2 == 0 ? [] : [UInt8(ascii: "0")]
    return [UInt8](hexadecimal: zero + characters[2...])
  }

  /// A decimal-integer.
  package static func integer(_ value: UInt64) -> AttributeValue { .unquoted(String(value)) }

  /// A decimal number.
  package static func decimal(_ value: PlaylistDecimal) -> AttributeValue { .unquoted(value.text) }

  /// A hexadecimal-sequence of these bytes, in upper case.
  package static func hexadecimal(_ bytes: [UInt8]) -> AttributeValue {
    .unquoted("0x" + bytes.map { $0.digits(2, radix: 16) }.joined())
  }
}

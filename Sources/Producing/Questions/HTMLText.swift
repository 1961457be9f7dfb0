import Basics

/// Text with the character references of HTML, the default encoding of Open Trivia DB.
package enum HTMLText {
  /// The named character references of the HTML standard (section 13.5), one a line, sorted by the bytes of their names: the name; a semicolon, or
  /// a comma where the reference may stand without its semicolon; the code points in hexadecimal. `scripts/lib/html_entities.py` wrote it.
  static let entityTable = PackageResources.HTMLEntities_txt

  /// The longest name of a reference, `CounterClockwiseContourIntegral`, has 31 letters.
  static let longestName = 31
  /// The longest names that may lack their semicolon, such as `Aacute`, have 6 letters.
  static let longestShortName = 6

  /// The text of HTML: every character reference is replaced once, as the HTML standard (section 13.2.5.72) says for text.
  ///
  /// Names may lack their semicolon where the standard allows that (`&copy 2026`). Numbers of no character become U+FFFD, and those
  /// from 0x80 to 0x9F what Windows-1252 has there. What is no reference stays as it is.
  package static func decode(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    let table = entityTable
    let names = table.span
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "&"), let reference = reference(in: bytes.span, from: index + 1, names) else {
        output.append(bytes[index])
        index += 1
        continue
      }
      for scalar in reference.scalars { output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
      index = reference.end
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// A character reference: its characters, and the index behind it.
  private struct Reference {
    var scalars: [Unicode.Scalar]
    var end: Int
  }

  /// The reference whose ampersand is before `start`.
  private static func reference(in bytes: Span<UInt8>, from start: Int, _ table: Span<UInt8>) -> Reference? {
    guard start < bytes.count else { return nil }
    return bytes[start] == UInt8(ascii: "#") ? number(in: bytes, from: start + 1) : name(in: bytes, from: start, table)
  }

  private static func name(in bytes: Span<UInt8>, from start: Int, _ table: Span<UInt8>) -> Reference? {
    var end = start
    while end < bytes.count, end - start <= longestName, bytes[end].isASCIILetter || bytes[end].isASCIIDigit { end += 1 }
    guard end > start else { return nil }
    if end < bytes.count, bytes[end] == UInt8(ascii: ";"), let entity = entity(bytes.extracting(start..<end), table) {
      return Reference(scalars: entity.scalars, end: end + 1)
    }
    // Without its semicolon the longest name counts that may lack it.
    end = min(end, start + longestShortName)
    while end > start {
      if let entity = entity(bytes.extracting(start..<end), table), entity.mayLackSemicolon {
        return Reference(scalars: entity.scalars, end: end)
      }
      end -= 1
    }
    return nil
  }

  private static func number(in bytes: Span<UInt8>, from start: Int) -> Reference? {
    var index = start
    let isHexadecimal = index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { index += 1 }
    let firstDigit = index
    var value: UInt32 = 0
    while index < bytes.count, let digit = digit(bytes[index], isHexadecimal: isHexadecimal) {
      // Beyond the last code point it does not matter how large it is.
      if value <= 0x10_FFFF { value = value * (isHexadecimal ? 16 : 10) + digit }
      index += 1
    }
    guard index > firstDigit else { return nil }
    if index < bytes.count, bytes[index] == UInt8(ascii: ";") { index += 1 }
    return Reference(scalars: [scalar(value)], end: index)
  }

  private static func digit(_ byte: UInt8, isHexadecimal: Bool) -> UInt32? {
    byte.hexadecimalDigit.flatMap { isHexadecimal || $0 < 10 ? UInt32($0) : nil }
  }

  /// The characters that Windows-1252 has from 0x80 on; where it has none, the number itself.
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  /// The character of a number (section 13.2.5.80).
  private static func scalar(_ value: UInt32) -> Unicode.Scalar {
    let replacement: Unicode.Scalar = "\u{FFFD}"
    guard value != 0 else { return replacement }
    if (0x80...0x9F).contains(value) { return Unicode.Scalar(windows1252[Int(value - 0x80)]) ?? replacement }
    return Unicode.Scalar(value) ?? replacement
  }

  /// A row of the table of names.
  private struct Entity {
    var scalars: [Unicode.Scalar]
    var mayLackSemicolon: Bool
  }

  /// The table's entry of a name, found by halving.
  private static func entity(_ name: Span<UInt8>, _ table: Span<UInt8>) -> Entity? {
    var (low, high) = (0, table.count)
    while low < high {
      // The entry in which the middle lies.
      var start = (low + high) / 2
      while start > low, table[start - 1] != UInt8(ascii: "\n") { start -= 1 }
      var nameEnd = start
      while nameEnd < high, table[nameEnd] != UInt8(ascii: ";"), table[nameEnd] != UInt8(ascii: ",") { nameEnd += 1 }
      var end = nameEnd
      while end < high, table[end] != UInt8(ascii: "\n") { end += 1 }
      guard end < high else { return nil }
      switch order(name, table.extracting(start..<nameEnd)) {
      case 0: return Entity(scalars: scalars(table.extracting((nameEnd + 1)..<end)), mayLackSemicolon: table[nameEnd] == UInt8(ascii: ","))
      case ..<0: high = start
      default: low = end + 1
      }
    }
    return nil
  }

  /// Below 0 where `left` comes before `right` by its bytes, above 0 where it comes behind it.
  private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
    return left.count - right.count
  }

  private static func scalars(_ digits: Span<UInt8>) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    var value: UInt32 = 0
    for index in 0...digits.count {
      if index < digits.count, let digit = digit(digits[index], isHexadecimal: true) {
        value = value << 4 | digit
      } else {
        scalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        value = 0
      }
    }
    return scalars
  }
}

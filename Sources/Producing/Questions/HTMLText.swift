import Basics
import EmbeddedFiles

/// Text with the character references of HTML, the default encoding of Open Trivia DB.
package enum HTMLText {
  /// The named character references of the HTML standard (section 13.5), one a line, sorted by the bytes of their names: the name; a semicolon, or a
  /// comma if the reference may lack its semicolon; the code points in hexadecimal. `scripts/lib/html_entities.py` wrote it.
  static let entityTable = EmbeddedFiles.characterReferences

  /// The longest name of a reference, `CounterClockwiseContourIntegral`, has 31 letters.
  static let longestName = 31
  /// The longest names that may lack their semicolon, such as `Aacute`, have 6 letters.
  static let longestShortName = 6

  /// The text of HTML: every character reference is replaced once, as the HTML standard (section 13.2.5.72) requires for text.
  ///
  /// Names may lack their semicolon if the standard allows that (`&copy 2026`). Numbers that are not characters become U+FFFD, and those from 0x80 to
  /// 0x9F the characters of Windows-1252. Anything that is not a reference is unchanged.
  package static func decode(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "&"), let reference = reference(in: bytes, from: index + 1) else {
        output.append(bytes[index])
        index += 1
        continue
      }
      for scalar in reference.scalars { output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
      index = reference.end
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// A character reference: its characters, and the index after it.
  private struct Reference {
    var scalars: [Unicode.Scalar]
    var end: Int
  }

  /// The reference whose ampersand is before `start`.
  private static func reference(in bytes: [UInt8], from start: Int) -> Reference? {
    guard start < bytes.count else { return nil }
    return bytes[start] == UInt8(ascii: "#") ? number(in: bytes, from: start + 1) : name(in: bytes, from: start)
  }

  private static func name(in bytes: [UInt8], from start: Int) -> Reference? {
    var end = start
    while end < bytes.count, end - start <= longestName, bytes[end].isASCIILetter || bytes[end].isASCIIDigit { end += 1 }
    guard end > start else { return nil }
    if end < bytes.count, bytes[end] == UInt8(ascii: ";"), let entity = entities[bytes[start..<end]] {
      return Reference(scalars: entity.scalars, end: end + 1)
    }
    // Without a semicolon, the longest name that may lack it is used.
    end = min(end, start + longestShortName)
    while end > start {
      if let entity = entities[bytes[start..<end]], entity.mayLackSemicolon {
        return Reference(scalars: entity.scalars, end: end)
      }
      end -= 1
    }
    return nil
  }

  private static func number(in bytes: [UInt8], from start: Int) -> Reference? {
    var index = start
    let isHexadecimal = index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { index += 1 }
    let firstDigit = index
    var value: UInt32 = 0
    while index < bytes.count, let digit = bytes[index].hexadecimalDigit, isHexadecimal || digit < 10 {
      // Above the last code point the exact value does not matter.
      if value <= 0x10_FFFF { value = value * (isHexadecimal ? 16 : 10) + UInt32(digit) }
      index += 1
    }
    guard index > firstDigit else { return nil }
    if index < bytes.count, bytes[index] == UInt8(ascii: ";") { index += 1 }
    return Reference(scalars: [scalar(value)], end: index)
  }

  /// The character of a number (section 13.2.5.80).
  private static func scalar(_ value: UInt32) -> Unicode.Scalar {
    if (0x80...0x9F).contains(value) { return TextEncoding.upperWestern[Int(value - 0x80)] }
    return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// A row of the table of names.
  private struct Entity {
    var scalars: [Unicode.Scalar]
    var mayLackSemicolon: Bool
  }

  /// The table by its names, read at the first reference.
  private static let entities: [ArraySlice<UInt8>: Entity] = {
    var entities: [ArraySlice<UInt8>: Entity] = [:]
    for line in entityTable.split(separator: UInt8(ascii: "\n")) {
      guard let end = line.firstIndex(where: { ",;".utf8.contains($0) }) else { continue }
      let codes = String(decoding: line[(end + 1)...], as: UTF8.self).split { !$0.isHexDigit }
      let scalars = codes.map { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}" }
      entities[line[..<end]] = Entity(scalars: scalars, mayLackSemicolon: line[end] == UInt8(ascii: ","))
    }
    return entities
  }()
}

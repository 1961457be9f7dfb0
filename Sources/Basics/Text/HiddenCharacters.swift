/// Characters that are invisible: with them two different texts can look alike, a text can look empty, or a text can change how its neighbours
/// are shown.
package enum HiddenCharacters {
  /// The first invisible character, or blank other than ASCII's space; `nil` if there is none.
  package static func first(in text: String) -> UInt32? {
    var scalars = text.unicodeScalars.makeIterator()
    var (previous, current) = (UInt32(0), scalars.next()?.value)
    while let value = current {
      let next = scalars.next()?.value
      if isHidden(value, after: previous, before: next) { return value }
      (previous, current) = (value, next)
    }
    return nil
  }

  /// The first character that changes the direction of the letters after it; `nil` if there is none.
  ///
  /// Marks of direction (U+200E, U+200F, U+061C) do not count: they move neighbouring signs, never letters.
  package static func firstTurn(in text: String) -> UInt32? {
    text.unicodeScalars.first { (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) }?.value
  }

  /// Why people should not see a text as it is.
  package enum Fault: Equatable, Sendable, CustomStringConvertible {
    /// It has no visible character.
    case invisible
    /// It has a character that changes the direction of the letters after it.
    case turn(UInt32)
    /// It has a control character.
    case control(UInt32)
    /// It has several lines.
    case lineBreak
    case tab

    /// What is wrong and what to do, to follow the text's name.
    package var description: String {
      switch self {
      case .invisible: "looks empty: it has only invisible characters; write a text"
      case .turn(let code):
        "has the character U+\(HiddenCharacters.code(code)), which changes the direction of the text around it; remove it"
      case .control(let code): "has the control character U+\(HiddenCharacters.code(code)); remove it"
      case .lineBreak: "has a line break; write it on one line"
      case .tab: "has a tab; write a space"
      }
    }
  }

  /// Why people should not see a text as it is; nothing for a text that may be shown.
  package static func faults(of text: String, mayHaveLines: Bool = false) -> [Fault] {
    guard !skeleton(of: text).isEmpty else { return [.invisible] }
    var faults: [Fault] = []
    if let turn = firstTurn(in: text) { faults.append(.turn(turn)) }
    let scalars = text.unicodeScalars.lazy.map { $0.value }
    if let control = scalars.first(where: { ($0 < 0x20 || (0x7F...0x9F).contains($0)) && !isLineBreak($0) && $0 != 0x09 }) {
      faults.append(.control(control))
    }
    guard !mayHaveLines else { return faults }
    if scalars.contains(where: { isLineBreak($0) }) {
      faults.append(.lineBreak)
    } else if scalars.contains(0x09) {
      faults.append(.tab)
    }
    return faults
  }

  private static func isLineBreak(_ value: UInt32) -> Bool { [0x0A, 0x0D, 0x2028, 0x2029].contains(value) }

  /// Whether a one-line message should name this character instead of showing it: it has no width, ends the line, or changes its direction.
  package static func isUnprintable(_ scalar: UInt32) -> Bool {
    isAlwaysHidden(scalar) && (!isBlank(scalar) || (0x09...0x0D).contains(scalar) || scalar == 0x85 || (0x2028...0x2029).contains(scalar))
  }

  /// Whether it is a mark above or below a letter, of the blocks of combining marks.
  package static func isMark(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x610...0x61A, 0x64B...0x65F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
      0xFE20...0xFE2F:
      true
    default: false
    }
  }

  /// The skeleton of a text, in UTF-8, which is the same for texts that look alike: without zero-width characters, with one space for each run of
  /// blanks and none at the ends, with ASCII letters in lower case. It is empty if nothing is visible.
  ///
  /// The two ways to write an accent (NFC and NFD) still differ here: normalization needs tables that are too large for a reader.
  package static func skeleton(of text: String) -> [UInt8] {
    var output: [UInt8] = []
    var hasBlank = false
    var scalars = text.unicodeScalars.makeIterator()
    var (previous, current) = (UInt32(0), scalars.next())
    while let scalar = current {
      let next = scalars.next()
      if isBlank(scalar.value) {
        (hasBlank, previous) = (true, 0x20)
      } else if !isHidden(scalar.value, after: previous, before: next?.value) {
        if hasBlank, !output.isEmpty { output.append(UInt8(ascii: " ")) }
        hasBlank = false
        let isCapital = (0x41...0x5A).contains(scalar.value)
        let shown = isCapital ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar
        output.append(contentsOf: UTF8.encode(shown) ?? UTF8.encodedReplacementCharacter)
        // An invisible character has no variants to select.
        previous = scalar.value
      }
      current = next
    }
    return output
  }

  /// The number of a character as Unicode writes it: hexadecimal, at least four digits.
  package static func code(_ scalar: UInt32) -> String { scalar.digits(4, radix: 16) }

  private static func isHidden(_ value: UInt32, after previous: UInt32, before next: UInt32?) -> Bool {
    if isAlwaysHidden(value) { return true }
    if isJoiner(value) {
      guard let next else { return true }
      return previous < firstJoined || next < firstJoined || isJoiner(next) || isSelector(next)
    }
    guard isSelector(value) else { return false }
    switch previous {
    case 0x23, 0x2A, 0x30...0x39: return next != keycap
    case 0xA9, 0xAE: return false
    default: return previous < firstSelected || isSelector(previous)
    }
  }

  /// Control characters, line breaks, marks of direction, characters of no width, and every blank but ASCII's space.
  private static func isAlwaysHidden(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5, 0x180B...0x180F, 0x2000...0x200B,
      0x200E...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x2800, 0x3000, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF:
      true
    default: false
    }
  }

  /// Characters that look like a blank.
  private static func isBlank(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x115F...0x1160, 0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164,
      0xFFA0:
      true
    default: false
    }
  }

  /// Joiners and non-joiners: they have an effect only between two letters of some scripts or between parts of an emoji.
  private static func isJoiner(_ scalar: UInt32) -> Bool { scalar == 0x200C || scalar == 0x200D }

  /// Variation selectors: they have an effect only after a character with several shapes, such as an emoji or an ideograph.
  private static func isSelector(_ scalar: UInt32) -> Bool { (0xFE00...0xFE0F).contains(scalar) || (0xE0100...0xE01EF).contains(scalar) }

  /// The enclosing keycap: after a digit and a selector it makes an emoji.
  private static let keycap: UInt32 = 0x20E3
  /// Arabic is the first script with joiners; in the scripts before it a joiner is invisible.
  private static let firstJoined: UInt32 = 0x600
  /// Myanmar is the first script with variation selectors, apart from two signs.
  private static let firstSelected: UInt32 = 0x1000
}

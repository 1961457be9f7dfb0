/// Characters that do not show where they stand: with them two texts could look alike or like nothing, or one could change what stands
/// beside it.
public enum HiddenCharacters {
  /// The first character that does not show, or is a blank other than the space of ASCII; `nil` where there is none.
  public static func first(in text: String) -> UInt32? {
    var scalars = text.unicodeScalars.makeIterator()
    var (previous, current) = (UInt32(0), scalars.next()?.value)
    while let value = current {
      let next = scalars.next()?.value
      if isHidden(value, after: previous, before: next) { return value }
      (previous, current) = (value, next)
    }
    return nil
  }

  /// The first character that turns the direction in which the text goes on, letters too; `nil` where there is none.
  ///
  /// Marks of direction (U+200E, U+200F, U+061C) are none: they change the place of signs beside them, never that of letters.
  public static func firstTurn(in text: String) -> UInt32? {
    text.unicodeScalars.first { (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) }?.value
  }

  /// Whether a character is to be named rather than shown in a message of one line: it has no width, ends the line, or turns it.
  public static func isUnprintable(_ scalar: UInt32) -> Bool {
    isAlwaysHidden(scalar) && (!isBlank(scalar) || (0x09...0x0D).contains(scalar) || scalar == 0x85 || (0x2028...0x2029).contains(scalar))
  }

  /// What a person sees of a text, in UTF-8: without what has no width, with one space for whatever blanks there are and none at the ends,
  /// letters of ASCII in lower case. It is empty where nothing shows.
  ///
  /// Two ways to write an accent (NFC and NFD) look alike and stay different: to know them takes tables that a reader does not carry.
  public static func look(of text: String) -> [UInt8] {
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
        // What does not show has no shapes to choose from.
        previous = scalar.value
      }
      current = next
    }
    return output
  }

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

  /// Control characters, breaks of lines, marks of direction, and what has no width or shows as a blank. The only blank that is not among
  /// them is the space of ASCII.
  private static func isAlwaysHidden(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F...0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5, 0x180B...0x180F, 0x2000...0x200B,
      0x200E...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x2800, 0x3000, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF:
      true
    default: false
    }
  }

  /// What shows as a blank.
  private static func isBlank(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x115F...0x1160, 0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164,
      0xFFA0:
      true
    default: false
    }
  }

  /// What joins or parts letters of some scripts, and joins parts of emoji: it shows between two of those alone.
  private static func isJoiner(_ scalar: UInt32) -> Bool { scalar == 0x200C || scalar == 0x200D }

  /// What chooses a shape of the character before it: it shows behind one of those that have several, such as emoji and ideographs.
  private static func isSelector(_ scalar: UInt32) -> Bool { (0xFE00...0xFE0F).contains(scalar) || (0xE0100...0xE01EF).contains(scalar) }

  /// With a selector before it, a digit becomes an emoji.
  private static let keycap: UInt32 = 0x20E3
  /// Arabic is the first script with joiners; before it are those in which one would not show.
  private static let firstJoined: UInt32 = 0x600
  /// Myanmar is the first script with selectors, but for two signs.
  private static let firstSelected: UInt32 = 0x1000
}

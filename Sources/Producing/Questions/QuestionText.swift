/// Reduces texts to their letters, digits and meaningful signs, so that equal questions are found regardless of case, spaces and punctuation.
package enum QuestionText {
  /// Returns the text in lower case, without punctuation, and with single spaces between words.
  ///
  /// Lower case is supported for letters of ASCII, Latin-1, Greek and Cyrillic. Meaningful signs (`+`, `<`, `=`, `%`, `$`, `#`) are kept: C, C++ and
  /// C# are different. So are the signs of numbers: -2, 1.5 and 3! are not 2, 15 and 3, and 4 - 2 is not 4 / 2. A text of only punctuation is
  /// unchanged.
  package static func folded(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    var needsSpace = false
    // Whether the last sign is between two numbers, with or without spaces.
    var isInFormula = false
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if let (sign, partsNumbers) = numberSign(scalars, at: index, after: output.last) {
        if needsSpace, !partsNumbers { output.append(0x20) }
        output.append(sign)
        (needsSpace, isInFormula) = (false, partsNumbers)
        continue
      }
      guard let letter = folded(scalar) else { continue }
      if letter == " " {
        needsSpace = !output.isEmpty && !isInFormula
        continue
      }
      if needsSpace { output.append(0x20) }
      (needsSpace, isInFormula) = (false, false)
      output.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
    }
    return output.isEmpty ? Array(text.utf8) : output
  }

  /// Returns the sign that a character next to digits means, and whether it is between two numbers; `nil` if it is not part of a number.
  private static func numberSign(_ scalars: [Unicode.Scalar], at index: Int, after last: UInt8?) -> (sign: UInt8, partsNumbers: Bool)? {
    let value = scalars[index].value
    let previous = index > 0 ? scalars[index - 1].value : 0x20
    let next = index + 1 < scalars.count ? scalars[index + 1].value : 0x20
    switch value {
    case 0x2C, 0x3A:
      return isDigit(previous) && isDigit(next) ? (UInt8(value), false) : nil
    case 0x2E:
      return isDigit(next) && !isLetter(previous) ? (UInt8(value), false) : nil
    case 0x21:
      // A factorial, or a double one.
      return isDigit(previous) || previous == value && last == 0x21 ? (UInt8(value), false) : nil
    default:
      guard let sign = arithmeticSign(value) else { return nil }
      if let last, isDigit(UInt32(last)) || [0x21, 0x2A, 0x2B, 0x2D, 0x2F].contains(last), isNumber(scalars[(index + 1)...]) {
        return (sign, true)
      }
      let isNegative = sign == 0x2D && (isDigit(next) || next == 0x2E) && !isLetter(previous) && isNumber(scalars[(index + 1)...])
      return isNegative ? (sign, false) : nil
    }
  }

  /// Minus, times or divided by, in any notation.
  private static func arithmeticSign(_ value: UInt32) -> UInt8? {
    switch value {
    case 0x2D, 0x2010...0x2015, 0x2212: 0x2D
    case 0x2A, 0xB7, 0x2022, 0x2219, 0x22C5: 0x2A
    case 0x2F, 0x2044, 0x2215: 0x2F
    default: nil
    }
  }

  /// Whether a number follows, after spaces, signs and brackets.
  private static func isNumber(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
    let first = scalars.first { scalar in
      folded(scalar) != " " && arithmeticSign(scalar.value) == nil && ![0x28, 0x2B, 0x2E].contains(scalar.value)
    }
    return first.map { isDigit($0.value) } ?? false
  }

  private static func isDigit(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }

  private static func isLetter(_ value: UInt32) -> Bool {
    let isBeyondASCII = value >= 0xC0 && value != 0xD7 && value != 0xF7 && !(0x2000...0x2BFF).contains(value)
    return (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) || isBeyondASCII
  }

  /// Returns the lower-case letter, a space for a separator of words, or `nil` for a character that is skipped.
  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x391...0x3A9, 0x410...0x42F: Unicode.Scalar(scalar.value + 0x20)
    case 0x400...0x40F: Unicode.Scalar(scalar.value + 0x50)
    // White space, and signs between words.
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x2000...0x200B, 0x2010...0x2015, 0x2028...0x202F, 0x3000: " "
    case 0x2D, 0x2F, 0x5F, 0x2212: " "
    // Punctuation: ! " ' ( ) * , . : ; ? [ \ ] ` { } and that of Latin-1, of the general block and of East Asia.
    case 0x21, 0x22, 0x27...0x2A, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x5B...0x5D, 0x60, 0x7B, 0x7D: nil
    case 0xA1, 0xA8, 0xAB, 0xAD, 0xB4, 0xB7, 0xB8, 0xBB, 0xBF, 0x200C...0x200F, 0x2016...0x2027, 0x2032...0x203F, 0x2045...0x2046: nil
    case 0x3001...0x3003, 0x3008...0x3011, 0xFEFF, 0xFF01, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F: nil
    default: scalar
    }
  }
}

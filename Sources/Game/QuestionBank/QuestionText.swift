/// Texts reduced to what people remember of them, so that equal questions are found whatever their case, spaces and punctuation.
enum QuestionText {
  /// The text in lower case, without punctuation, its words with one space between them.
  ///
  /// Lower case is known of the letters of ASCII, Latin-1, Greek and Cyrillic. Signs that mean something (`+`, `<`, `=`, `%`, `$`, `#`) stay:
  /// C, C++ and C# are three. A text of nothing but punctuation stays as it is.
  static func folded(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    var needsSpace = false
    for scalar in text.unicodeScalars {
      guard let letter = folded(scalar) else { continue }
      if letter == " " {
        needsSpace = !output.isEmpty
        continue
      }
      if needsSpace { output.append(0x20) }
      needsSpace = false
      output.append(contentsOf: UTF8.encode(letter) ?? UTF8.encodedReplacementCharacter)
    }
    return output.isEmpty ? Array(text.utf8) : output
  }

  /// The lower-case letter, a space for what parts words, `nil` for what is passed over.
  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x391...0x3A9, 0x410...0x42F: Unicode.Scalar(scalar.value + 0x20)
    case 0x400...0x40F: Unicode.Scalar(scalar.value + 0x50)
    // White space, and what stands between words.
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x2000...0x200B, 0x2010...0x2015, 0x2028...0x202F, 0x3000: " "
    case 0x2D, 0x2F, 0x5F: " "
    // Punctuation: ! " ' ( ) * , . : ; ? [ \ ] ` { } and that of Latin-1, of the general block and of East Asia.
    case 0x21, 0x22, 0x27...0x2A, 0x2C, 0x2E, 0x3A, 0x3B, 0x3F, 0x5B...0x5D, 0x60, 0x7B, 0x7D: nil
    case 0xA1, 0xA8, 0xAB, 0xAD, 0xB4, 0xB7, 0xB8, 0xBB, 0xBF, 0x200C...0x200F, 0x2016...0x2027, 0x2030...0x203F, 0x2045...0x2046: nil
    case 0x3001...0x3003, 0x3008...0x3011, 0xFEFF, 0xFF01, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F: nil
    default: scalar
    }
  }
}

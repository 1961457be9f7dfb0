extension String {
  /// What replaces characters that must not reach a terminal, a report or a log.
  package enum EscapeStyle: Sendable {
    /// A space: for people.
    case text
    /// `\uXXXX`: for JSON, where such characters occur only within strings.
    case json
    /// U+FFFD: for XML, which has no way to write some of them.
    case xml
  }

  /// The text without characters that a terminal acts on, that change the direction of text, or that are invisible: controls of C0 and C1, line
  /// breaks of all kinds, marks of direction, characters of no width. Of marks above a letter the first eight stay.
  package func visible(_ style: EscapeStyle) -> String {
    let isPlain = withBytes { bytes in
      for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7F { return false }
      return true
    }
    if isPlain { return self }
    var output = String.UnicodeScalarView()
    var marks = 0
    for scalar in unicodeScalars {
      marks = HiddenCharacters.isMark(scalar.value) ? marks + 1 : 0
      guard HiddenCharacters.isUnprintable(scalar.value) || marks > 8 else {
        output.append(scalar)
        continue
      }
      switch style {
      case .text: if marks == 0 { output.append(" ") }
      case .xml: output.append("\u{FFFD}")
      case .json: for unit in String(scalar).utf16 { output += "\\u\(unit.digits(4, radix: 16, uppercase: false))".unicodeScalars }
      }
    }
    return String(output)
  }
}

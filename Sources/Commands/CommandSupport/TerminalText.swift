/// Text as a terminal lays it out: in columns.
package enum TerminalText {
  /// The number of columns that the text takes.
  package static func columns(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + $1.columns } }

  /// The longest beginning of the text that fits the columns.
  package static func fitting(_ text: String, columns: Int) -> String {
    var width = 0
    return String(
      text.prefix { character in
        width += character.columns
        return width <= columns
      })
  }

  /// The text in lines that fit the columns, broken at spaces if there are any.
  ///
  /// Spaces at breaks are left out. A character that is wider than a line is left out, too.
  package static func wrapped(_ text: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    var lines: [String] = []
    var line = ""
    var width = 0
    for word in text.split(separator: " ") {
      let wordWidth = Self.columns(word)
      if width > 0, width + 1 + wordWidth <= columns {
        line += " " + word
        width += 1 + wordWidth
        continue
      }
      if width > 0 { lines.append(line) }
      (line, width) = ("", 0)
      for character in word where character.columns <= columns {
        if width + character.columns > columns {
          lines.append(line)
          (line, width) = ("", 0)
        }
        line.append(character)
        width += character.columns
      }
    }
    if width > 0 { lines.append(line) }
    return lines
  }
}

extension Character {
  /// The number of columns in a terminal: two for wide East Asian characters and emoji (Unicode Standard Annex 11, simplified), zero for combining
  /// marks and invisible characters.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let isWide = Self.wide.contains { $0.contains(first.value) }
    return isWide || unicodeScalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F000...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

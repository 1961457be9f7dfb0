import Basics

/// The text of HTML as question banks have it: without tags.
enum MarkupText {
  /// The text without tags and comments; the ends of paragraphs and lines are line breaks, and references to characters are replaced.
  static func plain(_ html: String) -> String {
    var output: [UInt8] = []
    var tag: [UInt8]?
    for byte in html.utf8 {
      if let begun = tag {
        if byte == UInt8(ascii: ">") {
          if endsLine(begun), output.last != 0x0A, !output.isEmpty { output.append(0x0A) }
          tag = nil
        } else if begun.count < longestName {
          tag?.append(byte.asciiLowercased)
        }
      } else if byte == UInt8(ascii: "<") {
        tag = []
      } else {
        output.append(byte)
      }
    }
    // A `<` that does not begin a tag is text.
    guard tag == nil else { return HTMLText.decode(html) }
    return HTMLText.decode(String(decoding: output, as: UTF8.self)).trimmed
  }

  private static let longestName = 16

  private static func endsLine(_ tag: [UInt8]) -> Bool {
    let name = String(decoding: tag.prefix { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A }, as: UTF8.self)
    return ["/p", "br", "br/", "/div", "/li"].contains(name)
  }
}

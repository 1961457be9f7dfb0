import Basics

// Texts as YAML writes them, so that every reader reads the same text.

extension String {
  /// The text as a scalar of YAML 1.2 (chapter 7) for any place, lists in brackets included: plain if every reader reads it as this text, otherwise
  /// in double quotation marks.
  package var yamlScalar: String { isPlainYAML ? self : quotedYAML }

  /// Words that readers of YAML 1.1 or 1.2 do not read as texts.
  private static let reserved = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].map { Array($0.utf8) }

  /// Whether the text begins with a letter, holds only letters, digits, spaces and marks without meaning, and is not a reserved word.
  private var isPlainYAML: Bool {
    var lower: [UInt8] = []
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x41...0x5A: lower.append(UInt8(scalar.value) | 0x20)
      case 0x61...0x7A: lower.append(UInt8(scalar.value))
      // Letters of Latin, Greek and Cyrillic script.
      case 0xC0...0x24F, 0x370...0x52F: lower.append(0x7A)
      case 0x20, 0x30...0x39, 0x21, 0x27...0x29, 0x2D, 0x2E, 0x2F, 0x3F, 0x5F:
        guard !lower.isEmpty else { return false }
        lower.append(UInt8(scalar.value))
      default: return false
      }
    }
    return !lower.isEmpty && lower.last != 0x20 && !Self.reserved.contains(lower)
  }

  /// The text in double quotation marks, so that no reader takes it for anything else.
  package var quotedYAML: String {
    var output = String.UnicodeScalarView()
    output.append("\"")
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5C: output.append(contentsOf: ["\\", scalar])
      case 0x09: output.append(contentsOf: "\\t".unicodeScalars)
      case 0x0A: output.append(contentsOf: "\\n".unicodeScalars)
      case 0x0D: output.append(contentsOf: "\\r".unicodeScalars)
      // Characters that YAML forbids, and characters that its readers read as a line's end or ignore.
      case 0..<0x20, 0x7F...0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        output.append(contentsOf: "\\u\(HiddenCharacters.code(scalar.value))".unicodeScalars)
      default: output.append(scalar)
      }
    }
    output.append("\"")
    return String(output)
  }

  /// The text for a comment: without characters that end its line or are not allowed in it.
  package var yamlComment: String {
    var output = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      let isAllowed =
        (0x20...0x7E).contains(scalar.value) || scalar.value > 0xA0 && ![0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
      output.append(isAllowed ? scalar : " ")
    }
    return String(output)
  }
}

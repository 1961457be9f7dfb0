extension String {
  /// The text within XML, line breaks and tabs kept. Characters that XML 1.0 cannot write (2.2), or that nobody sees, become U+FFFD.
  package var escapedForXML: String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);".unicodeScalars
      default: escaped.append(scalar.value & 0xFFFE == 0xFFFE && scalar.value < 0x1_0000 ? "\u{FFFD}" : scalar)
      }
    }
    return String(escaped).visible(.xml)
  }
}

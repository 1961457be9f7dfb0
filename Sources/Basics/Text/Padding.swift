extension String {
  /// The text followed by spaces, up to `width` characters.
  package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - unicodeScalars.count)) }

  /// The text with spaces before it, up to `width` characters.
  package func padded(from width: Int) -> String { String(repeating: " ", count: max(0, width - unicodeScalars.count)) + self }

  /// The text without the spaces at its ends.
  package var trimmingSpaces: String {
    // By bytes: a string's views of characters take much code in a reader for the web.
    let bytes = Array(utf8)
    guard let start = bytes.firstIndex(where: { $0 != 0x20 }), let end = bytes.lastIndex(where: { $0 != 0x20 }) else { return "" }
    return end - start + 1 == bytes.count ? self : String(decoding: bytes[start...end], as: UTF8.self)
  }

  /// The text without the spaces at its end.
  package var trimmingTrailingSpaces: String {
    var text = self
    while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
    return text
  }
}

extension BinaryInteger {
  /// The digits of a non-negative number, padded with leading zeros up to `width`.
  @inlinable package func digits(_ width: Int, radix: Int = 10, uppercase: Bool = true) -> String {
    let digits = String(self, radix: radix, uppercase: uppercase)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}

extension [[String]] {
  /// Rows with the same number of cells as lines of an aligned table. Text columns are aligned to the left, the others to the right.
  package func aligned(textColumns: Set<Int>) -> [String] {
    let widths = (first ?? []).indices.map { column in map { $0[column].unicodeScalars.count }.max() ?? 0 }
    return map { row in
      let cells = row.indices.map { textColumns.contains($0) ? row[$0].padded(to: widths[$0]) : row[$0].padded(from: widths[$0]) }
      return cells.joined(separator: "  ").trimmingTrailingSpaces
    }
  }
}

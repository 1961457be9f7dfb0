import Basics

/// E-mail addresses as HTML forms accept them.
enum EmailAddress {
  /// Whether a text is a valid e-mail address by the definition of HTML (https://html.spec.whatwg.org/#valid-e-mail-address): ASCII letters, digits
  /// and some signs, an `@`, and labels of 1 to 63 letters, digits and hyphens that neither begin nor end with a hyphen.
  static func isValid(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ isLetterOrDigit($0) || signs.contains($0) }) else { return false }
    return parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      guard (1...63).contains(label.count), let first = label.first, let last = label.last else { return false }
      return isLetterOrDigit(first) && isLetterOrDigit(last) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.asciiLowercased)
  }

  private static let signs = Set(".!#$%&'*+/=?^_`{|}~-".utf8)
}

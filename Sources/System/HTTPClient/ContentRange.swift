/// The range of a resource that a response contains (RFC 9110, 14.4).
struct ContentRange: Equatable {
  var first: UInt64
  var last: UInt64

  /// Reads `bytes 0-99/200`; the size may be `*`, and does not matter. `nil` for anything else.
  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let bounds = words[1].prefix { $0 != "/" }.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
    guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else { return nil }
    (self.first, self.last) = (first, last)
  }

  /// A number that consists of digits only: `UInt64` would accept a sign as well.
  private static func number(_ text: Substring) -> UInt64? { text.utf8.first == UInt8(ascii: "+") ? nil : UInt64(text) }
}

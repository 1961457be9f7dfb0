/// Identifies an event: every copy of it carries the same text, of 1 to 128 bytes of UTF-8.
///
/// Cuelight writes lower-case UUIDs; other systems may use any text.
public struct GUID: WireText {
  /// The text as it was written.
  public let text: String

  /// The longest accepted text, in bytes of UTF-8.
  public static let largestLength = 128

  /// An identifier of this text; `nil` if it is empty or longer than `largestLength` bytes.
  public init?(_ text: String) {
    guard (1...Self.largestLength).contains(text.utf8.count) else { return nil }
    self.text = text
  }
}

/// Text that identifies something in a stream. Two are the same if their UTF-8 bytes are.
///
/// `String` compares by canonical equivalence, which would take two identifiers with different bytes for one.
public protocol WireText: Hashable, Sendable, CustomStringConvertible {
  /// The text as it was written.
  var text: String { get }
}

extension WireText {
  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }

  /// The text.
  public var description: String { text }
}

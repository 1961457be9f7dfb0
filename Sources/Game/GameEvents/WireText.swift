import Basics

/// Text that identifies something in a stream. Two are equal if their UTF-8 bytes are.
///
/// `String` compares by canonical equivalence, which would treat two identifiers with different bytes as one.
public protocol WireText: Hashable, Sendable, CustomStringConvertible {
  /// The text as it was written.
  var text: String { get }
}

extension WireText {
  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

  /// The text.
  public var description: String { text }

  /// Whether the bytes come before those of `other`: an order that no locale and no normalisation changes.
  package func precedes(_ other: Self) -> Bool { text.hasSmallerBytes(than: other.text) }
}

import Basics

/// A byte range of a resource (RFC 8216bis, 4.4.4.2).
public struct ByteRange: Hashable, Sendable {
  /// The length in bytes.
  public var length: UInt64
  /// Where it starts, in bytes from the resource's start.
  public var offset: UInt64

  /// A range with its length in bytes.
  public init(length: UInt64, offset: UInt64) { (self.length, self.offset) = (length, offset) }

  /// The offset after the range's last byte. Saturates at 2^64 - 1; reading refuses such a range.
  public var end: UInt64 { offset.addingSaturated(length) }

  /// Reads `length[@offset]`. `nil` for anything else, for a range that ends beyond 2^64, and if the offset is left out and none is implied.
  init?(_ text: ArraySlice<UInt8>, implicitOffset: UInt64?) {
    let at = text.firstIndex(of: UInt8(ascii: "@")) ?? text.endIndex
    guard let length = decimalInteger(text[..<at]) else { return nil }
    guard let offset = at < text.endIndex ? decimalInteger(text[at...].dropFirst()) : implicitOffset else { return nil }
    guard !offset.addingReportingOverflow(length).overflow else { return nil }
    self.init(length: length, offset: offset)
  }

  /// The range as written, always with its offset: `length@offset`.
  public var text: String { "\(length)@\(offset)" }
}

/// Why bytes could not be read or written, and where.
public struct ParseError: Error, Equatable, Sendable {
  /// What is wrong.
  public var reason: Reason
  /// The offset, in bytes from the start of the input, of what is wrong.
  public var offset: Int

  /// An error with its reason and byte offset.
  public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

  /// What can be wrong with bytes.
  public enum Reason: Equatable, Sendable {
    /// A field of `needed` bytes starts here, but only `available` bytes are left.
    case truncated(needed: Int, available: Int)
    /// The structure is complete, and this number of bytes follows it.
    case trailingBytes(Int)
    /// A length, depth or count is above what is accepted or what its field can hold.
    case aboveLimit(what: String, limit: Int)
    /// A field has a value that its specification forbids, or that is not supported.
    case invalid(String)
  }
}

extension ParseError: CustomStringConvertible {
  /// The reason and the offset in words, for example `cut off: 3 bytes needed, 1 there (at byte 188)`.
  public var description: String { "\(reason) (at byte \(offset))" }
}

extension ParseError.Reason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .truncated(let needed, let available): "cut off: \(needed.of("byte")) needed, \(available) there"
    case .trailingBytes(let count): "\(count.of("byte")) too many"
    case .aboveLimit(let what, let limit): "\(what) is above the limit of \(limit)"
    case .invalid(let what): "\(what)"
    }
  }
}

internal import Files
internal import HTTPClient

/// Bytes that are read front to back through one buffer.
protocol ByteInput: ~Copyable {
  associatedtype Failure: Error

  /// Reads the next bytes; returns whether there were any.
  mutating func fill() throws(Failure) -> Bool

  /// The bytes that the last `fill()` read.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get
  }

  /// Passes over bytes where that is faster than reading them; returns how many, which may be fewer.
  mutating func skip(_ count: Int) throws(Failure) -> Int

  /// The failure as one of stream inputs.
  static func failure(_ error: Failure) -> StreamInputError
}

extension FileInput: ByteInput {
  static func failure(_ error: FileInputError) -> StreamInputError { error == .interrupted ? .interrupted : .file(error) }
}

extension NetworkInput: ByteInput {
  /// What comes over a network comes one byte after the other.
  mutating func skip(_ count: Int) throws(NetworkInputError) -> Int { 0 }

  static func failure(_ error: NetworkInputError) -> StreamInputError { error.reason == .interrupted ? .interrupted : .network(error) }
}

internal import FileInput
internal import NetworkInput

/// Bytes that are read front to back through one buffer.
protocol ByteInput: ~Copyable {
  associatedtype Failure: Error

  /// Reads the next bytes; returns whether there were any.
  mutating func fill() throws(Failure) -> Bool

  /// The bytes that the last `fill()` read.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get
  }

  /// The failure as one of stream inputs.
  static func failure(_ error: Failure) -> StreamInputError
}

extension FileInput: ByteInput {
  static func failure(_ error: FileInputError) -> StreamInputError { error == .interrupted ? .interrupted : .file(error) }
}

extension NetworkInput: ByteInput {
  static func failure(_ error: NetworkInputError) -> StreamInputError { error.reason == .interrupted ? .interrupted : .network(error) }
}

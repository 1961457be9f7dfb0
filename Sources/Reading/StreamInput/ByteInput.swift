import Files
import HTTPClient

/// Bytes that are read front to back through one buffer.
protocol ByteInput: ~Copyable {
  associatedtype Failure: Error

  /// Reads the next bytes; returns whether there were any.
  mutating func fill() throws(Failure) -> Bool

  /// The bytes that the last `fill()` read. The buffer is copied if they are still in use at the next one.
  var slice: ArraySlice<UInt8> { get }

  /// Skips bytes if that is faster than reading them; returns their number, which may be smaller.
  mutating func skip(_ count: Int) throws(Failure) -> Int

  /// The failure as a ``StreamInputError``.
  static func failure(_ error: Failure) -> StreamInputError
}

extension FileInput: ByteInput {
  static func failure(_ error: FileInputError) -> StreamInputError { error == .interrupted ? .interrupted : .file(error) }
}

extension NetworkInput: ByteInput {
  /// Bytes from a network cannot be skipped.
  mutating func skip(_ count: Int) throws(NetworkInputError) -> Int { 0 }

  static func failure(_ error: NetworkInputError) -> StreamInputError { error.reason == .interrupted ? .interrupted : .network(error) }
}

/// Opens a source.
func opening<Source: ByteInput & ~Copyable>(_ source: @autoclosure () throws(Source.Failure) -> Source) throws(StreamInputError) -> Source {
  do throws(Source.Failure) { return try source() } catch { throw Source.failure(error) }
}

/// Skips bytes of a source, as far as it can.
func skip<Source: ByteInput & ~Copyable>(_ source: inout Source, _ count: Int) throws(StreamInputError) -> Int {
  do throws(Source.Failure) { return try source.skip(count) } catch { throw Source.failure(error) }
}

/// Reads the next bytes of a source.
func fill<Source: ByteInput & ~Copyable>(_ source: inout Source) throws(StreamInputError) -> Bool {
  do throws(Source.Failure) { return try source.fill() } catch { throw Source.failure(error) }
}

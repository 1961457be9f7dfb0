/// Something that takes the bytes of a stream in order: a file, a segment, a socket, or an array.
///
/// Writing itself never throws. A file is written by another thread and a peer refuses bytes long after they were sent, so the failure of one
/// call often belongs to an earlier one. A sink that has failed ignores further bytes and throws its first failure from ``check()``. A caller that
/// writes for long calls it from time to time to stop early.
///
/// ```swift
/// try stamper.push(chunk, into: &file)
/// try file.check()
/// ```
public protocol ByteSink<Failure>: ~Copyable {
  /// What ``check()`` throws.
  associatedtype Failure: Error

  /// Adds bytes at the end.
  mutating func write(_ bytes: Span<UInt8>)

  /// Throws the first failure, if there was one. Bytes that wait to be written may still fail later.
  func check() throws(Failure)
}

extension ByteSink where Self: ~Copyable, Failure == Never {
  /// Does nothing: the sink cannot fail.
  public func check() {}
}

/// Bytes that are gathered in memory.
extension [UInt8]: ByteSink {
  /// Memory does not fail.
  public typealias Failure = Never

  /// Appends bytes.
  public mutating func write(_ bytes: Span<UInt8>) { append(copying: bytes) }
}

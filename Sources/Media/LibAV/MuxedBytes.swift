internal import CLibAV

/// The owner of bytes that a muxer wrote.
@safe
public struct MuxedBytes: ~Copyable {
  // Unsafe: allocated by libav, at least `count` bytes; freed in `deinit`.
  private let start: UnsafeMutablePointer<UInt8>?
  /// How many bytes there are.
  public let count: Int

  /// Takes over `count` bytes that libav allocated.
  init(owning start: UnsafeMutablePointer<UInt8>?, count: Int) {
    unsafe self.start = unsafe start
    self.count = count
  }

  deinit { unsafe av_free(start) }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // Unsafe: the buffer holds `count` bytes for as long as `self` lives, which the span's lifetime depends on.
      let span = unsafe UnsafeBufferPointer(start: start, count: count).span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

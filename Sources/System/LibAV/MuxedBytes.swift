internal import CLibAV

/// The owner of bytes that a muxer wrote.
@safe
package struct MuxedBytes: ~Copyable {
  // Unsafe: allocated by libav, at least `count` bytes; freed in `deinit`.
  private let start: UnsafeMutablePointer<UInt8>?
  // Unsafe: libav's.
  private let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
  /// How many bytes there are.
  package let count: Int

  /// Takes ownership of `count` bytes that libav allocated.
  init(owning start: UnsafeMutablePointer<UInt8>?, count: Int, _ libav: LibAVFunctions) {
    unsafe self.start = unsafe start
    self.count = count
    unsafe free = unsafe libav.av_free
  }

  deinit { unsafe free(start) }

  /// The bytes.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // Unsafe: the buffer holds `count` bytes for as long as `self` lives, which the span's lifetime depends on.
      let span = unsafe UnsafeBufferPointer(start: start, count: count).span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

internal import CLibAV

/// The owner of bytes that a muxer wrote.
@safe
public struct MuxedBytes: ~Copyable {
  // Unsafe: given by libavformat, with its size; freed in `deinit`.
  private let start: UnsafeMutablePointer<UInt8>?
  /// How many bytes there are.
  public let count: Int

  /// Takes the bytes of a memory output, which is closed.
  init(closing output: UnsafeMutablePointer<AVIOContext>?) {
    var start: UnsafeMutablePointer<UInt8>?
    let size = unsafe output == nil ? 0 : avio_close_dyn_buf(output, &start)
    unsafe self.start = unsafe start
    self.count = unsafe start == nil ? 0 : Int(max(size, 0))
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

internal import CLibAV

/// Memory that a muxer writes into.
///
/// libavformat's own memory output grows with every kilobyte and copies each byte several times on the way. Here the bytes stay in the buffer
/// that the muxer wrote them into, unless there are more than fit it. A class, because libavformat holds a pointer to it.
@safe
final class MemoryOutput {
  // Unsafe: allocated by `open`, freed by `close`, with the buffer that it writes into.
  private var context: UnsafeMutablePointer<AVIOContext>?
  // Unsafe: libav's memory, of which the first `gatheredCount` bytes are written.
  private var gathered: UnsafeMutablePointer<UInt8>?
  private var gatheredCount = 0
  private var gatheredCapacity = 0
  /// Whether the buffer is being drained, so that its content need not be copied.
  private var isDraining = false
  private let bufferSize: Int
  private let libav: LibAVFunctions

  /// Opens an output.
  ///
  /// - Parameter bufferSize: How many bytes are usually drained at once, at most.
  init(bufferSize: Int, _ libav: LibAVFunctions) throws(RemuxError) {
    self.bufferSize = bufferSize
    self.libav = libav
    try open()
  }

  deinit { close() }

  /// The context that the muxer writes to; a new one after each `drain`.
  var pointer: UnsafeMutablePointer<AVIOContext>? { unsafe context }

  /// How many bytes `drain` would return.
  var count: Int { Int(unsafe max(libav.avio_seek(context, 0, SEEK_CUR), 0)) }

  /// Removes and returns the bytes that were written since the last call.
  func drain() throws(RemuxError) -> MuxedBytes {
    isDraining = true
    unsafe libav.avio_flush(context)
    isDraining = false
    try check(unsafe context?.pointee.error ?? 0, "muxing")
    let count = self.count
    let bytes = unsafe MuxedBytes(owning: gatheredCount > 0 ? gathered : context?.pointee.buffer, count: count, libav)
    if gatheredCount > 0 { unsafe gathered = nil } else { unsafe context?.pointee.buffer = nil }
    (gatheredCount, gatheredCapacity) = (0, 0)
    close()
    try open()
    return bytes
  }

  private func open() throws(RemuxError) {
    // Unsafe: the pointer to this object is not retained; the context is freed before the object is.
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    var buffer = unsafe libav.av_malloc(bufferSize)?.assumingMemoryBound(to: UInt8.self)
    unsafe context = cuelight_open_output(libav, buffer, Int32(bufferSize), opaque) { opaque, bytes, count in
      guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return 0 }
      let output = unsafe Unmanaged<MemoryOutput>.fromOpaque(opaque).takeUnretainedValue()
      return unsafe output.receive(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    guard unsafe context == nil else { return }
    unsafe libav.av_freep(&buffer)
    throw .outOfMemory("muxing")
  }

  private func close() {
    if let context = unsafe context { unsafe libav.av_free(context.pointee.buffer) }
    unsafe libav.avio_context_free(&context)
    unsafe libav.av_freep(&gathered)
  }

  /// Receives the bytes of libavformat's buffer when it is full or is being drained. Returns the result of the callback.
  private func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard !isDraining || gatheredCount > 0 else { return Int32(bytes.count) }
    let needed = gatheredCount + bytes.count
    if needed > gatheredCapacity {
      // The capacity doubles, so that each byte is moved once on average.
      let capacity = max(needed, 2 * gatheredCapacity)
      guard let grown = unsafe libav.av_realloc(gathered, capacity)?.assumingMemoryBound(to: UInt8.self) else {
        return cuelight_error_of_errno(ENOMEM)
      }
      unsafe gathered = unsafe grown
      gatheredCapacity = capacity
    }
    if let start = bytes.baseAddress { unsafe gathered?.advanced(by: gatheredCount).update(from: start, count: bytes.count) }
    gatheredCount = needed
    return Int32(bytes.count)
  }
}

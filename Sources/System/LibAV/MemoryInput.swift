internal import CLibAV

/// Bytes in memory that a demuxer reads as they arrive, without seeking. A class, because libavformat holds a pointer to it.
@safe
final class MemoryInput {
  // Unsafe: allocated in `init`, freed in `deinit` with the buffer that it reads into.
  private var context: UnsafeMutablePointer<AVIOContext>?
  private let libav: LibAVFunctions
  private let read: () -> ArraySlice<UInt8>?
  private var rest: ArraySlice<UInt8> = []

  private static let bufferSize = 32 << 10

  /// - Parameter read: Waits for the next bytes and returns them; `nil` at the end.
  init(_ libav: LibAVFunctions, _ read: @escaping () -> ArraySlice<UInt8>?) throws(RemuxError) {
    (self.libav, self.read) = (libav, read)
    // Unsafe: the pointer to this object is not retained; the context is freed before the object is.
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    var buffer = unsafe libav.av_malloc(Self.bufferSize)?.assumingMemoryBound(to: UInt8.self)
    guard unsafe buffer != nil else { throw .outOfMemory("reading") }
    unsafe context = libav.avio_alloc_context(
      buffer, Int32(Self.bufferSize), 0, opaque,
      { opaque, bytes, count in
        guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return cuelight_error_end_of_file }
        let input = unsafe Unmanaged<MemoryInput>.fromOpaque(opaque).takeUnretainedValue()
        return unsafe input.give(UnsafeMutableBufferPointer(start: bytes, count: Int(count)))
      }, nil, nil)
    guard unsafe context == nil else { return }
    unsafe libav.av_freep(&buffer)
    throw .outOfMemory("reading")
  }

  deinit {
    if let context = unsafe context { unsafe libav.av_free(context.pointee.buffer) }
    unsafe libav.avio_context_free(&context)
  }

  /// The context that the demuxer reads from.
  var pointer: UnsafeMutablePointer<AVIOContext>? { unsafe context }

  /// Copies as many of the available bytes as fit into libavformat's buffer. Returns the result of the callback.
  private func give(_ bytes: UnsafeMutableBufferPointer<UInt8>) -> Int32 {
    while rest.isEmpty {
      guard let next = read() else { return cuelight_error_end_of_file }
      rest = next
    }
    let given = rest.prefix(bytes.count)
    // Unsafe: there are not more of them than the buffer holds.
    _ = unsafe bytes.update(fromContentsOf: given)
    rest = rest.dropFirst(given.count)
    return Int32(given.count)
  }
}

import LibC

/// A buffer to read bytes into.
struct AlignedBuffer: Sendable {
  private var memory: [UInt8]
  /// The range of the bytes that were read last.
  private var filled = 0..<0

  /// Bytes are read to a multiple of this address: copying whole pages to an unaligned address takes a third longer.
  private static let alignment = 64

  /// Memory for `size` bytes.
  init(size: Int) { memory = size > 0 ? [UInt8](repeating: 0, count: size + Self.alignment) : [] }

  /// The bytes that were read last.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { memory.span.extracting(filled) }
  }

  /// The same bytes as a slice of the buffer's memory.
  var slice: ArraySlice<UInt8> { memory[filled] }

  /// Reads once; returns how many bytes there were.
  ///
  /// - Parameters:
  ///   - offset: The offset in the file; `nil` for the descriptor's current position.
  ///   - count: The maximum number of bytes.
  mutating func read(_ descriptor: Int32, at offset: Int?, count: Int) -> Result<Int, SystemFailure> {
    let most = max(min(count, memory.count - Self.alignment), 0)
    // The system writes at most `most` bytes from `start` on, of which there are as many, and nothing else refers to them meanwhile.
    let (start, result) = unsafe memory.withUnsafeMutableBytes { raw in
      let start = Int(bitPattern: 0 &- UInt(bitPattern: raw.baseAddress)) & (Self.alignment - 1)
      let target = unsafe raw.baseAddress?.advanced(by: start)
      return (start, unsafe offset.map { unsafe pread(descriptor, target, most, off_t($0)) } ?? LibC.read(descriptor, target, most))
    }
    guard result >= 0 else { return .failure(SystemFailure(code: errno)) }
    filled = start..<start + result
    return .success(result)
  }
}

import Basics

/// A queue of bytes in a ring buffer, so that bytes that stay are not moved.
struct HeldBytes: Sendable {
  /// The ring buffer. Its size is a power of two, or zero.
  private var memory: [UInt8] = []
  /// The index of the first byte in the memory.
  private var first = 0
  /// The number of held bytes.
  private(set) var count = 0

  /// The minimum size of the memory.
  private static let leastSize = 64 << 10

  /// Adds bytes at the end.
  mutating func append(_ bytes: Span<UInt8>) {
    if count + bytes.count > memory.count { grow(to: count + bytes.count) }
    let start = count
    count += bytes.count
    replace(from: start, with: bytes)
  }

  /// Overwrites bytes from an offset on, relative to the first byte.
  mutating func replace(from offset: Int, with bytes: Span<UInt8>) {
    let start = (first + offset) & (memory.count - 1)
    let countToEnd = min(bytes.count, memory.count - start)
    memory.replace(from: start, with: bytes.extracting(..<countToEnd))
    if countToEnd < bytes.count { memory.replace(from: 0, with: bytes.extracting(countToEnd...)) }
  }

  /// Writes the first bytes to a sink, and drops them.
  mutating func release(_ released: Int, to sink: inout some ByteSink & ~Copyable) {
    let countToEnd = min(released, memory.count - first)
    for part in [first..<first + countToEnd, 0..<released - countToEnd] where !part.isEmpty { sink.write(memory.span.extracting(part)) }
    count -= released
    // An empty queue restarts at the beginning, so that memory in the processor's cache is reused.
    first = count == 0 ? 0 : (first + released) & (memory.count - 1)
  }

  private mutating func grow(to needed: Int) {
    var size = max(memory.count, Self.leastSize)
    while size < needed { size *= 2 }
    let held = count
    var grown: [UInt8] = []
    grown.reserveCapacity(size)
    release(held, to: &grown)
    grown += [UInt8](repeating: 0, count: size - held)
    (memory, count) = (grown, held)
  }
}

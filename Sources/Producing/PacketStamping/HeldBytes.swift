import Basics

/// Bytes that leave in the order in which they came. Those that stay are not moved: the memory is a ring.
struct HeldBytes: Sendable {
  /// A power of two, or nothing.
  private var memory: [UInt8] = []
  /// Where in the memory the first byte is.
  private var first = 0
  /// How many bytes there are.
  private(set) var count = 0

  /// The least memory.
  private static let leastSize = 64 << 10

  /// Adds bytes at the end.
  mutating func append(_ bytes: Span<UInt8>) {
    if count + bytes.count > memory.count { grow(to: count + bytes.count) }
    let start = count
    count += bytes.count
    replace(from: start, with: bytes)
  }

  /// Writes bytes over others, from an offset behind the first byte on.
  mutating func replace(from offset: Int, with bytes: Span<UInt8>) {
    let start = (first + offset) & (memory.count - 1)
    let countToEnd = min(bytes.count, memory.count - start)
    memory.replace(from: start, with: bytes.extracting(..<countToEnd))
    if countToEnd < bytes.count { memory.replace(from: 0, with: bytes.extracting(countToEnd...)) }
  }

  /// Writes the first bytes to a sink, and lets them go.
  mutating func release(_ released: Int, to sink: inout some ByteSink & ~Copyable) {
    let countToEnd = min(released, memory.count - first)
    for part in [first..<first + countToEnd, 0..<released - countToEnd] where !part.isEmpty { sink.write(memory.span.extracting(part)) }
    count -= released
    // The same memory as long as it suffices: it lies in the processor's cache.
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

// Unsafe: nobody keeps an address over the next call that takes the same handle.

package import Basics

/// A buffer whose address the caller gets.
@safe package final class Room {
  private var capacity = 1_024
  private var address = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 16)

  package init() {}

  deinit { unsafe address.deallocate() }

  /// The address of at least this number of bytes, whatever they are.
  package func make(_ count: Int) -> UnsafeMutableRawPointer {
    if count > capacity {
      unsafe address.deallocate()
      unsafe address = .allocate(byteCount: count, alignment: 16)
      capacity = count
    }
    return unsafe address
  }

  /// Whether the room has this number of bytes.
  package func has(_ count: Int) -> Bool { count >= 0 && count <= capacity }

  /// The bytes at a place, as far as the room has them.
  package func bytes(from start: Int = 0, count: Int) -> [UInt8] {
    let whole = unsafe UnsafeRawBufferPointer(start: address, count: capacity)
    return unsafe [UInt8](whole.dropFirst(max(start, 0)).prefix(max(count, 0)))
  }

  /// Leaves bytes for the caller, and returns their number.
  package func put(_ bytes: [UInt8]) -> Int {
    unsafe UnsafeMutableRawBufferPointer(start: make(bytes.count), count: bytes.count).copyBytes(from: bytes)
    return bytes.count
  }

  /// Leaves JSON for the caller, and returns the number of its bytes.
  package func put(_ value: JSONValue) -> Int {
    var writer = JSONWriter()
    writer.value(value)
    return put(writer.bytes)
  }
}

// Spans of arrays and strings that also work on older systems of Apple, from iOS 16 and macOS 13 on. The standard library's `Array.span` needs the systems
// of 2025. `OLDEST_SYSTEMS` is set by the check that compiles this path on Linux.
// Unsafe: each pointer and each lifetime belongs to a value that is borrowed at least as long.

extension Array {
  /// A span over the elements, for as long as the array is borrowed.
  @inlinable package var view: Span<Element> {
    @_lifetime(borrow self)
    get {
      #if canImport(Darwin) || OLDEST_SYSTEMS
        let slice = self[...]
        // Unsafe: the slice shares the array's storage, and the array is borrowed as long as the span is used.
        return unsafe _overrideLifetime(slice.span, borrowing: self)
      #else
        return span
      #endif
    }
  }
}

extension [UInt8] {
  /// Copies of bytes.
  package init(copying bytes: Span<UInt8>) {
    // Unsafe: the bytes are copied within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// Appends bytes in one piece, which is many times faster than one by one.
  public mutating func append(copying bytes: Span<UInt8>) {
    // Unsafe: the bytes are copied within the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Replaces bytes from an index on. Traps if the array is too short for `bytes`.
  package mutating func replace(from start: Int, with bytes: Span<UInt8>) {
    // Unsafe: the bytes are copied within the call, and the range is checked.
    unsafe bytes.withUnsafeBufferPointer { unsafe replaceSubrange(start..<start + bytes.count, with: $0) }
  }
}

extension String {
  /// Calls a function with the string's UTF-8 bytes.
  ///
  /// Not by `utf8Span`: the bytes of a short string are in the string itself, and Swift 6.3 with optimization may give back the place on the stack where it
  /// lies before `body` has read them.
  @inlinable package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    // Unsafe: the span is used within the call only, as the pointer is.
    if let result = unsafe utf8.withContiguousStorageIfAvailable({ unsafe body($0.span) }) { return result }
    return body(Array(utf8).view)
  }

  /// The text of these bytes of UTF-8; U+FFFD replaces ill-formed sequences.
  package init(bytes: Span<UInt8>) {
    // Unsafe: the bytes are copied within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Span where Element == UInt8 {
  /// Whether the bytes begin with those of `prefix`.
  @inlinable package func starts(with prefix: Span<UInt8>) -> Bool {
    guard count >= prefix.count else { return false }
    for index in prefix.indices where self[index] != prefix[index] { return false }
    return true
  }

  /// The offset of the first sequence that is ill-formed UTF-8 (Unicode, table 3-7); `nil` if all are well-formed.
  package var firstIllFormedOffset: Int? {
    var index = 0
    while index < count {
      let byte = self[index]
      if byte < 0x80 {
        index += 1
        continue
      }
      let length: Int
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch byte {
      case 0xC2...0xDF: length = 2
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: length = 3
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: length = 4
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return index
      }
      guard index + length <= count, second.contains(self[index + 1]) else { return index }
      for place in index + 2..<max(index + length, index + 2) where self[place] & 0xC0 != 0x80 { return index }
      index += length
    }
    return nil
  }
}

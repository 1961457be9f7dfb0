// What Embedded Swift takes from a C library, for WebAssembly, which has none.
//
// Unsafe: the module has one thread, and the functions are called as the C standard, POSIX and the compiler's runtime say.

#if arch(wasm32)
  /// A random number of the page's, the only thing that the module imports: hash tables begin with it.
  @_extern(c, "random") private func random() -> UInt32

  /// The instructions that tell and raise the number of the memory's pages.
  @_extern(c, "llvm.wasm.memory.grow.i32") private func growMemory(_ memory: Int32, _ pages: Int32) -> Int32

  /// Memory in blocks of powers of two. What was released is used again by blocks of the same size.
  private enum Heap {
    /// Before each block its size stands, in as many bytes as keep the block aligned.
    static let header: UInt = 16
    private static let pageSize: UInt = 65_536
    /// The fewest pages that memory grows by.
    private static let fewestPages: UInt = 4
    private static let wordSize: UInt = 4
    /// The address of the lists of released blocks, one for each power of two.
    nonisolated(unsafe) private static var lists: UInt = 0
    /// The memory that was never used.
    nonisolated(unsafe) private static var start: UInt = 0
    nonisolated(unsafe) private static var end: UInt = 0

    private static func word(_ address: UInt) -> UnsafeMutablePointer<UInt> {
      unsafe UnsafeMutablePointer<UInt>(bitPattern: address).unsafelyUnwrapped
    }

    /// The address of a block; 0 where there is no more memory.
    static func allocate(_ size: UInt) -> UInt {
      if unsafe lists == 0 { unsafe lists = take(32 * wordSize) }
      let power = UInt(UInt.bitWidth - (max(size, 16) + header - 1).leadingZeroBitCount)
      let list = unsafe word(lists + power * wordSize)
      let released = unsafe list.pointee
      if released != 0 {
        unsafe list.pointee = word(released).pointee
        return released
      }
      let place = take(1 << power)
      guard place != 0 else { return 0 }
      unsafe word(place).pointee = power
      return place + header
    }

    static func release(_ address: UInt) {
      let list = unsafe word(lists + word(address - header).pointee * wordSize)
      unsafe word(address).pointee = list.pointee
      unsafe list.pointee = address
    }

    private static func take(_ size: UInt) -> UInt {
      if unsafe end - start < size {
        let pages = unsafe max((size - (end - start) + pageSize - 1) / pageSize, fewestPages)
        let before = growMemory(0, Int32(truncatingIfNeeded: pages))
        guard before >= 0 else { return 0 }
        // Nobody else makes memory grow: what is new follows what was there.
        if unsafe end == 0 { unsafe start = UInt(before) * pageSize }
        unsafe end = (UInt(before) + pages) * pageSize
      }
      defer { unsafe start += size }
      return unsafe start
    }
  }

  /// Memory of a size.
  @_cdecl("posix_memalign") public func allocate(
    _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: UInt, _ size: UInt
  ) -> Int32 {
    let outOfMemory: Int32 = 12
    guard alignment <= Heap.header, let place = unsafe UnsafeMutableRawPointer(bitPattern: Heap.allocate(size)) else { return outOfMemory }
    unsafe result.pointee = place
    return 0
  }

  /// Takes memory back. The compiler keeps the name `free` for itself: the linker puts this in its place.
  @_cdecl("__wrap_free") public func release(_ place: UnsafeMutableRawPointer?) {
    if let place = unsafe place { Heap.release(UInt(bitPattern: place)) }
  }

  /// Random bytes.
  @_cdecl("arc4random_buf") public func fillWithRandomBytes(_ place: UnsafeMutableRawPointer, _ count: Int) {
    for index in 0..<count { unsafe place.storeBytes(of: UInt8(truncatingIfNeeded: random()), toByteOffset: index, as: UInt8.self) }
  }

  /// Compares bytes.
  @_cdecl("memcmp") public func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int32 {
    for index in 0..<count {
      let (one, other) = unsafe (left.load(fromByteOffset: index, as: UInt8.self), right.load(fromByteOffset: index, as: UInt8.self))
      if one != other { return Int32(one) - Int32(other) }
    }
    return 0
  }

  /// The product of two numbers of 128 bits, each in two halves, from products of 32 bits: larger ones would call this function.
  @_cdecl("__multi3") public func multiply(
    _ result: UnsafeMutablePointer<UInt64>, _ low: UInt64, _ high: UInt64, _ otherLow: UInt64, _ otherHigh: UInt64
  ) {
    let mask: UInt64 = 0xFFFF_FFFF
    let (upper, lower) = (low >> 32, low & mask)
    let (otherUpper, otherLower) = (otherLow >> 32, otherLow & mask)
    let first = lower &* otherLower
    let second = upper &* otherLower &+ (first >> 32)
    let third = lower &* otherUpper &+ (second & mask)
    unsafe result[0] = (third << 32) | (first & mask)
    unsafe result[1] = upper &* otherUpper &+ (second >> 32) &+ (third >> 32) &+ low &* otherHigh &+ high &* otherLow
  }
#endif

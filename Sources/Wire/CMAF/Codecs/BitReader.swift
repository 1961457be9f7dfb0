import Basics

/// Reads the bit fields of configurations of codecs, front to back.
struct BitReader {
  private let bytes: [UInt8]
  private let baseOffset: Int
  private var position = 0

  /// The maximum number of bytes that are read. Configurations are far smaller.
  private static let largest = 65_535

  init(_ bytes: Span<UInt8>, baseOffset: Int) {
    self.bytes = [UInt8](copying: bytes.extracting(first: Self.largest))
    self.baseOffset = baseOffset
  }

  /// The number of bits left.
  var remaining: Int { bytes.count * 8 - position }

  func error(_ reason: String) -> ParseError { ParseError(.invalid(reason), at: baseOffset + position / 8) }

  /// Reads an unsigned integer of up to 64 bits.
  mutating func read(_ count: Int) throws(ParseError) -> UInt64 {
    try require(count)
    var value: UInt64 = 0
    for _ in 0..<count {
      value = value << 1 | UInt64(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
      position += 1
    }
    return value
  }

  mutating func readFlag() throws(ParseError) -> Bool { try read(1) == 1 }

  mutating func readUInt8(_ count: Int = 8) throws(ParseError) -> UInt8 { UInt8(truncatingIfNeeded: try read(count)) }

  /// Reads an ue(v) (ISO/IEC 14496-10, 9.1), at most 2^32 - 2.
  ///
  /// - Parameter limit: The largest value that is allowed.
  mutating func readExponentialGolomb(atMost limit: Int? = nil) throws(ParseError) -> Int {
    var zeros = 0
    while try !readFlag() {
      zeros += 1
      guard zeros < 32 else { throw error("a number of more than 32 bits") }
    }
    let value = (UInt64(1) << UInt64(zeros)) - 1 + (try read(zeros))
    // The value may not fit an Int of 32 bits.
    guard let number = Int(exactly: value), number <= limit ?? .max else { throw error("\(value) is not allowed") }
    return number
  }

  /// Reads an se(v) (ISO/IEC 14496-10, 9.1.1).
  mutating func readSignedExponentialGolomb() throws(ParseError) -> Int {
    let value = try readExponentialGolomb()
    return value % 2 == 0 ? -(value / 2) : value / 2 + 1
  }

  mutating func skip(_ count: Int) throws(ParseError) {
    try require(count)
    position += count
  }

  private func require(_ count: Int) throws(ParseError) {
    guard count <= remaining else {
      throw ParseError(.truncated(needed: (count + 7) / 8, available: max(0, remaining / 8)), at: baseOffset + position / 8)
    }
  }
}

import Basics

/// Reads the bit fields of parameter sets and audio configurations, front to back.
struct BitReader {
  private let bytes: [UInt8]
  private let baseOffset: Int
  private var position = 0

  /// Parameter sets are far smaller.
  private static let largestUnit = 65_535

  init(_ bytes: Span<UInt8>, baseOffset: Int) {
    self.bytes = [UInt8](copying: bytes.extracting(first: Self.largestUnit))
    self.baseOffset = baseOffset
  }

  /// Over a NAL unit, whose emulation prevention bytes (00 00 **03**) are left out; offsets in errors do not count them.
  init(nalUnit: Span<UInt8>, baseOffset: Int) {
    var bytes: [UInt8] = []
    var zeros = 0
    for index in nalUnit.indices.prefix(Self.largestUnit) {
      let byte = nalUnit[index]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
    self.baseOffset = baseOffset
  }

  /// How many bits are left.
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

  mutating func skip(_ count: Int) throws(ParseError) {
    try require(count)
    position += count
  }

  /// An Exp-Golomb code, ue(v) (ISO/IEC 14496-10, 9.1): below 2^32.
  mutating func readUnsigned() throws(ParseError) -> UInt64 {
    var zeros = 0
    while try !readFlag() {
      zeros += 1
      guard zeros < 32 else { throw error("Exp-Golomb code of more than 32 bits") }
    }
    return (1 << UInt64(zeros)) - 1 + (try read(zeros))
  }

  /// A signed Exp-Golomb code, se(v) (ISO/IEC 14496-10, 9.1.1).
  mutating func readSigned() throws(ParseError) -> Int64 {
    let code = try readUnsigned()
    let magnitude = Int64(truncatingIfNeeded: (code + 1) / 2)
    return code % 2 == 1 ? magnitude : -magnitude
  }

  private func require(_ count: Int) throws(ParseError) {
    guard count <= remaining else {
      throw ParseError(.truncated(needed: (count + 7) / 8, available: max(0, remaining / 8)), at: baseOffset + position / 8)
    }
  }
}

/// An integer in upper-case hexadecimal digits, with zeros in front up to `width`.
func hexadecimal(_ value: some BinaryInteger, width: Int = 1) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

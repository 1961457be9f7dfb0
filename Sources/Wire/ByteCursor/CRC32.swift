/// CRC-32/MPEG-2: polynomial 0x04C11DB7, initial value 0xFFFFFFFF, nothing reflected, nothing inverted.
///
/// Sections of MPEG-TS end with it (ISO/IEC 13818-1, Annex A), so that the CRC over a whole section is 0.
public struct CRC32MPEG2: Equatable, Sendable {
  /// The CRC of the bytes so far.
  public private(set) var value: UInt32 = 0xFFFF_FFFF

  /// Starts with no bytes.
  public init() {}

  /// The CRC of `bytes`.
  public static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var crc = CRC32MPEG2()
    crc.update(bytes)
    return crc.value
  }

  /// The CRC of the UTF-8 bytes of `text`.
  public static func checksum(_ text: String) -> UInt32 {
    var crc = CRC32MPEG2()
    for byte in text.utf8 { crc.update(byte) }
    return crc.value
  }

  /// Takes in one more byte.
  public mutating func update(_ byte: UInt8) {
    value = value << 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: value >> 24) ^ byte)]
  }

  /// Takes in more bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    for index in bytes.indices { update(bytes[index]) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index) << 24
    for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
    return value
  }
}

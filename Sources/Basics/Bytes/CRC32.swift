/// CRC-32/MPEG-2: polynomial 0x04C11DB7, initial value 0xFFFFFFFF, nothing reflected, nothing inverted.
///
/// Sections of MPEG-TS end with it (ISO/IEC 13818-1, Annex A), so that the CRC over a whole section is 0.
package struct CRC32MPEG2: Equatable, Sendable {
  /// The CRC of the bytes so far.
  package private(set) var value: UInt32 = 0xFFFF_FFFF

  /// Starts with no bytes.
  package init() {}

  /// The CRC of `bytes`.
  package static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var crc = CRC32MPEG2()
    crc.update(bytes)
    return crc.value
  }

  /// The CRC of the UTF-8 bytes of `text`.
  package static func checksum(_ text: String) -> UInt32 { text.withBytes { checksum($0) } }

  /// Adds one byte.
  package mutating func update(_ byte: UInt8) {
    value = value << 8 ^ Self.tables[Int(UInt8(truncatingIfNeeded: value >> 24) ^ byte)]
  }

  /// Adds bytes, sixteen at a time: each goes through the table for its distance from the end of the sixteen.
  package mutating func update(_ bytes: Span<UInt8>) {
    let tables = Self.tables
    var crc = value
    var index = 0
    while bytes.count - index >= Self.width {
      var next: UInt32 = 0
      for offset in 0..<4 {
        let mixed = UInt8(truncatingIfNeeded: crc >> UInt32(24 - 8 * offset)) ^ bytes[index + offset]
        next ^= tables[(Self.width - 1 - offset) << 8 | Int(mixed)]
      }
      for offset in 4..<Self.width { next ^= tables[(Self.width - 1 - offset) << 8 | Int(bytes[index + offset])] }
      crc = next
      index += Self.width
    }
    value = crc
    while index < bytes.count {
      update(bytes[index])
      index += 1
    }
  }

  private static let width = 16

  /// Sixteen tables of 256 values: how a byte changes the CRC when 0 to 15 bytes follow it.
  private static let tables: [UInt32] = {
    var tables = (0..<256).map { index in
      var value = UInt32(index) << 24
      for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
      return value
    }
    for index in 256..<width * 256 {
      let value = tables[index - 256]
      tables.append(value << 8 ^ tables[Int(value >> 24)])
    }
    return tables
  }()
}

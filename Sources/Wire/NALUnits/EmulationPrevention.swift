/// Undoes the emulation prevention of NAL units: a byte 3 after two zero bytes, so that no three bytes look like a start code (ISO/IEC 14496-10, 7.4.1).
package enum EmulationPrevention {
  /// The bytes without those that the encoder inserted.
  package static func removed(from bytes: Span<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var zeros = 0
    for index in bytes.indices {
      let byte = bytes[index]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      plain.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return plain
  }
}

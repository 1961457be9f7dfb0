/// The 16 bytes of parity after a packet in a stride of 204 bytes: RS(204, 188), the code of 255 and 239 bytes shortened by leading zeros
/// (ETSI EN 300 421, 4.4.2; ITU-T J.83, annex A). The field's polynomial is 0x11D, the generator's roots are the powers 0 to 15 of 2.
public enum ReedSolomonParity {
  /// The number of parity bytes of a packet.
  public static let size = 16

  /// The parity of a packet.
  public static func parity(of packet: Span<UInt8>) -> [UInt8] {
    var remainder = [UInt8](repeating: 0, count: size)
    for index in packet.indices {
      let row = Int(packet[index] ^ remainder[0]) * size
      for place in 0..<size - 1 { remainder[place] = remainder[place + 1] ^ products[row + place] }
      remainder[size - 1] = products[row + size - 1]
    }
    return remainder
  }

  /// Each byte times each of the generator's coefficients, that of the highest power below the leading one first.
  private static let products: [UInt8] = {
    var generator = [UInt8](repeating: 0, count: size) + [1]
    var root: UInt8 = 1
    // Lowest power first: multiplied by (x + root) for each root.
    for count in 0..<size {
      var next = [UInt8](repeating: 0, count: size + 1)
      for power in size - count...size { next[power - 1] = generator[power] }
      for power in size - count...size { next[power] ^= multiply(generator[power], root) }
      generator = next
      root = multiply(root, 2)
    }
    return (0..<256).flatMap { byte in generator[1...].map { multiply(UInt8(byte), $0) } }
  }()

  private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (product, factor, rest): (UInt8, UInt8, UInt8) = (0, left, right)
    while rest > 0 {
      if rest & 1 != 0 { product ^= factor }
      factor = factor << 1 ^ (factor & 0x80 != 0 ? 0x1D : 0)
      rest >>= 1
    }
    return product
  }
}

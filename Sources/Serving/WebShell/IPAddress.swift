import Basics
import Files

/// An IPv4 address, or an IPv6 address in its text form (RFC 4291, 2.2).
package struct IPAddress: Hashable, Sendable {
  /// Four bytes, or sixteen. An IPv4-mapped IPv6 address is stored as the IPv4 address.
  package let bytes: [UInt8]

  /// Reads an address; `nil` if the text is not one.
  package init?(_ text: String) {
    // A zone names the link of this machine on which the address is valid.
    guard let bytes = NetworkAddresses.bytes(of: String(text.prefix { $0 != "%" })) else { return nil }
    // An IPv4 address that is written as one of IPv6 is the same address.
    self.bytes = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] ? Array(bytes.suffix(4)) : bytes
  }

  /// Whether a text is a loopback address.
  package static func isLoopback(_ text: String) -> Bool {
    guard let bytes = IPAddress(text)?.bytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// The part that the addresses of one place share: the address itself, or the first 64 bits of an IPv6 address, since one customer of a network has
  /// at least these and may choose any address in them. A text that is not an address stands for itself.
  package static func place(of text: String) -> String {
    guard let address = IPAddress(text), address.bytes.count == 16 else { return text }
    return address.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
  }
}

/// A network: the addresses with a common prefix.
struct IPNetwork: Sendable {
  private let address: IPAddress
  /// The number of bits in the prefix.
  private let length: Int

  /// Reads an address, or a network such as `10.0.0.0/8`; `nil` if the text is neither.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
    let most = address.bytes.count * 8
    guard parts.count == 2 else {
      (self.address, length) = (address, most)
      return
    }
    guard parts[1].utf8.allSatisfy(\.isASCIIDigit), let length = Int(parts[1]), (0...most).contains(length) else { return nil }
    (self.address, self.length) = (address, length)
  }

  func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
      let bits = min(max(length - index * 8, 0), 8)
      return (pair.0 ^ pair.1) >> (8 - bits) == 0
    }
  }
}

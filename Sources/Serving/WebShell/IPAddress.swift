import Basics

/// An IPv4 address, or an IPv6 address in its text form (RFC 4291, 2.2).
package struct IPAddress: Hashable, Sendable {
  /// Four bytes, or sixteen. An IPv4-mapped IPv6 address is stored as the IPv4 address.
  package let bytes: [UInt8]

  /// Reads an address; `nil` if the text is not one.
  package init?(_ text: String) {
    // A zone names the link of this machine on which the address is valid.
    let address = text.prefix { $0 != "%" }
    if let bytes = Self.four(address) {
      self.bytes = bytes
      return
    }
    let halves = address.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2, let head = Self.groups(halves[0], isLast: halves.count == 1) else { return nil }
    guard halves.count == 2 else {
      guard head.count == 16 else { return nil }
      bytes = Self.unmapped(head)
      return
    }
    guard let tail = Self.groups(halves[1], isLast: true), head.count + tail.count <= 14 else { return nil }
    bytes = Self.unmapped(head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail)
  }

  private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] ? Array(bytes.suffix(4)) : bytes
  }

  /// The bytes of groups of hexadecimal digits; the last ones may be written as an IPv4 address.
  private static func groups(_ text: Substring, isLast: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, group) in groups.enumerated() {
      if isLast, index == groups.count - 1, let four = four(group) {
        bytes += four
      } else {
        guard (1...4).contains(group.utf8.count), group.utf8.first != UInt8(ascii: "+"), let value = UInt16(group, radix: 16) else {
          return nil
        }
        bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
      }
    }
    return bytes
  }

  private static func four(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts.allSatisfy({ (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return nil }
    let bytes = parts.compactMap { UInt8($0) }
    return bytes.count == 4 ? bytes : nil
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

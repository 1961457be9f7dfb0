import LibC

/// The addresses under which other machines of the network reach this one.
///
/// Unsafe: throughout, C reads and writes structures that live for the length of the call, and frees its own lists.
package enum NetworkAddresses {
  /// The address on the interface that the default route goes through, otherwise the first one of any interface; `nil` without a network.
  package static var reachable: String? { routed ?? listed.first }

  /// An address for documentation (RFC 5737): nothing is ever sent there.
  private static let elsewhere = "192.0.2.1"
  /// The flags of interfaces, which not all systems declare as the same type.
  private static let (isUp, isLoopback): (UInt32, UInt32) = (0x1, 0x8)

  /// This machine's address on the default route. Connecting a datagram socket chooses the route, and sends nothing.
  private static var routed: String? {
    guard let target = DatagramSocket.lookUp(elsewhere, 9).first else { return nil }
    let descriptor = socket(AF_INET, DatagramSocket.datagrams, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let isRouted = unsafe target.withUnsafeBytes {
      // Unsafe: an address of the system, whose family says how long it is.
      unsafe connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
    }
    guard isRouted else { return nil }
    var own = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &own) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(descriptor, address, &length) == 0 ? text(address, length) : nil
      }
    }
  }

  /// The IPv4 addresses of all interfaces that are up, except loopback.
  package static var listed: [String] {
    // Unsafe: an interface and its address, which are read at once.
    unsafe interfaces { entry, address in
      let flags = unsafe UInt32(entry.ifa_flags)
      guard flags & isUp != 0, flags & isLoopback == 0, unsafe Int32(address.pointee.sa_family) == AF_INET else { return nil }
      return unsafe text(address, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }

  /// The number of the interface that has an address; `nil` if none has it.
  static func interfaceNumber(of address: String) -> UInt32? {
    // Unsafe: an interface and its address, which are read at once.
    unsafe interfaces { entry, own -> UInt32? in
      guard let length = unsafe lengths[Int32(own.pointee.sa_family)], unsafe text(own, length) == address else { return nil }
      return unsafe if_nametoindex(entry.ifa_name)
    }.first
  }

  /// What `body` returns for the addresses of all interfaces.
  private static func interfaces<Found>(_ body: (ifaddrs, UnsafePointer<sockaddr>) -> Found?) -> [Found] {
    // The list lives until the function returns, and each address has the length of its family. Unsafe: both are C's.
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var found: [Found] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      if let address = unsafe entry.ifa_addr, let one = unsafe body(entry, address) { found.append(one) }
    }
    return found
  }

  /// The bytes of an address in numbers, 4 or 16; `nil` for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: length)
      // An address of the family has this length.
      if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  /// The lengths of addresses, by their families.
  private static let lengths = [
    Int32(AF_INET): socklen_t(MemoryLayout<sockaddr_in>.size), Int32(AF_INET6): socklen_t(MemoryLayout<sockaddr_in6>.size),
  ]

  /// An address in numbers.
  static func text(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
    var name = [CChar](repeating: 0, count: 64)
    guard unsafe getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

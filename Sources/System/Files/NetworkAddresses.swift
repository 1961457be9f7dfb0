import LibC

/// The addresses under which other machines of the network reach this one.
///
/// Unsafe: throughout, C reads and writes structures that live for the length of the call, and frees its own lists.
package enum NetworkAddresses {
  /// The address on the interface that the default route goes through, otherwise the first one of any interface; `nil` without a network.
  package static var reachable: String? { routed ?? listed.first }

  /// An address for documentation (RFC 5737): nothing is ever sent there.
  private static let elsewhere = "192.0.2.1"
  /// The type of a datagram socket, which not all systems declare as the same type.
  private static let datagrams: Int32 = 2
  /// The flags of interfaces, likewise.
  private static let (isUp, isLoopback): (UInt32, UInt32) = (0x1, 0x8)

  /// This machine's address on the default route. Connecting a datagram socket chooses the route, and sends nothing.
  private static var routed: String? {
    // The list of addresses lives until the function returns, and the address within its storage as long as the call that reads it.
    var hints = unsafe addrinfo()
    unsafe (hints.ai_family, hints.ai_socktype, hints.ai_flags) = (AF_INET, datagrams, AI_NUMERICHOST)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(elsewhere, "9", &hints, &found) == 0, let target = unsafe found else { return nil }
    defer { unsafe freeaddrinfo(target) }
    let descriptor = socket(AF_INET, datagrams, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard unsafe connect(descriptor, target.pointee.ai_addr, target.pointee.ai_addrlen) == 0 else { return nil }
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
    // The list lives until the function returns, and each entry has an address of the family that it names.
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    var texts: [String] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      let flags = unsafe UInt32(entry.ifa_flags)
      guard flags & isUp != 0, flags & isLoopback == 0, let address = unsafe entry.ifa_addr,
        unsafe Int32(address.pointee.sa_family) == AF_INET
      else { continue }
      if let text = unsafe text(address, socklen_t(MemoryLayout<sockaddr_in>.size)) { texts.append(text) }
    }
    return texts
  }

  /// The number of the interface that has an address; `nil` if none has it.
  static func interfaceNumber(of address: String) -> UInt32? {
    // The list lives until the function returns, and each address has the length of its family. Unsafe: both are C's.
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return nil }
    defer { unsafe freeifaddrs(first) }
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      guard let own = unsafe entry.ifa_addr, let length = unsafe lengths[Int32(own.pointee.sa_family)] else { continue }
      if unsafe text(own, length) == address { return unsafe if_nametoindex(entry.ifa_name) }
    }
    return nil
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

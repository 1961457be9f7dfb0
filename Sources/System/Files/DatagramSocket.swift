// Unsafe: throughout, C reads and writes structures that live for the length of the call, and frees its own lists.

import LibC

/// Why datagrams cannot be received.
package struct DatagramError: Error, Equatable, Sendable, CustomStringConvertible {
  package var description: String

  /// An error with its reason in words.
  package init(description: String) { self.description = description }
}

/// Where datagrams are received, from an address `udp://HOST:PORT?OPTION=VALUE`, or `rtp://` with the same options.
package struct DatagramAddress: Equatable, Sendable {
  /// A multicast group, an address of this machine, or empty for all of its addresses.
  package var host: String
  package var port: UInt16
  /// Whether the datagrams are packets of RTP (RFC 3550).
  package var isRTP = false
  /// The only accepted sender: an address with an optional port; `nil` for the first one that sends.
  package var source: String?
  /// The senders of a multicast group whose datagrams the network delivers (RFC 4607); empty for all.
  package var groupSources: [String] = []
  /// The address of the interface on which a group is joined; `nil` for the system's choice.
  package var interface: String?
  /// Whether other programs may listen on the same port.
  package var isShared = false
  /// The size of the system's buffer in bytes; `nil` for ours.
  package var bufferSize: Int32?

  /// Parses an address; `nil` if it is not valid.
  ///
  /// The options are those of libavformat's `udp`, some of which have no effect here, and `source`.
  package init?(_ text: String) {
    isRTP = text.utf8.starts(with: "rtp://".utf8)
    guard isRTP || text.utf8.starts(with: "udp://".utf8) else { return nil }
    let rest = text.dropFirst(6)
    let place = rest.prefix { $0 != "?" && $0 != "/" }
    guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]), port > 0 else { return nil }
    var host = place[..<colon]
    if host.hasPrefix("@") { host = host.dropFirst() }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    (self.host, self.port) = (String(host), port)
    guard let question = rest.firstIndex(of: "?") else { return }
    for option in rest[rest.index(after: question)...].split(separator: "&") {
      let name = option.prefix { $0 != "=" }
      let value = String(option.dropFirst(name.count + 1))
      switch name {
      case "source": source = value.isEmpty ? nil : value
      case "sources": groupSources = value.split(separator: ",").map(String.init)
      case "localaddr": interface = value
      case "reuse", "reuse_socket": isShared = value != "0"
      case "buffer_size": bufferSize = Int32(value)
      default: break
      }
    }
  }
}

/// A socket that receives datagrams, on one thread at a time.
package final class DatagramSocket: Sendable {
  /// The sender of a datagram.
  package struct Sender: Hashable, Sendable {
    /// The address as the system represents it.
    fileprivate let bytes: [UInt8]
  }

  /// A datagram.
  package struct Datagram: Sendable {
    package var sender: Sender
    /// Which socket has received it: 0 for this one, and from 1 on for the others.
    package var socket = 0
    package var bytes: [UInt8]
  }

  /// Whether it listens on all addresses because the given one is not one of this machine.
  package let listensOnAll: Bool
  private let descriptor: Int32
  /// The ends of a pipe: a byte in it ends the wait.
  private let (alarm, bell): (Int32, Int32)

  /// The types of sockets, which not all systems declare as the same type.
  static let datagrams: Int32 = 2
  /// The size of the system's buffer that is requested. The system may provide less.
  private static let bufferSize: Int32 = 4 << 20
  /// The maximum number of datagrams that are received at once.
  private static let mostDatagrams = 64
  /// The maximum size of a datagram in bytes.
  package static let largestDatagram = 65_536

  /// Begins to receive.
  ///
  /// - Throws: `DatagramError` if the address is not known, or is in use.
  package init(_ address: DatagramAddress) throws(DatagramError) {
    guard let place = Self.lookUp(address.host, address.port).first else {
      throw DatagramError(description: "\(address.host) is neither an address nor a known name")
    }
    var (opened, isAnywhere) = (Self.open(place, address), false)
    // An address of another machine may be the sender's. Then listen on all addresses of this machine.
    if case .failure(SystemFailure(code: EADDRNOTAVAIL)) = opened, !Self.isGroup(place),
      let all = Self.lookUp("", address.port, Self.family(place)).first
    {
      (opened, isAnywhere) = (Self.open(all, address), true)
    }
    switch opened {
    case .failure(let failure): throw Self.failure("\(address.host):\(address.port)", failure.code)
    case .success(let socket):
      guard let pipe = Self.makePipe() else {
        defer { close(socket) }
        throw Self.failure("a pipe", errno)
      }
      (descriptor, listensOnAll) = (socket, isAnywhere)
      (alarm, bell) = pipe
    }
  }

  deinit {
    close(descriptor)
    close(alarm)
    close(bell)
  }

  private static func failure(_ place: String, _ code: Int32) -> DatagramError {
    DatagramError(description: "cannot receive at \(place): \(unsafe String(cString: strerror(code)))")
  }

  private static func makePipe() -> (Int32, Int32)? {
    var ends: [Int32] = [0, 0]
    return unsafe pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
  }

  /// The addresses of a name, as the system represents them.
  ///
  /// - Parameters:
  ///   - host: Empty for all addresses of this machine.
  ///   - family: `AF_INET`, `AF_INET6`, or `AF_UNSPEC` for both.
  static func lookUp(_ host: String, _ port: UInt16, _ family: Int32 = AF_UNSPEC) -> [[UInt8]] {
    var hints = unsafe addrinfo()
    let isAny = host.isEmpty && family == AF_UNSPEC
    unsafe (hints.ai_family, hints.ai_socktype, hints.ai_flags) = (isAny ? AF_INET : family, datagrams, AI_PASSIVE)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &found) == 0, let list = unsafe found else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [[UInt8]] = []
    var next: UnsafeMutablePointer<addrinfo>? = unsafe list
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ai_next
      if let address = unsafe entry.ai_addr {
        addresses.append(unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))))
      }
    }
    return addresses
  }

  private static func family(_ place: [UInt8]) -> Int32 {
    unsafe place.withUnsafeBytes { unsafe Int32($0.loadUnaligned(as: sockaddr.self).sa_family) }
  }

  private static func open(_ place: [UInt8], _ address: DatagramAddress) -> Result<Int32, SystemFailure> {
    let family = family(place)
    let descriptor = socket(family, datagrams, 0)
    guard descriptor >= 0 else { return .failure(SystemFailure(code: errno)) }
    func give(_ option: Int32, _ value: Int32) {
      var value = value
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    let isGroup = isGroup(place)
    if address.isShared || isGroup { give(SO_REUSEADDR, 1) }
    give(SO_RCVBUF, address.bufferSize ?? bufferSize)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let isBound = unsafe place.withUnsafeBytes {
      // Unsafe: an address of the system, whose family says how long it is.
      unsafe bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
    }
    guard isBound, !isGroup || join(descriptor, place, family, address) else {
      defer { close(descriptor) }
      return .failure(SystemFailure(code: errno))
    }
    return .success(descriptor)
  }

  /// Whether an address is that of a group: 224.0.0.0/4, or ff00::/8.
  private static func isGroup(_ place: [UInt8]) -> Bool {
    let family = family(place)
    if family == AF_INET { return place.count > 4 && place[4] & 0xF0 == 0xE0 }
    return family == AF_INET6 && place.count > 8 && place[8] == 0xFF
  }

  /// Joins a multicast group, for the requested senders (RFC 3678).
  private static func join(_ descriptor: Int32, _ group: [UInt8], _ family: Int32, _ address: DatagramAddress) -> Bool {
    let level = family == AF_INET ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6)
    let interface = address.interface.flatMap { NetworkAddresses.interfaceNumber(of: $0) } ?? 0
    guard !address.groupSources.isEmpty else {
      var request = group_req()
      request.gr_interface = interface
      unsafe withUnsafeMutableBytes(of: &request.gr_group) { unsafe $0.copyBytes(from: group.prefix($0.count)) }
      return unsafe setsockopt(descriptor, level, Int32(MCAST_JOIN_GROUP), &request, socklen_t(MemoryLayout<group_req>.size)) == 0
    }
    return address.groupSources.allSatisfy { name in
      guard let source = lookUp(name, 0, family).first else {
        errno = EINVAL
        return false
      }
      var request = group_source_req()
      request.gsr_interface = interface
      unsafe withUnsafeMutableBytes(of: &request.gsr_group) { unsafe $0.copyBytes(from: group.prefix($0.count)) }
      unsafe withUnsafeMutableBytes(of: &request.gsr_source) { unsafe $0.copyBytes(from: source.prefix($0.count)) }
      let size = socklen_t(MemoryLayout<group_source_req>.size)
      return unsafe setsockopt(descriptor, level, Int32(MCAST_JOIN_SOURCE_GROUP), &request, size) == 0
    }
  }

  /// Waits for datagrams.
  ///
  /// - Parameters:
  ///   - buffer: Memory of ``largestDatagram`` bytes, which the caller reuses for each call.
  ///   - instant: Until when it waits; `nil` for no such instant.
  ///   - others: Other sockets, which this thread receives from as well.
  /// - Returns: The datagrams that have arrived; none if it waited in vain, `nil` once ``interrupt()`` was called.
  /// - Throws: `DatagramError` if the system cannot receive.
  package func receive(
    using buffer: inout [UInt8], until instant: ContinuousClock.Instant? = nil, besides others: [DatagramSocket] = []
  ) throws(DatagramError) -> [Datagram]? {
    var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: alarm, events: Int16(POLLIN), revents: 0)]
    entries += others.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while unsafe poll(&entries, nfds_t(entries.count), Self.milliseconds(until: instant)) < 0 {
      guard errno == EINTR else { throw Self.failure("the socket", errno) }
    }
    guard entries[1].revents == 0 else { return nil }
    var received = try receiveWaiting(using: &buffer)
    for (index, other) in others.enumerated() {
      received += try other.receiveWaiting(using: &buffer).map { datagram in
        var datagram = datagram
        datagram.socket = index + 1
        return datagram
      }
    }
    return received
  }

  /// The datagrams that wait, at most ``mostDatagrams``.
  private func receiveWaiting(using buffer: inout [UInt8]) throws(DatagramError) -> [Datagram] {
    var received: [Datagram] = []
    while received.count < Self.mostDatagrams {
      var sender = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
      var length = socklen_t(sender.count)
      let count = unsafe sender.withUnsafeMutableBytes { place in
        // Unsafe: C writes at most as many bytes as the arrays have.
        unsafe recvfrom(
          descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT), place.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
      }
      guard count >= 0 else {
        // No more datagrams are waiting.
        guard errno == EAGAIN || errno == EINTR else { throw Self.failure("the socket", errno) }
        break
      }
      received.append(Datagram(sender: Sender(bytes: Array(sender.prefix(Int(length)))), bytes: Array(buffer[..<count])))
    }
    return received
  }

  /// How long to wait, rounded up; -1 for ever.
  private static func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
    guard let instant else { return -1 }
    let (seconds, rest) = max(instant - .now, .zero).components
    return seconds >= 3_600 ? 3_600_000 : Int32(seconds * 1_000 + (rest + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Makes the current or next call of ``receive(using:)`` return `nil`.
  package func interrupt() {
    var byte: UInt8 = 0
    _ = unsafe write(bell, &byte, 1)
  }
}

extension DatagramSocket.Sender: CustomStringConvertible {
  /// The address in numbers, with its port.
  package var description: String { (address.contains(":") ? "[\(address)]" : address) + ":\(port)" }

  /// The address in numbers.
  package var address: String {
    unsafe bytes.withUnsafeBytes { bytes in
      // Unsafe: an address of the system, whose family says how long it is.
      unsafe bytes.baseAddress.flatMap {
        unsafe NetworkAddresses.text($0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      } ?? "?"
    }
  }

  /// The port, which follows the family in addresses of IPv4 and IPv6.
  package var port: UInt16 { bytes.count > 3 ? UInt16(bytes[2]) << 8 | UInt16(bytes[3]) : 0 }
}

extension DatagramSocket.Sender {
  /// The bytes of the address alone: four, or sixteen of IPv6. An IPv4 address that a socket of IPv6 reports has four as well (RFC 4291, 2.5.5.2).
  fileprivate var host: [UInt8] {
    guard bytes.count >= 24 else { return bytes.count >= 8 ? Array(bytes[4..<8]) : [] }
    let address = Array(bytes[8..<24])
    return address.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) ? Array(address.suffix(4)) : address
  }
}

/// A sender that the user names: an address or a name, with an optional port.
package struct DatagramSender: Sendable {
  private let hosts: Set<[UInt8]>
  private let port: UInt16?

  /// Resolves a sender.
  ///
  /// - Parameter text: `HOST`, `HOST:PORT` or `[HOST]:PORT`.
  /// - Throws: `DatagramError` if no address is found.
  package init(_ text: String) throws(DatagramError) {
    var (host, port) = (text, UInt16?.none)
    // More than one colon is an address of IPv6 without a port.
    if let colon = text.lastIndex(of: ":"), text.hasPrefix("[") || text.firstIndex(of: ":") == colon {
      (host, port) = (String(text[..<colon]), UInt16(text[text.index(after: colon)...]))
      if text.hasPrefix("["), text.hasSuffix("]") { (host, port) = (text, nil) }
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    hosts = Set(host.isEmpty ? [] : DatagramSocket.lookUp(host, 0).map { DatagramSocket.Sender(bytes: $0).host })
    self.port = port
    guard !hosts.isEmpty else { throw DatagramError(description: "\(text) is neither an address nor a known name") }
  }

  /// Whether this is the sender.
  package func `is`(_ sender: DatagramSocket.Sender) -> Bool { hosts.contains(sender.host) && port.map { $0 == sender.port } ?? true }
}

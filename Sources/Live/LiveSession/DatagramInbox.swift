import Files

/// Receives a transport stream by UDP, or by RTP over UDP, on a thread of its own, so that the system's small buffer does not overflow while segments are written.
final class DatagramInbox: Sendable {
  /// What is received, in order.
  enum Item: Equatable, Sendable {
    /// Packets of a transport stream.
    case packets([UInt8])
    /// Another sender begins.
    case begin
    /// A number of datagrams of other senders, which are ignored.
    case ignored(Int)
    /// What the sequence numbers of RTP say.
    case order(RTPOrder.Counts)
    /// A message for the operator.
    case notice(String)
    /// Nothing more can be received, for this reason.
    case failure(String)
  }

  private let address: DatagramAddress
  /// The only sender that is accepted; `nil` for the first one.
  private let named: DatagramSender?
  private let socket: DatagramSocket
  /// The sockets of the parity packets of columns and rows (SMPTE ST 2022-1), if their ports are free.
  private let paritySockets: [DatagramSocket]
  private let items = JobQueue<Item> { if case .packets(let bytes) = $0 { bytes.count } else { 0 } }

  /// The maximum number of waiting bytes, 25 s at 20 Mbit/s. Further datagrams are lost, as they would be on the network.
  private static let mostWaiting = 64 << 20

  /// Begins to receive.
  ///
  /// - Throws: `DatagramError`.
  init(_ address: DatagramAddress) throws(DatagramError) {
    self.address = address
    named = try address.source.map { (name) throws(DatagramError) in try DatagramSender(name) }
    socket = try DatagramSocket(address)
    paritySockets = address.isRTP ? Self.parityPorts.compactMap { Self.socket(address, portsLater: $0) } : []
    if socket.listensOnAll {
      items.add(.notice("\(address.host) is no address of this machine: datagrams to port \(address.port) of any address are accepted"))
    }
    _ = Worker("datagrams") { [self] in receive() }
  }

  /// How many ports after that of the stream the parity packets of columns and rows come (SMPTE ST 2022-1, 8.1).
  private static let parityPorts: [UInt16] = [2, 4]

  private static func socket(_ address: DatagramAddress, portsLater count: UInt16) -> DatagramSocket? {
    var other = address
    let (port, isTooHigh) = address.port.addingReportingOverflow(count)
    guard !isTooHigh else { return nil }
    other.port = port
    return try? DatagramSocket(other)
  }

  /// All items that wait; `nil` at the end. It waits for the first one.
  func take() -> [Item]? { items.take() }

  func close() {
    socket.interrupt()
    items.close()
  }

  private func receive() {
    var source = DatagramSource<DatagramSocket.Sender>()
    var buffer = [UInt8](repeating: 0, count: DatagramSocket.largestDatagram)
    var stream = RTPStream()
    do throws(DatagramError) {
      while let datagrams = try socket.receive(using: &buffer, until: stream.order.nextMoment, besides: paritySockets) {
        let now = ContinuousClock.now
        var packets: [UInt8] = []
        var ignoredCount = 0
        for datagram in datagrams {
          if datagram.socket > 0 {
            add(stream.push(parity: datagram, at: now), to: &packets)
            continue
          }
          switch source.judge(datagram.sender, isAllowed: named?.is(datagram.sender) ?? true, at: now) {
          case .ignored:
            ignoredCount += 1
            continue
          case .begins:
            add(stream.begin(datagram.sender), to: &packets)
            pass(&packets)
            items.add(.begin)
            items.add(.notice("the stream comes from \(datagram.sender)"))
          case .taken: break
          }
          if address.isRTP {
            add(stream.push(datagram, at: now), to: &packets)
          } else {
            packets += RTPHeader.payload(of: datagram.bytes)
          }
        }
        add(stream.order.release(at: now), to: &packets)
        pass(&packets)
        report(&stream, at: now)
        if ignoredCount > 0 { items.add(.ignored(ignoredCount)) }
        if let (count, senders) = source.takeIgnored(at: now) {
          let names = senders.map { "\($0)" }.sorted().prefix(3).joined(separator: ", ")
          let reason = named == nil ? "another sender has the stream" : "\(address.source ?? "") is to send the stream"
          items.add(.notice("\(count) datagrams of \(names) are ignored: \(reason)"))
        }
      }
    } catch {
      items.add(.failure("\(error)"))
    }
    items.close()
  }

  private func report(_ stream: inout RTPStream, at now: ContinuousClock.Instant) {
    let counts = stream.order.takeCounts()
    if counts != RTPOrder.Counts() { items.add(.order(counts)) }
    guard let (count, _) = stream.others.take(at: now) else { return }
    items.add(.notice("\(count) datagrams are no transport stream in RTP, and are left out; udp:// takes packets without a header of RTP"))
  }

  /// Adds packets in the order of their sequence numbers. Another run of the sender begins like another sender.
  private func add(_ outputs: [RTPOrder.Output], to packets: inout [UInt8]) {
    for output in outputs {
      switch output {
      case .payload(let bytes): packets += bytes
      case .restart:
        pass(&packets)
        items.add(.begin)
        items.add(.notice("the sender has begun anew"))
      }
    }
  }

  private func pass(_ packets: inout [UInt8]) {
    if !packets.isEmpty, items.cost < Self.mostWaiting { items.add(.packets(packets)) }
    packets = []
  }
}

/// A stream of RTP: its order, and what is computed from parity packets.
private struct RTPStream: Sendable {
  var order = RTPOrder()
  private var repair = RTPRepair()
  /// The address of the sender, which the parity packets come from as well.
  private var address = ""
  /// Datagrams that are no transport stream in RTP.
  var others = Tally<Int>(mostNames: 0)

  /// How long packets wait for those before them if these may be computed: two matrices of 100 packets at 2 Mbit/s.
  private static let patience = Duration.seconds(1)

  /// Begins with another sender; returns what waits of the one before.
  mutating func begin(_ sender: DatagramSocket.Sender) -> [RTPOrder.Output] {
    (repair, address) = (RTPRepair(), sender.address)
    return order.reset()
  }

  mutating func push(_ datagram: DatagramSocket.Datagram, at now: ContinuousClock.Instant) -> [RTPOrder.Output] {
    guard let packet = RTPPacket(datagram.bytes), packet.hasTransportPackets else {
      others.add()
      return []
    }
    repair.push(packet)
    return order.push(packet, at: now)
  }

  mutating func push(parity datagram: DatagramSocket.Datagram, at now: ContinuousClock.Instant) -> [RTPOrder.Output] {
    guard datagram.sender.address == address, let packet = RTPPacket(datagram.bytes) else { return [] }
    order.patience = Self.patience
    return repair.push(parity: packet).flatMap { order.push(recovered: $0.sequence, $0.payload, at: now) }
  }
}

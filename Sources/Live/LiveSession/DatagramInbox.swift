import Files

/// Receives a transport stream by UDP on a thread of its own, so that the system's small buffer does not overflow while segments are written.
final class DatagramInbox: Sendable {
  /// What is received, in order.
  enum Item: Equatable, Sendable {
    /// Packets of a transport stream.
    case packets([UInt8])
    /// Another sender begins.
    case begin
    /// A number of datagrams of other senders, which are ignored.
    case ignored(Int)
    /// A message for the operator.
    case notice(String)
    /// Nothing more can be received, for this reason.
    case failure(String)
  }

  private let address: DatagramAddress
  /// The only sender that is accepted; `nil` for the first one.
  private let named: DatagramSender?
  private let socket: DatagramSocket
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
    if socket.listensOnAll {
      items.add(.notice("\(address.host) is no address of this machine: datagrams to port \(address.port) of any address are accepted"))
    }
    _ = Worker("datagrams") { [self] in receive() }
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
    do throws(DatagramError) {
      while let datagrams = try socket.receive(using: &buffer) {
        var packets: [UInt8] = []
        var ignoredCount = 0
        for datagram in datagrams {
          switch source.judge(datagram.sender, isAllowed: named?.is(datagram.sender) ?? true, at: .now) {
          case .ignored: ignoredCount += 1
          case .begins:
            pass(&packets)
            items.add(.begin)
            items.add(.notice("the stream comes from \(datagram.sender)"))
            packets += RTPHeader.payload(of: datagram.bytes)
          case .taken: packets += RTPHeader.payload(of: datagram.bytes)
          }
        }
        pass(&packets)
        if ignoredCount > 0 { items.add(.ignored(ignoredCount)) }
        if let (count, senders) = source.takeIgnored(at: .now) {
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

  private func pass(_ packets: inout [UInt8]) {
    if !packets.isEmpty, items.cost < Self.mostWaiting { items.add(.packets(packets)) }
    packets = []
  }
}

import Basics
import Files
import Synchronization
import TransportStream

/// Receives a transport stream by UDP on a thread of its own, so that the system's small buffer is emptied while segments are written.
final class DatagramInbox: Sendable {
  /// What comes, in order.
  enum Item: Equatable, Sendable {
    /// Packets of a transport stream.
    case packets([UInt8])
    /// Another sender begins.
    case begin
    /// Something that an operator should know.
    case notice(String)
    /// Nothing more can be received, for this reason.
    case failure(String)
  }

  private let address: DatagramAddress
  /// The only sender that is heard; `nil` for the first one.
  private let named: DatagramSender?
  private let socket: DatagramSocket
  private let items = JobQueue<Item>()
  private let waiting = Atomic<Int>(0)

  /// More bytes than this do not wait: datagrams are lost then, as they would be on the network. It is 25 s at 20 Mbit/s.
  private static let mostWaiting = 64 << 20

  /// Begins to receive.
  ///
  /// - Parameter leaveOut: Receives how many datagrams of other senders were left out.
  /// - Throws: `DatagramError`.
  init(_ address: DatagramAddress, leaveOut: @escaping @Sendable (Int) -> Void) throws(DatagramError) {
    self.address = address
    named = try address.source.map { (name) throws(DatagramError) in try DatagramSender(name) }
    socket = try DatagramSocket(address)
    if socket.listensOnAll {
      items.add(.notice("\(address.host) is no address of this machine: what comes on port \(address.port) of any address is taken"))
    }
    _ = Worker("datagrams") { [self] in receive(leaveOut) }
  }

  /// What has come; `nil` at the end. While there is nothing, it waits.
  func take() -> [Item]? {
    let taken = items.take()
    for case .packets(let bytes) in taken ?? [] { waiting.subtract(bytes.count, ordering: .relaxed) }
    return taken
  }

  /// Ends it.
  func close() {
    socket.interrupt()
    items.close()
  }

  private func receive(_ leaveOut: (Int) -> Void) {
    var source = DatagramSource<DatagramSocket.Sender>()
    var buffer = [UInt8](repeating: 0, count: DatagramSocket.largestDatagram)
    do throws(DatagramError) {
      while let datagrams = try socket.receive(using: &buffer) {
        var packets: [UInt8] = []
        var leftOut = 0
        for datagram in datagrams {
          switch source.judge(datagram.sender, isAllowed: named?.is(datagram.sender) ?? true, at: .now) {
          case .leftOut: leftOut += 1
          case .begins:
            pass(&packets)
            items.add(.begin)
            items.add(.notice("the stream comes from \(datagram.sender)"))
            packets += RTPHeader.payload(of: datagram.bytes)
          case .taken: packets += RTPHeader.payload(of: datagram.bytes)
          }
        }
        pass(&packets)
        if leftOut > 0 { leaveOut(leftOut) }
        if let (count, senders) = source.takeLeftOut(at: .now) {
          let names = senders.map { "\($0)" }.sorted().prefix(3).joined(separator: ", ")
          let reason = named == nil ? "another sender has the stream" : "\(address.source ?? "") is to send the stream"
          items.add(.notice("\(count) datagrams of \(names) are left out: \(reason)"))
        }
      }
    } catch {
      items.add(.failure("\(error)"))
    }
    items.close()
  }

  private func pass(_ packets: inout [UInt8]) {
    guard !packets.isEmpty, waiting.load(ordering: .relaxed) < Self.mostWaiting else { return packets = [] }
    waiting.add(packets.count, ordering: .relaxed)
    items.add(.packets(packets))
    packets = []
  }
}

/// The header in front of transport packets in a datagram of RTP (RFC 3550, 5.1; RFC 2250, 2).
enum RTPHeader {
  /// The packets of a datagram: what follows such a header, or all of it without one. Datagrams need not begin with a packet, so that only whole packets
  /// behind a header show that it is one.
  static func payload(of datagram: [UInt8]) -> ArraySlice<UInt8> {
    // RTP of version 2 begins with 80 to BF; 33 is the payload type of MPEG-2 transport streams.
    guard datagram.count >= 12, datagram[0] >> 6 == 2, datagram[1] & 0x7F == 33 else { return datagram[...] }
    var start = 12 + Int(datagram[0] & 0x0F) * 4
    if datagram[0] & 0x10 != 0 {
      guard datagram.count >= start + 4 else { return datagram[...] }
      start += 4 + (Int(datagram[start + 2]) << 8 | Int(datagram[start + 3])) * 4
    }
    let padding = datagram[0] & 0x20 != 0 ? Int(datagram[datagram.count - 1]) : 0
    let count = datagram.count - start - padding
    guard count > 0, count.isMultiple(of: TransportPacket.size), datagram[start] == TransportPacket.syncByte else { return datagram[...] }
    return datagram[start..<start + count]
  }
}

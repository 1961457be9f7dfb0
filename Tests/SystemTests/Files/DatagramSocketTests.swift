import Files
import LibAV
import Testing

/// Datagrams, from senders that the system tells apart.
@Suite struct DatagramSocketTests {
  @Test func addresses() throws {
    let plain = try #require(DatagramAddress("udp://0.0.0.0:5004"))
    #expect(plain.host == "0.0.0.0" && plain.port == 5_004 && plain.source == nil && !plain.isShared)
    let group = try #require(
      DatagramAddress(
        "udp://@239.1.2.3:1234?localaddr=10.0.0.1&sources=10.0.0.7,10.0.0.8&reuse=1&buffer_size=65536&fifo_size=99" + "&source=10.0.0.7"))
    #expect(group.host == "239.1.2.3" && group.interface == "10.0.0.1" && group.groupSources == ["10.0.0.7", "10.0.0.8"])
    #expect(group.isShared && group.bufferSize == 65_536 && group.source == "10.0.0.7")
    #expect(DatagramAddress("udp://[::1]:9/")?.host == "::1")
    #expect(DatagramAddress("udp://:9")?.host == "")
    for text in ["udp://host", "udp://host:", "udp://host:0", "udp://host:65536", "udp://host:-1", "srt://host:9", ""] {
      #expect(DatagramAddress(text) == nil, "\(text)")
    }
  }

  /// A socket at any port that is free.
  private func listen() throws -> (socket: DatagramSocket, port: Int) {
    for port in 42_000..<43_000 {
      guard let address = DatagramAddress("udp://127.0.0.1:\(port)") else { continue }
      do throws(DatagramError) { return (try DatagramSocket(address), port) } catch {
        #expect("\(error)" == "cannot receive at 127.0.0.1:\(port): Address already in use")
      }
    }
    throw DatagramError(description: "no port is free")
  }

  /// What has come, once something has.
  private func receive(_ socket: DatagramSocket) throws(DatagramError) -> [DatagramSocket.Datagram]? {
    var buffer = [UInt8](repeating: 0, count: DatagramSocket.largestDatagram)
    return try socket.receive(using: &buffer)
  }

  private func packets(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 188) }

  @Test func senders() throws {
    let (socket, port) = try listen()
    #expect(!socket.listensOnAll)
    var first = try NetworkStream("udp://127.0.0.1:\(port)", .sending) { false }
    var second = try NetworkStream("udp://127.0.0.1:\(port)", .sending) { false }
    try first.send(packets(1))
    try second.send(packets(2))
    try first.send(packets(3))
    var received: [DatagramSocket.Datagram] = []
    while received.count < 3, let next = try receive(socket) { received += next }
    #expect(received.map { $0.bytes.first } == [1, 2, 3] && received.allSatisfy { $0.bytes.count == 188 })
    #expect(received[0].sender == received[2].sender && received[0].sender != received[1].sender)
    #expect(received[0].sender.address == "127.0.0.1")
    #expect(received[0].sender.description == "127.0.0.1:\(received[0].sender.port)" && received[0].sender.port > 0)
    for name in ["127.0.0.1", "localhost", "127.0.0.1:\(received[0].sender.port)", "[::ffff:127.0.0.1]:\(received[0].sender.port)"] {
      #expect(try DatagramSender(name).is(received[0].sender), "\(name)")
    }
    for name in ["127.0.0.2", "::1", "[::1]", "127.0.0.1:\(received[1].sender.port)"] {
      #expect(try !DatagramSender(name).is(received[0].sender), "\(name)")
    }
    socket.interrupt()
    let end = try receive(socket)
    #expect(end == nil)
  }

  /// Who waits is woken.
  @Test func interruption() async throws {
    let (socket, _) = try listen()
    async let nothing = Task.detached { try receive(socket) == nil }.value
    socket.interrupt()
    #expect(try await nothing)
  }

  /// An address of another machine is taken for what a user means by it: the port counts. What is no address is said.
  @Test func otherAddresses() throws {
    let elsewhere = try #require(DatagramAddress("udp://192.0.2.7:43210"))
    #expect(try DatagramSocket(elsewhere).listensOnAll)
    #expect(throws: DatagramError(description: "no.such.host.invalid:9 is neither an address nor a known name")) {
      try DatagramSender("no.such.host.invalid:9")
    }
    let unknown = try #require(DatagramAddress("udp://no.such.host.invalid:43211"))
    #expect(throws: DatagramError(description: "no.such.host.invalid is neither an address nor a known name")) {
      try DatagramSocket(unknown)
    }
  }
}

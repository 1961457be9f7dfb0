import NIOCore
import NIOEmbedded
import Testing

@testable import PublisherServer

/// Which connections of publishers may stay.
@Suite struct PublisherConnectionsTests {
  private let connections = PublisherConnections()

  /// Opens a connection; returns the numbers of those that have to go.
  private func open(_ channels: inout [EmbeddedChannel], from address: String) -> (Bool, [Int]) {
    let channel = EmbeddedChannel()
    channels.append(channel)
    let (isOpen, closing) = connections.open(channel, from: address)
    return (isOpen, closing.map { closed in channels.firstIndex { $0 === closed } ?? -1 })
  }

  /// The oldest connection of an address goes that does not publish.
  @Test func oneAddress() {
    var channels: [EmbeddedChannel] = []
    for _ in 0..<PublisherConnections.mostOfAddress { #expect(open(&channels, from: "192.0.2.1") == (true, [])) }
    connections.setPublishing(channels[0], true)
    #expect(open(&channels, from: "192.0.2.1") == (true, []))
    #expect(open(&channels, from: "192.0.2.1") == (true, [1]))
    #expect(open(&channels, from: "192.0.2.1") == (true, [2]))
    #expect(open(&channels, from: "192.0.2.2") == (true, []))
    // One that publishes no more is the oldest.
    connections.setPublishing(channels[0], false)
    #expect(open(&channels, from: "192.0.2.1").1.first == 0)
  }

  /// Idle connections of many addresses keep no encoder out; only publishers do.
  @Test func allAddresses() {
    var channels: [EmbeddedChannel] = []
    for number in 0..<PublisherConnections.most { #expect(open(&channels, from: "192.0.2.\(number)") == (true, [])) }
    #expect(open(&channels, from: "198.51.100.1") == (true, [0]))
    for channel in channels.dropFirst() { connections.setPublishing(channel, true) }
    #expect(open(&channels, from: "198.51.100.2") == (false, []))
    connections.close(channels[5])
    #expect(open(&channels, from: "198.51.100.2") == (true, []))
    #expect(connections.takeAll().count == PublisherConnections.most && connections.takeAll().isEmpty)
  }
}

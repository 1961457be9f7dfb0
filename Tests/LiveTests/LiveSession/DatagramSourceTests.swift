import Testing

@testable import LiveSession

/// Whose datagrams make up a stream.
@Suite struct DatagramSourceTests {
  private let start = ContinuousClock.now

  @Test func firstSenderKeepsTheStream() {
    var source = DatagramSource<String>()
    #expect(source.judge("a", isAllowed: true, at: start) == .begins)
    #expect(source.judge("a", isAllowed: true, at: start + .milliseconds(10)) == .taken)
    #expect(source.judge("b", isAllowed: true, at: start + .milliseconds(20)) == .ignored)
    #expect(source.judge("a", isAllowed: true, at: start + .milliseconds(1_500)) == .taken)
    // After two silent seconds the next sender has the stream, and keeps it when the first one is back.
    #expect(source.judge("b", isAllowed: true, at: start + .milliseconds(3_499)) == .ignored)
    #expect(source.judge("b", isAllowed: true, at: start + .milliseconds(3_500)) == .begins)
    #expect(source.judge("a", isAllowed: true, at: start + .milliseconds(3_510)) == .ignored)
    #expect(source.judge("b", isAllowed: true, at: start + .milliseconds(3_520)) == .taken)
  }

  /// The same sender continues after any silence.
  @Test func silence() {
    var source = DatagramSource<String>()
    #expect(source.judge("a", isAllowed: true, at: start) == .begins)
    #expect(source.judge("a", isAllowed: true, at: start + .seconds(60)) == .taken)
  }

  /// If a sender is named, all others are ignored, even while it is silent.
  @Test func namedSender() {
    var source = DatagramSource<String>()
    #expect(source.judge("b", isAllowed: false, at: start) == .ignored)
    #expect(source.judge("a", isAllowed: true, at: start) == .begins)
    #expect(source.judge("b", isAllowed: false, at: start + .seconds(60)) == .ignored)
    #expect(source.judge("a", isAllowed: true, at: start + .seconds(60)) == .taken)
  }

  /// Other senders are reported at most once in ten seconds, with the number of datagrams.
  @Test func others() {
    var source = DatagramSource<Int>()
    _ = source.judge(0, isAllowed: true, at: start)
    #expect(source.takeIgnored(at: start) == nil)
    for sender in 1...100 { _ = source.judge(sender, isAllowed: true, at: start) }
    let first = source.takeIgnored(at: start)
    #expect(first?.count == 100 && first?.names.count == 64)
    _ = source.judge(7, isAllowed: true, at: start + .seconds(1))
    #expect(source.takeIgnored(at: start + .seconds(9)) == nil)
    let second = source.takeIgnored(at: start + .seconds(10))
    #expect(second?.count == 1 && second?.names == [7])
  }
}

/// Transport packets in datagrams, with a header of RTP or without.
@Suite struct RTPHeaderTests {
  private let packets: [UInt8] = [0x47, 1, 2, 3] + Array(repeating: 0xFF, count: 184)

  @Test func withoutHeader() {
    #expect(Array(RTPHeader.payload(of: packets)) == packets)
    #expect(Array(RTPHeader.payload(of: [])) == [])
    // Another payload type is not ours to read.
    let other = [0x80, 96] + Array(repeating: UInt8(0), count: 10) + packets
    #expect(Array(RTPHeader.payload(of: other)) == other)
  }

  @Test func withHeader() {
    let fixed: [UInt8] = [0x80, 33, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
    #expect(Array(RTPHeader.payload(of: fixed + packets)) == packets)
    // Two contributing sources, an extension of one word, three bytes of padding, and a marker.
    let full = [0xB2, 0xA1] + fixed[2...] + Array(repeating: 9, count: 8) + [0xBE, 0xDE, 0, 1, 1, 2, 3, 4] + packets + [0, 0, 3]
    #expect(Array(RTPHeader.payload(of: full)) == packets)
    // What is cut off is no such datagram.
    for count in 12..<full.count {
      let cut = Array(full[..<count])
      #expect(Array(RTPHeader.payload(of: cut)) == cut)
    }
    // A datagram that begins in the middle of a packet may look like a header: whole packets have to follow.
    let middle: [UInt8] = [0x80, 33] + Array(repeating: 0x47, count: 1_470)
    #expect(Array(RTPHeader.payload(of: middle)) == middle)
  }
}

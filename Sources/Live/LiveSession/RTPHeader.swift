import TransportStream

/// The header in front of transport packets in a datagram of RTP (RFC 3550, 5.1; RFC 2250, 2).
enum RTPHeader {
  /// The packets of a datagram: the bytes after such a header, or all bytes without one. Datagrams need not begin with a packet, so that only whole packets
  /// after a header show that it is one.
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

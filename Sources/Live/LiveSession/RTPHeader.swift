import TransportStream

/// The header in front of transport packets in a datagram of RTP (RFC 3550, 5.1; RFC 2250, 2).
enum RTPHeader {
  /// The packets of a datagram: the bytes after such a header, or all bytes without one. Datagrams need not begin with a packet, so that only whole packets
  /// after a header show that it is one.
  static func payload(of datagram: [UInt8]) -> ArraySlice<UInt8> {
    guard let packet = RTPPacket(datagram), packet.type == RTPPacket.transportStream, packet.hasTransportPackets else {
      return datagram[...]
    }
    return packet.payload
  }
}

extension RTPPacket {
  /// Whether the payload consists of whole transport packets.
  var hasTransportPackets: Bool {
    !payload.isEmpty && payload.count.isMultiple(of: TransportPacket.size) && payload.first == TransportPacket.syncByte
  }
}

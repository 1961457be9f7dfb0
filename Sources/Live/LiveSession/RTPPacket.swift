/// A packet of RTP (RFC 3550, 5.1).
struct RTPPacket: Equatable, Sendable {
  /// The payload type; 33 is MPEG-2 transport streams (RFC 3551, 6).
  var type: UInt8
  var sequence: UInt16
  /// The synchronization source (SSRC): one run of a sender.
  var source: UInt32
  /// The bytes after the header, without padding.
  var payload: ArraySlice<UInt8>

  /// The payload type of MPEG-2 transport streams.
  static let transportStream: UInt8 = 33

  /// Reads a datagram; `nil` if it is no packet of RTP.
  init?(_ datagram: [UInt8]) {
    // Version 2 begins with 80 to BF.
    guard datagram.count >= 12, datagram[0] >> 6 == 2 else { return nil }
    var start = 12 + Int(datagram[0] & 0x0F) * 4
    if datagram[0] & 0x10 != 0 {
      guard datagram.count >= start + 4 else { return nil }
      start += 4 + (Int(datagram[start + 2]) << 8 | Int(datagram[start + 3])) * 4
    }
    let padding = datagram[0] & 0x20 != 0 ? Int(datagram[datagram.count - 1]) : 0
    guard datagram.count - padding >= start else { return nil }
    type = datagram[1] & 0x7F
    sequence = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
    source = datagram[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    payload = datagram[start..<datagram.count - padding]
  }
}

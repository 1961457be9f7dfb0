import Basics
package import TransportStream

/// A stream as FFmpeg before 6.1 copies it: without the first five bytes of every PES packet's payload on the PID of timed ID3.
///
/// - Parameters:
///   - stream: A stream of nothing but packets.
///   - pid: The PID. Its PES packets state their lengths.
package func cutTags(_ stream: [UInt8], pid: PID = 0x102) -> [UInt8] {
  var output: [UInt8] = []
  var unit: [UInt8] = []
  var counter: UInt8?
  for packet in SamplePacket.all(in: stream) {
    guard packet.pid == pid, packet.header.hasPayload else {
      output += packet.bytes
      continue
    }
    if packet.header.startsUnit { unit = [] }
    unit += packet.bytes[packet.header.payload]
    guard let header = try? PESHeader(unit.span), header.packetLength > 0, unit.count >= header.packetLength + 6 else { continue }
    let length = header.packetLength - 5
    var cut = Array(unit[..<header.size]) + unit[(header.size + 5)...]
    (cut[4], cut[5]) = (UInt8(length >> 8), UInt8(length & 0xFF))
    var next = counter ?? 0
    output += TransportPacket.packets(carrying: cut, pid: pid, counter: &next)
    counter = next
    unit = []
  }
  return output
}

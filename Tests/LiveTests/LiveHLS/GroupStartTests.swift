import Basics
import TestSupport
import Testing
import TransportStream

@testable import LiveHLS

/// Whether a segment starts with a closed group of pictures.
@Suite struct GroupStartTests {
  /// What is found of video whose first access unit has these bytes, and which goes on with another one.
  private func find(_ type: StreamType, _ picture: [UInt8]) -> GroupStart {
    let header: [UInt8] = [0, 0, 1, 0xE0, 0, 0, 0x84, 0x80, 5, 0x21, 0, 1, 0, 1]
    var counter: UInt8 = 0
    var group = GroupStart()
    for unit in [picture, [0, 0, 1, 0]] {
      let bytes = TransportPacket.packets(carrying: header + unit, pid: 256, counter: &counter)
      for start in stride(from: 0, to: bytes.count, by: TransportPacket.size) {
        group.push(bytes.span.extracting(start..<start + TransportPacket.size), type)
      }
    }
    #expect(group.isKnown)
    return group
  }

  /// What lies in front of the slice: a delimiter, and a message of so many bytes.
  private func head(_ delimiter: [UInt8], _ message: [UInt8], size: Int) -> [UInt8] {
    [0, 0, 0, 1] + delimiter + [0, 0, 1] + message + Array(repeating: 0x55, count: size) + [0, 0, 1]
  }

  @Test(arguments: [0, 150, 700]) func h264(size: Int) {
    let head = head([9, 0xF0], [6], size: size)
    #expect(!find(.h264, head + [0x65, 0x88, 0x80, 0x10]).isOpen)
    // A recovery point: an I picture that is not an IDR picture.
    #expect(find(.h264, head + [0x41, 0x88, 0x80, 0x10]).isOpen)
  }

  @Test(arguments: [0, 150, 700]) func hevc(size: Int) {
    let head = head([35 << 1, 1, 0x50], [39 << 1, 1], size: size)
    for type: UInt8 in [17, 18, 19, 20] { #expect(!find(.hevc, head + [type << 1, 1, 0x80, 0x10]).isOpen, "\(type)") }
    // A BLA picture that may have RASL pictures, and a CRA picture.
    for type: UInt8 in [16, 21] { #expect(find(.hevc, head + [type << 1, 1, 0x80, 0x10]).isOpen, "\(type)") }
  }

  @Test func mpeg2() {
    let sequence: [UInt8] = [0, 0, 1, 0xB3] + Array(repeating: 0x11, count: 8)
    #expect(!find(.mpeg2Video, sequence + [0, 0, 1, 0xB8, 0, 8, 0, 0x40, 0, 0, 1, 0, 0, 0x0F]).isOpen)
    #expect(find(.mpeg2Video, sequence + [0, 0, 1, 0xB8, 0, 8, 0, 0, 0, 0, 1, 0, 0, 0x0F]).isOpen)
    #expect(!find(.mpeg2Video, sequence + [0, 0, 1, 0, 0, 0x0F, 0, 0, 0, 0]).isOpen)
  }

  /// What cannot be read is not accused.
  @Test func others() {
    #expect(!find(.vc1, [0, 0, 1, 0x0F]).isOpen)
    #expect(!find(.h264, Array(repeating: 0x55, count: 300)).isOpen)
    #expect(!find(.h264, []).isOpen)
  }
}

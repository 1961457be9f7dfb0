import TestSupport
import Testing
import TransportStream

@testable import LiveHLS

/// How the streams of a segment are coded, from their first bytes.
@Suite struct SegmentCodecsTests {
  /// The codecs of audio whose first PES packet has this payload, and these bytes at the end of its header.
  private func codecs(_ type: StreamType, _ payload: [UInt8], headerEnd: [UInt8] = []) -> String? {
    var sample = SampleStream()
    sample.map = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x101, streams: [.init(type: type, pid: 0x101)])
    let header: [UInt8] = [0, 0, 1, 0xC0, 0, 0, 0x84, 0x80, UInt8(5 + headerEnd.count), 0x21, 0, 1, 0, 1]
    sample.extras = [0: [.pes(0x101, header + headerEnd + payload)]]
    return SegmentCodecs.codecs(of: sample.bytes)
  }

  @Test func profilesOfAAC() {
    for (byte, codec) in [(0x10, "mp4a.40.1"), (0x50, "mp4a.40.2"), (0xD0, "mp4a.40.4")] {
      #expect(codecs(.aac, [0xFF, 0xF1, UInt8(byte), 0x80]) == codec)
      // What looks like a frame in the header of the PES packet is none.
      #expect(codecs(.aac, [0xFF, 0xF1, UInt8(byte), 0x80], headerEnd: [0xFF, 0xF9, 0x90]) == codec)
    }
  }

  @Test func layersOfMPEGAudio() {
    for (byte, codec) in [(0xFB, "mp4a.40.34"), (0xFD, "mp4a.40.33"), (0xFF, "mp4a.40.32"), (0xF3, "mp4a.40.34")] {
      #expect(codecs(.mpeg1Audio, [0xFF, UInt8(byte), 0x90, 0]) == codec)
      #expect(codecs(.mpeg2Audio, [0xFF, UInt8(byte), 0x90, 0], headerEnd: [0xFF, 0xFD]) == codec)
    }
  }

  @Test func unknownOnes() { #expect(codecs(StreamType(rawValue: 0x81), [1, 2, 3, 4]) == nil) }
}

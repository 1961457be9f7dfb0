import HLSPlaylist
import TestSupport
import Testing
import TransportStream

@testable import LiveHLS

/// How the streams of a segment are coded, from their first bytes.
@Suite struct SegmentFormatTests {
  /// The codecs of audio whose first PES packet has this payload, and these bytes at the end of its header.
  private func codecs(_ type: StreamType, _ payload: [UInt8], headerEnd: [UInt8] = []) -> String? {
    var sample = SampleStream()
    sample.map = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x101, streams: [.init(type: type, pid: 0x101)])
    let header: [UInt8] = [0, 0, 1, 0xC0, 0, 0, 0x84, 0x80, UInt8(5 + headerEnd.count), 0x21, 0, 1, 0, 1]
    sample.extras = [0: [.pes(0x101, header + headerEnd + payload)]]
    return SegmentFormat(of: sample.bytes).codecs
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

  @Test func unknownOnes() { #expect(codecs(.dts, [1, 2, 3, 4]) == nil) }

  @Test func dolby() {
    #expect(codecs(.ac3, [0x0B, 0x77, 0, 0]) == "ac-3")
    #expect(codecs(.eac3, [0x0B, 0x77, 0, 0]) == "ec-3")
  }

  /// The size of pictures and their codec, from a parameter set that may lie in several packets, behind others.
  @Test(arguments: [0, 100, 400]) func video(filler: Int) {
    let set: [UInt8] = [
      0x67, 0x64, 0, 0x1E, 0xAC, 0xD9, 0x40, 0xA0, 0x2F, 0xF9, 0x70, 0x11, 0, 0, 3, 0, 1, 0, 0, 3, 0, 0x32, 0x0F, 0x16, 0x2D, 0x96,
    ]
    let header: [UInt8] = [0, 0, 1, 0xE0, 0, 0, 0x84, 0x80, 5, 0x21, 0, 1, 0, 1]
    let message: [UInt8] = [0, 0, 0, 1, 6] + Array(repeating: 0x55, count: filler)
    let picture = header + [0, 0, 0, 1, 9, 0xF0] + message + [0, 0, 0, 1] + set + [0, 0, 1, 0x68, 0xEB] + [0, 0, 1, 0x65, 0x88, 0x84]
    var sample = SampleStream()
    sample.pictureCount = 1
    sample.map = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x100, streams: [.init(type: .h264, pid: 0x102)])
    sample.extras = [0: [.pes(0x102, picture)]]
    let format = SegmentFormat(of: sample.bytes)
    #expect(format.codecs == "avc1.64001E")
    #expect(format.resolution.map { [$0.width, $0.height] } == [640, 360])
    for count in stride(from: 0, to: sample.bytes.count, by: 7) { _ = SegmentFormat(of: Array(sample.bytes[..<count])) }
  }
}

import Basics
import RTMP
import TestSupport
import Testing

@Suite struct FLVReaderTests {
  private static func tag(_ kind: UInt8, at milliseconds: UInt64, _ data: [UInt8]) -> [UInt8] {
    [0, 0, 0, 0, kind] + integer(UInt64(data.count), 3) + integer(milliseconds & 0xFF_FFFF, 3) + [UInt8(milliseconds >> 24), 0, 0, 0] + data
  }

  private static func read(_ bytes: [UInt8]) -> [FLVReader.Item] {
    var reader = FLVReader()
    return reader.push(bytes.view) + reader.finish()
  }

  /// A header that is longer than that of version 1, and video of other codecs and with an extended header.
  @Test func timesOfTheMedia() {
    var bytes = Array("FLV".utf8) + [1, 5, 0, 0, 0, 12, 1, 2, 3]
    bytes += Self.tag(9, at: 40, [0x12, 0, 1]) + Self.tag(9, at: 80, [0x27, 1, 0xFF, 0xFF, 0xD8] + [UInt8](repeating: 1, count: 300))
    bytes += Self.tag(9, at: 120, [0x91] + Array("hvc1".utf8) + [0, 0, 40]) + Self.tag(9, at: 160, [0x57, 0]) + Self.tag(9, at: 160, [])
    bytes += Self.tag(8, at: 200, [0xAF, 0, 1]) + Self.tag(8, at: 240, [0xAF, 1, 1]) + Self.tag(8, at: 280, [0x2F])
    let times = [40, 40, 160, 240, 280].map { MediaTime(milliseconds: $0) }
    #expect(Self.read(bytes) == times.prefix(3).map { .video(at: $0) } + times.suffix(2).map { .audio(at: $0) })
  }

  @Test func whatIsNoTagEndsTheFile() {
    let header = Array("FLV".utf8) + [1, 5, 0, 0, 0, 9]
    let lost: FLVReader.Item = .damage(offset: 24, reason: "no tag where one should start in an FLV file")
    #expect(Self.read(header + Self.tag(0xC9, at: 0, [1]) + Self.tag(8, at: 0, [0x2F])) == [lost])
    let short = Self.read(Array("FLV".utf8) + [1, 5, 0, 0, 0, 8, 0, 0])
    #expect(short == [.damage(offset: 9, reason: "header of 8 bytes in an FLV file")])
  }

  @Test func dataThatIsTooLargeIsSkipped() throws {
    let header = Array("FLV".utf8) + [1, 5, 0, 0, 0, 9]
    let size = FLVReader.largestMessage + 1
    let large = Self.tag(18, at: 40, [UInt8](repeating: 0, count: size))
    let small = try AMF0Value.encode([.string("onTextData"), .number(2)])
    let reason = "script data is larger than \(FLVReader.largestMessage) bytes"
    #expect(
      Self.read(header + large + Self.tag(18, at: 80, small) + Self.tag(18, at: 120, [5])) == [
        .unreadable(time: MediaTime(milliseconds: 40), offset: 13, byteCount: size, reason: reason),
        .message(name: "onTextData", [.number(2)], time: MediaTime(milliseconds: 80), offset: 28 + size, byteCount: small.count),
        .unreadable(
          time: MediaTime(milliseconds: 120), offset: 43 + size + small.count, byteCount: 1, reason: "no name in front of the values"),
      ])
  }
}

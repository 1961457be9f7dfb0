import Basics
import Testing

@testable import ID3

/// Tags without their first five bytes, as FFmpeg before 6.1 leaves them.
@Suite struct CutTagTests {
  private static let frames: [ID3Frame] = [
    .userText(description: "d", value: String(repeating: "v", count: 300)), .text(id: "TIT2", values: ["song"]),
  ]

  private static func restored(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
    let bytes = Array(bytes)
    return ID3Tag.restored(bytes.span)
  }

  private static func encoded() throws -> [UInt8] { try ID3Tag(frames: frames).encode() }

  @Test func aTagIsMadeWhole() throws {
    let whole = try Self.encoded()
    #expect(Self.restored(whole.dropFirst(5)) == whole)
    #expect(Self.restored(whole.dropFirst(5) + [1, 2, 3]) == whole)
  }

  /// Large frames tell 2.3, whose sizes count eight bits a byte, from 2.4; those of 2.2 have identifiers of three letters.
  @Test(arguments: [UInt8(2), 3, 4]) func theVersionIsFound(version: UInt8) {
    let content: [UInt8] = [0] + Array("d\0".utf8) + [UInt8](repeating: 0x61, count: 300)
    let count = UInt8(content.count & 0xFF)
    let frame: [UInt8] =
      switch version {
      case 2: Array("TXX".utf8) + [0, 1, count] + content
      case 3: Array("TXXX".utf8) + [0, 0, 1, count, 0, 0] + content
      default: Array("TXXX".utf8) + [0, 0, 2, UInt8(content.count & 0x7F), 0, 0] + content
      }
    let whole = Array("ID3".utf8) + [version, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 0x7F)] + frame
    #expect(Self.restored(whole.dropFirst(5)) == whole)
  }

  @Test func nothingElseIsTakenForOne() throws {
    let whole = try Self.encoded()
    let cut = Array(whole.dropFirst(5))
    #expect(Self.restored(whole) == nil)
    #expect(Self.restored([]) == nil)
    #expect(Self.restored([UInt8](repeating: 0, count: 64)) == nil)
    for length in cut.indices { #expect(Self.restored(cut[..<length]) == nil, "\(length) bytes") }
    // A frame that is broken, flags that there are not, a size that is not synchsafe.
    for index in [5, 0, 1] {
      var broken = cut
      broken[index] = 0xFF
      #expect(Self.restored(broken) == nil)
    }
  }
}

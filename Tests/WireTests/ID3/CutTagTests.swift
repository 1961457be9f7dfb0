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

  /// Two passes of FFmpeg cut the whole header. The sizes of the frames tell the version, and all bytes have to be frames.
  @Test(arguments: [UInt8(3), 4]) func aHeaderIsMadeAgain(version: UInt8) {
    let content: [UInt8] = [0] + Array("d\0".utf8) + [UInt8](repeating: 0x61, count: 300)
    let size = version == 3 ? [UInt8(1), UInt8(content.count & 0xFF)] : [2, UInt8(content.count & 0x7F)]
    let frame = Array("TXXX".utf8) + [0, 0] + size + [0, 0] + content
    let whole = Array("ID3".utf8) + [version, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 0x7F)] + frame
    #expect(ID3Tag.restoredHeader(frame.span) == whole)
    let more = frame + [1]
    #expect(ID3Tag.restoredHeader(more.span) == nil)
    let shorter = Array(frame.dropLast())
    #expect(ID3Tag.restoredHeader(shorter.span) == nil)
  }

  /// A tag that states more bytes than there are gets its real size if its frames are whole.
  @Test func aTagThatStatesTooMuch() throws {
    let whole = try Self.encoded()
    var long = whole
    long[9] += 8
    #expect(ID3Tag.shortened(long.span) == whole)
    #expect(ID3Tag.shortened(whole.span) == nil)
    let shorter = Array(long.dropLast())
    #expect(ID3Tag.shortened(shorter.span) == nil)
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

import Basics
import ID3
import Testing

/// A frame and its bytes in ID3v2.4.
struct FrameCase: CustomTestStringConvertible, Sendable {
  let name: String
  let frame: ID3Frame
  let bytes: [UInt8]

  init(_ name: String, _ frame: ID3Frame, _ bytes: [UInt8]) {
    self.name = name
    self.frame = frame
    self.bytes = bytes
  }

  var testDescription: String { name }
}

let frameCases: [FrameCase] = [
  FrameCase(
    "event", .userText(description: "askQuestion", value: #"{"guid":"é€😀"}"#),
    utf8("TXXX") + [0, 0, 0, 33, 0, 0, 3] + utf8("askQuestion\0") + utf8(#"{"guid":"é€😀"}"#)),
  FrameCase("empty TXXX", .userText(description: "", value: ""), frameBytes("TXXX", [3, 0])),
  FrameCase("TXXX of two strings", .userText(description: "d", value: "a\0b"), frameBytes("TXXX", [3], utf8("d\0a\0b"))),
  FrameCase("TXXX that ends in NUL", .userText(description: "d", value: "a\0"), frameBytes("TXXX", [3], utf8("d\0a\0\0"))),
  FrameCase("TXXX of a NUL", .userText(description: "d", value: "\0"), frameBytes("TXXX", [3], utf8("d\0\0\0"))),
  FrameCase(
    "TXXX of 200 bytes", .userText(description: "d", value: String(repeating: "x", count: 197)),
    utf8("TXXX") + [0, 0, 1, 72, 0, 0, 3] + utf8("d\0" + String(repeating: "x", count: 197))),
  FrameCase("title", .text(id: "TIT2", values: ["Ö"]), frameBytes("TIT2", [3, 0xC3, 0x96])),
  FrameCase("empty text", .text(id: "TIT2", values: [""]), frameBytes("TIT2", [3])),
  FrameCase("three texts", .text(id: "TCON", values: ["a", "", "b"]), frameBytes("TCON", [3], utf8("a\0\0b"))),
  FrameCase("last text empty", .text(id: "TCON", values: ["a", ""]), frameBytes("TCON", [3], utf8("a\0\0"))),
  FrameCase("empty texts", .text(id: "TCON", values: ["", "", ""]), frameBytes("TCON", [3, 0, 0, 0])),
  FrameCase(
    "timestamp", .privateData(owner: "com.apple.streaming.transportStreamTimestamp", data: [0, 0, 0, 1, 0xFF, 0, 0xFE, 0]),
    frameBytes("PRIV", utf8("com.apple.streaming.transportStreamTimestamp\0"), [0, 0, 0, 1, 0xFF, 0, 0xFE, 0])),
  FrameCase("PRIV of nobody", .privateData(owner: "", data: []), frameBytes("PRIV", [0])),
  FrameCase("PRIV in Latin-1", .privateData(owner: "Ü", data: [1]), frameBytes("PRIV", [0xDC, 0, 1])),
  FrameCase("empty link", .unknown(id: "WOAF", flags: 0, data: []), frameBytes("WOAF")),
  FrameCase("empty text frame", .unknown(id: "TXXX", flags: 0, data: []), frameBytes("TXXX")),
  FrameCase(
    "picture with flags", .unknown(id: "APIC", flags: 0x6041, data: [0, 0, 0, 0, 5, 0, 0, 3, 0, 0xFF]),
    frameBytes("APIC", flags: 0x6041, [0, 0, 0, 0, 5, 0, 0, 3, 0, 0xFF])),
  FrameCase("compressed", .unknown(id: "TXXX", flags: 0x0009, data: [0, 0, 0, 2, 3]), frameBytes("TXXX", flags: 0x0009, [0, 0, 0, 2, 3])),
  FrameCase("encrypted", .unknown(id: "TIT2", flags: 0x0004, data: [1, 2]), frameBytes("TIT2", flags: 0x0004, [1, 2])),
  FrameCase("undefined flag", .unknown(id: "TXXX", flags: 0x0010, data: [3, 0]), frameBytes("TXXX", flags: 0x0010, [3, 0])),
]

@Suite struct ID3RoundTripTests {
  @Test(arguments: frameCases) func decodes(_ test: FrameCase) throws {
    #expect(try decode(tagBytes(test.bytes)) == ID3Tag(frames: [test.frame]))
    #expect(test.frame.id.utf8.elementsEqual(test.bytes.prefix(4)))
  }

  @Test(arguments: frameCases) func encodes(_ test: FrameCase) throws {
    #expect(try ID3Tag(frames: [test.frame]).encode() == tagBytes(test.bytes))
  }

  @Test func keepsTheOrderOfFrames() throws {
    let bytes = tagBytes(frameCases.flatMap(\.bytes))
    let tag = ID3Tag(frames: frameCases.map(\.frame))
    #expect(try decode(bytes) == tag)
    #expect(try tag.encode() == bytes)
    #expect(encodedLength(bytes) == bytes.count)
  }

  @Test func aTagMayBeEmpty() throws {
    #expect(try ID3Tag(frames: []).encode() == tagBytes())
    #expect(try decode(tagBytes()) == ID3Tag(frames: []))
  }

  @Test func framesAreEqualByTheirBytes() {
    for (index, left) in frameCases.enumerated() {
      for (otherIndex, right) in frameCases.enumerated() { #expect((left.frame == right.frame) == (index == otherIndex)) }
    }
    #expect(ID3Frame.text(id: "TIT2", values: ["\u{E9}"]) != .text(id: "TIT2", values: ["e\u{301}"]))
    #expect(ID3Frame.userText(description: "", value: "\u{E9}") != .userText(description: "", value: "e\u{301}"))
  }

  @Test(
    arguments: [
      .userText(description: "a\0b", value: ""), .text(id: "TXXX", values: ["a"]), .text(id: "WXXX", values: ["a"]),
      .text(id: "TIT", values: ["a"]), .text(id: "Tit2", values: ["a"]), .text(id: "TIT2", values: []),
      .text(id: "TIT2", values: ["a\0b"]), .privateData(owner: "a\0b", data: []), .privateData(owner: "€", data: []),
      .unknown(id: "TT2", flags: 0, data: []), .unknown(id: "", flags: 0, data: []), .unknown(id: "AB\0D", flags: 0, data: []),
    ] as [ID3Frame])
  func refusesToWriteWhatNoTagCanHold(_ frame: ID3Frame) throws {
    let error = try #require(throws: ParseError.self) { try ID3Tag(frames: [.text(id: "TIT2", values: [""]), frame]).encode() }
    #expect(error.offset == 11)
  }

  @Test func flagsOfUnknownFramesAreTranslatedFrom23() throws {
    var tag = ID3Tag(frames: [.unknown(id: "WOAF", flags: 0xA000, data: [1])])
    tag.version = 3
    #expect(try decode(try tag.encode()).frames == [.unknown(id: "WOAF", flags: 0x5000, data: [1])])
    tag.frames = [.unknown(id: "WOAF", flags: 0x0080, data: [0, 0, 0, 1, 1])]
    #expect(throws: ParseError(.invalid("a frame of ID3v2.3 whose content ID3v2.4 stores differently"), at: 0)) { try tag.encode() }
  }
}

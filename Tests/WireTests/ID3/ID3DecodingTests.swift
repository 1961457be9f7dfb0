import ID3
import Testing

/// Bytes as other writers make them, and what is read from them.
struct DecodingCase: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let version: UInt8
  let frames: [ID3Frame]

  init(_ name: String, _ bytes: [UInt8], version: UInt8 = 4, _ frames: ID3Frame...) {
    self.name = name
    self.bytes = bytes
    self.version = version
    self.frames = frames
  }

  var testDescription: String { name }
}

private let footer: [UInt8] = utf8("3DI") + [4, 0, 0x10, 0, 0, 0, 13]
private let title = ID3Frame.text(id: "TIT2", values: ["Hi"])
private let titleBytes = frameBytes("TIT2", [3], utf8("Hi"))

private let encodings = [
  DecodingCase(
    "ISO-8859-1", tagBytes(frameBytes("TXXX", [0], utf8("d\0"), [0x41, 0xE9, 0xFF])), .userText(description: "d", value: "Aéÿ")),
  DecodingCase("little-endian", tagBytes(frameBytes("TIT2", [1, 0xFF, 0xFE, 0x48, 0, 0x69, 0])), title),
  DecodingCase("big-endian", tagBytes(frameBytes("TIT2", [1, 0xFE, 0xFF, 0, 0x48, 0, 0x69])), title),
  DecodingCase("UTF-16BE", tagBytes(frameBytes("TIT2", [2, 0, 0x48, 0, 0x69, 0, 0])), title),
  DecodingCase(
    "a mark for each string",
    tagBytes(frameBytes("TXXX", [1, 0xFF, 0xFE, 0x64, 0, 0, 0, 0xFE, 0xFF, 0xD8, 0x3D, 0xDE, 0, 0, 0, 0xFF, 0xFE, 0xAC, 0x20])),
    .userText(description: "d", value: "😀\0€")),
  DecodingCase(
    "one mark for all strings", tagBytes(frameBytes("TXXX", [1, 0xFF, 0xFE, 0x64, 0, 0, 0, 0x00, 0x01, 0, 0])),
    .userText(description: "d", value: "\u{100}")),
  DecodingCase(
    "empty string without a mark", tagBytes(frameBytes("TXXX", [1, 0, 0, 0xFF, 0xFE, 0x64, 0])), .userText(description: "", value: "d")),
]

private let structures = [
  DecodingCase("padding", tagBytes(titleBytes, [0, 0, 0]), title),
  DecodingCase("footer", tagBytes(flags: 0x10, titleBytes) + footer, title),
  DecodingCase("experimental", tagBytes(flags: 0x20, titleBytes), title),
  DecodingCase("terminator", tagBytes(frameBytes("TIT2", [3], utf8("Hi\0"))), title),
  DecodingCase("group", tagBytes(frameBytes("TIT2", flags: 0x0040, [0x80, 3], utf8("Hi"))), title),
  DecodingCase("status flags of 2.3", tagBytes(frameBytes("TIT2", flags: 0xE000, [3], utf8("Hi"))), title),
  DecodingCase(
    "status flags of 2.3 on user text", tagBytes(frameBytes("TXXX", flags: 0xE000, [3], utf8("d"), [0], utf8("v"))),
    .userText(description: "d", value: "v")),
  DecodingCase("data length", tagBytes(frameBytes("TIT2", flags: 0x0001, [0, 0, 0, 3, 3], utf8("Hi"))), title),
  DecodingCase(
    "unsynchronised frame",
    tagBytes(frameBytes("PRIV", flags: 0x0043, [0x80, 0, 0, 0, 6], utf8("a\0"), [0xFF, 0, 0xE0, 0xFF, 0, 0]), titleBytes),
    .privateData(owner: "a", data: [0xFF, 0xE0, 0xFF, 0]), title),
  DecodingCase(
    "all frames unsynchronised",
    tagBytes(flags: 0x80, frameBytes("TIT2", [1, 0xFF, 0, 0xFE, 0x48, 0, 0x69, 0]), frameBytes("WOAF", flags: 0x4000, [0xFF, 0])),
    title, .unknown(id: "WOAF", flags: 0x4002, data: [0xFF, 0])),
  DecodingCase(
    "extended header with everything",
    tagBytes(flags: 0x40, [0, 0, 0, 15, 1, 0x70, 0, 5, 1, 2, 3, 4, 5, 1, 0x40], titleBytes), title),
  DecodingCase("extended header with nothing", tagBytes(flags: 0x40, [0, 0, 0, 6, 1, 0], titleBytes), title),
  DecodingCase(
    "size that is not synchsafe", tagBytes(frameBytes("TIT2", isPlain: true, [3], [UInt8](repeating: 0x61, count: 200)), titleBytes),
    .text(id: "TIT2", values: [String(repeating: "a", count: 200)]), title),
]

private let olderVersions = [
  DecodingCase("2.3", tagBytes(version: 3, frameBytes("TIT2", isPlain: true, [3], utf8("Hi"))), version: 3, title),
  DecodingCase(
    "2.3, size above 127", tagBytes(version: 3, frameBytes("TXXX", isPlain: true, [0], utf8("d\0" + String(repeating: "a", count: 300)))),
    version: 3, .userText(description: "d", value: String(repeating: "a", count: 300))),
  DecodingCase(
    "2.3, text after the terminator", tagBytes(version: 3, frameBytes("TIT2", isPlain: true, [0], utf8("Hi\0\0 there"))), version: 3, title),
  DecodingCase(
    "2.3, group", tagBytes(version: 3, frameBytes("TIT2", flags: 0x0020, isPlain: true, [7, 0], utf8("Hi"))), version: 3, title),
  DecodingCase(
    "2.3, compressed", tagBytes(version: 3, frameBytes("TIT2", flags: 0x8080, isPlain: true, [0, 0, 0, 1, 1])), version: 3,
    .unknown(id: "TIT2", flags: 0x8080, data: [0, 0, 0, 1, 1])),
  DecodingCase(
    "2.3, extended header", tagBytes(version: 3, flags: 0x40, plain(6) + [0, 0, 0, 0, 0, 1], frameBytes("TIT2", [0], utf8("Hi")), [0]),
    version: 3, title),
  DecodingCase(
    "2.3, extended header with checksum",
    tagBytes(version: 3, flags: 0x40, plain(10) + [0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4], frameBytes("TIT2", [0], utf8("Hi"))), version: 3, title
  ),
  DecodingCase(
    "2.3, unsynchronised", tagBytes(version: 3, flags: 0x80, utf8("TIT2") + plain(7) + [0, 0, 1, 0xFF, 0, 0xFE, 0x48, 0, 0x69, 0]),
    version: 3, title),
  DecodingCase("2.2", tagBytes(version: 2, oldFrameBytes("TT2", [0] + utf8("Hi")), [0, 0]), version: 2, title),
  DecodingCase(
    "2.2, TXX and others",
    tagBytes(version: 2, oldFrameBytes("TXX", [0] + utf8("d\0v")), oldFrameBytes("TZZ", [0]), oldFrameBytes("PIC", [])),
    version: 2, .userText(description: "d", value: "v"), .unknown(id: "TZZ", flags: 0, data: [0]), .unknown(id: "PIC", flags: 0, data: [])),
  DecodingCase(
    "2.2, unsynchronised", tagBytes(version: 2, flags: 0x80, utf8("TT2") + [0, 0, 7, 1, 0xFF, 0, 0xFE, 0x48, 0, 0x69, 0]), version: 2, title
  ),
]

@Suite struct ID3DecodingTests {
  static let cases = encodings + structures + olderVersions

  @Test(arguments: cases) func decodes(_ test: DecodingCase) throws {
    let tag = try decode(test.bytes)
    #expect(tag.version == test.version)
    #expect(tag.frames == test.frames)
    #expect(encodedLength(test.bytes) == test.bytes.count)
    #expect(encodedLength(Array(test.bytes.prefix(10))) == test.bytes.count)
  }

  @Test(arguments: cases) func isRefusedWhereverItIsCut(_ test: DecodingCase) {
    for length in test.bytes.indices {
      #expect(throws: (any Error).self) { try decode(Array(test.bytes.prefix(length))) }
    }
    #expect(throws: (any Error).self) { try decode(test.bytes + [0]) }
  }

  @Test(arguments: cases.filter { $0.version == 4 }) func nothingIsLostInVersion24(_ test: DecodingCase) throws {
    let tag = try decode(test.bytes)
    #expect(try decode(try tag.encode()) == tag)
  }

  @Test func lengthNeedsAHeader() {
    for bytes in [
      utf8("ID3"), utf8("ID4") + [4, 0, 0, 0, 0, 0, 0], utf8("ID3") + [4, 0, 0, 0, 0, 0x80, 0], utf8("ID3") + [5, 0, 0, 0, 0, 0, 0], [],
    ] {
      #expect(encodedLength(bytes) == nil)
    }
    #expect(encodedLength(utf8("ID3") + [4, 0, 0x10, 0x7F, 0x7F, 0x7F, 0x7F]) == 0x0FFF_FFFF + 20)
  }
}

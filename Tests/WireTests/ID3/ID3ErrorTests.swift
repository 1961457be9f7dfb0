import Basics
import ID3
import Testing

/// Bytes that are no tag, and where and why they are refused.
struct RefusalCase: CustomTestStringConvertible, Sendable {
  let bytes: [UInt8]
  let error: ParseError

  init(_ bytes: [UInt8], _ what: String, at offset: Int) {
    self.init(bytes, .invalid(what), at: offset)
  }

  init(_ bytes: [UInt8], _ reason: ParseError.Reason, at offset: Int) {
    self.bytes = bytes
    self.error = ParseError(reason, at: offset)
  }

  var testDescription: String { error.description }
}

private let noFrame = "no ID3 frame: its identifier has other characters than A to Z and 0 to 9"
private let synchsafeError = "a synchsafe integer has a byte above 0x7F"
private let versionError = "a version of ID3 other than 2.2.0, 2.3.0 and 2.4.0"
private let extendedError = "a malformed extended header"
private let lengthError = "a frame of another length than its data length indicator says"
private let footerError = "an ID3 footer that differs from the header"
private let titleBytes = frameBytes("TIT2", [3], utf8("Hi"))

/// A TXXX frame of `content`, which starts at offset 20 of the tag.
private func text(_ content: UInt8..., version: UInt8 = 4) -> [UInt8] { tagBytes(version: version, frameBytes("TXXX", content)) }

private let refusals: [RefusalCase] = [
  RefusalCase(utf8("ID4") + [4, 0, 0, 0, 0, 0, 0], "no ID3v2 tag: ID3 is expected here", at: 0),
  RefusalCase(tagBytes(version: 1), versionError, at: 3),
  RefusalCase(tagBytes(version: 5), versionError, at: 3),
  RefusalCase(utf8("ID3") + [4, 1, 0, 0, 0, 0, 0], versionError, at: 3),
  RefusalCase(tagBytes(version: 2, flags: 0x40), "flags that ID3v2.2 does not define", at: 5),
  RefusalCase(tagBytes(version: 3, flags: 0x10), "flags that ID3v2.3 does not define", at: 5),
  RefusalCase(tagBytes(flags: 0x08), "flags that ID3v2.4 does not define", at: 5),
  RefusalCase(utf8("ID3") + [4, 0, 0, 0, 0, 0x80, 0], synchsafeError, at: 6),
  RefusalCase(tagBytes(size: 11, [0]), .truncated(needed: 11, available: 1), at: 10),
  RefusalCase(tagBytes(titleBytes) + [0, 0], .trailingBytes(2), at: 23),
  RefusalCase(tagBytes(titleBytes, [0, 0, 1, 0]), "the padding after the frames is not zero", at: 25),
  RefusalCase(tagBytes(flags: 0x10, titleBytes), .truncated(needed: 10, available: 0), at: 23),
  RefusalCase(tagBytes(flags: 0x10, titleBytes) + utf8("3DI") + [4, 0, 0x10, 0, 0, 0, 12], footerError, at: 23),
  RefusalCase(tagBytes(flags: 0x10, titleBytes) + utf8("ID3") + [4, 0, 0x10, 0, 0, 0, 13], "no ID3v2 tag: 3DI is expected here", at: 23),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 5, 1, 0]), extendedError, at: 10),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 6, 2, 0]), extendedError, at: 10),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 6, 1, 0x80]), extendedError, at: 10),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 7, 1, 0x40, 1]), extendedError, at: 10),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 7, 1, 0x20, 5]), .truncated(needed: 5, available: 0), at: 17),
  RefusalCase(tagBytes(flags: 0x40, [0, 0, 0, 8, 1, 0, 0, 0]), .trailingBytes(2), at: 16),
  RefusalCase(tagBytes(version: 3, flags: 0x40, plain(10) + [0, 0, 0, 0, 0, 0]), extendedError, at: 10),
  RefusalCase(tagBytes(titleBytes, utf8("T\u{E9}2") + [0, 0, 0, 1, 0, 0, 3]), noFrame, at: 23),
  RefusalCase(tagBytes(titleBytes, utf8("TIT2")), .truncated(needed: 10, available: 4), at: 23),
  RefusalCase(tagBytes(utf8("TIT2") + [0, 0, 0, 9, 0, 0, 3]), .truncated(needed: 9, available: 1), at: 20),
  RefusalCase(tagBytes(utf8("TIT2") + [0, 0, 0, 0x81, 0, 0, 3]), .truncated(needed: 0x81, available: 1), at: 20),
  RefusalCase(
    tagBytes(version: 3, utf8("TIT2") + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 3]), .truncated(needed: 0xFFFF_FFFF, available: 1), at: 20),
]

/// Tags whose first or second frame is unreadable.
private let unreadable: [RefusalCase] = [
  RefusalCase(tagBytes(frameBytes("Tit2", [3])), noFrame, at: 10),
  RefusalCase(tagBytes(titleBytes, frameBytes("TT2\0", [3])), noFrame, at: 23),
  RefusalCase(text(4, 0x61, 0), "a text encoding other than 0 to 3", at: 20),
  RefusalCase(text(3), .truncated(needed: 1, available: 0), at: 21),
  RefusalCase(text(3, 0x61), .truncated(needed: 1, available: 0), at: 22),
  RefusalCase(text(1, 0xFF, 0xFE, 0x61, 0, 0), .truncated(needed: 2, available: 0), at: 26),
  RefusalCase(text(3, 0x61, 0, 0xC3, 0x28), "no UTF-8", at: 23),
  RefusalCase(text(3, 0xC0, 0x80, 0), "no UTF-8", at: 21),
  RefusalCase(text(1, 0x61, 0, 0, 0), "UTF-16 without a byte order mark", at: 21),
  RefusalCase(text(2, 0, 0, 0xDC, 0), "a surrogate without its partner", at: 23),
  RefusalCase(text(2, 0, 0, 0xD8, 0), "a surrogate without its partner", at: 23),
  RefusalCase(text(2, 0, 0, 0xD8, 0, 0, 0x61), "a surrogate without its partner", at: 23),
  RefusalCase(text(2, 0, 0, 0, 0x61, 0), .truncated(needed: 2, available: 1), at: 25),
  RefusalCase(tagBytes(frameBytes("PRIV", utf8("owner"))), .truncated(needed: 1, available: 0), at: 25),
  RefusalCase(tagBytes(frameBytes("TIT2", flags: 0x0001, [0, 0, 0, 2, 3, 0x61, 0x62])), lengthError, at: 24),
  RefusalCase(tagBytes(frameBytes("TIT2", flags: 0x0001, [0, 0, 0x80, 2, 3, 0x61])), synchsafeError, at: 20),
  RefusalCase(tagBytes(frameBytes("TIT2", flags: 0x0003, [0, 0, 0, 3, 0, 0xFF, 0])), lengthError, at: 24),
  // The offsets are those of the unsynchronised bytes.
  RefusalCase(tagBytes(frameBytes("TIT2", flags: 0x0002, [1, 0xFF, 0, 0xFE, 0, 0xD8])), "a surrogate without its partner", at: 24),
  RefusalCase(
    tagBytes(version: 3, flags: 0x80, utf8("WOAF") + plain(2) + [0, 0, 0xFF, 0, 0xFF, 0], utf8("TIT2") + plain(1) + [0, 0, 9]),
    "a text encoding other than 0 to 3", at: 34),
  RefusalCase(tagBytes(version: 2, oldFrameBytes("TT2", [1, 0x61])), "UTF-16 without a byte order mark", at: 17),
  RefusalCase(tagBytes(version: 3, frameBytes("TENC", utf8("Encoder"))), "a text encoding other than 0 to 3", at: 20),
  RefusalCase(tagBytes(frameBytes("APIC", [0], utf8("image/png"))), .truncated(needed: 1, available: 0), at: 30),
  RefusalCase(tagBytes(frameBytes("APIC", [0], utf8("png\0"), [3], utf8("cover"))), .truncated(needed: 1, available: 0), at: 31),
  RefusalCase(tagBytes(version: 2, oldFrameBytes("PIC", [0] + utf8("PN"))), .truncated(needed: 3, available: 2), at: 17),
  RefusalCase(tagBytes(frameBytes("COMM", [3], utf8("en"))), .truncated(needed: 3, available: 2), at: 21),
  RefusalCase(tagBytes(frameBytes("USLT", [3], utf8("eng\0"), [0xE9])), "no UTF-8", at: 25),
  RefusalCase(tagBytes(frameBytes("GEOB", [0], utf8("a\0b\0c"))), .truncated(needed: 1, available: 0), at: 26),
  RefusalCase(tagBytes(frameBytes("WXXX", [7, 0])), "a text encoding other than 0 to 3", at: 20),
  RefusalCase(tagBytes(frameBytes("UFID", utf8("owner"))), .truncated(needed: 1, available: 0), at: 25),
  RefusalCase(tagBytes(frameBytes("POPM", utf8("me\0"))), .truncated(needed: 1, available: 0), at: 23),
]

@Suite struct ID3ErrorTests {
  @Test(arguments: refusals) func isRefusedAtItsByte(_ test: RefusalCase) {
    #expect(throws: test.error) { try decode(test.bytes) }
    #expect(throws: ParseError(test.error.reason, at: test.error.offset + 1_000)) { try decode(test.bytes, baseOffset: 1_000) }
  }

  @Test(arguments: unreadable) func theOtherFramesAreRead(_ test: RefusalCase) throws {
    let version = test.bytes[3]
    let title = version == 2 ? oldFrameBytes("TT2", [3] + utf8("Hi")) : titleBytes
    let tag = try decode(test.bytes)
    let index = try #require(tag.frames.firstIndex { $0.isUnreadable })
    let frame = tag.frames[index]
    guard case .unreadable(_, _, _, let error) = frame else { return }
    #expect(error == test.error)
    guard test.bytes[5] == 0 else { return }
    let (head, body) = (Array(test.bytes[..<6]), Array(test.bytes[10...]))
    let around = title + body + title
    let mixed = try decode(head + synchsafe(around.count) + around)
    let read = ID3Frame.text(id: "TIT2", values: ["Hi"])
    #expect(mixed.frames == [read] + tag.frames + [read])
    guard version == 4 else { return }
    #expect(try mixed.encode() == head + synchsafe(around.count) + around)
  }

  @Test(arguments: [UInt8(2), 3, 4]) func framesAreTakenOutByteForByte(version: UInt8) throws {
    let frames =
      version == 2
      ? [oldFrameBytes("TT2", [1, 0x61]), oldFrameBytes("TXX", [0] + utf8("d\0v")), oldFrameBytes("COM", [9])]
      : [frameBytes("TENC", utf8("Encoder")), frameBytes("TXXX", [0], utf8("d\0v")), frameBytes("APIC", flags: 0x0040, [9])]
    let bytes = tagBytes(version: version, frames[0], frames[1], frames[2], [0, 0, 0])
    #expect(try ID3Tag.removing([1], from: bytes.span) == tagBytes(version: version, frames[0], frames[2], [0, 0, 0]))
    #expect(try ID3Tag.removing([0, 2], from: bytes.span) == tagBytes(version: version, frames[1], [0, 0, 0]))
    #expect(try ID3Tag.removing([], from: bytes.span) == bytes)
  }

  @Test func aFooterIsTakenAlong() throws {
    let footed = tagBytes(flags: 0x10, titleBytes, titleBytes) + utf8("3DI") + [4, 0, 0x10] + synchsafe(26)
    #expect(try ID3Tag.removing([0], from: footed.span) == tagBytes(flags: 0x10, titleBytes) + utf8("3DI") + [4, 0, 0x10] + synchsafe(13))
    let extended = tagBytes(flags: 0x40, [0, 0, 0, 6, 1, 0], titleBytes)
    #expect(try ID3Tag.removing([0], from: extended.span) == nil)
  }

  @Test func everyBeginningIsTruncated() throws {
    let bytes = try ID3Tag(frames: frameCases.map(\.frame)).encode()
    for length in bytes.indices {
      let error =
        length < 10
        ? ParseError(.truncated(needed: 10, available: length), at: 0)
        : ParseError(.truncated(needed: bytes.count - 10, available: length - 10), at: 10)
      #expect(throws: error) { try decode(Array(bytes.prefix(length))) }
    }
  }

  @Test func noFlippedBitInTheStructureChangesAnEvent() throws {
    let event = ID3Frame.userText(description: "askQuestion", value: #"{"eventType":"askQuestion","guid":"0b9f","answers":["ä","b"]}"#)
    let bytes = try ID3Tag(frames: [event]).encode()
    // Tag header, frame header and the encoding's byte; behind them lies the text itself.
    let structureLength = 21
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let tag = try? decode(flipped), !tag.frames.contains(where: \.isUnreadable) else { continue }
      #expect(tag.frames.count == 1)
      let isAnotherEvent = tag.frames.contains { $0.isUserText && $0 != event }
      #expect(isAnotherEvent == (bit / 8 >= structureLength))
    }
  }

  @Test func aTagHas1024FramesAtMost() throws {
    func tag(_ count: Int) -> [UInt8] { tagBytes(Array(repeating: titleBytes, count: count).flatMap(\.self)) }
    #expect(try decode(tag(1_024)).frames.count == 1_024)
    let error = #expect(throws: ParseError.self) { try decode(tag(1_025)) }
    #expect(error?.reason == .aboveLimit(what: "number of frames", limit: 1_024))
  }
}

extension ID3Frame {
  fileprivate var isUserText: Bool {
    if case .userText = self { true } else { false }
  }
}

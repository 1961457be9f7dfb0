import Basics
@testable import CMAF
import TestSupport
import Testing

@Suite struct BoxTests {
  static let headers: [(bytes: [UInt8], header: BoxHeader)] = [
    (hex("00000010 6D646174"), BoxHeader(type: .mdat, size: 16)),
    (hex("00000000 6D646174"), BoxHeader(type: .mdat, size: nil)),
    (hex("00000001 6D646174 00000001 00000000"), BoxHeader(type: .mdat, size: 1 << 32, hasLargeSize: true)),
    (hex("FFFFFFFF 66726565"), BoxHeader(type: BoxType("free"), size: 0xFFFF_FFFF)),
    (
      hex("00000018 75756964 000102030405060708090A0B0C0D0E0F"),
      BoxHeader(type: .uuid, size: 24, extendedType: Array(0..<16))
    ),
    (
      hex("00000001 75756964 0000000000000020 000102030405060708090A0B0C0D0E0F"),
      BoxHeader(type: .uuid, size: 32, hasLargeSize: true, extendedType: Array(0..<16))
    ),
  ]

  @Test(arguments: headers) func headerIsReadAndWritten(bytes: [UInt8], header: BoxHeader) throws {
    #expect(try BoxHeader(bytes) == header)
    #expect(BoxHeader.length(startingWith: bytes) == bytes.count)
    #expect(header.length == bytes.count)
    #expect(header.payloadSize == header.size.map { $0 - UInt64(bytes.count) })
    var writer = ByteWriter()
    try header.write(to: &writer)
    #expect(writer.bytes == bytes)
    let followed = bytes + [1]
    var reader = ByteReader(followed.span, baseOffset: 5)
    #expect(try BoxHeader(reading: &reader) == header)
    #expect(reader.remaining == 1)
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      var reader = ByteReader(cut.span)
      do {
        _ = try BoxHeader(reading: &reader)
        Issue.record("a header of \(count) bytes was read")
      } catch { #expect(reader.position == 0) }
    }
  }

  @Test(arguments: [
    (hex("00000007 6D646174"), "box mdat is smaller than its own header"),
    (hex("00000001 6D646174 000000000000000F"), "box mdat is smaller than its own header"),
    (hex("00000017 75756964 000102030405060708090A0B0C0D0E0F"), "box uuid is smaller than its own header"),
  ])
  func headerIsRefused(bytes: [UInt8], reason: String) {
    #expect(throws: ParseError(.invalid(reason), at: 40)) { try BoxHeader(bytes, baseOffset: 40) }
  }

  @Test(arguments: [
    BoxHeader(type: .mdat, size: 7), BoxHeader(type: .mdat, size: 1 << 32), BoxHeader(type: .uuid, size: 24),
    BoxHeader(type: .mdat, size: 24, extendedType: zeros(16)), BoxHeader(type: .uuid, size: 24, extendedType: zeros(15)),
    BoxHeader(type: .mdat, size: nil, hasLargeSize: true),
  ])
  func headerIsNotWritten(_ header: BoxHeader) {
    var writer = ByteWriter()
    #expect(throws: ParseError.self) { try header.write(to: &writer) }
    #expect(writer.bytes == [])
  }

  @Test func boxesAreReadInTheirOrder() throws {
    let bytes = box("free", [1, 2]) + box("moov", box("trak", [3])) + hex("00000000 6D646174 0405")
    var boxes = BoxReader(bytes.span, baseOffset: 100)
    var seen: [String] = []
    while let box = try boxes.next() {
      seen.append("\(box.type) \(box.offset) \([UInt8](copying: box.payload))")
      guard box.type == .moov else { continue }
      var children = try box.children()
      while let child = try children.next() { seen.append("\(child.type) \(child.offset) \([UInt8](copying: child.payload))") }
    }
    #expect(seen == ["free 100 [1, 2]", "moov 110 \(box("trak", [3]))", "trak 118 [3]", "mdat 127 [4, 5]"])
  }

  @Test func boxLargerThanItsContainerIsRefused() {
    let bytes = hex("00000011 66726565 0102")
    #expect(throws: ParseError(.invalid("box free is larger than its container"), at: 3)) {
      var boxes = BoxReader(bytes.span, baseOffset: 3)
      _ = try boxes.next()?.type
    }
  }

  @Test func terminatorOfQuickTimeIsTheEnd() throws {
    let bytes = box("free") + zeros(4)
    var boxes = BoxReader(bytes.span)
    #expect(try boxes.next()?.type == BoxType("free"))
    #expect(try boxes.next()?.type == nil)
  }

  @Test func depthIsLimited() {
    let bytes = (0..<40).reduce([]) { inner, _ in box("moov", inner) }
    func descend(_ boxes: consuming BoxReader) throws(ParseError) -> Int {
      var boxes = boxes
      guard let box = try boxes.next() else { return boxes.depth }
      return try descend(try box.children())
    }
    #expect(throws: ParseError(.aboveLimit(what: "depth of boxes", limit: BoxReader.deepest), at: 8 * BoxReader.deepest)) {
      try descend(BoxReader(bytes.span))
    }
  }

  static let brands: [(bytes: [UInt8], box: FileTypeBox)] = [
    (SampleMovie.ftyp, SampleMovie.brands),
    (
      SampleMovie.styp,
      FileTypeBox(type: .styp, majorBrand: BoxType("msdh"), compatibleBrands: [BoxType("msdh"), BoxType("msix")])
    ),
    (hex("00000010 66747970 71742020 00000001"), FileTypeBox(majorBrand: BoxType("qt"), minorVersion: 1, compatibleBrands: [])),
  ]

  @Test(arguments: brands) func brandsAreReadAndWritten(bytes: [UInt8], box: FileTypeBox) throws {
    #expect(try FileTypeBox(bytes) == box)
    #expect(try box.encoded() == bytes)
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(throws: ParseError.self) { try FileTypeBox(cut) }
    }
    let longer = bytes + [0]
    #expect(throws: ParseError(.trailingBytes(1), at: bytes.count)) { try FileTypeBox(longer) }
  }

  @Test func typesAreShownAsText() {
    #expect("\(BoxType("ac-3")) \(BoxType("qt")) \(BoxType(rawValue: 0xA978_797A))" == "ac-3 qt   ?xyz")
  }
}

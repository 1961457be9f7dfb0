import Basics
import Testing

@Suite struct ByteReaderTests {
  @Test func readsFieldsInBigEndianOrder() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    var reader = ByteReader(bytes.span)
    #expect(try reader.readUInt8() == 1)
    #expect(try reader.readUInt16() == 0x0203)
    #expect(try reader.readUInt32() == 0x0405_0607)
    #expect(try reader.readBytes(2) == [8, 9])
    #expect(try reader.readInteger(byteCount: 1) == 10)
    try reader.finish()
  }

  @Test(arguments: 0..<4) func failedReadKeepsThePosition(available: Int) {
    let bytes = [UInt8](repeating: 7, count: available)
    var reader = ByteReader(bytes.span, baseOffset: 100)
    #expect(throws: ParseError(.truncated(needed: 4, available: available), at: 100)) { try reader.readUInt32() }
    #expect(reader.position == 0)
  }

  @Test func negativeCountsAreRefused() {
    let bytes: [UInt8] = [1]
    var reader = ByteReader(bytes.span)
    #expect(throws: ParseError(.truncated(needed: -1, available: 1), at: 0)) { try reader.skip(-1) }
  }

  @Test func partsKeepTheOffsetsOfTheWhole() throws {
    let bytes: [UInt8] = [1, 2, 3, 4]
    var reader = ByteReader(bytes.span, baseOffset: 10)
    try reader.skip(1)
    var part = try reader.readPart(2)
    #expect(try part.readUInt8() == 2)
    #expect(throws: ParseError(.trailingBytes(1), at: 12)) { try part.finish() }
    #expect(reader.offset == 13)
  }
}

@Suite struct ByteWriterTests {
  @Test func patchesLengthsAfterwards() throws {
    var writer = ByteWriter()
    try writer.writeLengthPrefixed(bits: 12, flags: 0xB000, extra: 4) { body throws(ParseError) in body.write("abc") }
    #expect(writer.bytes == [0xB0, 7, 0x61, 0x62, 0x63])
  }

  @Test func refusesALengthThatDoesNotFitAndWritesNothing() {
    var writer = ByteWriter()
    writer.writeUInt8(1)
    #expect(throws: ParseError(.aboveLimit(what: "length", limit: 255), at: 1)) {
      try writer.writeLengthPrefixed(bits: 8) { body throws(ParseError) in body.fill(0, count: 256) }
    }
    #expect(writer.bytes == [1])
  }
}

@Suite struct CRC32Tests {
  /// The check value of CRC-32/MPEG-2 in the catalogue of parametrised CRC algorithms.
  @Test func matchesTheCatalogue() {
    #expect(CRC32MPEG2.checksum("123456789") == 0x0376_E6E7)
    #expect(CRC32MPEG2.checksum(Array("123456789".utf8).span) == 0x0376_E6E7)
  }

  /// Sixteen bytes at once give what one after the other gives, at every length and in every division.
  @Test func doesNotDependOnPieces() {
    let bytes = (0..<67).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
    var single = CRC32MPEG2()
    for count in 0...bytes.count {
      if count > 0 { single.update(bytes[count - 1]) }
      #expect(CRC32MPEG2.checksum(bytes.span.extracting(..<count)) == single.value)
      var parts = CRC32MPEG2()
      parts.update(bytes.span.extracting(..<(count / 3)))
      parts.update(bytes.span.extracting((count / 3)..<count))
      #expect(parts == single)
    }
  }

  @Test func isZeroOverDataAndItsOwnChecksum() {
    var writer = ByteWriter()
    writer.write("any data")
    writer.writeUInt32(CRC32MPEG2.checksum(writer.bytes.span))
    #expect(CRC32MPEG2.checksum(writer.bytes.span) == 0)
  }
}

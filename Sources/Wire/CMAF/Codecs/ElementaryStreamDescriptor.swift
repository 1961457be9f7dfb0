import Basics

/// The coding of a stream as described by `esds` (ISO/IEC 14496-1, 7.2.6).
struct ElementaryStreamDescriptor: Equatable {
  /// objectTypeIndication: 0x40 for MPEG-4 audio, 0x6B and 0x69 for MP3.
  var objectType: UInt8
  /// The DecoderSpecificInfo; for MPEG-4 audio an AudioSpecificConfig.
  var specificInfo: [UInt8]
  /// The offset of `specificInfo` in the whole input.
  var specificInfoOffset: Int

  static let mpeg4Audio: UInt8 = 0x40

  private enum Tag {
    static let stream: UInt8 = 3
    static let decoderConfiguration: UInt8 = 4
    static let specificInfo: UInt8 = 5
  }

  /// Reads the payload of `esds`.
  init(_ fields: consuming ByteReader) throws(ParseError) {
    var reader = fields
    try reader.skip(4)  // version and flags
    var stream = try Self.readDescriptor(Tag.stream, from: &reader)
    try stream.skip(2)  // ES_ID
    let flags = try stream.readUInt8()
    if flags & 0x80 != 0 { try stream.skip(2) }  // dependsOn_ES_ID
    if flags & 0x40 != 0 { try stream.skip(Int(try stream.readUInt8())) }  // URL
    if flags & 0x20 != 0 { try stream.skip(2) }  // OCR_ES_ID
    var decoder = try Self.readDescriptor(Tag.decoderConfiguration, from: &stream)
    objectType = try decoder.readUInt8()
    try decoder.skip(12)  // stream type, buffer size, bit rates
    specificInfoOffset = decoder.offset
    specificInfo = []
    guard decoder.remaining > 0 else { return }
    var info = try Self.readDescriptor(Tag.specificInfo, from: &decoder)
    specificInfoOffset = info.offset
    specificInfo = try info.readBytes(info.remaining)
  }

  @_lifetime(copy reader)
  private static func readDescriptor(_ tag: UInt8, from reader: inout ByteReader) throws(ParseError) -> ByteReader {
    let start = reader.offset
    guard try reader.readUInt8() == tag else { throw ParseError(.invalid("descriptor \(tag) of esds is missing"), at: start) }
    var size = 0
    // Seven bits a byte, at most four bytes.
    for _ in 0..<4 {
      let byte = try reader.readUInt8()
      size = size << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return try reader.readPart(size)
  }
}

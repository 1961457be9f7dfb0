public import Basics

/// The header of a PES packet, as far as it concerns times (ISO/IEC 13818-1, 2.4.3.6).
public struct PESHeader: Equatable, Sendable {
  /// The stream_id; 0xBD (private_stream_1) for timed ID3.
  public var streamID: UInt8
  /// The PES_packet_length: the number of bytes after the field, or 0 if it is not stated.
  public var packetLength: Int
  /// Whether the payload starts with the start of an access unit.
  public var isAligned: Bool
  /// When the payload is presented, in 90 kHz ticks (33 bits).
  public var presentationTime: UInt64?
  /// When the payload is decoded, if that is not when it is presented.
  public var decodingTime: UInt64?
  /// The size of the header in bytes; the payload follows.
  public var size: Int

  /// The first video stream and the first audio stream of a program.
  package static let (video, audio): (UInt8, UInt8) = (0xE0, 0xC0)
  /// private_stream_1, which carries timed ID3.
  public static let privateStream1: UInt8 = 0xBD
  /// The size of the fields up to and including PES_packet_length.
  public static let lengthFieldEnd = 6
  /// The largest header: its fixed part, and 255 bytes of fields.
  public static let largestSize = 9 + 255

  /// The size of the payload, if the header states it.
  public var payloadSize: Int? { packetLength > 0 ? Self.lengthFieldEnd + packetLength - size : nil }
}

extension PESHeader {
  /// Reads the header at the start of `bytes`.
  ///
  /// - Throws: `ParseError` if `bytes` end within the header, there is no start code, or the stream is one whose packets have no such header.
  public init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = ByteReader(bytes, baseOffset: baseOffset)
    guard try reader.readInteger(byteCount: 3) == 1 else { throw ParseError(.invalid("no start code of a PES packet"), at: baseOffset) }
    streamID = try reader.readUInt8()
    packetLength = Int(try reader.readUInt16())
    let flags = try reader.readUInt8()
    guard flags & 0xC0 == 0x80 else { throw ParseError(.invalid("PES packet without the optional header"), at: baseOffset + 6) }
    isAligned = flags & 0x04 != 0
    let fields = try reader.readUInt8()
    let fieldsLength = Int(try reader.readUInt8())
    size = 9 + fieldsLength
    guard packetLength == 0 || size <= Self.lengthFieldEnd + packetLength else {
      throw ParseError(.invalid("PES header is longer than its packet"), at: baseOffset + 8)
    }
    var part = try reader.readPart(fieldsLength)
    if fields & 0x80 != 0 { presentationTime = try Self.readTimestamp(&part) }
    if fields & 0xC0 == 0xC0 { decodingTime = try Self.readTimestamp(&part) }
  }

  private static func readTimestamp(_ reader: inout ByteReader) throws(ParseError) -> UInt64 {
    let start = reader.offset
    let field = try reader.readInteger(byteCount: 5)
    // Each of the three parts ends with a marker bit.
    guard field & 0x1_0001_0001 == 0x1_0001_0001 else { throw ParseError(.invalid("timestamp without its marker bits"), at: start) }
    return field >> 3 & 0x1_C000_0000 | field >> 2 & 0x3FFF_8000 | field >> 1 & 0x7FFF
  }

  /// A PES packet of timed ID3: private_stream_1, its real length, aligned, with a presentation time.
  ///
  /// - Parameters:
  ///   - tag: The payload: exactly one ID3 tag, of at most 65,527 bytes.
  ///   - presentationTime: 90 kHz ticks; only the lower 33 bits are written, as the clock wraps.
  /// - Throws: `ParseError` if the tag is too large.
  public static func timedID3Packet(_ tag: [UInt8], presentationTime: UInt64) throws(ParseError) -> [UInt8] {
    // Two bytes of flags, a size, and a presentation time of five bytes precede the tag.
    guard tag.count + 8 <= UInt16.max else { throw ParseError(.aboveLimit(what: "length", limit: Int(UInt16.max)), at: 4) }
    return packet(streamID: privateStream1, tag, presentationTime: presentationTime, decodingTime: presentationTime)
  }

  /// A PES packet with an access unit or a tag, aligned.
  ///
  /// - Parameters:
  ///   - presentationTime, decodingTime: 90 kHz ticks; only the lower 33 bits are written. The decoding time is left out if it is the same.
  package static func packet(streamID: UInt8, _ accessUnit: [UInt8], presentationTime: UInt64, decodingTime: UInt64) -> [UInt8] {
    let hasDecodingTime = presentationTime & 0x1_FFFF_FFFF != decodingTime & 0x1_FFFF_FFFF
    let fieldsSize = hasDecodingTime ? 10 : 5
    // The length of video may be left open, and that of long video has to be.
    let length = 3 + fieldsSize + accessUnit.count
    var writer = ByteWriter(capacity: length + lengthFieldEnd)
    writer.writeInteger(1, byteCount: 3)
    writer.writeUInt8(streamID)
    writer.writeUInt16(UInt16(exactly: length) ?? 0)
    // '10', not scrambled, aligned.
    writer.writeUInt8(0x84)
    writer.writeUInt8(hasDecodingTime ? 0xC0 : 0x80)
    writer.writeUInt8(UInt8(fieldsSize))
    writeTimestamp(presentationTime, prefix: hasDecodingTime ? 0b0011 : 0b0010, to: &writer)
    if hasDecodingTime { writeTimestamp(decodingTime, prefix: 0b0001, to: &writer) }
    writer.write(accessUnit)
    return writer.bytes
  }

  private static func writeTimestamp(_ time: UInt64, prefix: UInt64, to writer: inout ByteWriter) {
    let parts = (time >> 30 & 7) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1
    writer.writeInteger(prefix << 36 | parts | 0x1_0001_0001, byteCount: 5)
  }
}

import Basics

/// The header of a frame: identifier, size and, from 2.3 on, flags
/// (ID3v2.2, section 3.2; ID3v2.3, section 3.3; ID3v2.4 structure, section 4).
struct ID3FrameHeader: Equatable {
  /// Three characters in 2.2, four afterwards: ASCII, and capital letters and digits if it is valid.
  var id: String
  /// How many bytes the content has.
  var size: Int
  /// The flags as written; 2.3 and 2.4 assign the bits differently.
  var flags: UInt16
}

extension ID3FrameHeader {
  /// Why an identifier is not valid.
  static let malformedIdentifier = ParseError.Reason.invalid("no ID3 frame: its identifier has other characters than A to Z and 0 to 9")

  /// Reads the header of a frame. Other ASCII than capital letters and digits is read too, so that the frame's size can tell where the next one starts.
  ///
  /// The size of a frame of 2.4 is synchsafe, but some writers write a plain integer. A size with a byte above 0x7F is read as a plain one, every
  /// other as synchsafe.
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader, version: UInt8) throws(ParseError) {
    try reader.require(version == 2 ? 6 : 10)
    let malformed = reader.error(Self.malformedIdentifier)
    let bytes = try reader.readBytes(version == 2 ? 3 : 4)
    guard bytes.allSatisfy({ $0 < 0x80 }) else { throw malformed }
    id = String(decoding: bytes, as: UTF8.self)
    if version == 2 {
      size = Int(try reader.readInteger(byteCount: 3))
      flags = 0
    } else {
      let bits = try reader.readUInt32()
      size = (version == 4 ? SynchsafeInteger.decode(bits) : nil) ?? Int(clamping: bits)
      flags = try reader.readUInt16()
    }
  }

  /// Writes the header in the format of 2.4.
  ///
  /// - Parameter anyIdentifier: Whether any four characters may be the identifier, as those of a frame that could not be read.
  /// - Throws: `invalid` for an identifier that 2.4 cannot have, `aboveLimit` for too large a frame.
  func write(to writer: inout ByteWriter, anyIdentifier: Bool) throws(ParseError) {
    guard id.utf8.count == 4, anyIdentifier || hasValidIdentifier else {
      throw ParseError(.invalid("an identifier that no ID3v2.4 frame can have: \(id)"), at: writer.bytes.count)
    }
    writer.write(id)
    try writer.writeSynchsafe(size, what: "size of an ID3 frame")
    writer.writeUInt16(flags)
  }

  /// Whether the identifier has capital letters and digits only.
  var hasValidIdentifier: Bool { id.utf8.allSatisfy(ID3FrameHeader.mayStandInIdentifier) }

  private static func mayStandInIdentifier(_ byte: UInt8) -> Bool {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte.isASCIIDigit
  }
}

/// The format of a frame's content, by the second byte of its flags (ID3v2.3, section 3.3.1; ID3v2.4 structure, section 4.1).
struct ID3FrameFormat: Equatable {
  /// The flag of 2.4 for unsynchronised content.
  static let unsynchronisationFlag: UInt16 = 0x0002

  /// Whether the content starts with a byte for the frame's group.
  var hasGroup: Bool
  /// Whether a data length indicator of four bytes follows: the length of the content without unsynchronisation.
  var hasDataLength: Bool
  /// Whether the content is unsynchronised.
  var isUnsynchronised: Bool

  /// The format that `flags` describe, or nil for compression, encryption or something undefined.
  init?(_ flags: UInt16, version: UInt8) {
    // The first byte's flags, even undefined ones, only tell editors what to do with the frame. Writers of 2.4 use those of 2.3.
    let readable: UInt16 = version == 4 ? 0xFF43 : version == 3 ? 0xFF20 : 0
    guard flags & ~readable == 0 else { return nil }
    hasGroup = flags & (version == 4 ? 0x0040 : 0x0020) != 0
    hasDataLength = version == 4 && flags & 0x0001 != 0
    isUnsynchronised = version == 4 && flags & ID3FrameFormat.unsynchronisationFlag != 0
  }

  /// Flags of 2.3 in the format of 2.4, or nil if the content would have to change too.
  static func flagsFor24(from23 flags: UInt16) -> UInt16? { flags & ~0xE000 == 0 ? flags >> 1 : nil }
}

import Basics

/// The ten bytes at the start of a tag, and their copy at the end, the footer (ID3v2.4 structure, sections 3.1 and 3.4).
struct ID3Header: Equatable {
  /// How many bytes a header has; a footer has as many.
  static let length = 10

  /// What the flags of a tag mean.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let unsynchronisation = Flags(rawValue: 0x80)
    /// From 2.3 on. In 2.2 the bit meant a compression that was never defined.
    static let extendedHeader = Flags(rawValue: 0x40)
    static let experimental = Flags(rawValue: 0x20)
    /// From 2.4 on.
    static let footer = Flags(rawValue: 0x10)

    /// The flags that a version defines and that a reader can follow.
    static func known(in version: UInt8) -> Flags {
      switch version {
      case 2: .unsynchronisation
      case 3: [.unsynchronisation, .extendedHeader, .experimental]
      default: [.unsynchronisation, .extendedHeader, .experimental, .footer]
      }
    }
  }

  /// 2, 3 or 4.
  var version: UInt8 = 4
  var flags: Flags = []
  /// The number of bytes between header and footer.
  var size: Int

  /// The length of the whole tag in bytes.
  var tagLength: Int { ID3Header.length + size + (flags.contains(.footer) ? ID3Header.length : 0) }
}

extension ID3Header {
  /// Reads a header, or with the identifier `3DI` a footer.
  ///
  /// - Throws: `invalid` at the field whose value this reader does not know.
  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader, identifier: String = "ID3") throws(ParseError) {
    try reader.require(ID3Header.length)
    let notThere = reader.error(.invalid("no ID3v2 tag: \(identifier) is expected here"))
    for expected in identifier.utf8 {
      guard try reader.readUInt8() == expected else { throw notThere }
    }
    let unsupported = reader.error(.invalid("a version of ID3 other than 2.2.0, 2.3.0 and 2.4.0"))
    version = try reader.readUInt8()
    guard 2...4 ~= version, try reader.readUInt8() == 0 else { throw unsupported }
    let undefined = reader.error(.invalid("flags that ID3v2.\(version) does not define"))
    flags = Flags(rawValue: try reader.readUInt8())
    guard flags.isSubset(of: .known(in: version)) else { throw undefined }
    size = try reader.readSynchsafe()
  }

  /// Writes the header, or with the identifier `3DI` the footer.
  ///
  /// - Throws: `aboveLimit` if the tag is too large.
  func write(to writer: inout ByteWriter, identifier: String = "ID3") throws(ParseError) {
    writer.write(identifier)
    writer.writeUInt8(version)
    writer.writeUInt8(0)
    writer.writeUInt8(flags.rawValue)
    try writer.writeSynchsafe(size, what: "size of an ID3 tag")
  }
}

/// The optional header between header and frames. It says nothing about the frames, so its form is checked and it is skipped.
/// Its checksum is not compared: writers disagree about the bytes it covers.
enum ID3ExtendedHeader {
  /// Skips an extended header (ID3v2.3 and ID3v2.4 structure, section 3.2).
  @_lifetime(reader: copy reader)
  static func skip(_ reader: inout ByteReader, version: UInt8) throws(ParseError) {
    let malformed = reader.error(.invalid("a malformed extended header"))
    if version == 3 {
      let size = try reader.readUInt32()
      let flags = try reader.readUInt16()
      guard flags & 0x7FFF == 0, size == (flags == 0 ? 6 : 10) else { throw malformed }
      // The size of the padding, and the checksum.
      try reader.skip(flags == 0 ? 4 : 8)
    } else {
      let size = try reader.readSynchsafe()
      // The size counts itself, the number of flag bytes and the flags.
      guard size >= 6 else { throw malformed }
      var fields = try reader.readPart(size - 4)
      let flagByteCount = try fields.readUInt8()
      let flags = try fields.readUInt8()
      guard flagByteCount == 1, flags & 0x8F == 0 else { throw malformed }
      // Of the three flags, the first has no data, the second five bytes, the third one.
      for (flag, length) in [(0x40, 0), (0x20, 5), (0x10, 1)] as [(UInt8, Int)] where flags & flag != 0 {
        guard try fields.readUInt8() == length else { throw malformed }
        try fields.skip(length)
      }
      try fields.finish()
    }
  }
}

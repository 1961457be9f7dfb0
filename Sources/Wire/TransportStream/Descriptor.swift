package import Basics

/// A descriptor of a program or an elementary stream (ISO/IEC 13818-1, 2.6): a tag and its data, which is kept as it is.
public struct Descriptor: Equatable, Sendable {
  /// The descriptor_tag.
  public var tag: UInt8
  /// The data after the length field, at most 255 bytes.
  public var data: [UInt8]

  /// A descriptor.
  public init(tag: UInt8, data: [UInt8]) { (self.tag, self.data) = (tag, data) }

  /// The tags that are used.
  public enum Tag {
    /// registration_descriptor.
    public static let registration: UInt8 = 0x05
    /// ISO_639_language_descriptor.
    public static let language: UInt8 = 0x0A
    /// metadata_pointer_descriptor.
    public static let metadataPointer: UInt8 = 0x25
    /// metadata_descriptor.
    public static let metadata: UInt8 = 0x26
    /// AC-3_descriptor (ETSI EN 300 468).
    public static let ac3: UInt8 = 0x6A
    /// enhanced_AC-3_descriptor (ETSI EN 300 468).
    public static let eac3: UInt8 = 0x7A
    /// DTS_descriptor (ETSI EN 300 468).
    public static let dts: UInt8 = 0x7B
    /// AAC (EN 300 468).
    public static let aac: UInt8 = 0x7C
    /// A descriptor whose tag is its first byte (EN 300 468).
    public static let extended: UInt8 = 0x7F
  }
}

extension Descriptor {
  /// Reads descriptors to the end of `reader`.
  ///
  /// - Throws: `ParseError` if one is cut off.
  package static func list(_ reader: inout ByteReader) throws(ParseError) -> [Descriptor] {
    var descriptors: [Descriptor] = []
    while reader.remaining > 0 {
      let tag = try reader.readUInt8()
      descriptors.append(Descriptor(tag: tag, data: try reader.readBytes(Int(try reader.readUInt8()))))
    }
    return descriptors
  }

  /// Writes the descriptor.
  ///
  /// - Throws: `ParseError` if it is longer than 255 bytes.
  func write(to writer: inout ByteWriter) throws(ParseError) {
    writer.writeUInt8(tag)
    try writer.writeLengthPrefixed(bits: 8) { body throws(ParseError) in body.write(data) }
  }
}

import Basics

/// Says that an elementary stream carries timed ID3: metadata_descriptor, tag 0x26 (ISO/IEC 13818-1, 2.6.60; Apple, "Timed Metadata for HLS").
public struct MetadataDescriptor: Equatable, Sendable {
  /// The four characters "ID3 ", both as the application format's and as the metadata format's identifier.
  public static let id3Identifier: UInt32 = 0x4944_3320

  /// The format of the metadata, if a four-character identifier names it.
  public var format: UInt32?
  /// The number that ties the stream to its metadata_pointer_descriptor.
  public var serviceID: UInt8

  /// A descriptor of a timed ID3 stream.
  public init(serviceID: UInt8) {
    self.format = Self.id3Identifier
    self.serviceID = serviceID
  }

  /// Whether the stream carries ID3.
  public var isID3: Bool { format == Self.id3Identifier }
}

extension MetadataDescriptor {
  /// Reads the descriptor; `nil` if it is another one or is cut off.
  public init?(_ descriptor: Descriptor) {
    guard descriptor.tag == Descriptor.Tag.metadata else { return nil }
    var reader = ByteReader(descriptor.data.view)
    guard let fields = try? MetadataFields(&reader) else { return nil }
    format = fields.format
    serviceID = fields.serviceID
  }

  /// The descriptor's bytes: no decoder configuration (flags 0x0F).
  public var descriptor: Descriptor {
    var writer = ByteWriter()
    MetadataFields(format: format, serviceID: serviceID).write(to: &writer)
    writer.writeUInt8(0x0F)
    return Descriptor(tag: Descriptor.Tag.metadata, data: writer.bytes)
  }
}

/// Says that a program has timed ID3: metadata_pointer_descriptor, tag 0x25 (ISO/IEC 13818-1, 2.6.58; Apple, "Timed Metadata for HLS").
public struct MetadataPointerDescriptor: Equatable, Sendable {
  /// The format of the metadata, if a four-character identifier names it.
  public var format: UInt32?
  /// The number that ties the pointer to the stream's metadata_descriptor.
  public var serviceID: UInt8
  /// The program that carries the metadata; `nil` if it lies elsewhere.
  public var programNumber: UInt16?

  /// A pointer to timed ID3 in the program itself.
  public init(serviceID: UInt8, programNumber: UInt16) {
    self.format = MetadataDescriptor.id3Identifier
    (self.serviceID, self.programNumber) = (serviceID, programNumber)
  }

  /// Whether it points to ID3.
  public var isID3: Bool { format == MetadataDescriptor.id3Identifier }
}

extension MetadataPointerDescriptor {
  /// Reads the descriptor; `nil` if it is another one or is cut off.
  public init?(_ descriptor: Descriptor) {
    guard descriptor.tag == Descriptor.Tag.metadataPointer else { return nil }
    var reader = ByteReader(descriptor.data.view)
    guard let fields = try? MetadataFields(&reader), let flags = try? reader.readUInt8() else { return nil }
    format = fields.format
    serviceID = fields.serviceID
    // metadata_locator_record_flag: a record of stated length lies in front of the program's number.
    if flags & 0x80 != 0 {
      guard let length = try? reader.readUInt8(), (try? reader.skip(Int(length))) != nil else { return nil }
    }
    // MPEG_carriage_flags: 0 this stream, 1 another, 2 a program stream, 3 none of them.
    if flags >> 5 & 3 <= 1 { programNumber = try? reader.readUInt16() }
  }

  /// The descriptor's bytes: carried in this stream, no locator (flags 0x1F).
  public var descriptor: Descriptor {
    var writer = ByteWriter()
    MetadataFields(format: format, serviceID: serviceID).write(to: &writer)
    writer.writeUInt8(0x1F)
    writer.writeUInt16(programNumber ?? 0)
    return Descriptor(tag: Descriptor.Tag.metadataPointer, data: writer.bytes)
  }
}

/// The first fields of both descriptors: application format, metadata format and service.
private struct MetadataFields {
  var format: UInt32?
  var serviceID: UInt8
}

extension MetadataFields {
  init(_ reader: inout ByteReader) throws(ParseError) {
    if try reader.readUInt16() == 0xFFFF { try reader.skip(4) }
    if try reader.readUInt8() == 0xFF { format = try reader.readUInt32() }
    serviceID = try reader.readUInt8()
  }

  func write(to writer: inout ByteWriter) {
    writer.writeUInt16(0xFFFF)
    writer.writeUInt32(MetadataDescriptor.id3Identifier)
    writer.writeUInt8(0xFF)
    writer.writeUInt32(format ?? MetadataDescriptor.id3Identifier)
    writer.writeUInt8(serviceID)
  }
}

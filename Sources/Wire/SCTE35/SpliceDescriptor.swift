package import Basics

/// A splice_descriptor (SCTE 35, 10.2).
package struct SpliceDescriptor: Equatable, Sendable {
  /// The splice_descriptor_tag.
  package var tag: UInt8
  /// Its owner; "CUEI" for those of SCTE 35.
  package var identifier: UInt32
  /// The bytes after the identifier, at most 251.
  package var data: [UInt8]

  /// The identifier "CUEI" of SCTE 35.
  package static let cueIdentifier: UInt32 = 0x4355_4549

  /// A descriptor.
  package init(tag: UInt8, identifier: UInt32 = cueIdentifier, data: [UInt8]) {
    (self.tag, self.identifier, self.data) = (tag, identifier, data)
  }

  @_lifetime(reader: copy reader)
  init(reading reader: inout ByteReader) throws(ParseError) {
    tag = try reader.readUInt8()
    var content = try reader.readPart(Int(try reader.readUInt8()))
    identifier = try content.readUInt32()
    data = try content.readBytes(content.remaining)
  }

  func write(to writer: inout ByteWriter) throws(ParseError) {
    writer.writeUInt8(tag)
    try writer.writeLengthPrefixed(bits: 8) { content throws(ParseError) in
      content.writeUInt32(identifier)
      content.write(data)
    }
  }

  /// Whether it is a segmentation_descriptor, readable or not.
  package var isSegmentation: Bool { tag == SegmentationDescriptor.tag && identifier == Self.cueIdentifier }
}

/// A segmentation_descriptor (SCTE 35, 10.3.3).
package struct SegmentationDescriptor: Equatable, Sendable {
  /// What an event that is not cancelled states.
  package struct Segment: Equatable, Sendable {
    /// The segmentation_duration in 90 kHz ticks of 40 bits.
    package var duration: UInt64?
    /// The segmentation_upid_type.
    package var upidType: UInt8
    /// The segmentation_upid.
    package var upid: [UInt8]
    /// The segmentation_type_id.
    package var type: SegmentationType
    /// The segment_num.
    package var number: UInt8
    /// The segments_expected.
    package var expected: UInt8

    /// A segment.
    package init(
      _ type: SegmentationType, duration: UInt64? = nil, upidType: UInt8 = 0, upid: [UInt8] = [], number: UInt8 = 0, expected: UInt8 = 0
    ) {
      (self.type, self.duration, self.upidType, self.upid) = (type, duration, upidType, upid)
      (self.number, self.expected) = (number, expected)
    }
  }

  /// The splice_descriptor_tag.
  package static let tag: UInt8 = 2

  /// The segmentation_event_id.
  package var eventID: UInt32
  /// What it states; `nil` if the event is cancelled.
  package var segment: Segment?

  /// A segment, or the end of an event that will not happen.
  package init(eventID: UInt32, _ segment: Segment?) { (self.eventID, self.segment) = (eventID, segment) }

  /// Reads a descriptor. Old writers leave out the fields of sub-segments, which are not read.
  ///
  /// - Throws: `ParseError` if it is another descriptor or cut off. Offsets count from the start of its data.
  package init(_ descriptor: SpliceDescriptor) throws(ParseError) {
    guard descriptor.isSegmentation else { throw ParseError(.invalid("no segmentation_descriptor"), at: 0) }
    let data = descriptor.data.view
    var reader = ByteReader(data)
    eventID = try reader.readUInt32()
    guard try reader.readUInt8() & 0x80 == 0 else {
      segment = nil
      return
    }
    let flags = try reader.readUInt8()
    if flags & 0x80 == 0 { try reader.skip(Int(try reader.readUInt8()) * 6) }
    let duration = flags & 0x40 == 0 ? nil : try reader.readInteger(byteCount: 5)
    let upidType = try reader.readUInt8()
    let upid = try reader.readBytes(Int(try reader.readUInt8()))
    let type = SegmentationType(rawValue: try reader.readUInt8())
    segment = Segment(type, duration: duration, upidType: upidType, upid: upid)
    segment?.number = try reader.readUInt8()
    segment?.expected = try reader.readUInt8()
  }

  /// The descriptor of a segment of the whole program, without restrictions of its delivery.
  ///
  /// - Throws: `ParseError` if the upid is longer than 255 bytes.
  package func encode() throws(ParseError) -> SpliceDescriptor {
    var writer = ByteWriter()
    writer.writeUInt32(eventID)
    writer.writeUInt8(segment == nil ? 0xFF : 0x7F)
    if let segment {
      writer.writeUInt8(segment.duration == nil ? 0xBF : 0xFF)
      if let duration = segment.duration { writer.writeInteger(duration & 0xFF_FFFF_FFFF, byteCount: 5) }
      writer.writeUInt8(segment.upidType)
      try writer.writeLengthPrefixed(bits: 8) { upid throws(ParseError) in upid.write(segment.upid) }
      writer.writeUInt8(segment.type.rawValue)
      writer.writeUInt8(segment.number)
      writer.writeUInt8(segment.expected)
    }
    return SpliceDescriptor(tag: Self.tag, data: writer.bytes)
  }
}

extension SegmentationDescriptor.Segment {
  /// The upid as text: characters if its type says so and they are printable ASCII, else hexadecimal with `0x`; empty if there is none.
  package var upidText: String {
    let isText: [UInt8] = [0x01, 0x02, 0x03, 0x07, 0x09, 0x0E, 0x0F, 0x11]
    if isText.contains(upidType), upid.allSatisfy({ 0x20...0x7E ~= $0 }) { return String(decoding: upid, as: UTF8.self) }
    guard !upid.isEmpty else { return "" }
    return "0x" + upid.hexadecimal
  }

  /// The name of the upid's type; `nil` if there is none or it is not known.
  package var upidName: String? {
    switch upidType {
    case 0x01: "user defined"
    case 0x02: "ISCI"
    case 0x03: "Ad-ID"
    case 0x04: "UMID"
    case 0x05, 0x06: "ISAN"
    case 0x07: "TID"
    case 0x08: "TI"
    case 0x09: "ADI"
    case 0x0A: "EIDR"
    case 0x0B: "ATSC"
    case 0x0C: "MPU"
    case 0x0D: "MID"
    case 0x0E: "ADS"
    case 0x0F: "URI"
    case 0x10: "UUID"
    case 0x11: "SCR"
    default: nil
    }
  }
}

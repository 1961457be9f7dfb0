package import Basics

/// An event message (`emsg`, ISO/IEC 23009-1, 5.10.3.3). In CMAF it carries ID3, one complete tag in each message.
package struct EventMessageBox: Equatable, Sendable {
  /// When the event is presented, in ticks of the timescale. The case decides the version of the box.
  package enum Time: Equatable, Sendable {
    /// Version 0: ticks after the earliest presentation time of the segment (presentation_time_delta).
    case afterSegmentStart(UInt32)
    /// Version 1: ticks on the timeline of the presentation (presentation_time).
    case absolute(UInt64)
  }

  /// The scheme_id_uri: what kind of message it is.
  package var schemeID: BoxText
  /// Distinguishes the kinds of messages within a scheme; empty for ID3.
  package var value: BoxText
  /// The timescale of the time and the duration.
  package var timescale: Timescale
  /// When the event is presented.
  package var time: Time
  /// How long the event lasts, in ticks; `unknownDuration` if it is unknown.
  package var eventDuration: UInt32
  /// Identifies the message: players take messages of equal scheme, value and id for repeats of one another.
  package var id: UInt32
  /// The message; for the ID3 schemes one complete ID3 tag.
  package var messageData: [UInt8]

  /// The scheme of ID3 tags (AOMedia, "Carriage of ID3 Timed Metadata in CMAF").
  package static let id3Scheme: BoxText = "https://aomedia.org/emsg/ID3"
  /// The scheme of ID3 tags that Apple's tools used before.
  package static let appleID3Scheme: BoxText = "https://developer.apple.com/streaming/emsg-id3"
  /// The scheme of sections of SCTE 35 (SCTE 214-3).
  package static let spliceScheme: BoxText = "urn:scte:scte35:2013:bin"
  /// The event_duration of an event whose end is not known.
  package static let unknownDuration: UInt32 = 0xFFFF_FFFF

  /// A message.
  package init(
    schemeID: BoxText, value: BoxText = "", timescale: Timescale = .mediaTime, time: Time, eventDuration: UInt32 = unknownDuration,
    id: UInt32,
    messageData: [UInt8]
  ) {
    self.schemeID = schemeID
    self.value = value
    self.timescale = timescale
    self.time = time
    self.eventDuration = eventDuration
    self.id = id
    self.messageData = messageData
  }

  /// 0 or 1, depending on the kind of time.
  package var version: UInt8 {
    switch time {
    case .afterSegmentStart: 0
    case .absolute: 1
    }
  }

  /// Whether the message is an ID3 tag, by either scheme.
  package var isID3: Bool { schemeID == Self.id3Scheme || schemeID == Self.appleID3Scheme }

  /// When the event is presented, to the nearest tick of 90 kHz (exact if 90,000 divided by the timescale is whole), saturating.
  ///
  /// - Parameter segmentStart: The earliest presentation time of the message's segment, which only version 0 needs.
  package func presentationTime(segmentStart: MediaTime) -> MediaTime {
    switch time {
    case .afterSegmentStart(let delta): segmentStart + timescale.mediaTime(delta)
    case .absolute(let ticks): timescale.mediaTime(ticks)
    }
  }
}

extension EventMessageBox {
  /// Reads a whole box.
  ///
  /// - Throws: `ParseError` if it is not an `emsg`, is of a version above 1, is cut off, has a timescale of 0, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    let box = try Box.single(bytes, baseOffset: baseOffset, .emsg)
    var reader = box.fields
    let version = try FullBoxFields(reading: &reader).version
    switch version {
    case 0:
      schemeID = try BoxText(reading: &reader)
      value = try BoxText(reading: &reader)
      timescale = try Timescale(reading: &reader)
      time = .afterSegmentStart(try reader.readUInt32())
      eventDuration = try reader.readUInt32()
      id = try reader.readUInt32()
    case 1:
      timescale = try Timescale(reading: &reader)
      time = .absolute(try reader.readInteger(byteCount: 8))
      eventDuration = try reader.readUInt32()
      id = try reader.readUInt32()
      schemeID = try BoxText(reading: &reader)
      value = try BoxText(reading: &reader)
    default: throw ParseError(.invalid("event message of version \(version)"), at: box.payloadOffset)
    }
    messageData = try reader.readBytes(reader.remaining)
  }

  /// The whole box.
  ///
  /// - Throws: `ParseError` if the scheme or the value has a NUL inside, or the box would take 1 GiB or more.
  package func encoded() throws(ParseError) -> [UInt8] {
    var writer = ByteWriter(capacity: 48 + schemeID.bytes.count + value.bytes.count + messageData.count)
    try writer.writeBox(.emsg) { box throws(ParseError) in
      box.writeUInt32(UInt32(version) << 24)
      switch time {
      case .afterSegmentStart(let delta):
        try schemeID.write(to: &box)
        try value.write(to: &box)
        box.writeUInt32(timescale.ticksPerSecond)
        box.writeUInt32(delta)
        box.writeUInt32(eventDuration)
        box.writeUInt32(id)
      case .absolute(let ticks):
        box.writeUInt32(timescale.ticksPerSecond)
        box.writeInteger(ticks, byteCount: 8)
        box.writeUInt32(eventDuration)
        box.writeUInt32(id)
        try schemeID.write(to: &box)
        try value.write(to: &box)
      }
      box.write(messageData)
    }
    return writer.bytes
  }
}

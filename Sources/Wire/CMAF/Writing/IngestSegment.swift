package import Basics

/// A segment of one track as an ingest takes it: consecutive numbers of fragments, the date of its start (`prft`, ISO/IEC 14496-12, 8.16.5), and a mark in
/// the last one (`lmsg`, ISO/IEC 23009-1, 6.3.4.2).
package struct IngestSegment: Sendable {
  private let timescale: Timescale
  private let isLast: Bool
  /// The number of the last fragment; `nil` before ``rewrite(_:after:start:date:)``.
  package private(set) var number: UInt32?
  /// The event messages in the segment.
  package private(set) var messages: [EventMessageBox] = []

  /// A segment of a track with this timescale.
  package init(_ timescale: Timescale, isLast: Bool) { (self.timescale, self.isLast) = (timescale, isLast) }

  /// The segment with these changes.
  ///
  /// - Parameters:
  ///   - number: The number of the fragment before the first one.
  ///   - start: The presentation time of the segment's start, on the timeline of the fragments.
  ///   - date: The date of that time, in milliseconds since 1970.
  /// - Throws: `ParseError` if a box is damaged.
  package mutating func rewrite(_ segment: Span<UInt8>, after number: UInt32, start: MediaTime, date: Int64) throws(ParseError) -> [UInt8] {
    var number = number
    var reference = try reference(of: segment, start: start, date: date)
    var writer = ByteWriter(capacity: segment.count + 64)
    var boxes = BoxReader(segment)
    while let box = try boxes.next() {
      let whole = segment.extracting(box.offset..<box.payloadOffset + box.payload.count)
      if box.type == .styp {
        var type = try FileTypeBox(whole)
        if isLast { type.compatibleBrands.append(BoxType("lmsg")) }
        writer.write(try type.encoded())
      } else if box.type != BoxType("prft") {
        if let box = reference.take() { try box.write(to: &writer) }
        let place = writer.bytes.count
        writer.bytes.append(copying: whole)
        if box.type == .emsg { messages.append(try EventMessageBox(whole)) }
        guard box.type == .moof else { continue }
        number &+= 1
        let counted = try Self.numberPlace(in: box)
        for index in 0..<4 { writer.bytes[place + counted + index] = UInt8(truncatingIfNeeded: number >> (8 * (3 - UInt32(index)))) }
      }
    }
    self.number = number
    return writer.bytes
  }

  /// Where the number of a fragment is, from the start of its `moof`.
  private static func numberPlace(in box: borrowing Box) throws(ParseError) -> Int {
    var children = try box.children()
    guard let header = try children.next(BoxType("mfhd")), header.payload.count >= 8 else {
      throw ParseError(.invalid("moof without mfhd"), at: box.offset)
    }
    return header.payloadOffset + 4 - box.offset
  }

  /// The date of the first sample; `nil` without a fragment.
  private func reference(of segment: Span<UInt8>, start: MediaTime, date: Int64) throws(ParseError) -> ProducerReference? {
    var boxes = BoxReader(segment)
    guard let fragment = try boxes.next(.moof) else { return nil }
    var children = try fragment.children()
    guard let track = try children.next(BoxType("traf")) else { return nil }
    var (trackID, ticks): (UInt32?, UInt64?) = (nil, nil)
    var fields = try track.children()
    while let box = try fields.next() {
      var reader = box.fields
      switch box.type {
      case BoxType("tfhd"):
        _ = try reader.readUInt32()
        trackID = try reader.readUInt32()
      case BoxType("tfdt"):
        let size = try FullBoxFields(reading: &reader).timeByteCount
        ticks = try reader.readInteger(byteCount: size)
      default: break
      }
    }
    guard let trackID, let ticks else { return nil }
    return ProducerReference(trackID: trackID, date: date + (timescale.mediaTime(ticks) - start).milliseconds, mediaTime: ticks)
  }
}

/// The date of a media time, as its producer knows it (`prft`).
struct ProducerReference: Equatable, Sendable {
  var trackID: UInt32
  /// In milliseconds since 1970.
  var date: Int64
  /// In ticks of the track.
  var mediaTime: UInt64

  /// From 1900, where NTP begins, to 1970, in seconds.
  private static let seventyYears: Int64 = 2_208_988_800

  func write(to writer: inout ByteWriter) throws(ParseError) {
    let milliseconds = max(date, 0)
    let seconds = UInt64(clamping: milliseconds / 1_000 + Self.seventyYears)
    let fraction = (UInt64(milliseconds % 1_000) << 32) / 1_000
    // Flags of 0: when the encoder received it.
    try writer.writeFullBox(BoxType("prft"), version: 1) { box throws(ParseError) in
      box.writeUInt32(trackID)
      box.writeInteger(seconds << 32 | fraction, byteCount: 8)
      box.writeInteger(mediaTime, byteCount: 8)
    }
  }
}

import Basics

/// A segment of a media playlist, with what applies to it (RFC 8216bis, 4.4.4).
package struct MediaSegment: Equatable, Sendable {
  /// Where it is, relative to the playlist.
  package var uri: String
  /// How long it is, in seconds.
  package var duration: PlaylistDecimal
  /// The title after the duration.
  package var title = ""
  /// The byte range of the resource; `nil` for all of it. An offset that the playlist leaves out is filled in.
  package var byteRange: ByteRange?
  /// Whether the encoding or the timestamps change between the segment before and this one.
  package var isDiscontinuous = false
  /// Whether the segment is absent and must not be loaded.
  package var isGap = false
  /// The keys that apply to it, one for each KEYFORMAT; none if it is not encrypted.
  package var keys: [EncryptionKey] = []
  /// The initialization segment that it needs.
  package var initializationSegment: InitializationSegment?
  /// The date and time of its first sample, if a tag gives it.
  package var programDateTime: PlaylistDate?
  /// The date ranges before it. They belong to the whole playlist, so their place has no meaning.
  package var dateRanges: [DateRange] = []
  /// The approximate bit rate in kilobits per second that applies; a segment with a byte range ignores it.
  package var bitrate: UInt64?
  /// Tags before its URI that are not understood, whole and in their order; those of partial segments among them.
  package var unknownTags: [String] = []

  /// A segment with its URI and duration.
  package init(uri: String, duration: PlaylistDecimal) { (self.uri, self.duration) = (uri, duration) }
}

/// The values that apply to the following segments until another tag changes them.
struct SegmentScope {
  var keys: [EncryptionKey] = []
  var initializationSegment: InitializationSegment?
  var bitrate: UInt64?
}

extension MediaSegment {
  /// Reads EXTINF's value: a duration in seconds, a comma and a title. A missing comma is accepted.
  static func duration(_ line: PlaylistLine) throws(PlaylistError) -> (duration: PlaylistDecimal, title: String) {
    let value = line.value
    let comma = value.firstIndex(of: UInt8(ascii: ",")) ?? value.endIndex
    guard let duration = PlaylistDecimal(bytes: value[..<comma]), duration >= .zero else {
      throw line.error(.invalid("a duration in seconds is expected here"), at: line.valueStart)
    }
    return (duration, String(decoding: value[comma...].dropFirst(), as: UTF8.self))
  }

  /// Writes the tags and the URI, without those tags of earlier segments that still apply according to `scope`.
  ///
  /// - Parameter isFirst: Whether it is the first segment. Then a known tag must precede the unknown ones, which would otherwise belong to the playlist.
  func write(to writer: inout PlaylistWriter, after scope: inout SegmentScope, isFirst: Bool) throws(PlaylistError) {
    let start = writer.bytes.count
    writer.flag(.discontinuity, isDiscontinuous)
    if let initializationSegment, scope.initializationSegment != initializationSegment {
      try Self.write(initializationSegment.keys, to: &writer, after: &scope)
      try writer.tag(.map, initializationSegment.attributeList)
    } else if initializationSegment == nil && scope.initializationSegment != nil {
      throw writer.error(.invalid("a segment without a map after one with a map"))
    }
    scope.initializationSegment = initializationSegment
    try Self.write(keys, to: &writer, after: &scope)
    if let programDateTime { writer.tag(.programDateTime, programDateTime.text) }
    for range in dateRanges { try writer.tag(.dateRange, range.attributeList) }
    writer.flag(.gap, isGap)
    if let bitrate, scope.bitrate != bitrate {
      writer.tag(.bitrate, String(bitrate))
    } else if bitrate == nil && scope.bitrate != nil {
      throw writer.error(.invalid("a segment without a bit rate after one with a bit rate"))
    }
    scope.bitrate = bitrate
    if let byteRange { writer.tag(.byteRange, byteRange.text) }
    let isDurationFirst = isFirst && writer.bytes.count == start
    if isDurationFirst { try writeDuration(to: &writer) }
    try writer.kept(unknownTags) { _ in true }
    if !isDurationFirst { try writeDuration(to: &writer) }
    try writer.uri(uri)
  }

  private func writeDuration(to writer: inout PlaylistWriter) throws(PlaylistError) {
    guard duration >= .zero else { throw writer.error(.invalid("a negative duration")) }
    try writer.requireLine(title)
    writer.tag(.segmentDuration, "\(duration.text),\(title)")
  }

  private static func write(
    _ keys: [EncryptionKey], to writer: inout PlaylistWriter, after scope: inout SegmentScope
  ) throws(PlaylistError) {
    for (index, key) in keys.enumerated() {
      guard !keys[..<index].contains(where: { $0.effectiveFormat.hasSameBytes(as: key.effectiveFormat) }) else {
        throw writer.error(.repeated("the KEYFORMAT of a segment's key"))
      }
      guard key.initializationVector.map({ $0.count == 16 }) != false else { throw writer.error(.invalid("an IV of other than 128 bits")) }
    }
    for key in scope.keys.tags(leadingTo: keys) {
      try writer.tag(.key, key?.attributeList ?? AttributeList([Attribute("METHOD", .unquoted(EncryptionMethod.none))]))
    }
    scope.keys = keys
  }
}

import Basics

/// What a delta update of a media playlist leaves out for a client that knows it (EXT-X-SKIP; RFC 8216bis, 4.4.5.2).
package struct PlaylistDelta: Equatable, Sendable {
  /// The date ranges of a delta update that leaves some out.
  package struct DateRanges: Equatable, Sendable {
    /// The IDs of those that are left out.
    package var known: [String]
    /// The IDs of those that were removed from the playlist lately (RECENTLY-REMOVED-DATERANGES).
    package var removed: [String]

    /// Date ranges by their IDs.
    package init(known: [String], removed: [String]) { (self.known, self.removed) = (known, removed) }
  }

  /// How many segments are left out, from the first one on.
  package var segments: Int
  /// Which date ranges are left out; `nil` if all of them stay.
  package var dateRanges: DateRanges?

  /// A delta update without these segments and date ranges.
  package init(segments: Int, dateRanges: DateRanges? = nil) { (self.segments, self.dateRanges) = (segments, dateRanges) }

  /// The version that EXT-X-SKIP needs (section 8).
  var requiredVersion: Int { dateRanges == nil ? 9 : 10 }

  /// The attributes of EXT-X-SKIP.
  func attributeList(of playlist: MediaPlaylist) -> AttributeList {
    var list = AttributeList([Attribute("SKIPPED-SEGMENTS", .unquoted(String(min(segments, playlist.segments.count))))])
    if let dateRanges { list.add("RECENTLY-REMOVED-DATERANGES", quoted: dateRanges.removed.joined(separator: "\t")) }
    return list
  }

  /// Whether a date range is left out.
  func omits(_ range: DateRange) -> Bool { dateRanges?.known.contains { $0.hasSameBytes(as: range.id) } ?? false }
}

extension DateRange {
  /// Whether the tag can be written so that it is read back unchanged, and be told in a delta update.
  package var isWritable: Bool {
    guard !id.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return false }
    do throws(PlaylistError) {
      var writer = try PlaylistWriter(version: nil, required: 1, variables: [])
      try writer.tag(.dateRange, attributeList)
      return true
    } catch {
      return false
    }
  }
}

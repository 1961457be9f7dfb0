import Basics

/// What a delta update says of the playlist that a client knows (EXT-X-SKIP; RFC 8216bis, 4.4.5.2 and 6.2.5.1).
struct PlaylistUpdate: Equatable, Sendable {
  /// The number of segments that are left out, from the first one on.
  var skipped: UInt64
  /// The IDs of the date ranges that were removed lately; `nil` if the update has all date ranges.
  var removed: [String]?

  /// Reads the tag's attributes.
  init(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, variables: &variables)
    skipped = try reader.require("SKIPPED-SEGMENTS", try reader.integer("SKIPPED-SEGMENTS"))
    removed = try reader.string("RECENTLY-REMOVED-DATERANGES")?.split(separator: "\t").map { String($0) }
    _ = reader.finish(&variables)
  }

  /// The segments of a known playlist that are left out; `nil` if it does not have all of them. Their partial segments are not listed any more, and
  /// their date ranges are not theirs alone.
  func segments(of previous: MediaPlaylist, from sequence: UInt64) -> [MediaSegment]? {
    let (first, isBefore) = sequence.subtractingReportingOverflow(previous.mediaSequence)
    let (end, isBeyond) = first.addingReportingOverflow(skipped)
    guard !isBefore, !isBeyond, end <= UInt64(previous.segments.count) else { return nil }
    return previous.segments[Int(first)..<Int(end)].map { known in
      var segment = known
      segment.dateRanges = []
      segment.unknownTags.removeAll { $0.utf8.starts(with: "#EXT-X-PART:".utf8) }
      return segment
    }
  }

  /// Adds the date ranges that the update leaves out: those that the playlist had before, and that were not removed.
  func complete(_ playlist: inout MediaPlaylist, with previous: MediaPlaylist) {
    guard let removed else { return }
    let listed = playlist.allDateRanges
    func isLeftOut(_ range: DateRange) -> Bool {
      !removed.contains { $0.hasSameBytes(as: range.id) } && !listed.contains { $0.id.hasSameBytes(as: range.id) }
    }
    for (index, segment) in previous.segments.enumerated() {
      let ranges = segment.dateRanges.filter(isLeftOut)
      guard !ranges.isEmpty else { continue }
      // A date range stays in the playlist for as long as it lasts, with the first segment if its own is gone.
      let (place, isGone) = previous.mediaSequence.addingSaturated(UInt64(index)).subtractingReportingOverflow(playlist.mediaSequence)
      let target = isGone ? 0 : Int(clamping: place)
      if target < playlist.segments.count {
        playlist.segments[target].dateRanges = ranges + playlist.segments[target].dateRanges
      } else {
        playlist.dateRanges = ranges + playlist.dateRanges
      }
    }
    playlist.dateRanges = previous.dateRanges.filter(isLeftOut) + playlist.dateRanges
  }
}

/// Which delta updates of a playlist a server offers (EXT-X-SERVER-CONTROL; RFC 8216bis, 4.4.3.8).
package struct DeltaUpdates: Equatable, Sendable {
  /// Segments that are further from the end of the playlist than this, in seconds, are left out (CAN-SKIP-UNTIL).
  package var skipUntil: PlaylistDecimal
  /// Whether date ranges are left out, too (CAN-SKIP-DATERANGES).
  package var skipsDateRanges: Bool

  /// The directive that asks for one.
  package var directive: String { skipsDateRanges ? "_HLS_skip=v2" : "_HLS_skip=YES" }
}

extension MediaPlaylist {
  /// Which delta updates the server offers; `nil` for none.
  package var deltaUpdates: DeltaUpdates? {
    let name = "#EXT-X-SERVER-CONTROL:"
    guard let tag = unknownTags.first(where: { $0.utf8.starts(with: name.utf8) }) else { return nil }
    var found = DeltaUpdates(skipUntil: .zero, skipsDateRanges: false)
    for attribute in tag.utf8.dropFirst(name.utf8.count).split(separator: UInt8(ascii: ",")) {
      let parts = attribute.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2 else { continue }
      let (name, value) = (Array(parts[0]), Array(parts[1]))
      if name == Array("CAN-SKIP-UNTIL".utf8), let until = PlaylistDecimal(bytes: value[...]) { found.skipUntil = until }
      if name == Array("CAN-SKIP-DATERANGES".utf8) { found.skipsDateRanges = value == Array("YES".utf8) }
    }
    return found.skipUntil > .zero ? found : nil
  }
}

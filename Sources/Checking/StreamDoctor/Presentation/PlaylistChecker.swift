import Basics
import GameEvents
import HLSPlaylist

/// Checks single playlists.
enum PlaylistChecker {
  /// The version that EXT-X-MAP needs outside of playlists of I-frames (RFC 8216, 7; RFC 8216bis, 8).
  private static let versionOfMaps = 6

  /// Checks a media playlist.
  ///
  /// - Parameter signatures: Checks the signature that every event must have; `nil` if signatures are not required.
  static func check(
    _ playlist: MediaPlaylist, _ layout: PlaylistLayout, requiring signatures: SignatureCheck?, _ log: inout FindingLog
  ) {
    checkText(playlist.slips, layout, &log)
    // Writers state 7 for fragmented MP4, which the specification does not require.
    let hasMap = playlist.segments.contains { $0.initializationSegment != nil }
    let required = hasMap && playlist.requiredVersion == 7 ? versionOfMaps : playlist.requiredVersion
    checkVersion(playlist.version, required, layout, &log)
    for index in playlist.overlongSegments {
      let found = "\(playlist.segments[index].duration.text) s with a target duration of \(playlist.targetDuration) s"
      log.add(.targetDuration, line: layout.line("#EXTINF", index), found)
    }
    let ranges = playlist.allDateRanges
    if !ranges.isEmpty, !playlist.segments.contains(where: { $0.programDateTime != nil }) {
      log.add(
        .dateRangeDate, line: layout.line("#EXT-X-DATERANGE"), "\(ranges.count) date ranges and no EXT-X-PROGRAM-DATE-TIME")
    }
    for (index, range) in ranges.enumerated() {
      checkEvent(of: range, layout.line("#EXT-X-DATERANGE", index), requiring: signatures, &log)
    }
  }

  /// Checks a multivariant playlist.
  static func check(_ playlist: MultivariantPlaylist, _ layout: PlaylistLayout, _ log: inout FindingLog) {
    checkText(playlist.slips, layout, &log)
    checkVersion(playlist.version, playlist.requiredVersion, layout, &log)
  }

  private static func checkText(_ slips: [PlaylistSlip], _ layout: PlaylistLayout, _ log: inout FindingLog) {
    if layout.hasByteOrderMark { log.add(.syntax, line: 1, "a byte order mark") }
    for slip in slips { log.add(.syntax, line: slip.error.line, "\(slip)") }
  }

  private static func checkVersion(_ version: Int?, _ required: Int, _ layout: PlaylistLayout, _ log: inout FindingLog) {
    guard version ?? 1 < required else { return }
    let found = version.map { "version \($0)" } ?? "no EXT-X-VERSION"
    log.add(.version, line: layout.line("#EXT-X-VERSION"), "\(found) where \(required) is needed")
  }

  /// The events of a playlist's date ranges, as far as they can be read.
  static func events(of playlist: MediaPlaylist) -> [GameEvent] {
    playlist.allDateRanges.compactMap { range in
      guard let bytes = range.attributes[DateRange.eventAttribute]?.hexadecimal else { return nil }
      return (try? EventCopy(parsing: String(decoding: bytes, as: UTF8.self), description: ""))?.event
    }
  }

  private static func checkEvent(of range: DateRange, _ line: Int?, requiring signatures: SignatureCheck?, _ log: inout FindingLog) {
    guard let value = range.attributes[DateRange.eventAttribute] else { return }
    guard let bytes = value.hexadecimal else {
      return log.add(.dateRangeEvent, line: line, "no hexadecimal sequence in the date range \(range.id)")
    }
    do throws(EventError) {
      _ = try EventCopy(parsing: String(decoding: bytes, as: UTF8.self), description: "", requiring: signatures)
    } catch {
      log.add(.unusable(error, otherwise: .dateRangeEvent), line: line, "\(error), in the date range \(range.id)")
    }
  }
}

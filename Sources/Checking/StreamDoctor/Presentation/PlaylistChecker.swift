import Basics
import GameEvents
import HLSPlaylist

/// Looks at single playlists.
enum PlaylistChecker {
  /// Checks a media playlist.
  static func check(_ playlist: MediaPlaylist, _ layout: PlaylistLayout, _ log: inout FindingLog) {
    checkVersion(playlist.version, playlist.requiredVersion, layout, &log)
    for index in playlist.overlongSegments {
      add(
        .targetDuration, layout.line("#EXTINF", index),
        "\(playlist.segments[index].duration.text) s with a target duration of \(playlist.targetDuration) s", &log)
    }
    let ranges = playlist.allDateRanges
    if !ranges.isEmpty, !playlist.segments.contains(where: { $0.programDateTime != nil }) {
      add(.dateRangeDate, layout.line("#EXT-X-DATERANGE"), "\(ranges.count) date ranges and no EXT-X-PROGRAM-DATE-TIME", &log)
    }
    for (index, range) in ranges.enumerated() { checkEvent(of: range, layout.line("#EXT-X-DATERANGE", index), &log) }
  }

  /// Checks a multivariant playlist.
  static func check(_ playlist: MultivariantPlaylist, _ layout: PlaylistLayout, _ log: inout FindingLog) {
    checkVersion(playlist.version, playlist.requiredVersion, layout, &log)
    for (index, variant) in playlist.variants.enumerated() where variant.codecs == nil {
      add(.codecs, layout.line("#EXT-X-STREAM-INF", index), "no CODECS for \(variant.uri)", &log)
    }
  }

  private static func checkVersion(_ version: Int?, _ required: Int, _ layout: PlaylistLayout, _ log: inout FindingLog) {
    guard version ?? 1 < required else { return }
    let found = version.map { "version \($0)" } ?? "no EXT-X-VERSION"
    add(.version, layout.line("#EXT-X-VERSION"), "\(found) where \(required) is needed", &log)
  }

  private static func checkEvent(of range: DateRange, _ line: Int?, _ log: inout FindingLog) {
    guard let value = range.attributes["X-COM-CUELIGHT-EVENT"] else { return }
    guard let bytes = value.hexadecimal else {
      return add(.dateRangeEvent, line, "no hexadecimal sequence in the date range \(range.id)", &log)
    }
    do throws(EventError) {
      _ = try EventCopy(parsing: String(decoding: bytes, as: UTF8.self), description: "")
    } catch {
      add(.dateRangeEvent, line, "\(error), in the date range \(range.id)", &log)
    }
  }

  /// Takes note of a line of the playlist.
  static func add(_ rule: DoctorRule, _ line: Int?, _ found: String, _ log: inout FindingLog) {
    log.add(rule, FindingPlace(resource: log.resource, position: line.map { .line($0) }, found: found))
  }
}

extension MediaTime {
  /// The duration in a playlist, to the nearest tick. Playlists hold at most 9.3 * 10^9 seconds.
  init(_ seconds: PlaylistDecimal) {
    let (whole, rest) = seconds.billionths.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(ticks: whole * Self.ticksPerSecond + (rest * 9 + 50_000) / 100_000)
  }
}

import Basics
@testable import HLSPlaylist
import Testing

/// Delta updates of media playlists (RFC 8216bis, 6.2.5.1), merged into the playlist that is known.
@Suite struct PlaylistUpdateTests {
  private static let control = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,CAN-SKIP-DATERANGES=YES"

  private static func range(_ id: String, second: Int) -> DateRange {
    DateRange(
      id: id, rangeClass: "test", startDate: PlaylistDate(milliseconds: Int64(second) * 1_000), duration: PlaylistDecimal(billionths: 1))
  }

  /// A playlist of ten segments from a number on, with a key and an initialization segment that apply to all.
  private static func playlist(from first: UInt64, ranges: [Int: [String]] = [:]) -> MediaPlaylist {
    var playlist = MediaPlaylist(targetDuration: 2)
    (playlist.version, playlist.mediaSequence, playlist.unknownTags) = (10, first, [control])
    for number in first..<first + 10 {
      var segment = MediaSegment(uri: "\(number).m4s", duration: PlaylistDecimal(billionths: 2_000_000_000))
      segment.initializationSegment = InitializationSegment(uri: "init.mp4")
      segment.programDateTime = PlaylistDate(milliseconds: Int64(number) * 2_000)
      segment.dateRanges = (ranges[Int(number)] ?? []).map { range($0, second: 2 * Int(number)) }
      playlist.segments.append(segment)
    }
    return playlist
  }

  private static func merged(_ update: [UInt8], _ previous: MediaPlaylist?) throws(PlaylistError) -> MediaPlaylist {
    try MediaPlaylist(update.span, updating: previous)
  }

  @Test func segmentsThatAreLeftOut() throws {
    let (previous, next) = (Self.playlist(from: 7), Self.playlist(from: 9))
    let update = try next.encode(skipping: PlaylistDelta(segments: 6))
    #expect(String(decoding: update, as: UTF8.self).contains("SKIPPED-SEGMENTS=6"))
    #expect(try Self.merged(update, previous) == next)
    // Without the playlist before, or with one that does not have all of them, the update is of no use.
    #expect(playlistError { () throws(PlaylistError) in _ = try Self.merged(update, nil) }?.reason == .unsupported("#EXT-X-SKIP"))
    for first: UInt64 in [0, 4, 10, 1_000] {
      let error = playlistError { () throws(PlaylistError) in _ = try Self.merged(update, Self.playlist(from: first)) }
      #expect(error?.reason == .invalid("a delta update of a playlist that was not loaded"))
    }
  }

  @Test func aWholePlaylistNeedsNoOther() throws {
    let next = Self.playlist(from: 9)
    #expect(try Self.merged(next.encode(), Self.playlist(from: 0)) == next)
  }

  @Test func dateRanges() throws {
    // "old" is left out, "gone" has been removed, "late" is new, "same" is in both texts, and "kept" lies in a segment that is listed.
    let previous = Self.playlist(from: 7, ranges: [8: ["gone"], 10: ["old"], 12: ["same"], 16: ["kept"]])
    let next = Self.playlist(from: 9, ranges: [10: ["old"], 12: ["same"], 16: ["kept"], 17: ["late"]])
    let update = try next.encode(skipping: PlaylistDelta(segments: 6, dateRanges: .init(known: ["old", "kept"], removed: ["gone"])))
    let found = try Self.merged(update, previous)
    #expect(Set(found.allDateRanges.map(\.id)) == ["old", "same", "kept", "late"] && found.allDateRanges.count == 4)
    #expect(found.segments[1].dateRanges.map(\.id) == ["old"] && found.segments[7].dateRanges.map(\.id) == ["kept"])
    // An update of the first kind has all of them.
    let first = try Self.merged(next.encode(skipping: PlaylistDelta(segments: 6)), previous)
    #expect(first.allDateRanges.map(\.id) == ["old", "same", "kept", "late"])
  }

  /// A text that is cut off gives an error or fewer segments, and never others.
  @Test func cutOff() throws {
    let (previous, next) = (Self.playlist(from: 7), Self.playlist(from: 9))
    let update = try next.encode(skipping: PlaylistDelta(segments: 6))
    for count in 0..<update.count {
      guard let found = try? Self.merged(Array(update[..<count]), previous) else { continue }
      #expect(found.segments.count <= 10)
    }
  }

  @Test(arguments: ["", "SKIPPED-SEGMENTS=x", "SKIPPED-SEGMENTS=18446744073709551615", "RECENTLY-REMOVED-DATERANGES=\"a\""])
  func damagedTags(attributes: String) throws {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:9\n#EXT-X-SKIP:\(attributes)\n#EXTINF:2,\n19.m4s\n"
    #expect(throws: PlaylistError.self) { try Self.merged(Array(text.utf8), Self.playlist(from: 7)) }
  }

  @Test func partsOfOldSegments() throws {
    var previous = Self.playlist(from: 7)
    previous.segments[3].unknownTags = ["#EXT-X-PART:DURATION=1,URI=\"10.0.m4s\"", "#EXT-X-OTHER"]
    let found = try Self.merged(Self.playlist(from: 9).encode(skipping: PlaylistDelta(segments: 6)), previous)
    #expect(found.segments[1].unknownTags == ["#EXT-X-OTHER"])
  }

  @Test(arguments: [
    (control, DeltaUpdates(skipUntil: PlaylistDecimal(billionths: 12_000_000_000), skipsDateRanges: true)),
    (
      "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36.0",
      DeltaUpdates(skipUntil: PlaylistDecimal(billionths: 36_000_000_000), skipsDateRanges: false)
    ),
    ("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES", nil), ("#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=0", nil), ("#EXT-X-OTHER", nil),
  ])
  func whatAServerOffers(tag: String, expected: DeltaUpdates?) {
    var playlist = Self.playlist(from: 0)
    playlist.unknownTags = [tag]
    #expect(playlist.deltaUpdates == expected)
    #expect(DeltaUpdates(skipUntil: .zero, skipsDateRanges: true).directive == "_HLS_skip=v2")
    #expect(DeltaUpdates(skipUntil: .zero, skipsDateRanges: false).directive == "_HLS_skip=YES")
  }
}

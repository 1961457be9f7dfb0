import Basics
import HLSPlaylist
import LiveGame
import Stamping
import Testing

@testable import LiveHLS
@testable import PacketStamping

/// Playlists with the parts of segments.
@Suite struct LowLatencyPlaylistTests {
  /// A playlist of segments of two seconds, each with four parts.
  private struct Listing {
    var playlist: LivePlaylist
    var time = MediaTime.zero
    private(set) var removed: [String] = []
    /// The date of the timeline origin, in milliseconds since 1970.
    static let origin: Int64 = 1_795_366_000_000

    init(following continuation: LivePlaylist.Continuation? = nil, hasParts: Bool = true, _ kind: LivePlaylist.Kind = .event) {
      playlist = LivePlaylist(kind, prefix: "p", hasParts: hasParts, following: continuation)
    }

    var date: Int64 { Self.origin + time.ticks / 90 }

    @discardableResult
    mutating func part(_ number: Int, _ boundary: SegmentClock.Boundary = .randomAccess) -> [SegmentFile] {
      playlist.append(Self.part(number, of: time, boundary), wallClock: date)
    }

    private static func part(_ number: Int, of start: MediaTime, _ boundary: SegmentClock.Boundary = .randomAccess) -> LivePart {
      LivePart(
        bytes: [UInt8(number)], number: number, segmentStart: start, boundary: boundary, duration: MediaTime(ticks: 45_000),
        isIndependent: number == 0, target: MediaTime(ticks: 45_000))
    }

    /// Completes the segment; `parts` of its four were there before.
    @discardableResult
    mutating func segment(
      parts: Int = 0, _ boundary: SegmentClock.Boundary = .randomAccess, variants: [LiveSegment.Part?] = []
    ) -> LivePlaylist.Listed {
      var segment = LiveSegment(
        bytes: [0, 1, 2, 3], start: time, duration: MediaTime(seconds: 2), boundary: boundary, isIndependent: true, guids: [],
        targetDuration: 2)
      segment.variants = variants
      segment.parts = (parts..<4).map { Self.part($0, of: time, boundary) }
      let listed = playlist.append(segment, wallClock: date)
      time += MediaTime(seconds: 2)
      removed += listed.removableParts
      return listed
    }

    func main() throws -> ReloadedPlaylist { try #require(try playlist.reloadedPlaylists().first) }

    func text() throws -> String { String(decoding: try main().bytes, as: UTF8.self) }
  }

  @Test func theText() throws {
    var listing = Listing()
    // Before the first segment there is no target duration, and nothing is listed.
    let early = listing.part(0)
    #expect(early == [SegmentFile(name: "p-1.0.ts", bytes: [0])])
    #expect(try listing.playlist.reloadedPlaylists().isEmpty)
    let first = listing.segment(parts: 1)
    #expect(first.parts.map(\.name) == ["p-1.1.ts", "p-1.2.ts", "p-1.3.ts"])
    let part = listing.part(0)
    #expect(part == [SegmentFile(name: "p-2.0.ts", bytes: [0])])
    listing.part(1)
    listing.segment(parts: 2)
    listing.part(0, .discontinuity)
    #expect(
      try listing.text() == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:2
        #EXT-X-MEDIA-SEQUENCE:1
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,PART-HOLD-BACK=1.5
        #EXT-X-PART-INF:PART-TARGET=0.5
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:40.000Z
        #EXT-X-PART:DURATION=0.5,URI="p-1.0.ts",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.5,URI="p-1.1.ts"
        #EXT-X-PART:DURATION=0.5,URI="p-1.2.ts"
        #EXT-X-PART:DURATION=0.5,URI="p-1.3.ts"
        #EXTINF:2,
        p-1.ts
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:42.000Z
        #EXT-X-PART:DURATION=0.5,URI="p-2.0.ts",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.5,URI="p-2.1.ts"
        #EXT-X-PART:DURATION=0.5,URI="p-2.2.ts"
        #EXT-X-PART:DURATION=0.5,URI="p-2.3.ts"
        #EXTINF:2,
        p-2.ts
        #EXT-X-DISCONTINUITY
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:44.000Z
        #EXT-X-PART:DURATION=0.5,URI="p-3.0.ts",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="p-3.1.ts"

        """)
    let main = try listing.main()
    #expect(main.name == "media.m3u8" && main.hints == ["p-3.1.ts"] && main.update == nil)
    #expect(main.progress == PlaylistProgress(nextSequence: 3, openParts: 1, lastParts: 4, advanceLimit: 6, isEnded: false))
    // Who does not know parts reads what there was without them, and so does who gets the file.
    let plain = String(decoding: try listing.playlist.mediaText(), as: UTF8.self)
    #expect(!plain.contains("PART") && plain.hasSuffix("p-2.ts\n"))
    let lines = Array(plain.utf8)
    guard case .media(let read) = try Playlist(main.bytes.span), case .media(let expected) = try Playlist(lines.span) else {
      Issue.record("these are media playlists")
      return
    }
    #expect(read.segments.map(\.uri) == expected.segments.map(\.uri) && read.endSequence == 3)
  }

  /// With date ranges, a segment that is being written has no date: hls.js 1.6 breaks where a range begins in it. Its date follows from the segment before.
  @Test func withDateRangesTheOpenSegmentHasNoDate() throws {
    var listing = Listing()
    listing.segment()
    listing.part(0)
    let date = "#EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:42.000Z"
    #expect(try listing.text().contains(date))
    let range = DateRange(
      id: "a", rangeClass: "c", startDate: PlaylistDate(milliseconds: Listing.origin + 2_000),
      duration: PlaylistDecimal(MediaTime(seconds: 9)),
      attributes: AttributeList([]))
    _ = listing.playlist.dateRanges.set(LiveDateRange(range, start: MediaTime(seconds: 2), end: MediaTime(seconds: 11)))
    let open = try listing.text()
    #expect(open.contains("#EXT-X-DATERANGE:") && !open.contains(date) && open.contains("p-2.0.ts"))
    // Once it is complete, it has its date.
    listing.segment(parts: 1)
    listing.part(0)
    let text = try listing.text()
    #expect(text.contains(date) && !text.contains("16:46:44"))
  }

  /// Another rendition has parts of its own, which may last another time; each playlist tells how far the others have come.
  @Test func anotherRendition() throws {
    func part(_ number: Int, of start: Double, lasting ticks: Int64 = 36_000) -> LivePart {
      LivePart(
        bytes: [9, UInt8(number)], number: number, segmentStart: MediaTime(seconds: start), boundary: .randomAccess,
        duration: MediaTime(ticks: ticks), isIndependent: number == 0, target: MediaTime(ticks: 36_000))
    }
    var playlist = LivePlaylist(.event, prefix: "p", renditionCount: 2, hasParts: true)
    // The first rendition has not begun a segment.
    #expect(playlist.append(part(0, of: 0), ofRendition: 0) == [])
    var listing = Listing()
    listing.playlist = playlist
    listing.part(0)
    let early = listing.playlist.append(part(0, of: 0.01), ofRendition: 0)
    #expect(early == [SegmentFile(name: "p-1-v2.0.ts", bytes: [9, 0])])
    var variant = LiveSegment.Part(bytes: [9], program: nil)
    variant.parts = (1..<5).map { part($0, of: 0) }
    let first = listing.segment(parts: 1, variants: [variant, nil])
    #expect(first.parts.map(\.name) == (1...3).map { "p-1.\($0).ts" } + (1...4).map { "p-1-v2.\($0).ts" })
    listing.part(0)
    listing.part(1)
    #expect(listing.playlist.append(part(0, of: 2), ofRendition: 0).map(\.name) == ["p-2-v2.0.ts"])
    // What belongs to another segment is not listed.
    #expect(listing.playlist.append(part(1, of: 0), ofRendition: 0) == [])
    let reloaded = try listing.playlist.reloadedPlaylists()
    // Of the third rendition nothing has come.
    #expect(reloaded.map(\.name) == ["media.m3u8", "media2.m3u8"] && reloaded.map(\.hints) == [["p-2.2.ts"], ["p-2-v2.1.ts"]])
    #expect(
      reloaded.map(\.progress) == [
        PlaylistProgress(nextSequence: 2, openParts: 2, lastParts: 4, advanceLimit: 6, isEnded: false),
        PlaylistProgress(nextSequence: 2, openParts: 1, lastParts: 5, advanceLimit: 8, isEnded: false),
      ])
    let texts = reloaded.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(texts[0].hasSuffix("#EXT-X-RENDITION-REPORT:URI=\"media2.m3u8\",LAST-MSN=2,LAST-PART=0\n"))
    #expect(
      texts[1].hasSuffix(
        """
        ,PART-HOLD-BACK=1.5
        #EXT-X-PART-INF:PART-TARGET=0.4
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:40.000Z
        #EXT-X-PART:DURATION=0.4,URI="p-1-v2.0.ts",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.4,URI="p-1-v2.1.ts"
        #EXT-X-PART:DURATION=0.4,URI="p-1-v2.2.ts"
        #EXT-X-PART:DURATION=0.4,URI="p-1-v2.3.ts"
        #EXT-X-PART:DURATION=0.4,URI="p-1-v2.4.ts"
        #EXTINF:2,
        p-1-v2.ts
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:42.000Z
        #EXT-X-PART:DURATION=0.4,URI="p-2-v2.0.ts",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="p-2-v2.1.ts"
        #EXT-X-RENDITION-REPORT:URI="media.m3u8",LAST-MSN=2,LAST-PART=1

        """))
    // The segment that these parts belong to does not come in time: it is a gap, and they are listed no more.
    listing.segment(parts: 2, variants: [nil, nil])
    let gap = String(decoding: try listing.playlist.reloadedPlaylists()[1].bytes, as: UTF8.self)
    #expect(gap.contains("#EXT-X-GAP\n#EXTINF:2,\np-2-v2-gap.ts\n") && !gap.contains("p-2-v2.0.ts"))
    #expect(gap.hasSuffix("#EXT-X-RENDITION-REPORT:URI=\"media.m3u8\",LAST-MSN=2,LAST-PART=3\n"))
    // Its files leave as those of others do.
    for _ in 0..<9 { listing.segment(variants: [nil, nil]) }
    #expect(listing.removed.filter { $0.contains("-v2") } == (0...4).map { "p-1-v2.\($0).ts" } + ["p-2-v2.0.ts"])
  }

  /// Parts stand up to three target durations from the end; their files stay for as long again.
  @Test func partsLeave() throws {
    var listing = Listing()
    for _ in 0..<12 { listing.segment() }
    let lines = try listing.text().split(separator: "\n").filter { $0.hasPrefix("#EXT-X-PART:") }
    let parts = lines.compactMap { line in line.split(separator: "\"").dropFirst().first.map { String($0) } }
    #expect(parts == (10...12).flatMap { segment in (0..<4).map { "p-\(segment).\($0).ts" } })
    #expect(listing.removed == (1...6).flatMap { segment in (0..<4).map { "p-\(segment).\($0).ts" } })
    listing.playlist.end()
    let main = try listing.main()
    #expect(main.progress?.isEnded == true && main.hints.isEmpty)
    #expect(String(decoding: main.bytes, as: UTF8.self).hasSuffix("p-12.ts\n#EXT-X-ENDLIST\n"))
  }

  /// A segment that could not be completed is a gap: its parts are listed no more, and their files leave as those of others do.
  @Test func aSegmentThatIsGivenUp() throws {
    var listing = Listing()
    listing.segment()
    listing.part(0)
    listing.part(1)
    #expect(listing.playlist.giveUpSegment(before: listing.time, now: listing.date) == nil)
    listing.time += MediaTime(seconds: 1.2)
    let gap = listing.playlist.giveUpSegment(before: listing.time, now: listing.date)?.record
    #expect(gap?.isGap == true && gap?.mediaSequence == 2)
    #expect(gap?.start == MediaTime(seconds: 2) && gap?.duration == MediaTime(seconds: 1.2))
    #expect(listing.playlist.giveUpSegment(before: listing.time, now: listing.date) == nil)
    listing.part(0)
    #expect(
      try listing.text().hasSuffix(
        """
        #EXT-X-GAP
        #EXTINF:1.2,
        p-2-gap.ts
        #EXT-X-DISCONTINUITY
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:43.200Z
        #EXT-X-PART:DURATION=0.5,URI="p-3.0.ts",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="p-3.1.ts"

        """))
    for _ in 0..<8 { listing.segment() }
    #expect(listing.removed.filter { $0.hasPrefix("p-2.") } == ["p-2.0.ts", "p-2.1.ts"])
  }

  /// Segments that are six target durations from the end are left out for who knows them.
  @Test func deltaUpdates() throws {
    var listing = Listing()
    for _ in 0..<6 { listing.segment() }
    #expect(try listing.main().update == nil)
    for _ in 0..<3 { listing.segment() }
    listing.part(0)
    let main = try listing.main()
    let whole = String(decoding: main.bytes, as: UTF8.self)
    let update = String(decoding: try #require(main.update), as: UTF8.self)
    let skip = try #require(update.firstRange(of: "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n"))
    // What follows is the same.
    #expect(whole.hasSuffix(update[skip.upperBound...]) && update[skip.upperBound...].contains("p-4.ts") && !update.contains("p-3.ts"))
    #expect(whole.replacing("VERSION:3", with: "VERSION:9").hasPrefix(update[..<skip.lowerBound]))
  }

  /// Players may have parts of a segment that a killed process did not complete: it is a gap.
  @Test func afterAKill() throws {
    var first = Listing()
    first.segment()
    first.segment()
    first.part(0)
    let records = first.playlist.listedRecords
    #expect(records.map(\.precedesParts) == [true, true])
    var continuation = LivePlaylist.Continuation(mediaSequence: 3, discontinuitySequence: 0, targetDuration: 2)
    continuation.hasBegunSegment = true
    // Without the segments before it, its number is left out.
    #expect(Listing(following: continuation).playlist.nextSequence == 4)
    #expect(!Listing(following: continuation).playlist.needsGap)
    continuation.segments = Array(records)
    var second = Listing(following: continuation, hasParts: false)
    #expect(second.playlist.needsGap && second.playlist.nextSequence == 3)
    let gap = second.playlist.appendGap(MediaTime(seconds: 2), now: first.date)?.record
    #expect(gap?.isGap == true && gap?.mediaSequence == 3 && !second.playlist.needsGap)
    second.segment()
    let text = String(decoding: try second.playlist.mediaText(), as: UTF8.self)
    #expect(text.contains("p-3-gap.ts\n#EXT-X-DISCONTINUITY\n") && text.hasSuffix("p-4.ts\n"))
  }
}

/// Where parts end.
@Suite struct PartClockTests {
  private func unit(_ frame: Int64, _ frameDuration: Int64) -> LiveAccessUnit {
    let time = MediaTime(ticks: frame * frameDuration)
    return LiveAccessUnit(
      time: time, presentationTime: time, decodingTime: time, frameDuration: MediaTime(ticks: frameDuration), isRandomAccess: frame == 0,
      boundary: nil, targetDuration: 2)
  }

  /// Each part but the last has the same number of frames, as many as fit.
  @Test(
    arguments: [(3_600, 45_000, 12), (3_003, 45_000, 15), (3_750, 18_000, 4), (9_000, 18_000, 2), (90_000, 45_000, 1)]
      as [(Int64, Int64, Int)])
  func framesOfParts(frameDuration: Int64, partDuration: Int64, count: Int) {
    var clock = PartClock(duration: MediaTime(ticks: partDuration))
    // What comes before the first segment is in no part.
    let before = clock.push(unit(-1, frameDuration))
    #expect(before == nil && clock.lastPart(ofSegment: MediaTime(seconds: 1)) == nil)
    let target = MediaTime(ticks: frameDuration * Int64(count))
    var ends: [(Int64, MediaTime)] = []
    for start: Int64 in [0, 50] {
      clock.beginSegment(unit(start, frameDuration))
      ends = (1..<50).compactMap { frame in clock.push(unit(start + frame, frameDuration)).map { (frame, $0) } }
      #expect(ends.map(\.0) == Array(stride(from: Int64(count), to: 50, by: count)) && ends.allSatisfy { $0.1 == target })
    }
    #expect(clock.target == target)
    let left = 50 - (ends.last?.0 ?? 0)
    #expect(clock.lastPart(ofSegment: MediaTime(ticks: frameDuration * 50)) == MediaTime(ticks: frameDuration * left))
    // Where frames are missing at the end, no part is longer than it may be, and none is empty.
    #expect(clock.lastPart(ofSegment: .zero) == MediaTime(ticks: 1) && clock.lastPart(ofSegment: MediaTime(seconds: 900)) == target)
  }

  /// Where frames are missing in the first part of all, it decides on no longer part than was asked for.
  @Test func missingFrames() {
    var clock = PartClock(duration: MediaTime(ticks: 45_000))
    clock.beginSegment(unit(0, 3_600))
    let first = clock.push(unit(30, 3_600))
    #expect(first == MediaTime(ticks: 45_000) && clock.target == MediaTime(ticks: 45_000))
  }
}

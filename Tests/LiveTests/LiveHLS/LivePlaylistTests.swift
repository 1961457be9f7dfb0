import Basics
import GameEvents
import HLSPlaylist
import LiveGame
import Stamping
import TestSupport
import Testing

@testable import LiveHLS
@testable import PacketStamping

extension LivePlaylist {
  /// The main track's media playlist.
  func mediaText() throws -> [UInt8] { try #require(try playlists().first { $0.name == Self.mediaName }).bytes }
}

/// The playlists of a stream that goes on.
@Suite struct LivePlaylistTests {
  /// A playlist to which segments are appended one after another.
  struct Listing {
    var playlist: LivePlaylist
    var time = MediaTime.zero
    var listed: [LivePlaylist.Listed] = []

    init(_ kind: LivePlaylist.Kind = .window(MediaTime(seconds: 12)), following continuation: LivePlaylist.Continuation? = nil) {
      playlist = LivePlaylist(kind, prefix: "p", following: continuation)
    }

    /// - Parameter wallClock: Milliseconds since 1970; those of the programme unless said otherwise.
    @discardableResult
    mutating func append(
      _ seconds: Double = 4, _ boundary: SegmentClock.Boundary = .randomAccess, target: UInt64 = 4, wallClock: Int64? = nil
    ) throws -> MediaPlaylist {
      let duration = MediaTime(seconds: seconds)
      let segment = LiveSegment(
        bytes: [UInt8](repeating: 0x47, count: 188), start: time, duration: duration, boundary: boundary,
        isIndependent: boundary == .randomAccess, guids: [], targetDuration: target)
      listed.append(playlist.append(segment, wallClock: wallClock ?? time.ticks / 90))
      time += duration
      return try media()
    }

    @discardableResult
    mutating func gap(_ seconds: Double = 4) throws -> MediaPlaylist? {
      guard let gap = playlist.appendGap(MediaTime(seconds: seconds), now: time.ticks / 90) else { return nil }
      listed.append(gap)
      time += MediaTime(seconds: seconds)
      return try media()
    }

    /// The names of all files that clients may load.
    var names: [String] {
      let gone = Set(listed.flatMap(\.removable))
      return listed.flatMap { $0.files.map(\.name) }.filter { !gone.contains($0) }
    }

    func media() throws -> MediaPlaylist {
      let text = try playlist.mediaText()
      guard case .media(let media) = try Playlist(text.span) else { throw PlaylistIsMissing() }
      return media
    }
  }

  struct PlaylistIsMissing: Error {}

  @Test func theText() throws {
    var listing = Listing()
    #expect(listing.playlist.isEmpty && listing.playlist.targetDuration == nil)
    try listing.append(wallClock: 1_795_366_000_123)
    try listing.append(3.6, wallClock: 1_795_366_004_123)
    let media = String(decoding: try listing.playlist.mediaText(), as: UTF8.self)
    #expect(
      media == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:40.123Z
        #EXTINF:4,
        p-0.ts
        #EXT-X-PROGRAM-DATE-TIME:2026-11-22T16:46:44.123Z
        #EXTINF:3.6,
        p-1.ts

        """)
    #expect(
      listing.listed[1].record
        == .init(
          name: "p-1.ts", mediaSequence: 1, discontinuitySequence: 0, isDiscontinuous: false, targetDuration: 4,
          start: MediaTime(seconds: 4), duration: MediaTime(seconds: 3.6), wallClock: 1_795_366_004_123))
    #expect(listing.listed[1].files == [SegmentFile(name: "p-1.ts", bytes: [UInt8](repeating: 0x47, count: 188))])
    let text = String(decoding: try listing.playlist.multivariantText(), as: UTF8.self)
    // What is coded in the segments is not known.
    #expect(text.contains("\nmedia.m3u8\n") && !text.contains("CODECS") && text.contains("BANDWIDTH=418"))
    listing.playlist.end()
    #expect(try listing.media().isEnded)
  }

  /// The window lasts as long as it was asked for, and at least three target durations.
  @Test func theWindow() throws {
    for (window, count) in [(12, 3), (1, 3), (16, 4), (18, 5), (60, 15)] {
      var listing = Listing(.window(MediaTime(seconds: window)))
      var playlist = try listing.append()
      for _ in 0..<40 { playlist = try listing.append() }
      #expect(playlist.segments.count == count && playlist.mediaSequence == 41 - UInt64(count), "\(window) s")
      #expect(playlist.segments.map(\.uri) == (41 - count..<41).map { "p-\($0).ts" })
      #expect(playlist.playlistType == nil && !playlist.isEnded)
    }
    var event = Listing(.event)
    var playlist = try event.append()
    for _ in 0..<40 { playlist = try event.append() }
    #expect(playlist.segments.count == 41 && playlist.mediaSequence == 0 && playlist.playlistType == .event)
  }

  /// The target duration is that of the first segment, or of the playlist that is continued.
  @Test func theTargetDurationStays() throws {
    var listing = Listing()
    for (seconds, target) in [(5.0, 5), (4, 4), (3, 9), (5.4, 5), (0.1, 1)] as [(Double, UInt64)] {
      #expect(try listing.append(seconds, target: target).targetDuration == 5)
    }
    #expect(try listing.gap()?.targetDuration == 5)
    var continued = Listing(following: .init(mediaSequence: 7, discontinuitySequence: 2, targetDuration: 6))
    #expect(continued.playlist.targetDuration == 6)
    #expect(try continued.append(4, target: 4).targetDuration == 6)
  }

  /// Another session goes on with the numbers of the one before, and its first segment is discontinuous.
  @Test func aContinuation() throws {
    var first = Listing()
    for number in 0..<10 { try first.append(4, number == 5 ? .discontinuity : .randomAccess) }
    let last = try #require(first.listed.last).record
    #expect(last.mediaSequence == 9 && last.discontinuitySequence == 1)
    var second = Listing(
      following: .init(
        mediaSequence: last.mediaSequence + 1, discontinuitySequence: last.discontinuitySequence, targetDuration: last.targetDuration))
    #expect(second.playlist.nextSequence == 10)
    #expect(try second.gap() == nil)
    let playlist = try second.append()
    #expect(playlist.mediaSequence == 10 && playlist.discontinuitySequence == 1)
    #expect(playlist.segments.map(\.isDiscontinuous) == [true])
    #expect(second.listed[0].record.mediaSequence == 10 && second.listed[0].record.discontinuitySequence == 2)
    #expect(second.listed[0].record.isDiscontinuous)
    #expect(second.listed[0].record.name == "p-10.ts")
    #expect(try second.append().segments.map(\.isDiscontinuous) == [true, false])
  }

  /// Whatever comes: each segment keeps its discontinuity sequence number from playlist to playlist, and no number goes back.
  @Test(arguments: 0..<UInt64(40)) func numbersNeverGoBack(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let continuation =
      Bool.random(using: &generator) ? LivePlaylist.Continuation(mediaSequence: 5, discontinuitySequence: 3, targetDuration: 4) : nil
    var listing = Listing(following: continuation)
    var numbers: [String: (media: UInt64, discontinuity: UInt64)] = [:]
    var (media, discontinuity): (UInt64, UInt64) = (continuation?.mediaSequence ?? 0, continuation?.discontinuitySequence ?? 0)
    for _ in 0..<60 {
      let seconds = Double(Int.random(in: 1...44, using: &generator)) / 10
      var playlist: MediaPlaylist?
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: playlist = try listing.append(seconds, .discontinuity)
      case 1: playlist = try listing.gap(seconds)
      case 2: playlist = try listing.append(seconds, .split)
      default: playlist = try listing.append(seconds)
      }
      guard let playlist else { continue }
      #expect(playlist.mediaSequence >= media && playlist.discontinuitySequence >= discontinuity)
      (media, discontinuity) = (playlist.mediaSequence, playlist.discontinuitySequence)
      var (number, current) = (media, discontinuity)
      for segment in playlist.segments {
        if segment.isDiscontinuous { current += 1 }
        if let known = numbers[segment.uri] { #expect(known.media == number && known.discontinuity == current, "\(segment.uri)") }
        numbers[segment.uri] = (number, current)
        number += 1
      }
      let last = try #require(listing.listed.last).record
      #expect(numbers[last.name]?.media == last.mediaSequence && numbers[last.name]?.discontinuity == last.discontinuitySequence)
      let length = playlist.segments.dropFirst().reduce(MediaTime.zero) { $0 + MediaTime(ticks: $1.duration.billionths * 9 / 100_000) }
      #expect(length < MediaTime(seconds: 12.001))
    }
  }

  /// Each segment has the date that it was given. A gap begins where what comes before it ends.
  @Test func dates() throws {
    var listing = Listing(.event)
    try listing.append(3.6, wallClock: 1_000_000)
    try listing.gap(2)
    let playlist = try listing.append(3.6, wallClock: 2_000_000)
    let dates: [Int64] = [1_000_000, 1_003_600, 2_000_000]
    #expect(playlist.segments.map { $0.programDateTime?.milliseconds } == dates)
    #expect(listing.listed.map(\.record.wallClock) == dates)
    #expect(listing.playlist.endDate == 2_003_600)
  }

  /// What is missing behind a restart ends when it is listed, and begins at the earliest where the earlier session ended.
  @Test(arguments: [(5_000, 10_000), (20_000, 18_000)]) func theDateOfAGapBehindARestart(now: Int64, date: Int64) throws {
    var first = Listing(.event)
    try first.append(4, wallClock: 6_000)
    var continuation = LivePlaylist.Continuation(mediaSequence: 1, discontinuitySequence: 0, targetDuration: 4)
    continuation.segments = first.listed.map(\.record)
    var playlist = LivePlaylist(.event, prefix: "q", following: continuation)
    let gaps = [now, now + 100].map { playlist.appendGap(MediaTime(seconds: 2), now: $0)?.record.wallClock }
    #expect(gaps == [date, date + 2_000])
  }

  /// The segments of an earlier session that are still there are listed again, and only what follows them is discontinuous.
  @Test func theWindowOfAnEarlierSession() throws {
    var first = Listing()
    for number in 0..<10 { try first.append(4, number == 8 ? .discontinuity : .randomAccess) }
    var continuation = LivePlaylist.Continuation(mediaSequence: 10, discontinuitySequence: 1, targetDuration: 4)
    continuation.segments = first.listed.suffix(3).map(\.record)
    var second = Listing(following: continuation)
    let before = try second.media()
    #expect(before.mediaSequence == 7 && before.discontinuitySequence == 0)
    #expect(before.segments.map(\.uri) == ["p-7.ts", "p-8.ts", "p-9.ts"])
    #expect(before.segments.map(\.isDiscontinuous) == [false, true, false])
    let after = try second.append()
    #expect(after.segments.map(\.isDiscontinuous) == [true, false, true] && after.mediaSequence == 8)
    #expect(second.listed[0].record.mediaSequence == 10 && second.listed[0].record.discontinuitySequence == 2)
  }

  @Test func gaps() throws {
    var listing = Listing(.event)
    #expect(try listing.gap() == nil)
    try listing.append()
    try listing.gap()
    try listing.gap()
    let playlist = try listing.append()
    #expect(playlist.segments.map(\.isGap) == [false, true, true, false])
    #expect(playlist.segments.map(\.isDiscontinuous) == [false, false, false, true])
    #expect(playlist.segments.map(\.uri) == ["p-0.ts", "p-1-gap.ts", "p-2-gap.ts", "p-3.ts"])
    // There is nothing to load for a gap.
    #expect(listing.names == ["p-0.ts", "p-3.ts"])
  }

  /// Where decoding cannot start with each segment, that is not promised any more.
  @Test func independentSegments() throws {
    var listing = Listing()
    #expect(try listing.append().hasIndependentSegments)
    #expect(try !listing.append(4, .discontinuity).hasIndependentSegments)
    #expect(try !listing.append().hasIndependentSegments)
    let text = try listing.playlist.multivariantText()
    guard case .multivariant(let playlist) = try Playlist(text.span) else {
      return #expect(Bool(false))
    }
    #expect(!playlist.hasIndependentSegments)
  }

  /// A program of which each track has files of its own.
  private static func program(_ audioCount: Int) -> LiveProgram {
    LiveProgram(
      initialization: [1], mainCodecs: "avc1.64001f",
      audio: (0..<audioCount).map { .init(initialization: [2], language: ["eng", "deu"][$0], channelCount: 2, codecs: "mp4a.40.2") },
      resolution: Resolution(width: 1280, height: 720))
  }

  private static func fragmented(_ start: Int, audio: [[UInt8]?], program: LiveProgram? = nil) -> LiveSegment {
    var segment = LiveSegment(
      bytes: [3], start: MediaTime(seconds: start), duration: MediaTime(seconds: 4), boundary: .randomAccess, isIndependent: true,
      guids: [],
      targetDuration: 4)
    (segment.audio, segment.program) = (audio, program)
    return segment
  }

  /// A gap in front of the first segment of a session has the initialization segments of what is listed, so that the playlists can be written.
  @Test func gapBehindARestart() throws {
    var first = LivePlaylist(.event, .fragmentedMP4, prefix: "p")
    var continuation = LivePlaylist.Continuation(mediaSequence: 2, discontinuitySequence: 0, targetDuration: 4)
    for start in [0, 4] {
      let segment = Self.fragmented(start, audio: [[1]], program: start == 0 ? Self.program(1) : nil)
      continuation.segments.append(first.append(segment, wallClock: Int64(start) * 1_000).record)
    }
    for isSeamless in [false, true] {
      continuation.isSeamless = isSeamless
      var playlist = LivePlaylist(.event, .fragmentedMP4, prefix: "q", following: continuation)
      let listed = playlist.appendGap(MediaTime(seconds: 4), now: 20_000)
      let gap = try #require(listed)
      #expect(gap.record.initialization == "p-init0.mp4" && gap.record.audio.map(\.initialization) == ["p-init0-audio1.mp4"])
      _ = playlist.append(Self.fragmented(12, audio: [[1]], program: Self.program(1)), wallClock: 30_000)
      let text = try playlist.mediaText()
      guard case .media(let media) = try Playlist(text.span) else { return #expect(Bool(false)) }
      #expect(media.segments.map(\.isGap) == [false, false, true, false])
      #expect(media.segments.map { $0.initializationSegment?.uri } == ["p-init0.mp4", "p-init0.mp4", "p-init0.mp4", "q-init0.mp4"])
    }
  }

  /// After a takeover a segment is discontinuous if its tracks differ from those of the other node, or are coded otherwise.
  @Test func codingAfterATakeover() throws {
    var earlier = LivePlaylist(.event, .fragmentedMP4, prefix: "p")
    let last = earlier.append(Self.fragmented(0, audio: [[1], [1]], program: Self.program(2)), wallClock: 0)
    var continuation = LivePlaylist.Continuation(mediaSequence: 1, discontinuitySequence: 0, targetDuration: 4)
    (continuation.segments, continuation.isSeamless) = ([last.record], true)
    let known = Self.program(2)
    var (swapped, other, rate) = (known, known, known)
    swapped.audio = known.audio.reversed()
    swapped.audio[0].initialization += [1]
    other.initialization += [1]
    rate.audio[1].codecs = "ec-3"
    rate.audio[1].initialization += [1]
    for (program, isDiscontinuous) in [(known, false), (swapped, true), (other, true), (rate, false), (Self.program(1), true)] {
      continuation.initializations = [known.initialization] + known.audio.map(\.initialization)
      var playlist = LivePlaylist(.event, .fragmentedMP4, prefix: "q", following: continuation)
      let first = playlist.append(Self.fragmented(4, audio: program.audio.map { _ in [1] }, program: program), wallClock: 4_000)
      let second = playlist.append(Self.fragmented(8, audio: program.audio.map { _ in [1] }), wallClock: 8_000)
      #expect(first.record.isDiscontinuous == isDiscontinuous && !second.record.isDiscontinuous)
      // Without files to compare with, the journal decides alone.
      continuation.initializations = []
      playlist = LivePlaylist(.event, .fragmentedMP4, prefix: "q", following: continuation)
      let unknown = playlist.append(Self.fragmented(4, audio: program.audio.map { _ in [1] }, program: program), wallClock: 4_000)
      #expect(!unknown.record.isDiscontinuous)
    }
  }

  /// Other renditions have playlists with the same numbers, from the first segment on that they have.
  @Test func otherRenditions() throws {
    var playlist = LivePlaylist(.window(MediaTime(seconds: 12)), .fragmentedMP4, prefix: "p", renditionCount: 2)
    var files: [[String]] = []
    var removable: [String] = []
    func add(_ number: Int, _ parts: [LiveSegment.Part?], program: LiveProgram? = nil) {
      var segment = Self.fragmented(number * 4, audio: [], program: program)
      segment.variants = parts
      let listed = playlist.append(segment, wallClock: Int64(number) * 4_000)
      files.append(listed.files.map(\.name))
      removable += listed.removable
    }
    let part = LiveSegment.Part(bytes: [4, 4], program: nil)
    add(0, [.init(bytes: [4], program: Self.program(0)), nil], program: Self.program(0))
    add(1, [nil, .init(bytes: [5], program: Self.program(0))])
    #expect(files == [["p-init0.mp4", "p-v2-init0.mp4", "p-0.m4s", "p-0-v2.m4s"], ["p-v3-init0.mp4", "p-1.m4s", "p-1-v3.m4s"]])
    #expect(playlist.appendGap(MediaTime(seconds: 4), now: 0)?.record.variants.map(\.name) == [nil, nil])
    add(3, [part, part])
    let texts = try playlist.playlists()
    #expect(texts.map(\.name) == ["media2.m3u8", "media3.m3u8", "media.m3u8", "index.m3u8"])
    let media = try texts[..<2].map { file in
      guard case .media(let media) = try Playlist(file.bytes.span) else { throw PlaylistIsMissing() }
      return media
    }
    #expect(media.map(\.mediaSequence) == [1, 1] && media.map(\.targetDuration) == [4, 4])
    #expect(media[0].segments.map(\.uri) == ["p-1-v2-gap.m4s", "p-2-v2-gap.m4s", "p-3-v2.m4s"])
    #expect(media[0].segments.map(\.isGap) == [true, true, false])
    #expect(media[1].segments.map(\.isDiscontinuous) == [false, false, true])
    let index = String(decoding: texts[3].bytes, as: UTF8.self)
    #expect(index.contains("BANDWIDTH=4,") && index.contains("media.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=4,"), "\(index)")
    // What one of them needs stays: the initialization segments are those of the first segments.
    for number in 4..<12 { add(number, [part, part]) }
    #expect(
      removable == ["p-0.m4s", "p-0-v2.m4s", "p-1.m4s", "p-1-v3.m4s", "p-3.m4s", "p-3-v2.m4s", "p-3-v3.m4s", "p-4.m4s"] + [
        "p-4-v2.m4s", "p-4-v3.m4s",
      ])
    // A session that goes on lists them again.
    var continuation = LivePlaylist.Continuation(mediaSequence: 12, discontinuitySequence: 1, targetDuration: 4)
    continuation.segments = [JournalRecord.SegmentRecord](playlist.listedRecords)
    let second = LivePlaylist(.window(MediaTime(seconds: 12)), .fragmentedMP4, prefix: "q", renditionCount: 2, following: continuation)
    func written(_ playlist: LivePlaylist) throws -> [String] { try playlist.playlists().map { String(decoding: $0.bytes, as: UTF8.self) } }
    let (before, again) = (try written(playlist), try written(second))
    #expect(again.dropLast() == before.dropLast())
  }

  /// Audio has playlists of its own with the same numbers. Where a track has nothing there is a gap, and what comes later was not there before.
  @Test func audioInTracksOfItsOwn() throws {
    var playlist = LivePlaylist(.window(MediaTime(seconds: 12)), .fragmentedMP4, prefix: "p")
    var files: [[String]] = []
    var removable: [String] = []
    func add(_ number: Int, _ segment: LiveSegment) {
      let listed = playlist.append(segment, wallClock: Int64(number) * 4_000)
      files.append(listed.files.map(\.name))
      removable += listed.removable
    }
    add(0, Self.fragmented(0, audio: [[4]], program: Self.program(1)))
    add(1, Self.fragmented(4, audio: [nil]))
    var next = Self.fragmented(8, audio: [[4], [5]], program: Self.program(2))
    next.boundary = .discontinuity
    add(2, next)
    #expect(
      files == [
        ["p-init0.mp4", "p-init0-audio1.mp4", "p-0.m4s", "p-0-audio1.m4s"], ["p-1.m4s"],
        ["p-init1.mp4", "p-init1-audio1.mp4", "p-init1-audio2.mp4", "p-2.m4s", "p-2-audio1.m4s", "p-2-audio2.m4s"],
      ])
    let texts = try playlist.playlists()
    #expect(texts.map(\.name) == ["audio1.m3u8", "audio2.m3u8", "media.m3u8", "index.m3u8"])
    let text = texts.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(
      text[0].contains(
        """
        #EXT-X-MAP:URI="p-init0-audio1.mp4"
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z
        #EXTINF:4,
        p-0-audio1.m4s
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:04.000Z
        #EXT-X-GAP
        #EXTINF:4,
        p-1-audio1-gap.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-MAP:URI="p-init1-audio1.mp4"
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:08.000Z
        #EXTINF:4,
        p-2-audio1.m4s
        """), "\(text[0])")
    #expect(text[1].contains("#EXT-X-MEDIA-SEQUENCE:2\n"), "\(text[1])")
    #expect(text[3].contains("CODECS=\"avc1.64001f,mp4a.40.2\",RESOLUTION=1280x720,AUDIO=\"audio\""), "\(text[3])")
    #expect(text[3].contains("NAME=\"en\"") && text[3].contains("NAME=\"de\""), "\(text[3])")
    // Initialization segments stay until the last segment that needs them is gone.
    for number in 3..<9 { add(number, Self.fragmented(number * 4, audio: [[4], [5]])) }
    #expect(
      removable == ["p-0.m4s", "p-0-audio1.m4s", "p-init0.mp4", "p-init0-audio1.mp4", "p-1.m4s"])
  }

  /// Clients may load a segment for as long as it lasts and the playlist that listed it.
  @Test func removedSegments() throws {
    var listing = Listing(.window(MediaTime(seconds: 16)))
    for number in 0..<20 {
      try listing.append()
      let names = listing.names
      // Four are listed; each is kept for 20 s more, when the playlist that drops it appears.
      let first = max(0, number - 8)
      #expect(names == (first...number).map { "p-\($0).ts" }, "after \(number)")
      #expect(listing.listed[number].removable == (number > 8 ? ["p-\(number - 9).ts"] : []))
    }
  }
}

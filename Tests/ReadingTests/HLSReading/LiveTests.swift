import Basics
import EventReading
import GameEvents
import HLSPlaylist
import HLSReading
import TestSupport
import Testing

/// Playlists that are loaded again and again.
@Suite struct LiveTests {
  let sample: SegmentedSample
  init() throws { sample = try SegmentedSample() }

  /// The playlist of some of the segments.
  private func window(_ range: Range<Int>, isEnded: Bool = false, header: [String] = []) -> Presentation.Answer {
    let lines = range.map { sample.lines($0) }.joined(separator: "\n")
    return .bytes(playlist(lines, header: header + ["#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)"], isEnded: isEnded))
  }

  private func presentation(_ loads: Presentation.Answer...) -> Presentation {
    var presentation = Presentation(files: sample.files())
    presentation.answers["index.m3u8"] = loads
    return presentation
  }

  @Test func aWindowThatMoves() throws {
    var presentation = presentation(window(0..<2), window(0..<2), window(1..<4), window(3..<5, isEnded: true))
    presentation.elapsed = MediaTime(ticks: 9_000)
    let outcome = try presentation.read()
    #expect(outcome.items == (try sample.expected()))
    #expect(outcome.uris.filter { $0 != "index.m3u8" } == ["0.ts", "1.ts", "2.ts", "3.ts", "4.ts"])
    // A target duration of 2 s less three loads of 0.1 s; half of it less one load, as nothing is new; and again 2 s less three loads.
    #expect(outcome.waits == [153_000, 81_000, 153_000].map { MediaTime(ticks: $0) })
    #expect(outcome.reader.step == .finished && outcome.reader.end == MediaTime(ticks: 219_600))
  }

  /// A server that offers delta updates is asked for them, and for the whole playlist if one does not fit.
  @Test func deltaUpdates() throws {
    let address = "http://example.com/index.m3u8"
    let header = ["#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=12"]
    let update = { (first: Int, skipped: Int, listed: Range<Int>, isEnded: Bool) -> Presentation.Answer in
      let lines = ["#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)"] + listed.map { sample.lines($0) }
      let header = header + ["#EXT-X-MEDIA-SEQUENCE:\(first)"]
      return .bytes(playlist(lines.joined(separator: "\n"), header: header, isEnded: isEnded))
    }
    var presentation = Presentation(files: [:])
    for (name, bytes) in sample.files() { presentation.files["http://example.com/\(name)"] = bytes }
    presentation.answers[address] = [window(0..<3, header: header), window(2..<5, isEnded: true, header: header)]
    presentation.answers[address + "?_HLS_skip=YES"] = [update(0, 3, 3..<4, false), update(3, 7, 4..<5, true)]
    let outcome = try presentation.read(address)
    #expect(outcome.uris.filter { $0.hasPrefix(address) } == [address, address + "?_HLS_skip=YES", address + "?_HLS_skip=YES", address])
    #expect(outcome.uris.filter { !$0.hasPrefix(address) } == (0..<5).map { "http://example.com/\($0).ts" })
    #expect(outcome.notices == [] && outcome.damages == [])
    // The playlists that are handed on are whole.
    let texts = outcome.portions.compactMap { if case .playlist(let bytes, _) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    #expect(texts.count == 3 && texts.allSatisfy { !$0.contains("EXT-X-SKIP") } && texts[1].contains("0.ts"))
    var options = HLSReader.Options()
    options.loadsWholePlaylists = true
    #expect(try presentation.read(address, options).uris.filter { $0.hasPrefix(address) } == [address, address])
  }

  @Test func joiningInTheMiddle() throws {
    let outcome = try presentation(window(3..<5, isEnded: true)).read()
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [0, 1, 2])))
    #expect(outcome.copies.allSatisfy { $0.copy.programmeTime == $0.place.time })
    #expect(outcome.reader.end == MediaTime(ticks: 219_600))
  }

  /// A playlist with segments of these durations, whatever they last.
  private func listing(_ durations: [Int], isEnded: Bool = false) -> Presentation.Answer {
    let lines = durations.enumerated().map { "#EXTINF:\($0.element),\n\($0.offset).ts" }
    return .bytes(playlist(lines.joined(separator: "\n"), isEnded: isEnded))
  }

  /// Three target durations, of two seconds, before the end (RFC 8216, 6.3.3).
  @Test(arguments: [
    ([2, 2, 2, 2, 2], false, 2), ([2, 2, 1, 2, 2], false, 1), ([2, 2, 2], false, 0),
    // All of it is nearer to the end, or it has ended.
    ([2, 1], false, 0), ([2, 2, 2, 2, 2], true, 0),
  ]) func startingAtTheLiveEdge(durations: [Int], isEnded: Bool, first: Int) throws {
    let presentation = presentation(listing(durations, isEnded: isEnded), listing([2, 2, 2, 2, 2], isEnded: true))
    for (start, expected) in [(HLSReader.Start.firstSegment, 0), (.liveEdge, first)] {
      let outcome = try presentation.read("index.m3u8", HLSReader.Options(start: start))
      #expect(outcome.uris.filter { $0 != "index.m3u8" } == (expected..<5).map { "\($0).ts" })
      #expect(outcome.notices == [] && outcome.damages == [])
      #expect(outcome.copies.map(\.copy) == (try sample.copies(without: Set(0..<expected))))
      #expect(outcome.copies.allSatisfy { $0.copy.programmeTime == $0.place.time })
    }
  }

  @Test func segmentsThatCameAndWentAreNoticed() throws {
    let outcome = try presentation(window(0..<2), window(3..<5, isEnded: true)).read()
    #expect(outcome.notices == [.playlistProblem(.segmentsMissed(count: 1, from: 2))])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [2])) && outcome.damages == [])
    #expect(outcome.copies.allSatisfy { $0.place.videoTime == $0.place.time })
  }

  /// A discontinuity was among the segments that were missed: the clock is another one.
  @Test func aDiscontinuityMayBeMissed() throws {
    var presentation = presentation(window(0..<2), window(3..<4, isEnded: true, header: ["#EXT-X-DISCONTINUITY-SEQUENCE:1"]))
    presentation.files["3.ts"] = try SegmentedSample.foreign(start: 5)
    let outcome = try presentation.read()
    // One segment was missed, of two seconds as far as anyone knows.
    #expect(outcome.streamItems.tags.map(\.place.time) == [MediaTime(ticks: 25 * 3_600 + 180_000 + 36_000)])
  }

  @Test func aPlaylistThatCannotBeHadIsAskedForAgain() throws {
    let presentation = presentation(
      window(0..<2), .error(isFinal: true), .error(isFinal: false), .bytes(Array("nothing".utf8)), window(1..<4),
      .bytes(Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nx\n".utf8)), window(3..<5, isEnded: true))
    let outcome = try presentation.read()
    let damage = PlaylistError(.invalid("a multivariant playlist instead of a media playlist"), line: 1)
    #expect(
      outcome.notices == [
        .playlistFailed(uri: "index.m3u8", reason: "not found"), .playlistDamaged(uri: "index.m3u8", damage),
      ])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [])))
    #expect(outcome.waits == [180_000, 90_000, 90_000, 90_000, 180_000, 90_000].map { MediaTime(ticks: $0) })
  }

  @Test func aPlaylistThatIsGoneEndsReading() throws {
    let outcome = try presentation(window(0..<5), .error(isFinal: true)).read()
    #expect(
      outcome.notices == [
        .playlistFailed(uri: "index.m3u8", reason: "not found"), .playlistGivenUp(uri: "index.m3u8", failures: 20),
      ])
    #expect(outcome.waits.count == 20 && outcome.reader.step == .finished)
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [])))
  }

  /// An old copy of the playlist is skipped; a server that has started afresh is followed.
  @Test func numbersThatGoBack() throws {
    let old = try presentation(window(1..<4), window(0..<3), window(2..<5, isEnded: true)).read()
    #expect(old.notices == [.playlistProblem(.mediaSequenceWentBack(from: 1, to: 0))])
    #expect(old.uris.filter { $0 != "index.m3u8" } == ["1.ts", "2.ts", "3.ts", "4.ts"])
    let fresh = try presentation(window(2..<5), window(0..<1), window(0..<1), window(0..<1), window(0..<2, isEnded: true)).read()
    #expect(
      fresh.notices == [.playlistProblem(.mediaSequenceWentBack(from: 2, to: 0)), .playlistStartedAfresh(mediaSequence: 0)])
    #expect(fresh.uris.filter { $0 != "index.m3u8" } == ["2.ts", "3.ts", "4.ts", "0.ts", "1.ts"])
  }

  /// A live segment may come later than the playlist that lists it, whatever the server says.
  @Test func segmentsMayComeLate() throws {
    var presentation = presentation(window(0..<2), window(0..<5, isEnded: true))
    presentation.answers["1.ts"] = [.error(isFinal: true), .bytes(sample.segments[1])]
    presentation.answers["4.ts"] = [.error(isFinal: true), .bytes(sample.segments[4])]
    let outcome = try presentation.read()
    #expect(outcome.notices == [.segmentLost(HLSSource(uri: "4.ts", mediaSequence: 4), reason: "not found", read: 0)])
    #expect(outcome.waits == [45_000, 135_000].map { MediaTime(ticks: $0) })
  }

  @Test func readingEndsAfterADuration() throws {
    let options = HLSReader.Options(duration: MediaTime(ticks: 80_000))
    let outcome = try presentation(window(0..<2), window(0..<2), window(1..<4)).read("index.m3u8", options)
    #expect(outcome.uris == ["index.m3u8", "0.ts", "1.ts"])
    #expect(outcome.reader.end == MediaTime(ticks: 90_000) && outcome.notices == [])
  }

  /// A playlist without a target duration that never changes is not asked for more than twice a second.
  @Test func nobodyIsHurried() throws {
    var presentation = Presentation()
    presentation.files["index.m3u8"] = playlist(target: 0, isEnded: false)
    let outcome = try presentation.read("index.m3u8", .init(), steps: 100)
    #expect(outcome.waits.count == 50 && outcome.waits.allSatisfy { $0 == MediaTime(ticks: 45_000) })
    #expect(outcome.items == [])
  }

  @Test func manyEmptySegmentsEnd() throws {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + String(repeating: "#EXTINF:1,\na\n", count: 50_000) + "#EXT-X-ENDLIST\n"
    var presentation = Presentation(files: ["index.m3u8": Array(text.utf8), "a": []])
    presentation.chunk = 1 << 20
    let outcome = try presentation.read("index.m3u8", .init(attempts: 1), steps: 60_000)
    #expect(outcome.reader.step == .finished && outcome.resources.count == 50_001 && outcome.items.count == 50_000)
    #expect(outcome.items.last == .notice(.segmentLost(HLSSource(uri: "a", mediaSequence: 49_999), reason: "it is empty", read: 0)))
  }
}

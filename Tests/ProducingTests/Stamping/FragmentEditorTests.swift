import Basics
import CMAF
import EventReading
import EventSchedule
import Foundation
import GameEvents
import HLSPlaylist
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

@testable import Stamping

/// Events come out of fragmented MP4 and playlists again; everything else stays byte for byte.
@Suite struct FragmentEditorTests {
  private static let copy = EventCopy(of: SampleGame.plan()[0].event)
  private static let other = ID3Tag(frames: [.text(id: "TIT2", values: ["song"])])

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    [0, 0, UInt8((content.count + 8) >> 8), UInt8((content.count + 8) & 0xFF)] + Array(type.utf8) + content
  }

  private static func message(_ data: [UInt8], scheme: BoxText = EventMessageBox.id3Scheme) throws -> [UInt8] {
    try EventMessageBox(schemeID: scheme, time: .absolute(90_000), id: 7, messageData: data).encoded()
  }

  private static func edit(
    _ bytes: [UInt8], keepsSize: Bool = false, chunk: Int? = nil, knowing: FragmentEditor.Knowledge = .init()
  ) -> (bytes: [UInt8], report: PacketEditor.Report, knowledge: FragmentEditor.Knowledge) {
    var editor = FragmentEditor(nil, keepsSize: keepsSize, knowing: knowing)
    var output: [UInt8] = []
    let size = chunk ?? max(bytes.count, 1)
    for start in stride(from: 0, to: bytes.count, by: size) {
      editor.push(bytes.span.extracting(start..<min(start + size, bytes.count)), into: &output)
    }
    editor.endSegment(into: &output)
    return (output, editor.report, editor.knowledge)
  }

  @Test func onlyOurMessagesGo() throws {
    let event = try Self.message(Self.copy.encodedTag())
    let foreign = try Self.message(Self.other.encode())
    let scte = try Self.message([1, 2, 3], scheme: "urn:scte:scte35:2013:bin")
    let styp = Self.box("styp", Array("msdh".utf8) + [0, 0, 0, 0])
    let media = Self.box("moof", [1, 2, 3]) + Self.box("mdat", [UInt8](repeating: 9, count: 500))
    let segment = styp + event + foreign + scte + event + media
    for chunk in [nil, 1, 7, 100] {
      let (edited, report, _) = Self.edit(segment, chunk: chunk)
      #expect(edited == styp + foreign + scte + media)
      #expect(report.copies == 2 && report.removedBoxes == 2 && report.events == [Self.copy.event.guid])
    }
    let empty = Self.box("free", [UInt8](repeating: 0, count: event.count - 8))
    #expect(Self.edit(segment, keepsSize: true).bytes == styp + empty + foreign + scte + empty + media)
    // What is cut off stays.
    for count in [0, 4, styp.count + 20, segment.count - 3] {
      let cut = Array(segment.prefix(count))
      #expect(Self.edit(cut).bytes == (count > styp.count + event.count ? Array(Self.edit(segment).bytes.dropLast(3)) : cut))
    }
  }

  @Test func aMixedMessageIsTakenApart() throws {
    let mixed = try Self.message(ID3Tag(frames: Self.other.frames + Self.copy.tag.frames).encode())
    let alone = try Self.message(Self.other.encode())
    #expect(Self.edit(mixed).bytes == alone && Self.edit(mixed).report.rewrittenBoxes == 1)
    let kept = Self.edit(mixed, keepsSize: true).bytes
    #expect(kept == alone + Self.box("free", [UInt8](repeating: 0, count: mixed.count - alone.count - 8)))
  }

  /// The brand that announces ID3 goes where no ID3 is left.
  @Test func theBrandGoes() throws {
    let start = Self.box("ftyp", Array("iso6".utf8) + [0, 0, 2, 0] + Array("cmfc".utf8))
    let announced = try EventMessages.announced(in: start.span)
    let event = try Self.message(Self.copy.encodedTag())
    let known = Self.edit(announced + event).knowledge
    #expect(Self.edit(announced, knowing: known).bytes == start)
    let others = Self.edit(try announced + event + Self.message(Self.other.encode())).knowledge
    #expect(Self.edit(announced, knowing: others).bytes == announced)
    #expect(Self.edit(announced, keepsSize: true, knowing: known).bytes == announced)
  }

  // MARK: Playlists

  @Test func dateRangesOfEventsGo() throws {
    let zero = try #require(PlaylistDate("2026-11-20T20:00:00Z"))
    var playlist = MediaPlaylist(targetDuration: 6)
    var segment = MediaSegment(uri: "a.ts", duration: try #require(PlaylistDecimal("6")))
    segment.programDateTime = zero
    segment.dateRanges = SampleGame.plan().map { DateRange($0, zero: zero) }
    playlist.segments = [segment]
    let ours = try Playlist.media(playlist).encode()
    segment.dateRanges = []
    playlist.segments = [segment]
    let without = try Playlist.media(playlist).encode()
    let ad = Array("#EXT-X-DATERANGE:ID=\"ad\",CLASS=\"ads\",START-DATE=\"2026-11-20T20:00:00Z\",X-A=\"1\"\r\n# a comment\n\n".utf8)
    let (stripped, count) = DateRangeEdit.stripped(ours + ad, of: nil)
    #expect(stripped == without + ad && count == 5)
    #expect(DateRangeEdit.stripped(ours, of: GameID("friday")).bytes == without)
    #expect(DateRangeEdit.stripped(ours, of: GameID("monday")) == (ours, 0))
    #expect(DateRangeEdit.stripped(without, of: nil) == (without, 0))
  }
}

/// A presentation without its events is what its segments were before.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct PresentationEditorTests {
  @Test(arguments: [SegmentType.transportStream, .fragmentedMP4]) func nothingButTheEventsIsMissing(type: SegmentType) throws {
    let presentation = try Presentation()
    try presentation.stamp([.mp4, .small], type) {
      $0.programDateTime = PlaylistDate("2026-11-20T20:00:00Z")
      $0.writesDateRanges = true
    }
    var editor = PresentationEditor(input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/clean/show.m3u8")
    let report = try editor.strip()
    #expect(report.events.count == 5 && report.dateRanges == 10)
    let names = try presentation.entries
    #expect(try Workshop.entries(presentation.folder + "/clean") == names)
    for name in names {
      let (before, after) = (try presentation.bytes(name), try Workshop.bytes("\(presentation.folder)/clean/\(name)"))
      if name.hasSuffix(".m3u8") {
        #expect(after == DateRangeEdit.stripped(before, of: nil).bytes)
      } else if type == .transportStream {
        let maps = before == after ? [] : [0x1000, 0x102].map { PID($0) }
        #expect(Self.stream(after, without: maps) == Self.stream(before, without: maps))
        #expect(try read(after).copies.isEmpty && read(after).tags.isEmpty && read(after).damages == [])
      } else {
        var fragments = FragmentEditor(nil, keepsSize: false)
        var expected: [UInt8] = []
        fragments.push(before.span, into: &expected)
        #expect(after == expected || name.hasSuffix("init.mp4"))
      }
    }
    // What exists is not replaced unasked, and the same folder is no output.
    #expect(throws: StampingError.self) { try editor.strip() }
    editor.output = editor.input
    editor.overwrite = true
    #expect(throws: StampingError.self) { try editor.strip() }
    #expect(try presentation.entries == names)
  }

  private static func stream(_ stream: [UInt8], without pids: [PID]) -> [UInt8] {
    pids.reduce(stream) { SamplePacket.stream($0, without: $1) }
  }

  @Test func whatCannotBeStripped() throws {
    let folder = try Workshop.newFolder()
    func error(_ playlist: String) throws -> StampingError? {
      try Workshop.write(Array(playlist.utf8), to: folder + "/a.m3u8")
      do throws(StampingError) {
        _ = try PresentationEditor(input: folder + "/a.m3u8", output: folder + "/out/a.m3u8").strip()
        return nil
      } catch {
        return error
      }
    }
    let path = folder + "/a.m3u8"
    let start = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
    #expect(try error("no playlist") == .presentation(path: path, .notAPlaylist))
    #expect(
      try error(start + "#EXTINF:6,\nhttps://example.com/a.ts\n") == .presentation(path: path, .outside(uri: "https://example.com/a.ts")))
    #expect(
      try error(start + "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:6,\na.ts\n") == .presentation(path: path, .encrypted(uri: "a.ts")))
    #expect(try Workshop.entries(folder) == ["a.m3u8"])
  }

  /// Files in folders below, and parts of one file, whose places in it must stay.
  @Test func partsOfFilesKeepTheirPlaces() throws {
    let folder = try Workshop.newFolder()
    let stream = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
    try FileManager.default.createDirectory(atPath: folder + "/v/0", withIntermediateDirectories: true)
    try Workshop.write(stream, to: folder + "/v/0/all.ts")
    let half = stream.count / 376 * 188
    let playlist =
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-VERSION:4\n#EXTINF:1,\n#EXT-X-BYTERANGE:\(half)@0\nv/0/all.ts\n"
      + "#EXTINF:1,\n#EXT-X-BYTERANGE:\(stream.count - half)\nv/0/all.ts\n#EXT-X-ENDLIST\n"
    try Workshop.write(Array(playlist.utf8), to: folder + "/a.m3u8")
    let report = try PresentationEditor(input: folder + "/a.m3u8", output: folder + "/out/b.m3u8").strip()
    let stripped = try Workshop.bytes(folder + "/out/v/0/all.ts")
    #expect(stripped.count == stream.count && report.nulledPackets > 0)
    #expect(try read(stripped).copies.isEmpty && read(stripped).damages == [])
    #expect(try Workshop.bytes(folder + "/out/b.m3u8") == Array(playlist.utf8))
  }
}

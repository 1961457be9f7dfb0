import Basics
import CMAF
import EventReading
import EventSchedule
import Files
import Foundation
import GameEvents
import HLSPlaylist
import ID3
import PacketStamping
import Synchronization
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
    _ bytes: [UInt8], _ edit: TagEdit = .strip(nil), keepsSize: Bool = false, chunk: Int? = nil, knowing: FragmentEditor.Knowledge = .init()
  ) -> (bytes: [UInt8], report: PacketEditor.Report, knowledge: FragmentEditor.Knowledge) {
    var editor = FragmentEditor(edit, keepsSize: keepsSize, knowing: knowing)
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

  /// Padding goes with the event; other tags stay as they are.
  @Test func whatFollowsAnEventInItsMessage() throws {
    let event = try Self.copy.encodedTag()
    // A title that is no UTF-8.
    let title: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 12] + Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 3, 0xE9]
    #expect(Self.edit(try Self.message(event + [0, 0, 0])).bytes == [])
    #expect(Self.edit(try Self.message(event + event)).bytes == [])
    #expect(Self.edit(try Self.message(title + event)).bytes == (try Self.message(title)))
    #expect(Self.edit(try Self.message(event + title)).bytes == (try Self.message(title)))
    var merged: [UInt8] = Array("ID3".utf8)
    merged += [4, 0, 0]
    merged += Self.size(event.count + 2)
    merged += event[10...]
    merged += title[10...]
    #expect(Self.edit(try Self.message(merged)).bytes == (try Self.message(title)))
  }

  private static func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) } }

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

  /// A message may go on to the end of its segment.
  @Test func aMessageWithoutAnEndGoes() throws {
    let event = try Self.message(Self.copy.encodedTag())
    let endless = [0, 0, 0, 0] + event[4...]
    for chunk in [nil, 1] {
      #expect(Self.edit(event + endless, chunk: chunk).bytes == [])
      #expect(Self.edit(endless, keepsSize: true, chunk: chunk).bytes == Self.box("free", [UInt8](repeating: 0, count: event.count - 8)))
    }
  }

  /// A packager may have got the tags that FFmpeg has cut.
  @Test func cutTagsAreMadeWhole() throws {
    let tag = try Self.copy.encodedTag()
    let (whole, cut) = (try Self.message(tag), try Self.message(Array(tag.dropFirst(5))))
    let rest = Self.box("mdat", [1, 2, 3])
    for chunk in [nil, 1, 9] {
      let (edited, report, _) = Self.edit(cut + rest + whole + cut, .repair, chunk: chunk)
      #expect(edited == whole + rest + whole + whole && report.repaired == 2 && report.copies == 0)
    }
    #expect(Self.edit(whole + rest, .repair).bytes == whole + rest)
    #expect(Self.edit(cut + rest).bytes == rest)
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
    var editor = PresentationEditor(
      input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/clean/show.m3u8", .strip(nil))
    let report = try editor.edit()
    #expect(report.events.count == 5 && report.dateRanges == 8)
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
        var fragments = FragmentEditor(.strip(nil), keepsSize: false)
        var expected: [UInt8] = []
        fragments.push(before.span, into: &expected)
        #expect(after == expected || name.hasSuffix("init.mp4"))
      }
    }
    // What exists is not replaced unasked, and the same folder is no output.
    #expect(throws: StampingError.self) { try editor.edit() }
    editor.output = editor.input
    editor.overwrite = true
    #expect(throws: StampingError.self) { try editor.edit() }
    #expect(try presentation.entries == names)
  }

  /// Tags that FFmpeg has cut are whole again; everything else is as it was. The rules for what is replaced are those of stamping.
  @Test(arguments: [SegmentType.transportStream, .fragmentedMP4]) func cutTagsAreMadeWhole(type: SegmentType) throws {
    let presentation = try Presentation()
    try presentation.stamp([.mp4], type)
    let names = try presentation.entries
    var whole: [String: [UInt8]] = [:]
    for name in names { whole[name] = try presentation.bytes(name) }
    let segments = names.filter { $0.hasSuffix(".ts") || $0.hasSuffix(".m4s") }
    let bytes = segments.compactMap { whole[$0] }
    let cut = try type == .transportStream ? Self.cutSegments(bytes) : bytes.map(Self.cutMessages)
    for (name, bytes) in zip(segments, cut) { try Workshop.write(bytes, to: "\(presentation.folder)/hls/\(name)") }
    var editor = PresentationEditor(
      input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/whole/show.m3u8", .repair)
    let told = Mutex<[WorkProgress]>([])
    editor.progress = { progress in told.withLock { $0.append(progress) } }
    let report = try editor.edit()
    #expect(report.repaired > 5 && report.copies == 0 && report.dateRanges == 0)
    for name in names { #expect(try Workshop.bytes("\(presentation.folder)/whole/\(name)") == whole[name], "\(name)") }
    #expect(try Workshop.entries(presentation.folder + "/whole") == names)
    let size = whole.values.reduce(0) { $0 + $1.count }
    try requireProgress(told.withLock { $0 }, of: 1...size)
    // What exists is not replaced unasked; what the presentation had there before goes with it, and nothing of anybody else's.
    #expect(throws: StampingError.output(FileSinkError(.create, path: editor.output, code: EEXIST))) { try editor.edit() }
    try Workshop.write([1], to: presentation.folder + "/whole/other.txt")
    let playlist = "\(presentation.folder)/whole/show-media.m3u8"
    let more = try String(decoding: Workshop.bytes(playlist), as: UTF8.self).replacing(
      "#EXT-X-ENDLIST", with: "#EXTINF:1,\nshow-segment-00009.ts\n#EXT-X-ENDLIST")
    try Workshop.write(Array(more.utf8), to: playlist)
    try Workshop.write([2], to: presentation.folder + "/whole/show-segment-00009.ts")
    editor.overwrite = true
    #expect(try editor.edit().repaired == report.repaired)
    #expect(try Workshop.entries(presentation.folder + "/whole") == (names + ["other.txt"]).sorted())
    editor.output = presentation.folder + "/hls/other.m3u8"
    #expect(throws: StampingError.self) { try editor.edit() }
    #expect(try presentation.entries == names)
  }

  /// Segments as FFmpeg before 6.1 copies them: each starts with tables, and counters go on.
  private static func cutSegments(_ segments: [[UInt8]]) -> [[UInt8]] {
    func count(_ bytes: [UInt8]) -> Int { SamplePacket.all(in: bytes).count { $0.pid != 0x102 } }
    var rest = SamplePacket.all(in: cutTags(Array(segments.joined())))[...]
    return segments.map { segment in
      var left = count(segment)
      let own = rest.prefix { packet in
        if packet.pid != 0x102 { left -= 1 }
        return left >= 0
      }
      rest = rest.dropFirst(own.count)
      return own.flatMap { $0.bytes }
    }
  }

  /// Takes the first five bytes off the tags in event messages.
  private static func cutMessages(_ bytes: [UInt8]) throws -> [UInt8] {
    var boxes = BoxAssembler { $0 == .emsg ? 1 << 20 : 0 }
    var cut: [UInt8] = []
    var position = 0
    while let step = boxes.next(bytes.span, &position) {
      switch step {
      case .box(_, _, let box):
        var message = try EventMessageBox(box.span)
        message.messageData.removeFirst(5)
        cut += try message.encoded()
      case .held(let held): cut += held
      case .passed(let range): cut += bytes[range]
      case .header, .oversized, .damaged: break
      }
    }
    return cut
  }

  /// Bytes of which a playlist tells the place must not move.
  @Test func partsOfFilesThatWouldMove() throws {
    let folder = try Workshop.newFolder()
    // Five bytes fewer take a packet less where these were alone in it.
    let streams = try (0..<100).map { try stamp(SampleStream().bytes, with: SampleGame.plan(String(repeating: "g", count: $0 + 1))).bytes }
    let stream = try #require(streams.first { cutTags($0).count < $0.count })
    let cut = cutTags(stream)
    func repair(_ bytes: [UInt8]) throws -> StampingError? {
      try Workshop.write(bytes, to: folder + "/all.ts")
      let playlist =
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-VERSION:4\n#EXTINF:2,\n#EXT-X-BYTERANGE:\(bytes.count)@0\nall.ts\n#EXT-X-ENDLIST\n"
      try Workshop.write(Array(playlist.utf8), to: folder + "/a.m3u8")
      do throws(StampingError) {
        _ = try PresentationEditor(input: folder + "/a.m3u8", output: folder + "/out/a.m3u8", .repair).edit()
        return nil
      } catch {
        return error
      }
    }
    #expect(try repair(cut) == .presentation(path: folder + "/a.m3u8", .partsWouldMove))
    #expect(try Workshop.entries(folder) == ["a.m3u8", "all.ts"])
    #expect(try repair(stream) == nil)
    #expect(try Workshop.bytes(folder + "/out/all.ts") == stream)
  }

  private static func stream(_ stream: [UInt8], without pids: [PID]) -> [UInt8] {
    pids.reduce(stream) { SamplePacket.stream($0, without: $1) }
  }

  @Test func whatCannotBeStripped() throws {
    let folder = try Workshop.newFolder()
    func error(_ playlist: String) throws -> StampingError? {
      try Workshop.write(Array(playlist.utf8), to: folder + "/a.m3u8")
      do throws(StampingError) {
        _ = try PresentationEditor(input: folder + "/a.m3u8", output: folder + "/out/a.m3u8", .strip(nil)).edit()
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
    let report = try PresentationEditor(input: folder + "/a.m3u8", output: folder + "/out/b.m3u8", .strip(nil)).edit()
    let stripped = try Workshop.bytes(folder + "/out/v/0/all.ts")
    #expect(stripped.count == stream.count && report.nulledPackets > 0)
    #expect(try read(stripped).copies.isEmpty && read(stripped).damages == [])
    #expect(try Workshop.bytes(folder + "/out/b.m3u8") == Array(playlist.utf8))
  }
}

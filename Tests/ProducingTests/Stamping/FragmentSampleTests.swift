import Basics
import CMAF
import EventSchedule
import GameEvents
import HLSPlaylist
import ID3
import PacketStamping
import TestSupport
import Testing

@testable import Stamping

/// Events leave the SEI messages of fragmented MP4, and its samples are what they were before.
@Suite struct FragmentSampleTests {
  private static let copies = SampleGame.plan().prefix(3).map { EventCopy(of: $0.event) }

  private static func fullBox(_ type: String, _ flags: UInt64, _ content: [UInt8]...) -> [UInt8] {
    box(type, integer(flags), content.flatMap { $0 })
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// An initialization segment with a track of H.264, whose NAL units have lengths of four bytes.
  private static let map: [UInt8] = {
    let configuration = box("avcC", hex("01 64 00 1F FF E1 00 00"))
    let entry = box("avc1", zeros(24), integer(1_280, 2), integer(720, 2), zeros(50), configuration)
    let table = box("minf", box("stbl", fullBox("stsd", 0, integer(1), entry)))
    let media = box(
      "mdia", fullBox("mdhd", 0, zeros(8), integer(12_800), zeros(8)), fullBox("hdlr", 0, zeros(4), Array("vide".utf8), zeros(13)), table)
    let track = box("trak", fullBox("tkhd", 0, zeros(8), integer(1), zeros(60)), media)
    return BoxSample.ftyp() + BoxSample.moov(tracks: track, defaults: BoxSample.defaults(1))
  }()

  /// A fragment of three video frames of this number of bytes and more, whose run states all that it can; it starts at this second.
  private static func fragment(_ second: UInt64, size: Int = 60, more: [UInt8] = []) -> [UInt8] {
    let samples = (1...3).map { number -> [UInt8] in
      integer(2) + [9, 0xF0] + integer(UInt64(size * number)) + [0x65, 0x88] + [UInt8](repeating: UInt8(number), count: size * number - 2)
    }
    func moof(_ offset: Int) -> [UInt8] {
      let fields = samples.flatMap { integer(512) + integer(UInt64($0.count)) + integer(0x0200_0000) + integer(0) }
      let run = fullBox("trun", 0x0100_0F01, integer(3), integer(UInt64(offset)), fields)
      let traf = box(
        "traf", fullBox("tfhd", 0x2_0000, integer(1)), fullBox("tfdt", 0x0100_0000, integer(second * 12_800, 8)), more, run)
      return box("moof", fullBox("mfhd", 0, integer(second + 1)), traf)
    }
    return moof(moof(0).count + 8) + box("mdat", samples.flatMap { $0 })
  }

  /// The fragment with events in SEI messages of its samples.
  private static func stamped(_ fragment: [UInt8], _ copies: [EventCopy]) throws -> [UInt8] {
    var reader = FragmentReader()
    _ = reader.push(map.span)
    let movie = try #require(reader.movie)
    let writer = try #require(FragmentTagWriter(movie))
    let tags = try copies.map { FragmentTagWriter.Tag(time: .zero, bytes: try $0.encodedTag()) }
    let (bytes, inserted) = try writer.inserting(tags, into: fragment.span)
    #expect(inserted == copies.count && bytes.count > fragment.count)
    return bytes
  }

  private static func message(_ copy: EventCopy) throws -> [UInt8] {
    try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(90_000), id: 7, messageData: copy.encodedTag()).encoded()
  }

  private static func edit(
    _ files: [[UInt8]], _ edit: TagEdit = .strip(nil), keepsSize: Bool = false, chunk: Int? = nil, preparedWith map: [UInt8] = []
  ) -> (files: [[UInt8]], editor: FragmentEditor) {
    var editor = FragmentEditor(edit, keepsSize: keepsSize)
    var (outputs, nowhere): ([[UInt8]], [UInt8]) = ([], [])
    editor.prepare(with: map.span)
    editor.endSegment(into: &nowhere)
    for bytes in files {
      var output: [UInt8] = []
      let size = chunk ?? max(bytes.count, 1)
      for start in stride(from: 0, to: bytes.count, by: size) {
        editor.push(bytes.span.extracting(start..<min(start + size, bytes.count)), into: &output)
      }
      editor.endSegment(into: &output)
      outputs.append(output)
    }
    return (outputs, editor)
  }

  @Test(arguments: [nil, 1, 7, 100, 4_096] as [Int?]) func samplesAreWhatTheyWere(chunk: Int?) throws {
    let (first, second) = (Self.fragment(1), Self.fragment(2, size: 70))
    let message = try Self.message(Self.copies[0])
    let segment = try BoxSample.styp + message + Self.stamped(first, Array(Self.copies.prefix(2))) + Self.stamped(second, [Self.copies[2]])
    let plain = Self.fragment(3)
    let (files, editor) = Self.edit([Self.map, segment, plain], chunk: chunk)
    #expect(files == [Self.map, BoxSample.styp + first + second, plain])
    #expect(editor.report.messages == 3 && editor.report.copies == 1 && editor.report.removedBoxes == 1)
    #expect(editor.report.events == Set(Self.copies.map { $0.event.guid }))
    #expect(editor.failure == nil)
    // Bytes that keep their places, and boxes in the place of what goes.
    let kept = Self.edit([Self.map, segment, plain], keepsSize: true, chunk: chunk)
    #expect(kept.files.map { $0.count } == [Self.map, segment, plain].map { $0.count })
    #expect(kept.editor.report == editor.report && kept.editor.failure == nil)
    let again = Self.edit(kept.files, chunk: chunk)
    #expect(again.files == kept.files && again.editor.failure == nil && again.editor.report == PacketEditor.Report())
  }

  /// Where an index counts on places of bytes, they stay, from the start on if that is known.
  @Test func indexedSegments() throws {
    let index = box("sidx", integer(0), integer(1), integer(12_800), integer(0, 8), integer(0))
    let plain = Self.fragment(1)
    let stamped = try Self.stamped(plain, Self.copies)
    let filled = plain + box("free", Self.zeros(stamped.count - plain.count - 8))
    let (files, editor) = Self.edit([Self.map, index + stamped])
    #expect(files[1] == index + filled)
    #expect(Self.edit([Self.map, stamped + box("mfra")]).files[1] == plain + box("mfra"))
    var known = FragmentEditor(.strip(nil), keepsSize: false, knowing: editor.knowledge)
    var output: [UInt8] = []
    known.push(Self.map.span, into: &output)
    known.push(stamped.span, into: &output)
    #expect(output == Self.map + filled)
  }

  @Test func eventsOfAnotherGameStay() throws {
    let segment = try Self.stamped(Self.fragment(1), Self.copies)
    let (files, editor) = Self.edit([Self.map, segment], .strip(GameID("another")))
    #expect(files == [Self.map, segment])
    #expect(editor.failure == nil && editor.report == PacketEditor.Report())
    #expect(Self.edit([Self.map, segment], .repair).files == [Self.map, segment])
  }

  /// A segment is read with the initialization segment that it was prepared with.
  @Test func preparedSegments() throws {
    let plain = Self.fragment(1)
    let segment = try Self.stamped(plain, Self.copies)
    #expect(Self.edit([segment], preparedWith: Self.map).files == [plain])
    // Nobody knows what is in its samples.
    #expect(Self.edit([segment]).files == [segment])
  }

  @Test(arguments: [nil, 1, 100] as [Int?]) func whatCannotBeTakenOut(chunk: Int?) throws {
    let copies = Self.copies
    let stamped = try Self.stamped(Self.fragment(1), copies)
    let size = Int(stamped[2]) << 8 | Int(stamped[3])
    // Encrypted samples may have their messages in the clear.
    let encrypted = try Self.stamped(Self.fragment(1, more: Self.fullBox("senc", 0, integer(0))), copies)
    let (files, editor) = Self.edit([Self.map, stamped + encrypted], chunk: chunk)
    #expect(files == [Self.map, Self.fragment(1) + encrypted])
    guard case .box(let error) = editor.failure else { throw Unexpected() }
    // The box lies behind mfhd, tfhd and tfdt.
    #expect(error.offset == stamped.count + 8 + 16 + 8 + 16 + 20 && "\(error)".contains("edit before encrypting"))
    // The data of a second mdat.
    let second = try Self.moved(Array(stamped[..<size]), to: stamped.count + 8)
    let pair = second + box("mdat", Self.zeros(stamped.count - size - 8)) + Array(stamped[size...])
    let (whole, later) = Self.edit([Self.map, pair], chunk: chunk)
    #expect(whole == [Self.map, pair])
    #expect(later.failure == .fragment(.notAlone, offset: stamped.count))
  }

  /// The bytes with another data offset in their only run.
  private static func moved(_ bytes: [UInt8], to offset: Int) throws -> [UInt8] {
    var moved = bytes
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("trun".utf8)) }) + 12
    moved.replaceSubrange(place..<place + 4, with: integer(UInt64(offset)))
    return moved
  }

  /// What refuses an edit is named, with its place.
  @Test(arguments: [nil, 1, 100] as [Int?]) func fragmentsThatCannotBeEdited(chunk: Int?) throws {
    let stamped = try Self.stamped(Self.fragment(1), Self.copies)
    let size = Int(stamped[2]) << 8 | Int(stamped[3])
    func failure(_ segment: [UInt8]) -> StampingError? {
      let (files, editor) = Self.edit([Self.map, segment], chunk: chunk)
      #expect(files == [Self.map, segment])
      return editor.failure
    }
    #expect(failure(Array(stamped.dropLast(10))) == .fragment(.cutOff, offset: size))
    #expect(failure(Array(stamped[..<size]) + [0, 0, 0, 0] + stamped[(size + 4)...]) == .fragment(.withoutSize, offset: size))
    let song = ID3Tag(frames: [.text(id: "TIT2", values: ["song"])])
    let message = try EventMessageBox(
      schemeID: EventMessageBox.id3Scheme, time: .absolute(90_000), id: 7, messageData: song.encode()
    ).encoded()
    let moof = try Self.moved(Array(stamped[..<size]), to: size + message.count + 8)
    #expect(failure(moof + message + stamped[size...]) == .fragment(.separated(by: "emsg"), offset: size))
    #expect(
      StampingError.fragment(.separated(by: "emsg"), offset: 7).description
        == "at byte 7 emsg lies between moof and mdat, and events cannot be taken out of its pictures")
    // Without events nothing is refused.
    #expect(failure(Array(Self.fragment(1).dropLast(10))) == nil)
  }

  /// Before stamping, samples are searched without reading all that is between their starts.
  @Test func eventsInTheVideoOfAnInput() throws {
    let path = try Workshop.newFolder() + "/input.mp4"
    let plain = Self.map + Self.fragment(0, size: 1 << 20)
    try Workshop.write(plain, to: path)
    try EventScan.requireNoneInVideo(in: path) { false }
    let stamped = try Self.stamped(Self.fragment(1), Self.copies)
    try Workshop.write(plain + stamped, to: path)
    let size = Int(stamped[2]) << 8 | Int(stamped[3])
    #expect(throws: StampingError.packets(.eventsInVideo(offset: plain.count + size + 8))) {
      try EventScan.requireNoneInVideo(in: path) { false }
    }
  }

  /// A later movie of the same chunk says nothing of the fragments before it.
  @Test func laterMovies() throws {
    let plain = Self.fragment(1)
    let (files, editor) = try Self.edit([Self.map + Self.stamped(plain, Self.copies) + BoxSample.map()])
    #expect(files == [Self.map + plain + BoxSample.map()] && editor.failure == nil)
  }

  /// Fragments that share one `mdat`: the places that the first one states would not follow.
  @Test func sharedData() throws {
    let stamped = try Self.stamped(Self.fragment(1), Self.copies)
    let size = Int(stamped[2]) << 8 | Int(stamped[3])
    let pair = Array(stamped[..<size]) + stamped
    let (files, editor) = Self.edit([Self.map, pair])
    #expect(files == [Self.map, pair])
    #expect(editor.failure == .fragment(.notAlone, offset: 2 * size))
  }

  // MARK: Presentations

  private static func strip(_ folder: String, _ name: String) throws(StampingError) -> PacketEditor.Report {
    try PresentationEditor(input: "\(folder)/\(name)", output: "\(folder)/clean/\(name)", .strip(nil)).edit()
  }

  private static func playlist(_ lines: [String]) -> [UInt8] {
    Array(("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-VERSION:7\n" + lines.joined(separator: "\n") + "\n#EXT-X-ENDLIST\n").utf8)
  }

  /// An initialization segment that comes a second time, one that two playlists name, and partial segments that are parts of files.
  @Test(arguments: [false, true]) func filesOfPlaylists(namesParts: Bool) throws {
    let folder = try Workshop.newFolder()
    let plain = (0...2).map { Self.fragment(UInt64($0)) }
    let stamped = try plain.map { try Self.stamped($0, Self.copies) }
    for (index, bytes) in stamped.enumerated() { try Workshop.write(bytes, to: "\(folder)/\(index).m4s") }
    try Workshop.write(Self.map, to: folder + "/init.mp4")
    try Workshop.write(BoxSample.map(), to: folder + "/other-init.mp4")
    try Workshop.write(BoxSample.segment(1), to: folder + "/other.m4s")
    let (map, other) = ("#EXT-X-MAP:URI=\"init.mp4\"", "#EXT-X-MAP:URI=\"other-init.mp4\"")
    func segment(_ name: String) -> [String] {
      (namesParts ? ["#EXT-X-PART:DURATION=1,URI=\"\(name)\",BYTERANGE=\"100@0\""] : []) + ["#EXTINF:1,", name]
    }
    let first =
      [map] + segment("0.m4s") + ["#EXT-X-DISCONTINUITY", other] + segment("other.m4s") + ["#EXT-X-DISCONTINUITY", map] + segment("1.m4s")
    try Workshop.write(Self.playlist(first), to: folder + "/a.m3u8")
    try Workshop.write(Self.playlist([map] + segment("2.m4s")), to: folder + "/b.m3u8")
    let variants = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\na.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nb.m3u8\n"
    try Workshop.write(Array(variants.utf8), to: folder + "/all.m3u8")
    let report = try Self.strip(folder, "all.m3u8")
    #expect(report.messages == 9 && report.copies == 0 && report.events.count == 3)
    for index in plain.indices {
      let rest = namesParts ? box("free", Self.zeros(stamped[index].count - plain[index].count - 8)) : []
      #expect(try Workshop.bytes("\(folder)/clean/\(index).m4s") == plain[index] + rest, "\(index)")
    }
    for name in ["a.m3u8", "b.m3u8", "all.m3u8", "init.mp4", "other-init.mp4", "other.m4s"] {
      #expect(try Workshop.bytes("\(folder)/clean/\(name)") == Workshop.bytes("\(folder)/\(name)"), "\(name)")
    }
  }

  /// A failure names the file and the place in it, and nothing is written. One file that is edited by itself keeps its size.
  @Test func failuresNameTheFile() throws {
    let folder = try Workshop.newFolder()
    let plain = Self.fragment(0)
    let stamped = try Self.stamped(plain, Self.copies)
    let encrypted = try Self.stamped(Self.fragment(1, more: Self.fullBox("senc", 0, integer(0))), Self.copies)
    let files = ["init.mp4": Self.map, "0.m4s": stamped, "1.m4s": encrypted]
    for (name, bytes) in files { try Workshop.write(bytes, to: "\(folder)/\(name)") }
    try Workshop.write(
      Self.playlist(["#EXT-X-MAP:URI=\"init.mp4\"", "#EXTINF:1,", "0.m4s", "#EXTINF:1,", "1.m4s"]), to: folder + "/a.m3u8")
    let error = try #require(throws: StampingError.self) { try Self.strip(folder, "a.m3u8") }
    guard case .rendition(folder + "/1.m4s", .box(let reason)) = error else { throw Unexpected() }
    #expect(reason.offset == 68)
    let whole = Self.map + stamped
    for (name, bytes) in ["whole.mp4": whole, "encrypted.mp4": whole + encrypted] { try Workshop.write(bytes, to: "\(folder)/\(name)") }
    func edit(_ name: String) throws(StampingError) -> PacketEditor.Report {
      try StreamEditor(input: "\(folder)/\(name)", output: folder + "/edited.mp4", .init(.strip(nil))).edit()
    }
    #expect(throws: StampingError.box(ParseError(reason.reason, at: whole.count + 68))) { try edit("encrypted.mp4") }
    #expect(try Workshop.entries(folder) == (files.keys + ["a.m3u8", "encrypted.mp4", "whole.mp4"]).sorted())
    #expect(try edit("whole.mp4").messages == 3)
    let rest = box("free", Self.zeros(stamped.count - plain.count - 8))
    #expect(try Workshop.bytes(folder + "/edited.mp4") == Self.map + plain + rest)
  }

  struct Unexpected: Error {}
}

/// Whole presentations of which the video carries events.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct PresentationSampleTests {
  private struct Sample: Equatable {
    var time: MediaTime
    var bytes: [UInt8]
  }

  /// The samples of the video of a media playlist.
  private static func samples(_ folder: String, _ name: String) throws -> [Sample] {
    let text = try Workshop.bytes("\(folder)/\(name)")
    guard case .media(let playlist) = try Playlist(text.span) else { throw FragmentSampleTests.Unexpected() }
    var samples: [Sample] = []
    for segment in playlist.segments {
      var reader = FragmentReader()
      let map = try Workshop.bytes("\(folder)/\(try #require(segment.initializationSegment).uri)")
      _ = reader.push(map.span)
      let track = try #require(reader.movie?.tracks.first)
      let bytes = try Workshop.bytes("\(folder)/\(segment.uri)")
      var boxes = BoxAssembler { $0 == .moof ? 1 << 20 : 0 }
      var position = 0
      while let step = boxes.next(bytes.span, &position) {
        guard case .box(_, let start, let moof) = step else { continue }
        let found = try #require(try FragmentSamples(moof.span, baseOffset: start, of: track))
        samples += found.samples.map { Sample(time: $0.presentationTime, bytes: Array(bytes[$0.place])) }
      }
    }
    return samples
  }

  private static func stamped(_ configure: (inout HLSStamper) -> Void = { _ in }) throws -> Presentation {
    let presentation = try Presentation()
    try presentation.stamp([.mp4], .fragmentedMP4, configure: configure)
    return presentation
  }

  private static func strip(_ presentation: Presentation) throws(StampingError) -> PacketEditor.Report {
    try PresentationEditor(
      input: presentation.folder + "/hls/show.m3u8", output: presentation.folder + "/clean/show.m3u8", .strip(nil)
    ).edit()
  }

  /// Whether events were in the samples or not, the same samples are left, at the same times.
  @Test func samplesAreWhatTheyWereWithoutEvents() throws {
    let (stamped, plain) = (try Self.stamped { $0.carriages = .messages }, try Self.stamped())
    let (report, plainReport) = (try Self.strip(stamped), try Self.strip(plain))
    #expect(report.messages == report.copies && report.messages > 5 && report.events.count == 5)
    #expect(plainReport.messages == 0 && plainReport.copies == report.copies)
    let samples = try Self.samples(plain.folder + "/clean", "show-media.m3u8")
    #expect(samples.count == 75)
    #expect(try Self.samples(stamped.folder + "/clean", "show-media.m3u8") == samples)
    #expect(try Self.samples(stamped.folder + "/hls", "show-media.m3u8") != samples)
    for name in try plain.entries where name.contains("audio") && name.hasSuffix(".m4s") {
      #expect(try Workshop.bytes("\(stamped.folder)/clean/\(name)") == Workshop.bytes("\(plain.folder)/clean/\(name)"), "\(name)")
    }
  }
}

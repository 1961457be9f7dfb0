import Basics
import EventReading
import EventSchedule
import Files
import Foundation
import GameEvents
import HLSPlaylist
import PacketStamping
import Synchronization
import TestSupport
import Testing
import TransportStream

@testable import Stamping

/// A file becomes segments and playlists.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct HLSStamperTests {
  private let folder: String
  private var output: String { folder + "/hls/show.m3u8" }

  init() throws {
    folder = try Workshop.newFolder()
  }

  private func stamper(_ input: String) -> HLSStamper {
    var stamper = HLSStamper(inputs: [input], output: output)
    stamper.segmentDuration = MediaTime(seconds: 1)
    return stamper
  }

  private func stampFile(_ input: String, _ events: [PlannedEvent] = SampleGame.plan()) throws -> HLSStamper.Summary {
    try #require(try stamper(input).stamp(EventSchedule(events, policy: CopyPolicy())).first)
  }

  private func playlist(_ name: String) throws -> Playlist {
    let bytes = try Workshop.bytes("\(folder)/hls/\(name)")
    return try Playlist(bytes.span)
  }

  @Test func playlistsNameWhatIsThere() throws {
    let summary = try stampFile(Clip.mp4.path)
    #expect(summary.segments == 3)
    let names = ["show-segment-00000.ts", "show-segment-00001.ts", "show-segment-00002.ts"]
    #expect(try Workshop.entries(folder + "/hls") == (names + ["show-media.m3u8", "show.m3u8"]).sorted())
    guard case .media(let media) = try playlist("show-media.m3u8") else {
      Issue.record("no media playlist")
      return
    }
    #expect(media.segments.map { $0.uri } == names)
    #expect(media.segments.map { $0.duration } == [PlaylistDecimal](repeating: PlaylistDecimal(billionths: 1_000_000_000), count: 3))
    #expect(media.targetDuration == 1 && media.version == 3 && media.playlistType == .onDemand && media.isEnded)
    guard case .multivariant(let main) = try playlist("show.m3u8") else {
      Issue.record("no multivariant playlist")
      return
    }
    let variant = try #require(main.variants.first)
    #expect(main.variants.count == 1 && variant.uri == "show-media.m3u8")
    #expect(variant.resolution == Resolution(width: 160, height: 120) && variant.frameRate == PlaylistDecimal("25"))
    #expect(variant.codecs?.hasPrefix("avc1.") == true && variant.codecs?.hasSuffix(",mp4a.40.2") == true)
    let sizes = try names.map { try Workshop.bytes("\(folder)/hls/\($0)").count }
    #expect(variant.bandwidth == sizes.max().map { UInt64($0 * 8) })
    let size = sizes.reduce(0, +)
    #expect(variant.averageBandwidth == UInt64((size * 8 + 2) / 3))
  }

  /// Both kinds of segments, of one input and of several, tell how much is done.
  @Test(arguments: [SegmentType.transportStream, .fragmentedMP4], [[Clip.mp4], [.mp4, .small], [.transportStream]])
  func progressIsTold(type: SegmentType, inputs: [Clip]) throws {
    let presentation = try Presentation()
    let told = Mutex<[WorkProgress]>([])
    try presentation.stamp(inputs, type) { $0.progress = { progress in told.withLock { $0.append(progress) } } }
    let size = try presentation.entries.reduce(0) { try $0 + presentation.bytes($1).count }
    try requireProgress(told.withLock { $0 }, of: 1...size)
  }

  /// The segments one after another are one stream with every event; each of them alone has the tables, and tags of its own time only.
  @Test(arguments: [Clip.mp4, .matroska, .flash, .transportStream]) func segmentsHoldWhatTheyPresent(clip: Clip) throws {
    let summary = try stampFile(clip.path)
    let segments = try (0..<summary.segments).map { try Workshop.bytes("\(folder)/hls/show-segment-0000\($0).ts") }
    let whole = Array(segments.joined())
    #expect(SamplePacket.continuityErrors(in: whole) == [])
    let items = try read(whole)
    #expect(items.damages == [])
    #expect(items.copies.count == summary.stamped.copies)
    let firsts = items.copies.filter { $0.copy.copy == 1 }
    #expect(firsts.map { $0.copy.event } == SampleGame.plan().map { $0.event })
    #expect(items.copies.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
    for (number, segment) in segments.enumerated() {
      let second = MediaTime(seconds: number)..<MediaTime(seconds: number + 1)
      let copies = try read(segment).copies
      #expect(copies.allSatisfy { second.contains($0.place.presentationTime - MediaTime(seconds: 10)) })
      let pids = SamplePacket.all(in: segment).prefix(3).map { $0.pid }
      #expect(pids.contains(0) && pids.contains(0x1000))
    }
  }

  @Test func twiceTheSame() throws {
    _ = try stampFile(Clip.mp4.path)
    let first = try Workshop.entries(folder + "/hls").map { try Workshop.bytes("\(folder)/hls/\($0)") }
    var again = stamper(Clip.mp4.path)
    again.overwrite = true
    _ = try again.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    #expect(try Workshop.entries(folder + "/hls").map { try Workshop.bytes("\(folder)/hls/\($0)") } == first)
  }

  @Test func dateAndTimeGoOnWithTheProgramme() throws {
    var stamper = stamper(Clip.mp4.path)
    stamper.programDateTime = PlaylistDate("2026-11-20T20:00:00Z")
    _ = try stamper.stamp(EventSchedule([], policy: CopyPolicy()))
    guard case .media(let media) = try playlist("show-media.m3u8") else {
      Issue.record("no media playlist")
      return
    }
    let start = try #require(PlaylistDate("2026-11-20T20:00:00Z")).milliseconds
    #expect(media.segments.map { $0.programDateTime?.milliseconds } == [start, start + 1_000, start + 2_000])
  }

  @Test func nothingStaysBehindWhenItFails() throws {
    #expect(throws: StampingError.eventsAfterTheEnd(of: MediaTime(seconds: 3))) {
      _ = try stampFile(Clip.mp4.path, [SampleGame.short(at: 900_000)])
    }
    #expect(try Workshop.entries(folder) == [])
    var interrupted = stamper(Clip.mp4.path)
    interrupted.isInterrupted = { true }
    #expect(throws: StampingError.interrupted) { _ = try interrupted.stamp(EventSchedule([], policy: CopyPolicy())) }
    #expect(throws: StampingError.self) { _ = try stampFile(Clip.vp9.path) }
    #expect(try Workshop.entries(folder) == [])
  }

  /// An event after a segment's last picture lies in that segment, at its tick: nothing is put off to the next one.
  @Test(arguments: [Clip.mp4, .audioOnly]) func eventsJustBeforeACutKeepTheirTime(clip: Clip) throws {
    _ = try stampFile(clip.path, [SampleGame.short(at: 89_100)])
    let first = try #require(try read(Workshop.bytes(folder + "/hls/show-segment-00000.ts")).copies.first)
    #expect(first.copy.copy == 1 && first.copy.age == .zero && first.place.presentationTime == MediaTime(ticks: 989_100))
    #expect(try !read(Workshop.bytes(folder + "/hls/show-segment-00001.ts")).copies.contains { $0.copy.copy == 1 })
  }

  /// What a URI cannot hold is percent-encoded in playlists, so that they name the files that are there.
  @Test(arguments: ["a b", "a%20b", "a?b", "#x", "ü", "a:b", "q\"q"]) func anyNameIsNamedRight(name: String) throws {
    var stamper = stamper(Clip.mp4.path)
    stamper.output = "\(folder)/hls/\(name).m3u8"
    stamper.segmentType = .fragmentedMP4
    _ = try stamper.stamp(EventSchedule([], policy: CopyPolicy()))
    let text = try Workshop.bytes(stamper.output)
    guard case .multivariant(let main) = try Playlist(text.span) else { return }
    let entries = try Workshop.entries(folder + "/hls")
    for uri in main.variants.map({ $0.uri }) + main.renditions.compactMap({ $0.uri }) {
      let path = try #require(URIReference(uri).pathWithinFolder)
      #expect(entries.contains(path))
      let bytes = try Workshop.bytes("\(folder)/hls/\(path)")
      guard case .media(let media) = try Playlist(bytes.span) else { continue }
      let uris = media.segments.map { $0.uri } + media.segments.compactMap { $0.initializationSegment?.uri }
      #expect(uris.allSatisfy { URIReference($0).pathWithinFolder.map { entries.contains($0) } ?? false })
    }
  }

  /// Two presentations in one folder do not touch each other.
  @Test func presentationsLieBesideEachOther() throws {
    _ = try stampFile(Clip.mp4.path)
    let first = try Workshop.entries(folder + "/hls")
    _ = try HLSStamper(inputs: [Clip.mp4.path], output: folder + "/hls/other.m3u8").stamp(EventSchedule([], policy: CopyPolicy()))
    #expect(try Workshop.entries(folder + "/hls") == (first + ["other-media.m3u8", "other-segment-00000.ts", "other.m3u8"]).sorted())
  }

  @Test func theInputIsNeverReplaced() throws {
    _ = try stampFile(Clip.mp4.path)
    let input = folder + "/hls/show-segment-00000.ts"
    let before = try Workshop.bytes(input)
    var again = stamper(input)
    (again.overwrite, again.replacesEvents) = (true, true)
    #expect(throws: StampingError.outputIsInput(path: input)) { _ = try again.stamp(EventSchedule([], policy: CopyPolicy())) }
    #expect(try Workshop.bytes(input) == before)
  }

  @Test func inputsThatCannotBeReadAreToldApart() throws {
    #expect(throws: StampingError.input(.missing(path: "/nowhere.mp4"))) { _ = try stampFile("/nowhere.mp4") }
    #expect(throws: StampingError.presentationFromStandardInput) { _ = try stampFile("-") }
  }

  @Test func filesThatExistAreNotReplacedUnasked() throws {
    _ = try stampFile(Clip.mp4.path)
    let before = try Workshop.entries(folder + "/hls")
    #expect(throws: StampingError.self) { _ = try stampFile(Clip.mp4.path) }
    #expect(try Workshop.entries(folder + "/hls") == before)
  }
}

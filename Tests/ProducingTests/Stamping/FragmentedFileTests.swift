import Basics
import CMAF
import EventReading
import EventSchedule
import GameEvents
import ID3
import PacketStamping
import TestSupport
import Testing

@testable import Stamping

/// One file of fragmented MP4 with event messages.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct FragmentedFileTests {
  private let folder: String
  private var output: String { folder + "/out.mp4" }

  init() throws { folder = try Workshop.newFolder() }

  private func stampFile(_ input: String, _ events: [PlannedEvent] = SampleGame.plan()) throws(StampingError) -> Stamper.Summary {
    try FragmentedFileStamper(input: input, output: output).stamp(EventSchedule(events, policy: CopyPolicy()))
  }

  @Test(arguments: [Clip.mp4, .transportStream, .audioOnly, .twoLanguages, .lateSound, .silent]) func everyEventAtItsTime(clip: Clip) throws
  {
    let summary = try stampFile(clip.path)
    #expect(summary.stamped.events == 5)
    let bytes = try Workshop.bytes(output)
    var reader = EventReader()
    let items = try reader.push(bytes.span) + reader.finish()
    #expect(reader.container == .fragmentedMP4 && items.damages == [])
    #expect(items.copies.count == summary.stamped.copies)
    #expect(items.copies.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
    #expect(Set(items.copies.map(\.copy.event.guid)) == Set(SampleGame.plan().map(\.event.guid)))
    var fragments = FragmentReader()
    _ = fragments.push(bytes.span)
    let count: UInt32 =
      switch clip {
      case .audioOnly, .silent: 1
      case .twoLanguages: 3
      default: 2
      }
    let movie = try #require(fragments.movie)
    #expect(movie.tracks.map(\.id) == Array(1...count))
  }

  /// FFmpeg plays all of its tracks, with the packets of the input.
  @Test func otherProgramsReadIt() throws {
    _ = try stampFile(Clip.mp4.path)
    let copied = Workshop.file("copied.mp4", "-i \(output) -map 0 -c copy")
    let other = Workshop.file("whole.mp4", "-i \(Clip.mp4.path) -map 0 -c copy")
    let sizes = [try Workshop.bytes(copied).count, try Workshop.bytes(other).count]
    #expect(sizes.allSatisfy { $0 > 0 })
  }

  @Test func stripping() throws {
    _ = try stampFile(Clip.mp4.path)
    let clean = folder + "/clean.mp4"
    let report = try StreamEditor(input: output, output: clean, .init(.strip(nil))).edit()
    #expect(report.events.count == 5)
    let left = try read(Workshop.bytes(clean))
    #expect(left.copies.isEmpty && left.damages == [])
  }

  @Test func tooLate() throws {
    let late = [SampleGame.short("late", at: 90_000 * 60)]
    #expect(throws: StampingError.self) { try stampFile(Clip.mp4.path, late) }
    #expect(try Workshop.entries(folder) == [])
    #expect(throws: StampingError.fileFromStandardInput) { try stampFile("-") }
  }

  // MARK: ID3 tags of others

  static let title = ID3Tag(frames: [.text(id: "TIT2", values: ["A title"])])

  private static func tagged() throws -> [PlannedEvent] {
    let tag = try title.encode()
    return [PlannedEvent(tag: tag, at: MediaTime(seconds: 1), guid: .of("title"), game: "g")]
  }

  /// A tag goes into each kind of output, once and at its time, and is no event.
  @Test(arguments: ["out.ts", "out.mp4", "hls/ts.m3u8", "hls/fmp4.m3u8"]) func tags(name: String) throws {
    let schedule = EventSchedule(SampleGame.plan() + (try Self.tagged()), policy: CopyPolicy())
    let path = "\(folder)/\(name)"
    let report: PacketStamper.Report
    switch name {
    case "out.ts": report = try Stamper(input: Clip.mp4.path, output: path).stamp(schedule).stamped
    case "out.mp4": report = try FragmentedFileStamper(input: Clip.mp4.path, output: path).stamp(schedule).stamped
    default: report = try #require(try Self.stampSegments(Clip.mp4.path, path, schedule))
    }
    #expect(report.tags == 1)
    #expect(report.events == 5)
    let items = try Self.items(path, folder)
    #expect(items.tags.map(\.tag.frames) == [Self.title.frames])
    #expect(items.tags.map(\.place.time) == [MediaTime(seconds: 1)])
    #expect(items.copies.count == report.copies)
  }

  /// Tags of a transport stream go into HLS and MP4 as well.
  @Test(arguments: ["out.mp4", "hls/ts.m3u8", "hls/fmp4.m3u8"]) func tagsOfTheInput(name: String) throws {
    let source = folder + "/source.ts"
    _ = try Stamper(input: Clip.mp4.path, output: source).stamp(EventSchedule(try Self.tagged(), policy: CopyPolicy()))
    let path = "\(folder)/\(name)"
    let schedule = EventSchedule(SampleGame.plan(), policy: CopyPolicy())
    if name == "out.mp4" {
      _ = try FragmentedFileStamper(input: source, output: path).stamp(schedule)
    } else {
      _ = try Self.stampSegments(source, path, schedule)
    }
    let items = try Self.items(path, folder)
    #expect(items.tags.map(\.tag.frames) == [Self.title.frames])
    #expect(items.tags.map(\.place.time) == [MediaTime(seconds: 1)])
    #expect(Set(items.copies.map(\.copy.event.guid)).count == 5)
  }

  private static func stampSegments(_ input: String, _ path: String, _ schedule: EventSchedule) throws -> PacketStamper.Report? {
    var stamper = HLSStamper(inputs: [input], output: path)
    stamper.segmentType = path.hasSuffix("fmp4.m3u8") ? .fragmentedMP4 : .transportStream
    return try stamper.stamp(schedule).first?.stamped
  }

  /// What one file has, or the only segment of a presentation.
  private static func items(_ path: String, _ folder: String) throws -> [StreamItem] {
    guard path.hasSuffix(".m3u8") else { return try read(Workshop.bytes(path)) }
    let files = try Workshop.entries(folder + "/hls").filter { !$0.hasSuffix(".m3u8") && !$0.contains("audio") }
    let order =
      files.filter { $0.contains("init") || $0.hasSuffix(".mp4") } + files.filter { !$0.contains("init") && !$0.hasSuffix(".mp4") }
    return try read(try order.flatMap { try Workshop.bytes("\(folder)/hls/\($0)") })
  }
}

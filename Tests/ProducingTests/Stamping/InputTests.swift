import Basics
import EventSchedule
import Files
import Foundation
import LibAV
import PacketStamping
import TestSupport
import Testing
import TransportStream

@testable import Stamping

/// Inputs that cannot be stamped: an error that says why, and nothing is written.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct InputTests {
  private let folder: String

  init() throws {
    folder = try Workshop.newFolder()
  }

  private func error(_ input: String, _ events: [PlannedEvent] = []) throws -> StampingError? {
    let error = #expect(throws: StampingError.self) {
      try Stamper(input: input, output: folder + "/out.ts").stamp(EventSchedule(events, policy: CopyPolicy()))
    }
    #expect(try !Workshop.entries(folder).contains { $0.hasPrefix("out") || $0.hasPrefix(".") })
    return error
  }

  private func error(_ bytes: [UInt8], _ name: String) throws -> StampingError? {
    try Workshop.write(bytes, to: folder + "/" + name)
    return try error(folder + "/" + name)
  }

  /// Whether it is libavformat that could not make sense of the input.
  private func isNotUnderstood(_ error: StampingError?) -> Bool {
    if case .remuxing(let path, .notOpened)? = error { path.hasPrefix(folder) } else { false }
  }

  @Test func aCodecThatTransportStreamsCannotCarry() throws {
    try #require(FileManager.default.fileExists(atPath: Clip.vp9.path))
    // The codec is found before the output is looked at: this one is there already.
    let output = folder + "/taken.ts"
    try Workshop.write([1], to: output)
    let error = #expect(throws: StampingError.self) {
      try Stamper(input: Clip.vp9.path, output: output).stamp(EventSchedule([], policy: CopyPolicy()))
    }
    guard case .remuxing(Clip.vp9.path, .codecsNotCarried(let streams))? = error else {
      Issue.record("another error: \(error.map { "\($0)" } ?? "none")")
      return
    }
    #expect(streams.map(\.codecName) == ["vp9"])
    #expect(error?.description == "\(Clip.vp9.path): MPEG-TS cannot carry vp9 (stream 0)")
    #expect(try Workshop.entries(folder) == ["taken.ts"])
  }

  /// libavformat would make one program of several, in a transport stream and in segments.
  @Test func severalProgramsAreNotCopied() throws {
    var sample = SampleStream()
    sample.otherPrograms = [.init(number: 9, pmtPID: 0x900)]
    let other = ProgramMapTable(programNumber: 9, version: 0, pcrPID: 0x200, streams: [.init(type: .aac, pid: 0x200)])
    for picture in [0, 30] { sample.extras[picture] = [.section(0x900, try other.section())] }
    let input = folder + "/several.ts"
    try Workshop.write(sample.bytes, to: input)
    let expected = StampingError.remuxing(path: input, .severalPrograms([9, 1]))
    #expect(expected.description == "\(input): it has 2 programs (9, 1), and copying would make one program of them")
    var stamper = Stamper(input: input, output: folder + "/out.ts")
    stamper.remuxesTransportStreams = true
    let schedule = EventSchedule([], policy: CopyPolicy())
    #expect(throws: expected) { try stamper.stamp(schedule) }
    #expect(throws: expected) { try HLSStamper(inputs: [input], output: folder + "/out.m3u8").stamp(schedule) }
    #expect(try Workshop.entries(folder) == ["several.ts"])
  }

  /// An input can be read as the stream that it would be stamped as: stamped with nothing, it is that stream.
  @Test func theStreamBeforeItIsStamped() throws {
    func stream(of input: String) throws -> [UInt8] {
      var bytes: [UInt8] = []
      try Stamper(input: input, output: "").readTransportStream { (chunk) throws(StampingError) in bytes += [UInt8](copying: chunk) }
      return bytes
    }
    let sample = SampleStream().bytes
    try Workshop.write(sample, to: folder + "/sample.ts")
    #expect(try stream(of: folder + "/sample.ts") == sample)
    let remuxed = try stream(of: Clip.mp4.path)
    #expect(remuxed.count % 188 == 0 && remuxed.first == 0x47)
    #expect(throws: StampingError.emptyInput) {
      try Workshop.write([], to: folder + "/none")
      _ = try stream(of: folder + "/none")
    }
  }

  @Test func inputsThatAreMissingOrEmpty() throws {
    #expect(try error([], "empty.ts") == .emptyInput)
    #expect(try error(folder + "/missing.mp4") == .input(.missing(path: folder + "/missing.mp4")))
    #expect(try error(folder) == .input(.folder(path: folder)))
  }

  @Test func noMedia() throws {
    var generator = SeededNumbers(seed: 3)
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(isNotUnderstood(try error(noise, "noise.mp4")))
    #expect(isNotUnderstood(try error(Array(noise.prefix(700)), "little.bin")))
    // A sync byte of MPEG-TS is a G; this one stands 188 bytes before the end.
    let text = "These are words.\nGame night" + String(repeating: ".", count: 178)
    #expect(isNotUnderstood(try error(Array(text.utf8), "words.dat")))
    let sheet = "game: friday\ncues:\n  - at: 2s\n    event: startGame\n"
    #expect(isNotUnderstood(try error(Array(sheet.utf8), "cues.yaml")))
  }

  /// An MP4 whose index stands at the end and was cut off.
  @Test func aCutFile() throws {
    let whole = try Workshop.bytes(Clip.mp4.path)
    #expect(isNotUnderstood(try error(Array(whole.prefix(whole.count / 2)), "cut.mp4")))
    #expect(isNotUnderstood(try error(Array(whole.prefix(40)), "start.mp4")))
  }

  /// With its index in front, what is there is copied, and the summary says that it is less than the file promises.
  @Test func aCutFileWithItsIndex() throws {
    let whole = try Workshop.bytes(Clip.fastStart.path)
    let input = folder + "/cut.mp4"
    try Workshop.write(Array(whole.prefix(whole.count * 2 / 3)), to: input)
    let summary = try Stamper(input: input, output: folder + "/out.ts").stamp(
      EventSchedule([SampleGame.short(at: 9_000)], policy: CopyPolicy()))
    let remuxed = try #require(summary.remuxed)
    #expect(summary.stamped.events == 1)
    let promised = try #require(remuxed.inputDuration)
    #expect(remuxed.end.ticks - remuxed.origin.ticks < promised.ticks * 9 / 10)
    #expect(try Workshop.entries(folder) == ["cut.mp4", "out.ts"])
  }

  @Test func transportStreamsThatCannotBeStamped() throws {
    let sample = SampleStream().bytes
    let noParity = SamplePacket.reframed(sample, .withParity) { _ in [UInt8](0..<16) }
    #expect(try error(noParity, "dvb.ts") == .packets(.unknownParity))
    var several = SampleStream()
    several.otherPrograms = [.init(number: 9, pmtPID: 0x900)]
    let programs = [ProgramSummary(number: 9, streams: nil), ProgramSummary(number: 1, streams: [.h264, .aac])]
    #expect(try error(several.bytes, "several.ts") == .packets(.severalPrograms(programs)))
    var bare = SampleStream()
    bare.tablesEvery = 0
    #expect(try error(bare.bytes, "bare.ts") == .packets(.noProgram))
  }
}

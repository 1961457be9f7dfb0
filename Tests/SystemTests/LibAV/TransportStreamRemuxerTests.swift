import Basics
import Synchronization
import TestSupport
import Testing

@testable import LibAV

@Suite("Copying files into transport streams", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct TransportStreamRemuxerTests {
  @Test("Every packet arrives, at its time", arguments: Clip.copied)
  func everyPacket(clip: Clip) throws {
    try clip.requireEncoder()
    let (bytes, summary) = try remux(clip.path)
    let source = try packetTimes(clip.path)
    #expect(bytes.count % 188 == 0 && !bytes.isEmpty)
    #expect(stride(from: 0, to: bytes.count, by: 188).allSatisfy { bytes[$0] == 0x47 })
    #expect(summary.packets == source.map(\.count).reduce(0, +))
    #expect(summary.repairedPackets == 0)
    #expect(summary.invalidPackets == 0)
    #expect(summary.hiddenVideo == .zero)
    #expect(summary.origin == MediaTime(ticks: 900_000))

    let copy = try packetTimes(try Workshop.write(bytes, to: "\(clip)-copy.ts"))
    #expect(copy.map(\.count) == source.map(\.count))
    let program = summary.copied.firstIndex { $0.kind == .video } ?? 0
    let origin = try #require(source[program].first { $0.isKey }?.presentation)
    #expect(copy[program].first { $0.isKey }?.presentation == MediaTime(ticks: 900_000))
    for (before, after) in zip(source, copy) where before.first?.stream == summary.copied[program].index {
      #expect(presentations(after) == presentations(before).map { $0 - origin.ticks + 900_000 })
    }
    for (before, after) in zip(source, copy) {
      #expect(presentations(after).first == presentations(before).first.map { $0 - origin.ticks + 900_000 })
    }
  }

  @Test("The clock runs 0.7 s before the decoding times, which grow")
  func clock() throws {
    let times = RawTimes(try remux(Clip.mp4.path).bytes)
    #expect(times.pairs.allSatisfy { $0[0] + 63_000 == $0[1] })
    #expect(times.pairs.count > 10)
    for decodings in times.decodings.values { #expect(zip(decodings, decodings.dropFirst()).allSatisfy(<)) }
  }

  @Test("Timestamps wrap at 33 bits and go on")
  func wrap() throws {
    let first = MediaTime(ticks: TimestampUnwrapper.period - 45_000)
    let usual = RawTimes(try remux(Clip.mp4.path).bytes)
    let wrapped = RawTimes(try remux(Clip.mp4.path, firstPresentation: first).bytes)
    let period = UInt64(TimestampUnwrapper.period)
    let moved = { (times: [UInt64]) in times.map { ($0 + period - 45_000 - 900_000) % period } }
    #expect(wrapped.presentations == usual.presentations.mapValues(moved))
    #expect(wrapped.decodings == usual.decodings.mapValues(moved))
    #expect(wrapped.clocks == moved(usual.clocks))
    #expect(wrapped.clocks.contains { $0 < 90_000 } && wrapped.clocks.contains { $0 > period - 90_000 })
  }

  @Test("The same input gives the same bytes", arguments: [Clip.mp4, .matroska, .audioOnly])
  func deterministic(clip: Clip) throws {
    #expect(try remux(clip.path).bytes == remux(clip.path).bytes)
  }

  @Test("An early first presentation is moved so that the clock is not negative")
  func earlyStart() throws {
    let (bytes, summary) = try remux(Clip.mp4.path, firstPresentation: .zero)
    #expect(summary.origin > MediaTime(ticks: 63_000))
    #expect(RawTimes(bytes).clocks.first == 0)
  }

  @Test("Pictures that an edit list hides are counted")
  func editList() throws {
    let (_, summary) = try remux(Clip.trimmed.path)
    // It starts at half a second: the first picture shown is the 14th, after 13 of a 25th of a second each.
    #expect(summary.hiddenVideo == MediaTime(ticks: 13 * 3_600))
    #expect(summary.packets == (try packetTimes(Clip.trimmed.path)).map(\.count).reduce(0, +))
  }

  @Test("Cover pictures are left out and named")
  func coverPicture() throws {
    let summary = try remux(Clip.coverPicture.path).summary
    #expect(summary.copied.map(\.codecName) == ["mp3"])
    #expect(summary.leftOut.map(\.codecName) == ["mjpeg"])
  }

  @Test("Languages and the order of the streams are kept")
  func languages() throws {
    let path = try Workshop.write(try remux(Clip.twoLanguages.path).bytes, to: "languages.ts")
    let streams = try MediaInput(path: path).streams
    #expect(streams.map(\.kind) == [.audio, .video, .audio])
    #expect(streams.map(\.language) == ["eng", nil, "deu"])
  }

  @Test("Codecs that MPEG-TS cannot carry are refused by name")
  func refused() throws {
    let error = #expect(throws: RemuxError.self) { try remux(Clip.vp9.path) }
    guard case .codecsNotCarried(let streams) = error else {
      Issue.record("another error: \(error.map { "\($0)" } ?? "none")")
      return
    }
    #expect(streams.map(\.codecName) == ["vp9"])
    #expect(error?.description == "MPEG-TS cannot carry vp9 (stream 0)")
  }

  @Test("A file without picture and sound is refused")
  func nothingToCopy() {
    #expect(throws: RemuxError.noVideoOrAudio) { try remux(Clip.subtitles.path) }
  }

  @Test("An interruption ends the work", arguments: [0, 10, 100])
  func interrupted(afterQuestions limit: Int) {
    let questions = Atomic(0)
    #expect(throws: RemuxError.interrupted) {
      try remux(Clip.mp4.path) { questions.wrappingAdd(1, ordering: .relaxed).newValue > limit }
    }
  }
}

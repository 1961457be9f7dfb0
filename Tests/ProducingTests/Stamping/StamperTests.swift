import Basics
import EventReading
import EventSchedule
import Files
import Foundation
import GameEvents
import LibAV
import PacketStamping
import Synchronization
import TestSupport
import Testing

@testable import Stamping

/// Files of several containers become transport streams with events.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct StamperTests {
  private let folder: String
  private var output: String { folder + "/out.ts" }

  init() throws {
    folder = try Workshop.newFolder()
  }

  private func stampFile(_ input: String, _ events: [PlannedEvent] = SampleGame.plan()) throws(StampingError) -> Stamper.Summary {
    try Stamper(input: input, output: output).stamp(EventSchedule(events, policy: CopyPolicy()))
  }

  @Test(arguments: Clip.stamped) func everyEventAtItsTime(clip: Clip) throws {
    let summary = try stampFile(clip.path)
    #expect(try Workshop.entries(folder) == ["out.ts"])
    let stream = try Workshop.bytes(output)
    var reader = EventReader()
    let items = try reader.push(stream.span) + reader.finish()
    #expect(items.damages == [])
    #expect(SamplePacket.continuityErrors(in: stream) == [])
    #expect(items.copies.count == summary.stamped.copies)
    #expect(summary.stamped.events == 5)
    // A reader takes the last packet of sound to be as long as the one before.
    #expect(clip == .audioOnly ? summary.stamped.end == MediaTime(ticks: 272_090) : reader.end == summary.stamped.end)
    // The first copies, exactly on their ticks by the pictures' clock.
    let zero = try #require(reader.videoOrigin)
    let firsts = items.copies.filter { $0.copy.copy == 1 }
    #expect(firsts.map(\.copy.event) == SampleGame.plan().map(\.event))
    #expect(firsts.map { $0.place.presentationTime - zero } == SampleGame.plan().map(\.time))
    #expect(items.copies.allSatisfy { $0.place.presentationTime - $0.copy.age - zero == $0.copy.event.at })
    #expect((summary.remuxed == nil) == (clip == .transportStream))
    if let remuxed = summary.remuxed { #expect(remuxed.origin == zero) }
  }

  /// Sound so short that it fits into one PES packet: events go up to its end, not only to that of the first frame.
  @Test func shortSound() throws {
    let input = Workshop.file("short.m4a", "-f lavfi -i sine=sample_rate=44100 -t 0.12 -c:a aac")
    let events = [SampleGame.short("first", at: 0), SampleGame.short("second", at: 9_000)]
    let summary = try stampFile(input, events)
    #expect(summary.stamped.events == 2 && (10_000...14_000).contains(summary.stamped.end.ticks))
    var hls = HLSStamper(inputs: [input], output: folder + "/hls/show.m3u8")
    hls.segmentDuration = MediaTime(seconds: 1)
    #expect(try hls.stamp(EventSchedule(events, policy: CopyPolicy())).first?.stamped.end == summary.stamped.end)
    for file in ["out.ts", "hls/show-segment-00000.ts"] {
      let copies = try read(Workshop.bytes("\(folder)/\(file)")).copies
      #expect(copies.map { $0.place.time - $0.copy.age } == copies.map { $0.copy.event.at })
      #expect(Set(copies.map(\.copy.event.guid)).count == 2)
    }
  }

  @Test(arguments: [Clip.mp4, .transportStream]) func twiceTheSameBytes(clip: Clip) throws {
    _ = try stampFile(clip.path)
    let first = try Workshop.bytes(output)
    try FileManager.default.removeItem(atPath: output)
    _ = try stampFile(clip.path)
    #expect(try Workshop.bytes(output) == first)
  }

  /// A transport stream goes through by itself: the same as the packets alone.
  @Test func aTransportStreamIsOnlyAddedTo() throws {
    _ = try stampFile(Clip.transportStream.path)
    #expect(try Workshop.bytes(output) == stamp(Workshop.bytes(Clip.transportStream.path), with: SampleGame.plan()).bytes)
  }

  /// What was stamped is stamped again, onto itself.
  @Test func anOutputThatIsTheInput() throws {
    _ = try stampFile(Clip.mp4.path, SampleGame.plan("first"))
    var stamper = Stamper(input: output, output: output)
    stamper.overwrite = true
    _ = try stamper.stamp(EventSchedule(SampleGame.plan("second"), policy: CopyPolicy()))
    let events = try read(Workshop.bytes(output)).copies.filter { $0.copy.copy == 1 }.map(\.copy.event)
    #expect(events.filter { $0.game == "first" } == SampleGame.plan("first").map(\.event))
    #expect(events.filter { $0.game == "second" } == SampleGame.plan("second").map(\.event))
  }

  /// A stream that passes through and a video that is copied both tell how much of them is done.
  @Test(arguments: [Clip.transportStream, .mp4]) func progressIsTold(clip: Clip) throws {
    let told = Mutex<[WorkProgress]>([])
    var stamper = Stamper(input: clip.path, output: output)
    stamper.progress = { progress in told.withLock { $0.append(progress) } }
    _ = try stamper.stamp(EventSchedule([], policy: CopyPolicy()))
    try requireProgress(told.withLock { $0 }, of: 1...Workshop.bytes(output).count)
  }

  // MARK: The end of the programme

  @Test(arguments: [Clip.mp4, .transportStream]) func anEventAfterTheEnd(clip: Clip) throws {
    let end = try stampFile(clip.path, []).stamped.end
    try FileManager.default.removeItem(atPath: output)
    let late = SampleGame.short(at: end.ticks)
    #expect(throws: StampingError.eventsAfterTheEnd(of: end)) { try stampFile(clip.path, SampleGame.plan() + [late]) }
    #expect(try Workshop.entries(folder) == [])
    #expect(try stampFile(clip.path, [SampleGame.short(at: end.ticks - 1)]).stamped.events == 1)
  }

  // MARK: Outputs

  @Test(arguments: [Clip.mp4, .transportStream]) func anOutputThatIsThere(clip: Clip) throws {
    try Workshop.write([1, 2, 3], to: output)
    #expect(throws: StampingError.output(FileSinkError(.create, path: output, code: EEXIST))) { try stampFile(clip.path) }
    #expect(try Workshop.bytes(output) == [1, 2, 3])
    #expect(try Workshop.entries(folder) == ["out.ts"])
    var stamper = Stamper(input: clip.path, output: output)
    stamper.overwrite = true
    _ = try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    #expect(try read(Workshop.bytes(output)).copies.isEmpty == false)
    #expect(try Workshop.entries(folder) == ["out.ts"])
  }

  /// A file that is to be replaced stays as it was where the work fails.
  @Test func aFailureReplacesNothing() throws {
    try Workshop.write([1, 2, 3], to: output)
    var stamper = Stamper(input: Clip.mp4.path, output: output)
    stamper.overwrite = true
    #expect(throws: StampingError.self) {
      try stamper.stamp(EventSchedule([SampleGame.short(at: 90_000_000)], policy: CopyPolicy()))
    }
    #expect(try Workshop.bytes(output) == [1, 2, 3])
    #expect(try Workshop.entries(folder) == ["out.ts"])
  }

  @Test(arguments: [Clip.mp4, .transportStream], [0, 1, 20]) func anInterruption(clip: Clip, afterQuestions limit: Int) throws {
    let questions = Atomic(0)
    var stamper = Stamper(input: clip.path, output: output)
    stamper.isInterrupted = { questions.wrappingAdd(1, ordering: .relaxed).newValue > limit }
    do throws(StampingError) {
      _ = try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
      // A short stream is read with a few questions.
      #expect(clip == .transportStream && limit == 20)
    } catch {
      #expect(error == .interrupted)
      #expect(try Workshop.entries(folder) == [])
    }
  }

  @Test func aFolderThatIsNotThere() {
    let path = folder + "/missing/out.ts"
    #expect(throws: StampingError.output(FileSinkError(.create, path: path, code: ENOENT))) {
      try Stamper(input: Clip.mp4.path, output: path).stamp(EventSchedule([], policy: CopyPolicy()))
    }
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may write anywhere")) func aFolderThatMayNotBeWrittenTo() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
    #expect(throws: StampingError.output(FileSinkError(.create, path: output, code: EACCES))) { try stampFile(Clip.mp4.path) }
    #expect(try Workshop.entries(folder) == [])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: [Clip.mp4, .transportStream])
  func aDiskThatIsFull(clip: Clip) {
    #expect(throws: StampingError.output(FileSinkError(.write, path: "/dev/full", code: ENOSPC))) {
      try Stamper(input: clip.path, output: "/dev/full").stamp(EventSchedule([], policy: CopyPolicy()))
    }
  }
}

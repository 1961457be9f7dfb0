import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LibAV

@Suite("Opening media files", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct MediaInputTests {
  @Test("Streams are described")
  func streams() throws {
    let input = try MediaInput(path: Clip.mp4.path)
    var video = MediaStream(index: 0, kind: .video, codecName: "h264")
    video.language = "und"
    video.frameDuration = MediaTime(ticks: 3_600)
    video.width = 160
    video.height = 120
    video.reorderDepth = 2
    var audio = MediaStream(index: 1, kind: .audio, codecName: "aac")
    audio.language = "und"
    audio.sampleRate = 48_000
    #expect(input.streams == [video, audio])
    #expect(input.formatName.contains("mp4"))
    #expect(input.duration == MediaTime(seconds: 2))
  }

  @Test("A path may contain colons")
  func colons() throws {
    let path = try Workshop.write(try Workshop.bytes(Clip.audioOnly.path), to: "http:12:30.m4a")
    #expect(try MediaInput(path: path).streams.map(\.codecName) == ["aac"])
  }

  @Test("An edit list that begins with nothing makes the file no longer")
  func emptyEdit() throws {
    let path = Workshop.file("empty-edit.mp4", "-itsoffset 3 -i \(Clip.mp4.path) -c copy")
    let duration = try #require(try MediaInput(path: path).duration)
    #expect((duration - MediaTime(seconds: 2)).magnitude < MediaTime(ticks: 9_000))
  }

  @Test("A duration guessed from the bit rate is none")
  func estimatedDuration() throws {
    // Frames of MP3 without the header that counts them.
    let frames = try Workshop.bytes(Clip.coverPicture.path).suffix(8_000)
    #expect(try MediaInput(path: try Workshop.write(Array(frames), to: "frames.mp3")).duration == nil)
  }

  @Test("An interruption is one whenever it comes, and never damage", arguments: [Clip.mp4, .matroska, .flash, .coverPicture])
  func interruptions(clip: Clip) throws {
    /// Copies the file, interrupted when it is asked for the given time; `nil` where it is asked less often.
    func outcome(_ asked: Int) -> RemuxError? {
      let count = Mutex(0)
      do throws(RemuxError) {
        var input = try MediaInput(path: clip.path) {
          count.withLock {
            $0 += 1
            return $0 >= asked
          }
        }
        var packet = try MediaPacket()
        while try input.read(into: &packet) {}
        return nil
      } catch {
        return error
      }
    }
    var asked = 1
    while let error = outcome(asked) {
      try #require(error == .interrupted, "\(asked)")
      // It is asked hundreds of times, and each try opens the file.
      asked += 1 + asked / 8
    }
    #expect(asked > 2)
  }

  @Test("A missing file is an error that names it")
  func missing() {
    let error = #expect(throws: RemuxError.self) { _ = try MediaInput(path: "/nowhere/show.mp4") }
    #expect(error == .notOpened(AVError(code: -ENOENT, operation: "opening /nowhere/show.mp4")))
    #expect(error?.description == "opening /nowhere/show.mp4: No such file or directory")
  }

  @Test(
    "What is no media file is refused",
    arguments: [
      [], Array("Once upon a time there was no video in this file.\n".utf8),
      (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5) },
    ])
  func unrecognisable(bytes: [UInt8]) throws {
    let path = try Workshop.write(bytes, to: "unrecognisable-\(bytes.count)")
    #expect(throws: (any Error).self) { try remux(path) }
  }

  @Test("A file that is cut off is copied up to where it ends", arguments: [Clip.matroska, .flash])
  func truncated(clip: Clip) throws {
    let bytes = try Workshop.bytes(clip.path)
    for part in 4..<8 {
      let path = try Workshop.write(Array(bytes.prefix(bytes.count * part / 8)), to: "truncated-\(clip)")
      let (copy, summary) = try remux(path)
      #expect(copy.count % 188 == 0)
      #expect(summary.packets > 0)
      #expect(summary.end - summary.origin < MediaTime(seconds: 2))
      #expect(summary.inputDuration ?? .zero >= MediaTime(seconds: 2))
    }
  }

  @Test("A file whose index is cut off is refused", arguments: [Clip.mp4, .audioOnly])
  func truncatedIndex(clip: Clip) throws {
    let bytes = try Workshop.bytes(clip.path)
    let path = try Workshop.write(Array(bytes.prefix(bytes.count / 2)), to: "truncated-\(clip)")
    let error = #expect(throws: RemuxError.self) { try remux(path) }
    guard case .notOpened(let cause)? = error else {
      Issue.record("not refused when it is opened")
      return
    }
    #expect(cause.isInvalidData)
  }

  @Test("Damaged packets are passed over and counted")
  func damaged() throws {
    var bytes = try Workshop.bytes(Clip.mp4.path)
    let data = try #require(bytes.firstRange(of: Array("mdat".utf8))).upperBound
    // The lengths of the H.264 units in here reach beyond their packets.
    bytes.replaceSubrange(data + 20_000..<data + 30_000, with: repeatElement(0xFF, count: 10_000))
    let summary = try remux(try Workshop.write(bytes, to: "damaged.mp4")).summary
    #expect(summary.invalidPackets > 0)
    #expect(summary.packets + summary.invalidPackets == (try packetTimes(Clip.mp4.path)).map(\.count).reduce(0, +))
  }
}

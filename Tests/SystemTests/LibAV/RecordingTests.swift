import Basics
import TestSupport
import Testing

@testable import LibAV

/// Recordings that begin anywhere, and lack what reception has lost.
@Suite("Copying recordings off the air", .enabled(if: Programs.hasFFmpeg, Workshop.reason))
struct RecordingTests {
  private static let videoPID = 0x100

  /// A clip's packets, each by itself.
  private static func packets(_ clip: Clip) throws -> [[UInt8]] {
    let bytes = try Workshop.bytes(clip.path)
    return stride(from: 0, to: bytes.count - 187, by: 188).map { Array(bytes[$0..<$0 + 188]) }
  }

  private static func pid(_ packet: [UInt8]) -> Int { Int(packet[1] & 0x1F) << 8 | Int(packet[2]) }

  /// The clip of open groups from behind its first key frame on.
  private static func openRecording() throws -> String {
    let packets = try packets(.openGroups)
    return try Workshop.write(Array(packets.dropFirst(packets.count / 8).joined()), to: "recording-open.ts")
  }

  @Test("Leading pictures of the first key frame are left out and counted")
  func leadingPictures() throws {
    let path = try Self.openRecording()
    let (parts, starts, _, summary) = try segments(path)
    #expect(summary.framesBeforeKey > 0 && summary.leadingFrames == 1)
    #expect(summary.beforeOrigin > .zero)
    #expect(starts.first?.presentation == summary.origin)
    #expect(starts.map(\.isClosed) == [true] + [Bool](repeating: false, count: starts.count - 1))
    #expect(starts.count > 2)
    let whole = try Workshop.write(parts.flatMap { $0 }, to: "recording-open-whole.ts")
    let hashes = try Workshop.frameHashes(whole, of: "v")
    #expect(hashes == (try Workshop.frameHashes(Clip.openGroups.path, of: "v")).suffix(hashes.count))
    #expect(hashes.count == summary.packets)
  }

  @Test("Fragments begin where segments do")
  func fragmentsOfOpenGroups() throws {
    let path = try Self.openRecording()
    let (tracks, origin, _, summary) = try fragments(path)
    #expect(summary.leadingFrames == 1)
    let times = try #require(tracks[0]).times
    #expect(times.first?.earliestPresentation == origin && times.first?.isClosed == true)
    #expect(times.map(\.earliestPresentation) == (try segments(path)).starts.map(\.presentation))
  }

  @Test("Sound alone is copied where video is announced and does not come")
  func soundAlone() throws {
    let sound = try Self.packets(.groupsTransport).filter { Self.pid($0) != Self.videoPID }
    let path = try Workshop.write(Array(sound.joined()), to: "recording-sound.ts")
    let (parts, starts, _, summary) = try segments(path, boundaries: .every(MediaTime(ticks: 45_000)))
    #expect(summary.copied.map(\.kind) == [.audio])
    #expect(summary.absent.map(\.codecName) == ["h264"] && summary.leftOut == summary.absent)
    #expect(starts.count == 4)
    let whole = try Workshop.write(parts.flatMap { $0 }, to: "recording-sound-whole.ts")
    #expect(try Workshop.frameHashes(whole, of: "a") == Workshop.frameHashes(path, of: "a"))
    #expect(try fragments(path).tracks.keys.sorted() == [1])
  }

  @Test("Frames without timestamps are copied", arguments: [3, 7])
  func missingTimestamps(every: Int) throws {
    var count = 0
    let packets = try Self.packets(.groupsTransport).map { packet in
      guard Self.pid(packet) == Self.videoPID, packet[1] & 0x40 != 0 else { return packet }
      count += 1
      guard count % every == 0 else { return packet }
      var packet = packet
      let start = packet[3] & 0x20 != 0 ? 5 + Int(packet[4]) : 4
      packet[start + 7] &= 0x3F
      for index in 0..<Int(packet[start + 8]) { packet[start + 9 + index] = 0xFF }
      return packet
    }
    let path = try Workshop.write(Array(packets.joined()), to: "recording-untimed-\(every).ts")
    let (parts, starts, end, summary) = try segments(path)
    #expect(summary.untimedPackets == 0 && summary.repairedPackets > 0)
    #expect(starts.map(\.presentation) == (try segments(Clip.groupsTransport.path)).starts.map(\.presentation))
    #expect(end == MediaTime(ticks: 900_000 + 180_000))
    let whole = try Workshop.write(parts.flatMap { $0 }, to: "recording-untimed-whole-\(every).ts")
    #expect(try Workshop.frameHashes(whole, of: "v") == Workshop.frameHashes(Clip.groupsTransport.path, of: "v"))
  }

  @Test("A transport stream does not state how long it is")
  func noStatedDuration() throws { #expect(try remux(Clip.groupsTransport.path).summary.inputDuration == nil) }

  @Test("How long an edit list hides is found before copying", arguments: [(Clip.trimmed, 13 * 3_600), (.mp4, 0), (.groupsTransport, 0)])
  func hiddenVideo(clip: Clip, ticks: Int64) throws {
    let input = try MediaInput(path: clip.path)
    let streams = try TransportStreamRemuxer.carriedStreams(of: input)
    var scan = try InputScan(input, copying: streams)
    #expect(try scan.hiddenVideo() == MediaTime(ticks: ticks))
  }
}

@Suite("How pictures are turned")
struct PictureOrientationTests {
  @Test(
    arguments: [
      ([0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30], .turned(90), true),
      ([-65_536, 0, 0, 0, -65_536, 0, 0, 0, 1 << 30], .turned(180), false),
      ([0, -65_536, 0, 65_536, 0, 0, 0, 0, 1 << 30], .turned(270), true), ([-65_536, 0, 0, 0, 65_536, 0, 0, 0, 1 << 30], .other, false),
      ([], .other, false),
    ] as [([Int32], PictureOrientation, Bool)])
  func matrices(matrix: [Int32], expected: PictureOrientation, swapsSides: Bool) {
    #expect(PictureOrientation(matrix) == expected)
    #expect(expected.swapsSides == swapsSides)
  }
}

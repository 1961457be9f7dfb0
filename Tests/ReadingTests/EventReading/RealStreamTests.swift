import Basics
import EventReading
import EventSchedule
import Foundation
import GameEvents
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

private let sharedStreams = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]

/// Streams that others made, in the folder that `CUELIGHT_STREAMS` names.
@Suite(.enabled(if: sharedStreams != nil, "CUELIGHT_STREAMS does not name the folder of the shared streams"))
struct RealStreamTests {
  static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(sharedStreams ?? "")/\(name)"))) }

  static func item(_ frames: [ID3Frame], time: Int64, at ticks: Int64, pid: PID, offset: Int, byteCount: Int) -> StreamItem {
    let place = Place(
      time: MediaTime(ticks: time), presentationTime: MediaTime(ticks: ticks), videoTime: MediaTime(ticks: time),
      carriage: .id3(pid: pid), offset: offset,
      byteCount: byteCount)
    return .tag(ID3Tag(frames: frames), place)
  }

  static func song(_ title: String) -> [ID3Frame] {
    [
      .text(id: "TIT2", values: [title]), .unknown(id: "WOAF", flags: 0, data: []),
      .text(id: "TENC", values: ["Z/IPStream X/2 v1.24.12"]),
    ]
  }

  static let streams: [(name: String, pid: PID, items: [StreamItem])] = [
    (
      // PES stream_id 0x0D.
      "videojs-id3.ts", 0x102,
      [
        item(
          [.userText(description: "", value: "{\"id\":1, \"data\": \"id3\"}\n")], time: 1, at: 900_001, pid: 0x102, offset: 564,
          byteCount: 47)
      ]
    ),
    (
      // Descriptors that are longer than Apple's form, presentation times near the wrap, a frame of no size.
      "shaka-id3-metadata.ts", 0x101,
      [
        item(
          song("Sam sobie jade - ADM & Białas & White 2115 & Mata & Beteo & Lanek"), time: 307_200, at: 8_102_069_984, pid: 0x101,
          offset: 30_644, byteCount: 133),
        item(song("FUKAJ SWEEPER - Imanbek"), time: 430_080, at: 8_102_192_864, pid: 0x101, offset: 43_052, byteCount: 90),
      ]
    ),
  ]

  @Test func tagsOfOthers() throws {
    for (name, _, items) in Self.streams {
      let stream = try Self.bytes(name)
      #expect(try read(stream) == items, "\(name)")
      #expect(try read(stream, chunk: 1) == items, "\(name)")
    }
  }

  /// Stamping puts a game beside them, and every tag keeps its bytes and its time.
  @Test func tagsOfOthersAreKept() throws {
    for (name, pid, items) in Self.streams {
      let stream = try Self.bytes(name)
      let event = SampleGame.short(at: 900)
      let (stamped, report) = try stamp(stream, with: [event], CopyPolicy(copies: 1, refreshInterval: nil))
      #expect(report.events == 1, "\(name)")
      let after = SamplePacket.pes(on: pid, in: stamped).map(\.bytes)
      let ours = try EventCopy(of: event.event).encodedTag()
      #expect(after.filter { Array($0.dropFirst(14)) != ours } == SamplePacket.pes(on: pid, in: stream).map(\.bytes), "\(name)")
      let found = try read(stamped)
      #expect(found.tags.map(\.tag) == items.tags.map(\.tag), "\(name)")
      #expect(found.tags.map(\.place.time) == items.tags.map(\.place.time), "\(name)")
      #expect(found.copies.map(\.copy.event) == [event.event], "\(name)")
      #expect(found.copies.map(\.place.time) == [event.time], "\(name)")
      #expect(found.damages == [], "\(name)")
    }
  }

  /// A stream that is cut off, one with B frames, and HEVC: no tags, and the times of the video.
  @Test(arguments: [
    ("kim-broken.ts", 133_500, 33_750), ("eyevinn-bbb-1s.ts", 133_500, 105_000), ("eyevinn-obs-hevc-aac.ts", 1_920, 180_000),
  ])
  func streamsWithoutTags(name: String, zero: Int64, end: Int64) throws {
    let stream = try Self.bytes(name)
    var reader = EventReader()
    #expect(try reader.push(stream.span) + reader.finish() == [])
    #expect(reader.videoOrigin == MediaTime(ticks: zero))
    #expect(reader.end == MediaTime(ticks: end))
    let (stamped, _) = try stamp(stream, with: [SampleGame.short(at: 9_000)], CopyPolicy(copies: 1, refreshInterval: nil))
    #expect(try read(stamped).copies.map(\.place.time.ticks) == [9_000])
  }
}

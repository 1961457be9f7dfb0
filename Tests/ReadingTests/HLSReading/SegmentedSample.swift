import Basics
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import HLSReading
import ID3
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// A stamped transport stream of 2.44 s with the five events of the sample game, with five segments that start at its I frames.
///
/// In front of the first I frame of all but the first segment, two frames are missing that are presented before it.
struct SegmentedSample {
  var stamped: [UInt8]
  var segments: [[UInt8]]
  /// The duration of each segment's video in ticks.
  let durations: [Int64] = [13, 12, 12, 12, 12].map { $0 * SampleStream.pictureDuration }

  init(start: UInt64 = 900_000, _ events: [PlannedEvent] = SampleGame.plan()) throws {
    var sample = SampleStream()
    sample.start = start
    sample.tablesEvery = 100
    for picture in [13, 25, 37, 49] { sample.laterMaps[picture] = sample.map }
    stamped = try stamp(sample.bytes, with: events).bytes
    let cuts = SamplePacket.all(in: stamped).filter { $0.pid == 0 && $0.header.startsUnit }.map(\.offset) + [stamped.count]
    segments = zip(cuts, cuts.dropFirst()).map { [stamped] in Array(stamped[$0..<$1]) }
  }

  /// A stream of the same length and audio with a tag of another system before its tenth video frame, 0.4 s after its first.
  static func foreign(start: UInt64) throws -> [UInt8] {
    let tag = try ID3Tag(frames: [.text(id: "TIT2", values: ["foreign"])]).encode()
    var sample = SampleStream()
    sample.start = start
    sample.map.streams.append(.init(type: .metadata, pid: 0x102))
    sample.extras[10] = [.pes(0x102, SamplePacketWriter.pes(presentation: (start + 36_000) & ((1 << 33) - 1), payload: tag))]
    return sample.bytes
  }

  /// The segments as files, from a number on.
  func files(_ prefix: String = "", from number: Int = 0) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: segments.enumerated().map { ("\(prefix)\($0 + number).ts", $1) })
  }

  /// The lines of the playlist for a segment.
  func lines(_ index: Int, _ prefix: String = "") -> String {
    "#EXTINF:\(MediaTime(ticks: durations[index]).decimalSeconds),\n\(prefix)\(index).ts"
  }

  var allLines: String { segments.indices.map { lines($0) }.joined(separator: "\n") }

  /// The presentation with a playlist of all the segments.
  var presentation: Presentation {
    Presentation(files: files().merging(["index.m3u8": playlist(allLines)]) { $1 })
  }

  /// What a reader of the whole stream finds, with places counted in the segments. Without the segments of these numbers.
  func expected(without lost: Set<Int> = []) throws -> [HLSItem] {
    var starts: [Int] = [0]
    for segment in segments { starts.append(starts[starts.count - 1] + segment.count) }
    return try read(stamped).compactMap { item in
      guard case .copy(let copy, var place) = item else { return nil }
      let index = try #require(starts.lastIndex { $0 <= place.offset })
      guard !lost.contains(index) else { return nil }
      place.offset -= starts[index]
      return .item(.copy(copy, place), in: HLSSource(uri: "\(index).ts", mediaSequence: UInt64(index)))
    }
  }

  /// The copies in the order of the stream, without those in the segments of these numbers.
  func copies(without lost: Set<Int>) throws -> [EventCopy] {
    try expected(without: lost).compactMap { if case .item(.copy(let copy, _), _) = $0 { copy } else { nil } }
  }
}

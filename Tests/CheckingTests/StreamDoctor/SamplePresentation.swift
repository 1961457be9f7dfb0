import Basics
import GameEvents
import HLSReading
import StreamDoctor
import TestSupport
import TransportStream

/// An HLS presentation, handed to a doctor as a reader would.
struct SamplePresentation: Sendable {
  /// A variant or a rendition of a group.
  struct Rendition: Sendable {
    var uri = "media.m3u8"
    var isVariant = true
    var playlist: String
    /// What stands before the segments, by its name.
    var map: [UInt8]?
    var segments: [[UInt8]]
  }

  var multivariant = Self.multivariant()
  var renditions: [Rendition]
  /// The segments that cannot be loaded, and why.
  var missing: [Int: String] = [:]

  /// A variant of three segments of transport stream.
  init(_ segments: [[UInt8]]? = nil, playlist: String? = nil) throws {
    let segments = try segments ?? Self.segments()
    renditions = [Rendition(playlist: playlist ?? Self.playlist(count: segments.count), segments: segments)]
  }

  /// A variant of fragmented MP4.
  init(map: [UInt8], segments: [[UInt8]], playlist: String) {
    multivariant = Self.multivariant(version: 7, codecs: nil, more: ",CODECS=\"avc1.4D401E\"")
    renditions = [Rendition(playlist: playlist, map: map, segments: segments)]
  }

  static func multivariant(version: Int = 3, codecs: String? = "avc1.4D401E,mp4a.40.2", bandwidth: Int = 900_000, more: String = "")
    -> String
  {
    let codecs = codecs.map { ",CODECS=\"\($0)\"" } ?? ""
    return "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\(codecs)\(more)\nmedia.m3u8\n"
  }

  /// A playlist of segments of a second.
  static func playlist(
    count: Int = 3, version: Int = 3, target: Int = 1, durations: [String] = [], tags: String = "", before: [Int: String] = [:]
  ) -> String {
    let segments = (0..<count).map { index in
      "\(before[index] ?? "")#EXTINF:\(durations.indices.contains(index) ? durations[index] : "1.001"),\nsegment-\(index)\n"
    }
    return "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-TARGETDURATION:\(target)\n\(tags)\(segments.joined())#EXT-X-ENDLIST\n"
  }

  /// Segments of a second each: an event in the first, and refreshes of it in the others, unless told otherwise.
  static func segments(
    _ count: Int = 3, maps: [Int: ProgramMapTable] = [:], withoutTables: [Int] = [],
    tags: (Int) throws -> [UInt8]? = { try refresh(of: 18_000, in: $0) }
  ) throws -> [[UInt8]] {
    var counters: [PID: UInt8] = [:]
    return try (0..<count).map { index in
      var stream = TagStream(maps[index] ?? TagStream.map())
      stream.stream.start = 900_000 + UInt64(index) * 90_000
      stream.stream.pictureCount = 25
      if withoutTables.contains(index) { stream.stream.tablesEvery = 0 }
      if let tag = try tags(index) { stream = stream.with(tag: tag, before: 5) }
      return renumbered(stream.bytes, &counters)
    }
  }

  /// A copy of an event for a segment, before its fifth picture.
  static func refresh(of ticks: Int64, in segment: Int) throws -> [UInt8] {
    try SampleTag.event(at: ticks, age: 18_000 + Int64(segment) * 90_000 - ticks)
  }

  /// Packets with continuity counters that go on from those before.
  static func renumbered(_ bytes: [UInt8], _ counters: inout [PID: UInt8]) -> [UInt8] {
    var bytes = bytes
    for packet in SamplePacket.all(in: bytes) {
      var counter = counters[packet.pid] ?? 15
      if packet.header.hasPayload { counter = (counter + 1) & 0x0F }
      counters[packet.pid] = counter
      bytes[packet.offset + 3] = bytes[packet.offset + 3] & 0xF0 | counter
    }
    return bytes
  }

  /// What a doctor says.
  func report(requiring signatures: SignatureCheck? = nil) -> DoctorReport {
    var doctor = StreamDoctor(name: "index.m3u8", requiring: signatures)
    for rendition in renditions {
      doctor.receive(.playlist(Array(multivariant.utf8), uri: "index.m3u8"))
      doctor.receive(.playlist(Array(rendition.playlist.utf8), uri: rendition.uri))
      if let map = rendition.map { give(map, .initializationSegment, "map", 0, &doctor) }
      for (index, segment) in rendition.segments.enumerated() {
        guard let reason = missing[index] else {
          give(segment, .segment, "segment-\(index)", index, isSubtitles: rendition.uri == "s.m3u8" && !rendition.isVariant, &doctor)
          continue
        }
        let source = HLSSource(uri: "segment-\(index)", mediaSequence: UInt64(index))
        doctor.receive(.notice(.segmentLost(source, reason: reason, read: 0)))
      }
      doctor.endRendition(HLSChoice(uri: rendition.uri, names: [], isVariant: rendition.isVariant))
    }
    return doctor.finish()
  }

  private func give(
    _ bytes: [UInt8], _ kind: HLSReader.Resource.Kind, _ uri: String, _ number: Int, isSubtitles: Bool = false, _ doctor: inout StreamDoctor
  ) {
    var part = HLSPortion.Part(kind: kind, source: HLSSource(uri: uri, mediaSequence: UInt64(number)))
    part.isSubtitles = isSubtitles
    doctor.receive(.begin(part))
    doctor.receive(.bytes(bytes[...]))
    doctor.receive(.end(.zero))
  }
}

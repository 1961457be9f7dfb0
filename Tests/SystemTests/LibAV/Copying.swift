import Basics
import Testing

@testable import LibAV

/// The whole transport stream of a file.
func remux(
  _ path: String, firstPresentation: MediaTime = MediaTime(ticks: 900_000), isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws -> (bytes: [UInt8], summary: RemuxSummary) {
  var remuxer = try TransportStreamRemuxer(MediaInput(path: path, isInterrupted: isInterrupted), firstPresentation: firstPresentation)
  var bytes: [UInt8] = []
  while let part = try remuxer.next() {
    let span = part.span
    for index in span.indices { bytes.append(span[index]) }
  }
  return (bytes, remuxer.summary)
}

/// A file's tracks in fragments, by the input's stream.
struct CopiedTrack: Equatable {
  var initialisation: [UInt8] = []
  var fragments: [[UInt8]] = []
  var times: [FragmentTimes] = []

  /// The initialisation segment and all fragments.
  var bytes: [UInt8] { initialisation + fragments.flatMap { $0 } }
}

/// The whole of a file in fragments. Initialisation segments come before fragments.
func fragments(
  _ path: String, boundaries: SegmentBoundaries = .every(MediaTime(ticks: 1)), sizes: FragmentSizes = FragmentSizes(),
  isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws -> (tracks: [Int: CopiedTrack], origin: MediaTime, end: MediaTime, summary: RemuxSummary) {
  var remuxer = try SegmentRemuxer(
    MediaInput(path: path, isInterrupted: isInterrupted), boundaries: boundaries, firstPresentation: MediaTime(ticks: 900_000), sizes: sizes
  )
  var tracks: [Int: CopiedTrack] = [:]
  while let piece = try remuxer.next() {
    switch consume piece {
    case .initializationSegment(let stream, let bytes):
      #expect(tracks[stream] == nil)
      tracks[stream] = CopiedTrack(initialisation: copy(bytes.span))
    case .fragment(let fragment):
      #expect(tracks[fragment.stream] != nil)
      tracks[fragment.stream]?.fragments.append(copy(fragment.bytes.span))
      tracks[fragment.stream]?.times.append(fragment.times)
    }
  }
  return (tracks, remuxer.origin, remuxer.end, remuxer.summary)
}

/// The whole of a file in transport stream segments.
func segments(
  _ path: String, boundaries: SegmentBoundaries = .every(MediaTime(ticks: 1)), isInterrupted: @escaping @Sendable () -> Bool = { false }
) throws -> (segments: [[UInt8]], starts: [SegmentStart], end: MediaTime, summary: RemuxSummary) {
  var segmenter = try TransportStreamSegmenter(MediaInput(path: path, isInterrupted: isInterrupted), boundaries: boundaries)
  var segments: [[UInt8]] = []
  var starts: [SegmentStart] = []
  while let part = try segmenter.next() {
    if let start = part.segmentStart {
      starts.append(start)
      segments.append([])
    }
    let last = try #require(segments.indices.last)
    segments[last] += copy(part.bytes.span)
  }
  return (segments, starts, segmenter.end, segmenter.summary)
}

/// The key frames of a file.
func keyFrames(_ path: String) throws -> [KeyFrame] {
  let input = try MediaInput(path: path)
  let streams = try TransportStreamRemuxer.carriedStreams(of: input)
  var scan = try InputScan(input, copying: streams)
  return try scan.keyFrames()
}

/// The bytes of a span.
func copy(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

/// The times of all packets of a file's video and audio streams, in the order of the streams.
func packetTimes(_ path: String) throws -> [[PacketTimes]] {
  var input = try MediaInput(path: path)
  var packet = try MediaPacket()
  var times: [Int: [PacketTimes]] = [:]
  while try input.read(into: &packet) { times[packet.streamIndex, default: []].append(packet.times) }
  return input.streams.filter { ($0.kind == .video || $0.kind == .audio) && !$0.isAttachedPicture }.map { times[$0.index] ?? [] }
}

/// The presentation times in ticks, in order.
func presentations(_ times: [PacketTimes]) -> [Int64] { times.compactMap { $0.presentation?.ticks }.sorted() }

/// The timestamps of a transport stream as they are in its bytes: 33 bits, with the PID they belong to.
struct RawTimes: Equatable {
  var clocks: [UInt64] = []
  var presentations: [Int: [UInt64]] = [:]
  var decodings: [Int: [UInt64]] = [:]
  /// The clock and the decoding time of each packet that has both.
  var pairs: [[UInt64]] = []

  init(_ stream: [UInt8]) {
    for start in stride(from: 0, to: stream.count, by: 188) {
      let packet = Array(stream[start..<start + 188])
      let pid = Int(packet[1] & 0x1F) << 8 | Int(packet[2])
      let hasField = packet[3] & 0x20 != 0
      var clock: UInt64?
      if hasField, packet[4] > 6, packet[5] & 0x10 != 0 {
        clock = packet[6..<11].reduce(0) { $0 << 8 | UInt64($1) } >> 7
        clocks.append(clock ?? 0)
      }
      let pes = packet.dropFirst(hasField ? 5 + Int(packet[4]) : 4)
      guard packet[1] & 0x40 != 0, Array(pes.prefix(3)) == [0, 0, 1], pes.count >= 19 else { continue }
      let fields = Array(pes)
      let presentation = Self.timestamp(fields[9..<14])
      let decoding = fields[7] & 0x40 != 0 ? Self.timestamp(fields[14..<19]) : presentation
      presentations[pid, default: []].append(presentation)
      decodings[pid, default: []].append(decoding)
      if let clock { pairs.append([clock, decoding]) }
    }
  }

  private static func timestamp(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    let fields = bytes.map(UInt64.init)
    return (fields[0] >> 1 & 7) << 30 | fields[1] << 22 | (fields[2] >> 1) << 15 | fields[3] << 7 | fields[4] >> 1
  }
}

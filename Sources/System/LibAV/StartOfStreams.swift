internal import Basics

/// The first packets of a program, held back until it is known when each of its streams starts.
///
/// Matroska, for example, has no decoding times, and libavformat can infer them only after the first few packets.
struct StartOfStreams {
  /// The streams that are copied, by index.
  let streams: [Int: MediaStream]
  /// The stream whose first key frame is the timeline origin: the first video, otherwise the first audio.
  let program: MediaStream
  /// The times of all packets so far.
  private(set) var packets: [PacketTimes] = []
  /// The first decoding time of each stream if it is known.
  private(set) var firstDecodings: [Int: MediaTime] = [:]
  /// The first packet of the program's stream where decoding can start.
  private var firstKey: PacketTimes?

  /// Starts with packets, of which only those of the streams count; `nil` if there is no stream.
  init?(copying streams: [MediaStream], packets: [PacketTimes] = []) {
    guard let program = streams.first(where: { $0.kind == .video }) ?? streams.first else { return nil }
    self.program = program
    self.streams = Dictionary(streams.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    for packet in packets where self.streams[packet.stream] != nil { append(packet) }
  }

  /// Whether the program's stream had packets, and none of them has a presentation time.
  var isWithoutTimes: Bool {
    let own = packets.lazy.filter { $0.stream == program.index }
    return !own.isEmpty && !own.contains { $0.presentation != nil }
  }

  /// Whether every stream's start is known.
  var isComplete: Bool { firstKey != nil && firstDecodings.count == streams.count }

  /// Whether the program's stream has a known packet at which decoding can start.
  var hasKey: Bool { firstKey != nil }

  /// The packet that is the timeline origin: if there is no key frame, the first that is presented at a known time.
  var firstOfProgram: PacketTimes? {
    firstKey ?? packets.first { $0.stream == program.index && $0.presentation != nil }
  }

  /// Adds the next packet.
  mutating func append(_ packet: PacketTimes) {
    var packet = packet
    if streams[packet.stream]?.reorderDepth == 0 { packet.decoding = packet.decoding ?? packet.presentation }
    packets.append(packet)
    if firstDecodings[packet.stream] == nil { firstDecodings[packet.stream] = packet.decoding }
    if firstKey == nil, packet.stream == program.index, packet.isKey, packet.presentation != nil { firstKey = packet }
  }

  /// Fills the decoding times that are missing before the first known one of each stream.
  ///
  /// They are counted backwards from it by the frames' durations, and are never later than the presentation times.
  mutating func fillDecodingTimes() {
    for stream in streams.values {
      let indices = packets.indices.filter { packets[$0].stream == stream.index }
      let missing = indices.prefix { packets[$0].decoding == nil }
      var next = indices.dropFirst(missing.count).first.flatMap { packets[$0].decoding }
      for index in missing.reversed() {
        let step = max(packets[index].duration ?? stream.frameDuration ?? Self.usualFrameDuration, MediaTime(ticks: 1))
        guard let latest = [next.map { $0 - step }, packets[index].presentation].compactMap({ $0 }).min() else { continue }
        packets[index].decoding = latest
        next = latest
      }
      firstDecodings[stream.index] = indices.first.flatMap { packets[$0].decoding }
    }
  }

  /// A 25th of a second, for streams that do not state it.
  private static let usualFrameDuration = MediaTime(ticks: 3_600)
}

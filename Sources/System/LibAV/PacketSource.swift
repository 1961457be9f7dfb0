internal import Basics

/// Reads the packets of a file's video and audio, in the file's order, with the times they have in the copy.
///
/// Packets are held back until it is known when each stream starts, and video frames until those that follow are known as far as video frames
/// can be reordered. Memory is bounded whatever the input's length.
struct PacketSource: ~Copyable {
  private var input: MediaInput
  private var held = PacketQueue()
  private var isRead = false
  /// The times that packets were given so far.
  private(set) var timeline: Timeline
  /// The streams that are copied.
  let copied: [MediaStream]
  /// The stream that carries the program's clock: the first video, otherwise the first audio.
  let program: MediaStream
  /// Whether decoding can start in the program's stream at the timeline origin.
  let startsWithKey: Bool

  /// Reads up to where every stream has begun.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - copied: The streams whose packets are wanted.
  ///   - firstPresentation: When the timeline origin is to be presented; `nil` for as it is in the input.
  /// - Throws: `RemuxError` where there is nothing to copy, or reading fails.
  init(
    _ input: consuming MediaInput, copying copied: [MediaStream], firstPresentation: MediaTime?
  ) throws(RemuxError) {
    guard var start = StartOfStreams(copying: copied) else { throw .noVideoOrAudio }
    var input = input
    var held = PacketQueue()
    var packet = try MediaPacket()
    while !start.isComplete, !held.isFull, !input.isLive || start.length <= Self.longestWait,
      let times = try Self.hold(copied, of: &input, through: &packet, in: &held)
    {
      start.append(times)
    }
    guard !start.packets.isEmpty else { throw .noVideoOrAudio }
    start.fillDecodingTimes()
    held.setTimes(start.packets)
    timeline = Timeline(start: start, firstPresentation: firstPresentation, lead: TransportStreamMuxer.lead)
    program = start.program
    startsWithKey = start.hasKey
    self.copied = copied
    self.input = input
    self.held = held
  }

  /// Moves the next packet into `packet` and gives its place; `nil` at the end of the file.
  ///
  /// - Throws: `RemuxError` where the file cannot be read on, its timestamps make no stream, or the input's interrupt check asked for the end.
  mutating func next(into packet: inout MediaPacket) throws(RemuxError) -> PlacedPacket? {
    guard !input.isInterrupted else { throw .interrupted }
    while !isRead, needsFollowing {
      isRead = try Self.hold(copied, of: &input, through: &packet, in: &held) == nil
    }
    guard let times = held.popFirst(into: &packet) else { return nil }
    let placed = try timeline.place(times, following: held.times)
    packet.setTimes(presentation: placed.presentation, decoding: placed.decoding)
    return PlacedPacket(
      stream: times.stream, presentation: placed.presentation, decoding: placed.decoding, duration: placed.next - placed.decoding,
      isKey: times.isKey, leading: earliest(of: times.stream).map { min($0, placed.presentation) })
  }

  /// What was done so far.
  func summary(_ tally: PacketTally) -> RemuxSummary {
    RemuxSummary(
      copied: copied, leftOut: input.streams.filter { stream in !copied.contains { $0.index == stream.index } }, packets: tally.copied,
      origin: timeline.origin, end: timeline.end, inputDuration: input.duration, hiddenVideo: timeline.hiddenVideo,
      repairedPackets: timeline.repairedPackets,
      invalidPackets: input.invalidPackets + tally.damaged)
  }

  /// Skips the packets of all other streams from here on, without reading them where the container allows that.
  mutating func readOnly(_ stream: Int) { input.readOnly(stream) }

  /// What the file says about how one of its streams is coded.
  func codecParameters(of stream: Int) -> CodecParameters? { input.codecParameters(of: stream) }

  /// The initialization segment of one of the streams as a fragmented track, made of a packet that is held back; `nil` where there is none.
  func initializationSegment(of stream: Int) throws(RemuxError) -> MuxedBytes? {
    var packet = try MediaPacket()
    guard try held.copyFirst(of: stream, into: &packet) else { return nil }
    packet.setTimes(presentation: .zero, decoding: .zero)
    var muxer = try FragmentMuxer(copying: stream, of: input)
    try muxer.write(&packet, next: MediaTime(ticks: 1))
    return try muxer.initializationSegment()
  }

  /// When the first of the video frames that are held back, up to the next key frame, is presented.
  private func earliest(of stream: Int) -> MediaTime? {
    guard copied.contains(where: { $0.index == stream && $0.kind == .video }) else { return nil }
    var earliest: MediaTime?
    var count = 0
    for packet in held.times where packet.stream == stream {
      guard count < Timeline.largestReorderDepth, !packet.isKey else { break }
      count += 1
      if let presentation = packet.presentation { earliest = min(earliest ?? presentation, presentation) }
    }
    return earliest.map { $0 + timeline.shift }
  }

  /// Whether a packet has to be read before the first that is held back can get its times.
  private var needsFollowing: Bool {
    guard let first = held.times.first else { return true }
    guard !held.isFull, copied.contains(where: { $0.index == first.stream && $0.kind == .video }) else { return false }
    return held.count(of: first.stream) <= Timeline.largestReorderDepth && !(input.isLive && isLeadingKnown(of: first))
  }

  /// Whether the video frames are held back that may be presented before a frame which they follow. Transport streams have true decoding times: no
  /// frame that is decoded after the other's presentation is one of them.
  private func isLeadingKnown(of first: PacketTimes) -> Bool {
    guard let presentation = first.presentation else { return false }
    return held.times.contains { $0.stream == first.stream && $0.decoding.map { $0 >= presentation } ?? false }
  }

  /// How long a stream that has not begun delays the others where the input is still being made.
  static let longestWait = MediaTime(seconds: 2)
  /// Whether the input is still being made.
  var isLive: Bool { input.isLive }

  /// Reads the next packet of the streams that are copied, holds it back, and gives its times; `nil` at the end of the file.
  private static func hold(
    _ copied: [MediaStream], of input: inout MediaInput, through packet: inout MediaPacket, in held: inout PacketQueue
  ) throws(RemuxError) -> PacketTimes? {
    while try input.read(into: &packet) {
      guard copied.contains(where: { $0.index == packet.streamIndex }) else { continue }
      try held.append(&packet)
      return held.times.last
    }
    return nil
  }
}

/// A packet's times in the copy.
struct PlacedPacket: Equatable {
  /// The index of the packet's stream in the input.
  var stream: Int
  /// When it is presented.
  var presentation: MediaTime
  /// When it is decoded.
  var decoding: MediaTime
  /// How long it is presented, as far as is known.
  var duration: MediaTime
  /// Whether decoding can start here.
  var isKey: Bool
  /// For video frames that others follow, the earliest presentation of it and of the video frames that follow it up to the next key frame.
  var leading: MediaTime?

  /// The earliest presentation time of this packet and of the video frames that follow it up to the next key frame.
  var earliestPresentation: MediaTime { leading ?? presentation }
  /// Whether no video frame that follows in decoding order is presented before this one.
  var isClosed: Bool { earliestPresentation == presentation }
}

internal import Basics

/// Reads the packets of a file's video and audio, in the file's order, with the times they have in the copy.
///
/// Packets are held back until the start of each stream is known, and video frames until all frames are known that can be reordered before
/// them. Memory is bounded whatever the input's length.
struct PacketSource: ~Copyable {
  private var input: MediaInput
  private var held = PacketQueue()
  private var isRead = false
  /// The times of the packets so far.
  private(set) var timeline: Timeline
  /// The streams that are copied.
  let copied: [MediaStream]
  /// The stream that carries the program's clock: the first video, otherwise the first audio.
  let program: MediaStream
  /// Whether decoding can start in the program's stream at the timeline origin.
  let startsWithKey: Bool
  /// The streams that were announced, but had no packets.
  let absent: [MediaStream]
  /// The audio streams whose sample rate is not known.
  let undescribed: [MediaStream]
  /// How many streams were known when reading began.
  private let announcedCount: Int
  /// How many packets were left out because their presentation time is not known.
  private var untimedPackets = 0

  /// Reads until every stream has begun.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - copied: The streams whose packets are wanted.
  ///   - firstPresentation: When the timeline origin is to be presented.
  ///   - zero: What the timeline origin is.
  /// - Throws: `RemuxError` if there is nothing to copy, or reading fails.
  init(
    _ input: consuming MediaInput, copying copied: [MediaStream], firstPresentation: MediaTime, zero: TimelineZero = .firstFrame
  ) throws(RemuxError) {
    guard var start = StartOfStreams(copying: copied) else { throw .noVideoOrAudio }
    var input = input
    let announcedCount = input.streams.count
    var held = PacketQueue()
    var packet = try MediaPacket()
    var hasEnded = false
    while !start.isComplete, !held.isFull {
      guard let times = try Self.hold(copied, of: &input, through: &packet, in: &held) else {
        hasEnded = true
        break
      }
      start.append(times)
    }
    guard !start.packets.isEmpty else { throw .noVideoOrAudio }
    let came = Set(start.packets.map(\.stream))
    let absent = copied.filter { !came.contains($0.index) && (hasEnded || !$0.isDescribed) }
    // Muxers need the sample rate.
    let undescribed = copied.filter { $0.kind == .audio && !$0.isDescribed && !absent.contains($0) }
    let copied = copied.filter { !absent.contains($0) && !undescribed.contains($0) }
    guard !copied.isEmpty else { throw .notDescribed(undescribed) }
    if copied.count < start.streams.count, let others = StartOfStreams(copying: copied, packets: start.packets) {
      start = others
      held.removeAll { stream in undescribed.contains { $0.index == stream } }
    }
    guard !start.isWithoutTimes else { throw .missingTimestamp(stream: start.program.index) }
    start.fillDecodingTimes()
    held.setTimes(start.packets)
    let origin: MediaTime? = zero == .timestampZero && input.startsAtZero ? .zero : nil
    timeline = Timeline(start: start, firstPresentation: firstPresentation, lead: TransportStreamMuxer.lead, zero: origin)
    program = start.program
    startsWithKey = start.hasKey
    (self.copied, self.absent, self.undescribed, self.announcedCount) = (copied, absent, undescribed, announcedCount)
    self.input = input
    self.held = held
  }

  /// Moves the next packet into `packet` and gives its place; `nil` at the end of the file.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, its timestamps make no stream, or the input's interrupt check asked for the end.
  mutating func next(into packet: inout MediaPacket) throws(RemuxError) -> PlacedPacket? {
    while true {
      guard !input.isInterrupted else { throw .interrupted }
      while !isRead, needsFollowing {
        isRead = try Self.hold(copied, of: &input, through: &packet, in: &held) == nil
      }
      guard let times = held.popFirst(into: &packet) else { return nil }
      guard let placed = try timeline.place(times, following: held.times) else {
        untimedPackets += 1
        continue
      }
      packet.setTimes(presentation: placed.presentation, decoding: placed.decoding)
      return PlacedPacket(
        stream: times.stream, presentation: placed.presentation, decoding: placed.decoding, duration: placed.next - placed.decoding,
        isKey: times.isKey, leading: earliest(of: times.stream).map { min($0, placed.presentation) })
    }
  }

  /// Whether the video frames that follow a key frame and are presented before it may need frames before it.
  func hasOpenGroup(_ keyFrame: borrowing MediaPacket) -> Bool {
    guard let stream = copied.first(where: { $0.index == keyFrame.streamIndex }) else { return false }
    let extradata = input.codecParameters(of: stream.index)?.extradata ?? []
    return LeadingPictures.needFramesBefore(keyFrame.span, codec: stream.codecName, extradata: extradata)
  }

  /// A muxer for all streams that are copied, or some of them.
  func transportStreamMuxer(_ streams: [MediaStream]? = nil) throws(RemuxError) -> TransportStreamMuxer {
    try TransportStreamMuxer(copying: (streams ?? copied).map(\.index), of: input)
  }

  /// A track for each of the streams that are copied.
  func segmentTracks(_ sizes: FragmentSizes) throws(RemuxError) -> [SegmentTrack] {
    var tracks: [SegmentTrack] = []
    for stream in copied { tracks.append(try SegmentTrack(stream: stream.index, of: input, sizes: sizes)) }
    return tracks
  }

  /// Totals so far.
  func summary(_ tally: PacketTally) -> RemuxSummary {
    let leftOut = input.streams.filter { stream in !copied.contains { $0.index == stream.index } }
    var summary = RemuxSummary(
      copied: copied, leftOut: leftOut, packets: tally.copied,
      origin: timeline.origin, end: timeline.end, inputDuration: input.isTransportStream ? nil : input.duration,
      hiddenVideo: timeline.hiddenVideo, repairedPackets: timeline.repairedPackets, invalidPackets: input.invalidPackets + tally.damaged)
    summary.absent = absent
    summary.undescribed = undescribed
    summary.late = leftOut.filter { $0.index >= announcedCount }
    summary.untimedPackets = untimedPackets
    summary.beforeOrigin = timeline.beforeOrigin
    summary.orientation = input.codecParameters(of: program.index)?.displayMatrix.map(PictureOrientation.init)
    return summary
  }

  /// How much of the input was copied, from 0 to 1, by the duration that it states; `nil` if it states none.
  var fraction: Double? {
    guard let duration = input.duration, duration > .zero else { return nil }
    return min(max(Double((timeline.end - timeline.origin).ticks) / Double(duration.ticks), 0), 1)
  }

  /// Skips the packets of all other streams from here on, without reading them if the container allows that.
  mutating func readOnly(_ stream: Int) { input.readOnly(stream) }

  /// How the file describes the coding of one of its streams.
  func codecParameters(of stream: Int) -> CodecParameters? { input.codecParameters(of: stream) }

  /// The initialization segment of one of the streams as a fragmented track, made from a packet that is held back; `nil` if none of them
  /// is usable: the first packets of a recording may be damaged.
  func initializationSegment(of stream: Int) throws(RemuxError) -> MuxedBytes? {
    for index in held.indices(of: stream).prefix(Self.mostAttempts) {
      do throws(RemuxError) {
        var packet = try MediaPacket()
        try held.copy(index, into: &packet)
        packet.setTimes(presentation: .zero, decoding: .zero)
        var muxer = try FragmentMuxer(copying: stream, of: input)
        try muxer.write(&packet, next: MediaTime(ticks: 1))
        return try muxer.drain()
      } catch {
        guard case .library(let cause) = error, cause.missingLibrary == nil else { throw error }
      }
    }
    return nil
  }

  private static let mostAttempts = 16

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

  /// Whether another packet has to be read before the first held packet can get its times.
  private var needsFollowing: Bool {
    guard let first = held.times.first else { return true }
    guard !held.isFull, copied.contains(where: { $0.index == first.stream && $0.kind == .video }) else { return false }
    return held.count(of: first.stream) <= Timeline.largestReorderDepth
  }

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
  /// How long it is presented, if that is known.
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

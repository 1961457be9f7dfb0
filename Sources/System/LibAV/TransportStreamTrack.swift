import Basics

/// Where the audio of an input with video goes.
package enum AudioPlacement: Equatable, Sendable {
  /// Into the same segments as the video, if their format allows that.
  case withVideo
  /// Into segments of its own, those of each stream apart.
  case apart
  /// Nowhere.
  case leftOut
}

/// What the timeline origin of a copy is.
package enum TimelineZero: Equatable, Sendable {
  /// The first key frame of the first video, or the first frame of the first audio if there is no video.
  case firstFrame
  /// Timestamp zero, if the container's timelines begin there (MP4, Matroska); in others, the first frame. So audio in a file of its own goes with
  /// the video that it was taken from.
  case timestampZero
}

/// The audio of one stream, in transport stream segments of its own.
///
/// A class, because arrays cannot hold noncopyable values.
final class TransportStreamTrack {
  /// The input's stream.
  let stream: Int
  private var muxer: TransportStreamMuxer
  private var segment: Int?
  /// The last chunk of the segment before the current one, until it is returned.
  private var ended: TransportStreamChunk?
  /// The start of the current segment, until a chunk tells it.
  private var start: SegmentStart?
  private var isFinished = false
  /// When its last packet so far ends.
  private(set) var end = MediaTime.zero

  init(stream: Int, muxer: consuming TransportStreamMuxer) {
    self.stream = stream
    self.muxer = muxer
  }

  /// Whether there is a chunk. Call `next` before another packet is added.
  var isReady: Bool {
    let pending = muxer.pendingByteCount
    return ended != nil || pending >= TransportStreamRemuxer.chunkSize || (isFinished && pending > 0)
  }

  /// Adds a packet, which is empty afterwards. It belongs to the last segment that has started when it is presented.
  ///
  /// - Parameter boundaries: When each segment but the first starts, as far as known.
  func add(_ packet: inout MediaPacket, _ placed: PlacedPacket, _ boundaries: [MediaTime], tally: inout PacketTally) throws(RemuxError) {
    var number = segment ?? 0
    while number < boundaries.count, placed.presentation >= boundaries[number] { number += 1 }
    if segment != number {
      if segment != nil {
        try muxer.endSegment()
        ended = try drain()
      }
      segment = number
      start = SegmentStart(number: number, presentation: placed.presentation, startsWithKeyFrame: true, isClosed: true)
    }
    end = max(end, placed.presentation + placed.duration)
    try tally.count(muxer.writeNext(&packet))
  }

  /// Ends the stream.
  func finish() throws(RemuxError) {
    try muxer.finish()
    isFinished = true
  }

  /// The next chunk.
  func next() throws(RemuxError) -> TransportStreamChunk {
    if let ended = ended.take() { return ended }
    return try drain()
  }

  private func drain() throws(RemuxError) -> TransportStreamChunk {
    let bytes = try muxer.drain()
    return TransportStreamChunk(audioStream: stream, segmentStart: start.take(), bytes: bytes)
  }
}

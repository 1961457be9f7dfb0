package import Basics

/// Copies the video and audio of a file of any container into transport stream segments, without decoding them.
///
/// What is copied and when it is presented is as in `TransportStreamRemuxer`. Each segment starts with the tables (SDT, PAT, PMT), which a
/// key frame follows; audio that is decoded earlier may precede the first. Other packets are in the order of their decoding times. No PES packet
/// is split between segments, and continuity counters continue, so that the segments one after another are one transport stream. Audio may go
/// into streams of its own, which are cut where the main stream is. Memory is bounded whatever the input's length.
///
/// ```swift
/// var segmenter = try TransportStreamSegmenter(MediaInput(path: "show.mp4"), boundaries: .every(MediaTime(seconds: 6)))
/// while let chunk = try segmenter.next() {
///   if let start = chunk.segmentStart { try beginSegment(start) }
///   try sink.write(chunk.bytes.span)
/// }
/// ```
package struct TransportStreamSegmenter: ~Copyable {
  private var program: SegmentedProgram
  private var muxer: TransportStreamMuxer
  private var packet: MediaPacket
  private var tally = PacketTally()
  private var steps: ClockSteps
  private var isFinished = false
  /// The audio that goes into streams of its own.
  private let apart: [TransportStreamTrack]
  /// When each segment but the first starts, as far as known.
  private var boundaries: [MediaTime] = []
  /// The first segment's start, until a chunk tells it.
  private var untold: SegmentStart?
  /// The segment that `packet`, not yet muxed, starts.
  private var waiting: SegmentStart?

  /// Reads the start of the file and prepares the transport stream.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - boundaries: Where segments start.
  ///   - firstPresentation: When the timeline origin is presented, as in `TransportStreamRemuxer`.
  ///   - audio: Where the audio goes. The first stream stays in the main stream if there is no video.
  ///   - zero: What the timeline origin is.
  /// - Throws: `RemuxError` if there is nothing to copy, a codec cannot be carried, or reading fails.
  package init(
    _ input: consuming MediaInput, boundaries: SegmentBoundaries, firstPresentation: MediaTime = MediaInput.usualFirstPresentation,
    audio: AudioPlacement = .withVideo, zero: TimelineZero = .firstFrame
  ) throws(RemuxError) {
    let copied = try TransportStreamRemuxer.carriedStreams(of: input, audio: audio)
    let packet = try MediaPacket()
    let reader = try PacketSource(input, copying: copied, firstPresentation: firstPresentation, zero: zero)
    let main = reader.copied.filter { audio != .apart || $0.kind == .video || $0.index == reader.program.index }
    let muxer = try reader.transportStreamMuxer(main)
    var apart: [TransportStreamTrack] = []
    for stream in reader.copied where !main.contains(stream) {
      apart.append(TransportStreamTrack(stream: stream.index, muxer: try reader.transportStreamMuxer([stream])))
    }
    self.apart = apart
    steps = ClockSteps(reader)
    program = SegmentedProgram(reader, boundaries: boundaries)
    self.packet = packet
    self.muxer = muxer
  }

  /// When the timeline origin is presented in the transport stream.
  package var origin: MediaTime { program.reader.timeline.origin }
  /// When the last video frame so far, or the last audio frame if there is no video, ends: at the end of the file, the end of the last segment.
  package var end: MediaTime { program.end }
  /// When the last packet so far of audio that is apart ends; `end` for other streams.
  package func end(of stream: Int) -> MediaTime { apart.first { $0.stream == stream }?.end ?? end }
  /// How much of the input was copied, from 0 to 1; `nil` if that is not known.
  package var fraction: Double? { program.reader.fraction }
  /// Totals so far; at the end, for the whole file.
  package var summary: RemuxSummary { program.summary(tally) }
  /// How a stream of the input is coded; `nil` if there is no such stream.
  package func codecParameters(of stream: Int) -> CodecParameters? { program.reader.codecParameters(of: stream) }

  /// The initialization segment that a stream would have in fragmented MP4, which contains the codec names for playlists.
  ///
  /// Call it before the first `next()`, and only for codecs that fragmented MP4 carries (`SegmentRemuxer.carriedCodecs`).
  ///
  /// - Returns: `ftyp` and `moov`; `nil` if there is no such stream, or none of its first packets is what its codec says.
  /// - Throws: `RemuxError` if there is no memory, or FFmpeg's libraries are missing.
  package func initializationSegment(of stream: Int) throws(RemuxError) -> MuxedBytes? {
    try program.reader.initializationSegment(of: stream)
  }

  /// The next chunk of a segment, in whole packets of 188 bytes; `nil` at the end of the last.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, its timestamps make no stream, a given time has no key frame, or the input's
  ///   interrupt check asked for the end.
  package mutating func next() throws(RemuxError) -> TransportStreamChunk? {
    while true {
      if program.segmentCount > 0, let track = apart.first(where: { $0.isReady }) { return try track.next() }
      if let first = waiting.take() { untold = try write(starting: first) }
      // A file in which no segment starts has no packet of its program's stream, and so no packet at all.
      while !isFinished, waiting == nil, muxer.pendingByteCount < TransportStreamRemuxer.chunkSize || program.segmentCount == 0,
        program.segmentCount == 0 || !apart.contains(where: { $0.isReady })
      {
        untold = try step() ?? untold
      }
      if program.segmentCount > 0, waiting == nil, let track = apart.first(where: { $0.isReady }) { return try track.next() }
      guard muxer.pendingByteCount == 0 else {
        let bytes = try muxer.drain()
        return TransportStreamChunk(segmentStart: untold.take(), bytes: bytes)
      }
      guard waiting != nil else { return nil }
    }
  }

  /// Muxes one packet of the input, or ends the segment before it, or ends the stream. Returns the first segment's start once it is known.
  private mutating func step() throws(RemuxError) -> SegmentStart? {
    guard let (placed, start) = try program.next(into: &packet) else {
      try muxer.finish()
      for track in apart { try track.finish() }
      isFinished = true
      return nil
    }
    if let start { boundaries += Array(repeating: start.presentation, count: start.number - boundaries.count) }
    if let track = apart.first(where: { $0.stream == placed.stream }) {
      try track.add(&packet, placed, boundaries, tally: &tally)
      return nil
    }
    try steps.check(placed)
    if let start, start.number > 0 {
      try muxer.endSegment()
      waiting = start
      return nil
    }
    return try write(starting: start)
  }

  /// Muxes the packet. If it is damaged, the segment that it would have started does not start with a key frame.
  private mutating func write(starting start: SegmentStart?) throws(RemuxError) -> SegmentStart? {
    let isWritten = try tally.count(muxer.writeNext(&packet))
    var start = start
    if !isWritten { start?.startsWithKeyFrame = false }
    return start
  }
}

/// A chunk of a transport stream segment.
package struct TransportStreamChunk: ~Copyable {
  /// The input's stream, if it is audio in segments of its own; `nil` for the main stream.
  package var audioStream: Int?
  /// The segment that starts with this chunk; `nil` if the chunk continues one.
  package let segmentStart: SegmentStart?
  /// The transport stream packets.
  package let bytes: MuxedBytes
}

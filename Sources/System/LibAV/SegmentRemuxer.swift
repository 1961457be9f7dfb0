package import Basics

/// Copies the video and audio of a file of any container into the segments of fragmented MP4 tracks, without decoding them.
///
/// The first video stream and all audio streams are copied, each as a track of its own. Presentation times are those that
/// `TransportStreamRemuxer` gives the same file. Each track starts a segment with a fragment, an audio track with the first packet that
/// is presented at or after the segment's start. If that has more than 1 MiB, further fragments continue it (the chunks of ISO/IEC 23000-19, 7.3.3),
/// and a fragment's presentation ends before that of the next begins, unless that is not possible within 16 MiB. Video frames before the first key
/// frame are left out. Memory is bounded whatever the input's length and bit rate.
///
/// ```swift
/// var remuxer = try SegmentRemuxer(MediaInput(path: "show.mp4"), boundaries: .every(MediaTime(seconds: 6)))
/// while let output = try remuxer.next() {
///   switch consume output {
///   case .initializationSegment(let stream, let bytes): try writeInitialization(stream, bytes.span)
///   case .fragment(let fragment): try writeSegment(fragment.stream, fragment.times, fragment.bytes.span)
///   }
/// }
/// ```
package struct SegmentRemuxer: ~Copyable {
  private var program: SegmentedProgram
  private var packet: MediaPacket
  private var tally = PacketTally()
  private var isFinished = false
  private let tracks: [SegmentTrack]
  /// When each segment but the first starts, as far as known.
  private var boundaries: [MediaTime] = []
  /// The current segment of each stream.
  private var segments: [Int: Int] = [:]
  /// A part of the output.
  package enum Output: ~Copyable {
    /// A track's initialization segment (`ftyp` and `moov`).
    case initializationSegment(stream: Int, bytes: MuxedBytes)
    /// A track's fragment of a segment. If it continues the previous one, it has the same `times.segment`.
    case fragment(MuxedFragment)
  }

  /// The codecs that HLS in fragmented MP4 carries, by libavcodec's names (HLS Authoring Specification; RFC 8216bis, 3.1.2).
  package static let carriedCodecs: Set<String> = ["h264", "hevc", "av1", "vp9", "aac", "mp3", "ac3", "eac3", "alac", "opus"]

  /// Reads the start of the file and prepares the tracks.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - boundaries: Where segments start.
  ///   - firstPresentation: When the timeline origin is presented, as in `TransportStreamRemuxer`.
  ///   - audio: Whether audio is left out. Otherwise each stream has a track of its own.
  ///   - zero: What the timeline origin is.
  ///   - sizes: When fragments end.
  /// - Throws: `RemuxError` if there is nothing to copy, a codec cannot be carried, or reading fails.
  package init(
    _ input: consuming MediaInput, boundaries: SegmentBoundaries, firstPresentation: MediaTime = MediaInput.usualFirstPresentation,
    audio: AudioPlacement = .apart, zero: TimelineZero = .firstFrame, sizes: FragmentSizes = FragmentSizes()
  ) throws(RemuxError) {
    let copied = try Self.carriedStreams(of: input, audio: audio)
    let packet = try MediaPacket()
    let reader = try PacketSource(input, copying: copied, firstPresentation: firstPresentation, zero: zero)
    tracks = try reader.segmentTracks(sizes)
    program = SegmentedProgram(reader, boundaries: boundaries)
    self.packet = packet
  }

  /// The first video stream and the audio streams of a file; all have codecs that HLS in fragmented MP4 can carry.
  ///
  /// - Parameter audio: Whether the audio of a file with video is left out, which may then have any codec.
  package static func carriedStreams(
    of input: borrowing MediaInput, audio: AudioPlacement = .apart
  ) throws(RemuxError) -> [MediaStream] {
    let streams = input.streams.filter(\.isVideoOrAudio)
    let video = streams.first { $0.kind == .video }
    let copied = streams.filter { ($0.kind == .audio && (audio != .leftOut || video == nil)) || $0.index == video?.index }
    let refused = copied.filter { !carriedCodecs.contains($0.codecName) }
    guard refused.isEmpty else { throw .codecsNotFragmented(refused) }
    return copied
  }

  /// When the timeline origin is presented.
  package var origin: MediaTime { program.reader.timeline.origin }
  /// When the last video frame so far, or the last audio frame if there is no video, ends.
  package var end: MediaTime { program.end }
  /// How much of the input was copied, from 0 to 1; `nil` if that is not known.
  package var fraction: Double? { program.reader.fraction }
  /// The stream that segments are cut by: the first video, otherwise the first audio.
  package var leadingStream: MediaStream { program.program }
  /// Totals so far; at the end, for the whole file.
  package var summary: RemuxSummary { program.summary(tally) }
  /// How a stream of the input is coded; `nil` if there is no such stream.
  package func codecParameters(of stream: Int) -> CodecParameters? { program.reader.codecParameters(of: stream) }

  /// The next output of any track; `nil` after the last.
  ///
  /// The initialization segments of all tracks that have begun precede the first fragment, others precede their track's first. Each track's
  /// fragments are in order, those of different tracks in the order of their completion. A stream without packets has no output.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, its timestamps make no stream, a given time has no key frame, or the input's
  ///   interrupt check asked for the end.
  package mutating func next() throws(RemuxError) -> Output? {
    while true {
      if let complete = tracks.first(where: \.isComplete) {
        if let track = tracks.first(where: \.owesInitializationSegment) {
          return .initializationSegment(stream: track.stream, bytes: try track.initializationSegment())
        }
        if let fragment = try complete.endFragment() { return .fragment(fragment) }
      }
      guard !isFinished else { return nil }
      try step()
    }
  }

  /// Adds one packet to its track, or ends all tracks.
  private mutating func step() throws(RemuxError) {
    guard let (placed, start) = try program.next(into: &packet) else {
      for track in tracks { try track.finish(tally: &tally) }
      isFinished = true
      return
    }
    if let start { boundaries += Array(repeating: start.presentation, count: start.number - boundaries.count) }
    var segment = segments[placed.stream, default: 0]
    if placed.stream == leadingStream.index {
      segment = boundaries.count
    } else {
      while segment < boundaries.count, placed.presentation >= boundaries[segment] { segment += 1 }
    }
    segments[placed.stream] = segment
    let track = tracks.first { $0.stream == placed.stream }
    try track?.add(&packet, placed, segment: segment, tally: &tally)
  }
}

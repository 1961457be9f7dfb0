public import Basics

/// Copies the picture and sound of a file of any container into the segments of fragmented MP4 tracks, without decoding them.
///
/// The first video stream and all audio streams are copied, each as a track of its own. Presentation times are those that
/// `TransportStreamRemuxer` gives the same file. A track's part of a segment starts with a fragment; that of sound with the first packet that
/// is presented at or after the segment's start. Where it has more than 1 MiB, further fragments continue it (the chunks of ISO/IEC 23000-19, 7.3.3),
/// and a fragment's presentation ends before that of the next begins, unless no such place comes within 16 MiB. Pictures before the first key
/// frame are left out. Memory is bounded whatever the input's length and bit rate.
///
/// ```swift
/// var remuxer = try SegmentRemuxer(MediaInput(path: "show.mp4"), cuts: .every(MediaTime(seconds: 6)))
/// while let piece = try remuxer.next() {
///   switch consume piece {
///   case .initialisation(let stream, let bytes): try writeInitialisation(stream, bytes.span)
///   case .fragment(let fragment): try writeSegment(fragment.stream, fragment.times, fragment.bytes.span)
///   }
/// }
/// ```
public struct SegmentRemuxer: ~Copyable {
  private var program: SegmentedProgram
  private var packet: MediaPacket
  private var tally = PacketTally()
  private var isFinished = false
  private let tracks: [SegmentTrack]
  /// When each segment but the first starts, as far as is known.
  private var cuts: [MediaTime] = []
  /// The segment that each stream has come to.
  private var segments: [Int: Int] = [:]

  /// What is made of a file.
  public enum Piece: ~Copyable {
    /// A track's initialisation segment (`ftyp` and `moov`).
    case initialisation(stream: Int, bytes: MuxedBytes)
    /// A track's part of a segment, or a continuation of it, which has the same `times.segment` as the one before.
    case fragment(Fragment)
  }

  /// The codecs that HLS in fragmented MP4 carries, by libavcodec's names (HLS Authoring Specification; RFC 8216bis, 3.1.2).
  public static let carriedCodecs: Set<String> = ["h264", "hevc", "av1", "vp9", "aac", "mp3", "ac3", "eac3", "alac", "opus"]

  /// Looks at the start of the file and prepares the tracks.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - cuts: Where segments start.
  ///   - firstPresentation: When the program's zero is presented, as in `TransportStreamRemuxer`.
  /// - Throws: `RemuxError` where there is nothing to copy, a codec cannot be carried, or reading fails.
  public init(
    _ input: consuming MediaInput, cuts: SegmentCuts, firstPresentation: MediaTime = MediaTime(ticks: 900_000)
  ) throws(RemuxError) {
    try self.init(input, cuts: cuts, firstPresentation: firstPresentation, sizes: FragmentSizes())
  }

  init(_ input: consuming MediaInput, cuts: SegmentCuts, firstPresentation: MediaTime, sizes: FragmentSizes) throws(RemuxError) {
    let streams = input.streams.filter(\.isPictureOrSound)
    let video = streams.first { $0.kind == .video }
    let copied = streams.filter { $0.kind == .audio || $0.index == video?.index }
    let refused = copied.filter { !Self.carriedCodecs.contains($0.codecName) }
    guard refused.isEmpty else { throw .codecsNotFragmented(refused) }
    let packet = try remuxing { () throws(AVError) in try MediaPacket() }
    var tracks: [SegmentTrack] = []
    for stream in copied {
      tracks.append(try remuxing { () throws(AVError) in try SegmentTrack(stream: stream.index, of: input, sizes: sizes) })
    }
    let reader = try ProgramReader(input, copying: copied, firstPresentation: firstPresentation)
    program = SegmentedProgram(reader, cuts: cuts)
    self.packet = packet
    self.tracks = tracks
  }

  /// When the program's zero is presented.
  public var zero: MediaTime { program.zero }
  /// When the last picture so far, or the last sound where there is no video, ends.
  public var end: MediaTime { program.end }
  /// The stream that segments are cut by: the first video, otherwise the first audio.
  public var cuttingStream: MediaStream { program.program }
  /// What was done so far; at the end, the whole.
  public var summary: RemuxSummary { program.summary(tally) }
  /// How a stream of the input is coded; `nil` where there is no such stream.
  public func codecParameters(of stream: Int) -> CodecParameters? { program.codecParameters(of: stream) }

  /// The next piece of any track; `nil` after the last.
  ///
  /// The initialisation segments of all tracks that have begun come before the first fragment, others before their track's first. Each track's
  /// fragments come in order, those of different tracks as they are complete. A stream without packets gives nothing.
  ///
  /// - Throws: `RemuxError` where the file cannot be read on, its timestamps make no stream, a given time has no key frame, or the input's
  ///   interrupt check asked for the end.
  public mutating func next() throws(RemuxError) -> Piece? {
    while true {
      if let complete = tracks.first(where: \.isComplete) {
        if let track = tracks.first(where: \.hasInitialisationToTake) {
          return .initialisation(stream: track.stream, bytes: try track.takeInitialisation())
        }
        if let fragment = try complete.takeFragment() { return .fragment(fragment) }
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
    if let start, start.number > 0 { cuts.append(start.presentation) }
    var segment = segments[placed.stream, default: 0]
    if placed.stream == cuttingStream.index {
      segment = cuts.count
    } else {
      while segment < cuts.count, placed.presentation >= cuts[segment] { segment += 1 }
    }
    segments[placed.stream] = segment
    let track = tracks.first { $0.stream == placed.stream }
    try track?.add(&packet, placed, segment: segment, tally: &tally)
  }
}

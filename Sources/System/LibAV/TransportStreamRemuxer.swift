package import Basics

/// Copies the video and audio of a file of any container into a transport stream, without decoding them.
///
/// All video and audio streams are copied; subtitles, data, attachments and cover pictures are left out. Presentation times keep their
/// distances: all streams are shifted by one constant. Memory is bounded whatever the input's length.
///
/// ```swift
/// var remuxer = try TransportStreamRemuxer(MediaInput(path: "show.mp4"))
/// while let bytes = try remuxer.next() { try sink.write(bytes.span) }
/// ```
package struct TransportStreamRemuxer: ~Copyable {
  private var program: PacketSource
  private var muxer: TransportStreamMuxer
  private var packet: MediaPacket
  private var tally = PacketTally()
  private var steps: ClockSteps
  private var isFinished = false

  /// The codecs that have a stream type in MPEG-TS, by libavcodec's names.
  package static let carriedCodecs: Set<String> = [
    "h264", "hevc", "mpeg1video", "mpeg2video", "mpeg4",
    "aac", "aac_latm", "mp2", "mp3", "ac3", "eac3", "dts", "truehd", "opus",
  ]

  /// Output is returned once there are this many bytes.
  static let chunkSize = 188 * 512

  /// Reads the start of the file and prepares the transport stream. Nothing is written before all checks have passed.
  ///
  /// - Parameters:
  ///   - input: The file, not yet read from.
  ///   - firstPresentation: When the timeline origin is presented: the first key frame of the first video, or the first frame of
  ///     the first audio if there is no video. It is later if another stream starts so much earlier that its clock would be negative.
  /// - Throws: `RemuxError` if there is nothing to copy, a codec cannot be carried, or reading fails.
  package init(_ input: consuming MediaInput, firstPresentation: MediaTime = MediaInput.usualFirstPresentation) throws(RemuxError) {
    let copied = try Self.carriedStreams(of: input)
    let packet = try MediaPacket()
    let program = try PacketSource(input, copying: copied, firstPresentation: firstPresentation)
    muxer = try program.transportStreamMuxer()
    steps = ClockSteps(program)
    self.packet = packet
    self.program = program
  }

  /// How much of the input was copied, from 0 to 1; `nil` if that is not known.
  package var fraction: Double? { program.fraction }

  /// The next chunk of the transport stream, in whole packets of 188 bytes; `nil` at its end.
  ///
  /// - Throws: `RemuxError` if the file cannot be read on, its timestamps make no stream, or the input's interrupt check asked for the end.
  package mutating func next() throws(RemuxError) -> MuxedBytes? {
    while !isFinished, muxer.pendingByteCount < Self.chunkSize { try step() }
    guard muxer.pendingByteCount > 0 else { return nil }
    return try muxer.drain()
  }

  /// Totals so far; at the end, for the whole file.
  package var summary: RemuxSummary { program.summary(tally) }

  /// The video and audio streams of a file, of which there is at least one; all have codecs that MPEG-TS can carry.
  package static func carriedStreams(of input: borrowing MediaInput) throws(RemuxError) -> [MediaStream] {
    let copied = input.streams.filter(\.isVideoOrAudio)
    let refused = copied.filter { !carriedCodecs.contains($0.codecName) }
    guard refused.isEmpty else { throw .codecsNotCarried(refused) }
    guard !copied.isEmpty else { throw .noVideoOrAudio }
    return copied
  }

  /// The streams that go into segments. Audio that is left out may have any codec.
  package static func carriedStreams(of input: borrowing MediaInput, audio: AudioPlacement) throws(RemuxError) -> [MediaStream] {
    let video = input.streams.filter { $0.isVideoOrAudio && $0.kind == .video }
    guard audio == .leftOut, !video.isEmpty else { return try carriedStreams(of: input) }
    let refused = video.filter { !carriedCodecs.contains($0.codecName) }
    guard refused.isEmpty else { throw .codecsNotCarried(refused) }
    return video
  }

  /// Muxes one packet of the input, or ends the stream.
  private mutating func step() throws(RemuxError) {
    guard let placed = try program.next(into: &packet) else {
      try muxer.finish()
      isFinished = true
      return
    }
    try steps.check(placed)
    try tally.count(muxer.write(&packet))
  }
}

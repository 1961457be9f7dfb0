internal import Basics
internal import CLibAV

/// libavformat's MPEG-TS muxer, writing into memory.
///
/// Conversions that the transport stream needs (H.264 and HEVC to Annex B, AAC to ADTS, MPEG-4 headers into the key frames) are done
/// here. The same packets always give the same bytes.
struct TransportStreamMuxer: ~Copyable {
  private var muxer: Muxer
  /// The index in the output of each stream of the input that is copied.
  private let outputIndices: [Int: Int32]

  /// How long before its decoding time a packet enters the stream: the distance from the program's clock (PCR) to the DTS.
  static let lead = MediaTime(ticks: 63_000)
  /// The size of the output's buffer in bytes: a chunk of `TransportStreamRemuxer`, and a large video frame.
  private static let outputBufferSize = 512 << 10

  /// Starts a stream of one program.
  ///
  /// - Parameters:
  ///   - streams: The indices of the input's streams to copy, in the order in which the program map lists them. The first video
  ///     stream, otherwise the first stream, carries the program's clock.
  ///   - input: The file that says how the streams are coded.
  /// - Throws: `RemuxError` if there is no such stream, or the muxer does not take one.
  init(copying streams: [Int], of input: borrowing MediaInput) throws(RemuxError) {
    let operation = "making MPEG-TS from \(input.path)"
    var muxer = try Muxer("mpegts", bufferSize: Self.outputBufferSize, operation, input.libav)
    var outputIndices: [Int: Int32] = [:]
    for index in streams {
      guard let source = unsafe input.stream(index) else { throw .invalidArgument(operation) }
      let stream = try unsafe muxer.addStream(like: source)
      outputIndices[index] = unsafe stream.index
      if unsafe source.parameters.codecName(input.libav) == "mpeg4" {
        // MPEG-4 Part 2 keeps its headers beside the stream in other containers; here each key frame needs them in front.
        try unsafe muxer.addFilter("dump_extra=freq=keyframe", to: stream, like: source)
      }
    }
    // Unsafe: the muxer's context and its dictionary live as long as the muxer.
    // With copied timestamps the PCR runs `max_delay` microseconds ahead of the DTS, and the timestamps stay as they are.
    try muxer.set("max_delay", "700000", operation)
    for (name, value) in [("service_name", "Programme"), ("service_provider", "Cuelight")] {
      try check(unsafe muxer.libav.av_dict_set(&muxer.context.metadata, name, value, 0), operation)
    }
    try muxer.writeHeader(options: [("mpegts_copyts", "1")])
    self.muxer = muxer
    self.outputIndices = outputIndices
  }

  /// How many bytes `drain` would return.
  var pendingByteCount: Int { muxer.pendingByteCount }

  /// Muxes a packet of the input, which is empty afterwards. The packet may be held back until it is its turn among the streams.
  ///
  /// Its times must be set (`MediaPacket.setTimes`): decoding times grow within a stream and are at least `lead`; no packet is presented
  /// before it is decoded. Times keep growing when the 33 bits of the stream wrap.
  ///
  /// - Throws: `RemuxError` if the times are otherwise, the packet's bytes are not what its codec says, or its stream is not copied.
  mutating func write(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    try prepare(&packet)
    try check(unsafe muxer.libav.av_interleaved_write_frame(muxer.context.pointer, packet.pointer), Self.muxing(stream))
  }

  /// Muxes a packet as `write` does, but at once: the caller provides the packets in the order of their decoding times across the streams.
  ///
  /// - Throws: `RemuxError` as `write` does.
  mutating func writeNext(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    try prepare(&packet)
    try check(unsafe muxer.libav.av_write_frame(muxer.context.pointer, packet.pointer), Self.muxing(stream))
    packet.clear()
  }

  /// Ends a segment: audio that waits for its PES packet to fill is muxed, and the tables (SDT, PAT, PMT) are repeated before the next packet.
  ///
  /// Packets must have been written through `writeNext`. Continuity counters continue.
  ///
  /// - Throws: `RemuxError` if muxing fails.
  mutating func endSegment() throws(RemuxError) {
    try check(unsafe muxer.libav.av_write_frame(muxer.context.pointer, nil), "ending a segment")
    try muxer.set("mpegts_flags", "+resend_headers", "ending a segment")
  }

  /// The operation, for errors.
  private static func muxing(_ stream: Int) -> String { "muxing a packet of stream \(stream)" }

  private func prepare(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    guard let outputIndex = outputIndices[stream] else { throw .invalidArgument(Self.muxing(stream)) }
    try muxer.prepare(&packet, for: outputIndex, Self.muxing(stream))
  }

  /// Muxes all packets that are held back. Nothing may be written afterwards.
  ///
  /// - Throws: `RemuxError` if muxing fails.
  mutating func finish() throws(RemuxError) { try check(unsafe muxer.libav.av_write_trailer(muxer.context.pointer), "ending the MPEG-TS") }

  /// Removes and returns the transport stream packets of 188 bytes that were muxed since the last call, possibly none.
  ///
  /// - Throws: `RemuxError` if there is no memory.
  mutating func drain() throws(RemuxError) -> MuxedBytes { try muxer.drain() }
}

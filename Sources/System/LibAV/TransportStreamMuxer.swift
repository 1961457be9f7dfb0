package import Basics
internal import CLibAV

/// libavformat's MPEG-TS muxer, writing into memory.
///
/// Conversions that the transport stream needs (H.264 and HEVC to Annex B, AAC to ADTS, MPEG-4 headers into the key frames) are done
/// here. The same packets always give the same bytes.
@safe
package struct TransportStreamMuxer: ~Copyable {
  // Unsafe: allocated in `init`, freed in `deinit`, and lent to C only for the length of a call.
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let libav: LibAVFunctions
  private let output: MemoryOutput
  // Unsafe: as the context; by index of the output's stream.
  private let headerFilters: [Int: UnsafeMutablePointer<AVBSFContext>]
  /// The index in the output of each stream of the input that is copied.
  private let outputIndices: [Int: Int]

  /// How long before its decoding time a packet enters the stream: the distance from the program's clock (PCR) to the DTS.
  package static let lead = MediaTime(ticks: 63_000)
  /// The size of the output's buffer in bytes: a chunk of `TransportStreamRemuxer`, and a large video frame.
  private static let outputBufferSize = 512 << 10

  /// Starts a stream of one program.
  ///
  /// - Parameters:
  ///   - streams: The indices of the input's streams to copy, in the order in which the program map lists them. The first video
  ///     stream, otherwise the first stream, carries the program's clock.
  ///   - input: The file that says how the streams are coded.
  /// - Throws: `RemuxError` if there is no such stream, or the muxer does not take one.
  package init(copying streams: [Int], of input: borrowing MediaInput) throws(RemuxError) {
    let libav = input.libav
    let operation = "making MPEG-TS from \(input.path)"
    let output = try MemoryOutput(bufferSize: Self.outputBufferSize, libav)
    let context = try unsafe makeMuxer("mpegts", into: output, operation, libav)
    var filters: [Int: UnsafeMutablePointer<AVBSFContext>] = unsafe [:]
    var outputIndices: [Int: Int] = [:]
    do throws(RemuxError) {
      for index in streams {
        guard let source = unsafe input.stream(index) else {
          throw .invalidArgument(operation)
        }
        let outputIndex = outputIndices.count
        outputIndices[index] = outputIndex
        _ = try unsafe addStream(like: source, to: context, operation, libav)
        if unsafe source.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MPEG4 {
          // MPEG-4 Part 2 keeps its headers beside the stream in other containers; here each key frame needs them in front.
          unsafe filters[outputIndex] = try unsafe makeFilter("dump_extra=freq=keyframe", for: source, operation, libav)
        }
      }
      // With copied timestamps the PCR runs `max_delay` microseconds ahead of the DTS, and the timestamps stay as they are.
      unsafe context.pointee.max_delay = 700_000
      for (name, value) in [("service_name", "Programme"), ("service_provider", "Cuelight")] {
        try check(unsafe libav.av_dict_set(&context.pointee.metadata, name, value, 0), operation)
      }
      try unsafe writeHeader(context, options: [("mpegts_copyts", "1")], operation, libav)
    } catch {
      unsafe Self.free(context, filters, libav)
      throw error
    }
    unsafe self.context = context
    self.libav = libav
    self.output = output
    unsafe headerFilters = unsafe filters
    self.outputIndices = outputIndices
  }

  deinit { unsafe Self.free(context, headerFilters, libav) }

  /// How many bytes `drain` would return.
  package var pendingByteCount: Int { output.count }

  /// Muxes a packet of the input, which is empty afterwards. The packet may be held back until it is its turn among the streams.
  ///
  /// Its times must be set (`MediaPacket.setTimes`): decoding times grow within a stream and are at least `lead`; no packet is presented
  /// before it is decoded. Times keep growing when the 33 bits of the stream wrap.
  ///
  /// - Throws: `RemuxError` if the times are otherwise, the packet's bytes are not what its codec says, or its stream is not copied.
  package mutating func write(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    try prepare(&packet)
    try check(unsafe libav.av_interleaved_write_frame(context, packet.pointer), Self.muxing(stream))
  }

  /// Muxes a packet as `write` does, but at once: the caller provides the packets in the order of their decoding times across the streams.
  ///
  /// - Throws: `RemuxError` as `write` does.
  package mutating func writeNext(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    try prepare(&packet)
    try check(unsafe libav.av_write_frame(context, packet.pointer), Self.muxing(stream))
    packet.clear()
  }

  /// Ends a segment: audio that waits for its PES packet to fill is muxed, and the tables (SDT, PAT, PMT) are repeated before the next packet.
  ///
  /// Packets must have been written through `writeNext`. Continuity counters continue.
  ///
  /// - Throws: `RemuxError` if muxing fails.
  package mutating func endSegment() throws(RemuxError) {
    try check(unsafe libav.av_write_frame(context, nil), "ending a segment")
    try check(unsafe libav.av_opt_set(context.pointee.priv_data, "mpegts_flags", "+resend_headers", 0), "ending a segment")
  }

  /// The operation, for errors.
  private static func muxing(_ stream: Int) -> String { "muxing a packet of stream \(stream)" }

  /// Converts a packet to the form and the stream index of the output.
  private func prepare(_ packet: inout MediaPacket) throws(RemuxError) {
    let stream = packet.streamIndex
    guard let outputIndex = outputIndices[stream] else {
      throw .invalidArgument(Self.muxing(stream))
    }
    if let filter = unsafe headerFilters[outputIndex] {
      try check(unsafe libav.av_bsf_send_packet(filter, packet.pointer), Self.muxing(stream))
      // This filter returns one packet for each that it receives.
      try check(unsafe libav.av_bsf_receive_packet(filter, packet.pointer), Self.muxing(stream))
    }
    unsafe packet.pointer.pointee.stream_index = Int32(outputIndex)
    // The position in the input's file means nothing in the output.
    unsafe packet.pointer.pointee.pos = -1
  }

  /// Muxes all packets that are held back. Nothing may be written afterwards.
  ///
  /// - Throws: `RemuxError` if muxing fails.
  package mutating func finish() throws(RemuxError) {
    try check(unsafe libav.av_write_trailer(context), "ending the MPEG-TS")
  }

  /// Removes and returns the transport stream packets of 188 bytes that were muxed since the last call, possibly none.
  ///
  /// - Throws: `RemuxError` if there is no memory.
  package mutating func drain() throws(RemuxError) -> MuxedBytes {
    let bytes = try output.drain()
    unsafe context.pointee.pb = output.pointer
    return bytes
  }
}

// Making and freeing the muxer.
extension TransportStreamMuxer {
  private static func free(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ filters: [Int: UnsafeMutablePointer<AVBSFContext>], _ libav: LibAVFunctions
  ) {
    // Unsafe: the caller made them and gives them up.
    unsafe filters.values.forEach { made in
      var filter: UnsafeMutablePointer<AVBSFContext>? = unsafe made
      unsafe libav.av_bsf_free(&filter)
    }
    unsafe libav.avformat_free_context(context)
  }
}

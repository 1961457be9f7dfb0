internal import CLibAV
public import MediaTime

/// libavformat's MPEG-TS muxer, writing into memory.
///
/// Conversions that the transport stream needs (H.264 and HEVC to Annex B, AAC to ADTS, MPEG-4 headers into the key frames) are done
/// here. The same packets always give the same bytes.
@safe
public struct TransportStreamMuxer: ~Copyable {
  // Unsafe: allocated in `init`, freed in `deinit`, and never handed out but for the length of a call.
  private let context: UnsafeMutablePointer<AVFormatContext>
  // Unsafe: as the context; by index of the output's stream.
  private let headerFilters: [Int: UnsafeMutablePointer<AVBSFContext>]
  /// The index in the output of each stream of the input that is copied.
  private let outputIndices: [Int: Int]

  /// How long before its decoding time a packet enters the stream: the distance from the program's clock (PCR) to the DTS.
  public static let lead = MediaTime(ticks: 63_000)

  /// Starts a stream of one program.
  ///
  /// - Parameters:
  ///   - streams: The indices of the input's streams to copy, in the order in which the program map lists them. The first video
  ///     stream, otherwise the first stream, carries the program's clock.
  ///   - input: The file that says how the streams are coded.
  /// - Throws: `AVError` where there is no such stream, or the muxer does not take one.
  public init(copying streams: [Int], of input: borrowing MediaInput) throws(AVError) {
    quietLibrary
    let operation = "making MPEG-TS from \(input.path)"
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try check(unsafe avformat_alloc_output_context2(&allocated, nil, "mpegts", nil), operation)
    guard let context = unsafe allocated else { throw .outOfMemory(operation) }
    var filters: [Int: UnsafeMutablePointer<AVBSFContext>] = unsafe [:]
    var outputIndices: [Int: Int] = [:]
    do throws(AVError) {
      for index in streams {
        guard let source = unsafe input.stream(index) else {
          throw AVError(code: cuelight_error_of_errno(EINVAL), operation: operation)
        }
        let outputIndex = outputIndices.count
        outputIndices[index] = outputIndex
        try unsafe Self.addStream(like: source, to: context, operation)
        if unsafe source.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MPEG4 {
          unsafe filters[outputIndex] = try unsafe Self.headerFilter(source, operation)
        }
      }
      try unsafe Self.start(context, operation)
    } catch {
      unsafe Self.free(context, filters)
      throw error
    }
    unsafe self.context = context
    unsafe headerFilters = unsafe filters
    self.outputIndices = outputIndices
  }

  deinit { unsafe Self.free(context, headerFilters) }

  /// How many bytes `takeOutput` would give.
  public var pendingByteCount: Int { Int(unsafe max(avio_tell(context.pointee.pb), 0)) }

  /// Muxes a packet of the input, which is empty afterwards. The packet may be held back until it is its turn among the streams.
  ///
  /// Its times must be set (`MediaPacket.setTimes`): decoding times grow within a stream and are at least `lead`; no packet is presented
  /// before it is decoded. Times go on growing where the 33 bits of the stream wrap.
  ///
  /// - Throws: `AVError` where the times are otherwise, the packet's bytes are not what its codec says, or its stream is not copied.
  public mutating func write(_ packet: inout MediaPacket) throws(AVError) {
    let operation = "muxing a packet of stream \(packet.streamIndex)"
    guard let outputIndex = outputIndices[packet.streamIndex] else {
      throw AVError(code: cuelight_error_of_errno(EINVAL), operation: operation)
    }
    if let filter = unsafe headerFilters[outputIndex] {
      try check(unsafe av_bsf_send_packet(filter, packet.pointer), operation)
      // This filter gives one packet for each that it takes.
      try check(unsafe av_bsf_receive_packet(filter, packet.pointer), operation)
    }
    unsafe packet.pointer.pointee.stream_index = Int32(outputIndex)
    // The place in the input's file means nothing in the output.
    unsafe packet.pointer.pointee.pos = -1
    try check(unsafe av_interleaved_write_frame(context, packet.pointer), operation)
  }

  /// Muxes what is held back. Nothing may be written afterwards.
  ///
  /// - Throws: `AVError` where muxing fails.
  public mutating func finish() throws(AVError) {
    try check(unsafe av_write_trailer(context), "ending the MPEG-TS")
  }

  /// Takes what was muxed since the last time: whole transport stream packets of 188 bytes, possibly none.
  ///
  /// - Throws: `AVError` where there is no memory.
  public mutating func takeOutput() throws(AVError) -> MuxedBytes {
    let output = unsafe MuxedBytes(closing: context.pointee.pb)
    unsafe context.pointee.pb = nil
    try check(unsafe avio_open_dyn_buf(&context.pointee.pb), "muxing")
    return output
  }
}

// Making and freeing the muxer.
extension TransportStreamMuxer {
  private static func addStream(
    like source: UnsafeMutablePointer<AVStream>, to context: UnsafeMutablePointer<AVFormatContext>, _ operation: String
  ) throws(AVError) {
    guard let stream = unsafe avformat_new_stream(context, nil) else { throw .outOfMemory(operation) }
    try check(unsafe avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar), operation)
    // The tag is the input container's name for the codec.
    unsafe stream.pointee.codecpar.pointee.codec_tag = 0
    unsafe stream.pointee.time_base = .ticks
    // The muxer derives the distance of the PCRs from the frame rate.
    unsafe stream.pointee.avg_frame_rate = unsafe source.pointee.avg_frame_rate
    unsafe stream.pointee.disposition = unsafe source.pointee.disposition
    if let language = unsafe av_dict_get(source.pointee.metadata, "language", nil, 0) {
      try check(unsafe av_dict_set(&stream.pointee.metadata, "language", language.pointee.value, 0), operation)
    }
  }

  /// MPEG-4 Part 2 keeps its headers beside the stream in other containers; in a transport stream each key frame needs them in front.
  private static func headerFilter(
    _ source: UnsafeMutablePointer<AVStream>, _ operation: String
  ) throws(AVError) -> UnsafeMutablePointer<AVBSFContext> {
    var filter: UnsafeMutablePointer<AVBSFContext>?
    try check(unsafe av_bsf_list_parse_str("dump_extra=freq=keyframe", &filter), operation)
    guard let made = unsafe filter else { throw .outOfMemory(operation) }
    do throws(AVError) {
      try check(unsafe avcodec_parameters_copy(made.pointee.par_in, source.pointee.codecpar), operation)
      unsafe made.pointee.time_base_in = .ticks
      try check(unsafe av_bsf_init(made), operation)
    } catch {
      unsafe av_bsf_free(&filter)
      throw error
    }
    return unsafe made
  }

  private static func start(_ context: UnsafeMutablePointer<AVFormatContext>, _ operation: String) throws(AVError) {
    // With copied timestamps the PCR runs `max_delay` microseconds ahead of the DTS, and the timestamps stay as they are.
    unsafe context.pointee.max_delay = 700_000
    unsafe context.pointee.avoid_negative_ts = 0
    // Otherwise packets that cannot be converted get lost without an error.
    unsafe context.pointee.error_recognition |= AV_EF_EXPLODE
    unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT
    var options: OpaquePointer?
    defer { unsafe av_dict_free(&options) }
    try check(unsafe av_dict_set(&options, "mpegts_copyts", "1", 0), operation)
    try check(unsafe av_dict_set(&context.pointee.metadata, "service_name", "Programme", 0), operation)
    try check(unsafe av_dict_set(&context.pointee.metadata, "service_provider", "Cuelight", 0), operation)
    try check(unsafe avio_open_dyn_buf(&context.pointee.pb), operation)
    try check(unsafe avformat_write_header(context, &options), operation)
  }

  private static func free(_ context: UnsafeMutablePointer<AVFormatContext>, _ filters: [Int: UnsafeMutablePointer<AVBSFContext>]) {
    unsafe filters.values.forEach { made in
      var filter: UnsafeMutablePointer<AVBSFContext>? = unsafe made
      unsafe av_bsf_free(&filter)
    }
    // What nobody took is freed with its buffer.
    _ = unsafe MuxedBytes(closing: context.pointee.pb)
    unsafe avformat_free_context(context)
  }
}

/// The owner of bytes that the muxer wrote.
@safe
public struct MuxedBytes: ~Copyable {
  // Unsafe: given by libavformat, with its size; freed in `deinit`.
  private let start: UnsafeMutablePointer<UInt8>?
  /// How many bytes there are.
  public let count: Int

  /// Takes the bytes of a memory output, which is closed.
  fileprivate init(closing output: UnsafeMutablePointer<AVIOContext>?) {
    var start: UnsafeMutablePointer<UInt8>?
    let size = unsafe output == nil ? 0 : avio_close_dyn_buf(output, &start)
    unsafe self.start = unsafe start
    self.count = unsafe start == nil ? 0 : Int(max(size, 0))
  }

  deinit { unsafe av_free(start) }

  /// The bytes.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // Unsafe: the buffer holds `count` bytes for as long as `self` lives, which the span's lifetime depends on.
      let span = unsafe UnsafeBufferPointer(start: start, count: count).span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

// Unsafe: throughout, pointers are the muxer's own, or belong to an open input of the caller's; C keeps none of them beyond the muxer's life.

internal import CLibAV

/// The owner of one of libavformat's muxers, which writes into memory, and of the filters for its packets.
@safe
struct Muxer: ~Copyable {
  // Unsafe: allocated in `init`, freed in `deinit`, and lent to C only for the length of a call.
  let context: LibAVContext
  let libav: LibAVFunctions
  private let output: MemoryOutput
  // Unsafe: as the context; by index of the muxer's stream.
  private var filters: [Int32: UnsafeMutablePointer<AVBSFContext>] = unsafe [:]
  /// What the muxer is made for, in errors.
  private let operation: String

  /// Makes the muxer of a format, without streams.
  ///
  /// - Parameter bufferSize: How many bytes are usually drained at once, at most.
  init(_ format: String, bufferSize: Int, _ operation: String, _ libav: LibAVFunctions) throws(RemuxError) {
    let output = try MemoryOutput(bufferSize: bufferSize, libav)
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try check(unsafe libav.avformat_alloc_output_context2(&allocated, nil, format, nil), operation)
    guard let context = unsafe allocated.map({ unsafe LibAVContext($0, libav) }) else { throw .outOfMemory(operation) }
    unsafe context.bytes = output.pointer
    unsafe self.context = context
    (self.output, self.libav, self.operation) = (output, libav, operation)
  }

  /// Sets an option of the muxer, or one that all muxers have, by libavformat's names.
  func set(_ option: String, _ value: String, _ operation: String) throws(RemuxError) {
    try check(unsafe libav.av_opt_set(context.pointer, option, value, AV_OPT_SEARCH_CHILDREN), operation)
  }

  deinit {
    unsafe filters.values.forEach { made in
      var filter: UnsafeMutablePointer<AVBSFContext>? = unsafe made
      unsafe libav.av_bsf_free(&filter)
    }
    unsafe libav.avformat_free_context(context.pointer)
  }

  /// Adds a stream with the coding of `source`, which belongs to an open input, and times in 90 kHz ticks.
  func addStream(like source: LibAVStream) throws(RemuxError) -> LibAVStream {
    guard let added = unsafe libav.avformat_new_stream(context.pointer, nil) else { throw .outOfMemory(operation) }
    let stream = unsafe LibAVStream(added, libav)
    try check(unsafe libav.avcodec_parameters_copy(stream.parameters.pointer, source.parameters.pointer), operation)
    // The tag is the input container's name for the codec.
    unsafe stream.parameters.tag = 0
    unsafe stream.timeBase = .ticks
    // The MPEG-TS muxer derives the distance of the PCRs from the frame rate.
    unsafe stream.averageFrameRate = unsafe source.averageFrameRate
    unsafe stream.disposition = unsafe source.disposition
    if let language = unsafe libav.av_dict_get(source.metadata, "language", nil, 0) {
      try check(unsafe libav.av_dict_set(&stream.metadata, "language", language.pointee.value, 0), operation)
    }
    return unsafe stream
  }

  /// Passes the packets of a stream that was made like `source` through libavcodec's bitstream filter of this description, for example
  /// `aac_adtstoasc`, which returns one packet for each that it receives.
  mutating func addFilter(
    _ description: String, to stream: LibAVStream, like source: LibAVStream
  ) throws(RemuxError) {
    var made: UnsafeMutablePointer<AVBSFContext>?
    try check(unsafe libav.av_bsf_list_parse_str(description, &made), operation)
    guard let filter = unsafe made else { throw .outOfMemory(operation) }
    unsafe filters[stream.index] = unsafe filter
    try check(unsafe libav.avcodec_parameters_copy(filter.pointee.par_in, source.parameters.pointer), operation)
    unsafe filter.pointee.time_base_in = .ticks
    try check(unsafe libav.av_bsf_init(filter), operation)
  }

  /// What all muxers do here: times stay as they are, muxed bytes stay in the output's buffer until they are drained, packets that cannot
  /// be converted are not lost without an error, and the same packets give the same bytes.
  private static let options = [
    ("avoid_negative_ts", "disabled"), ("flush_packets", "0"), ("err_detect", "+explode"), ("fflags", "+bitexact"),
  ]

  /// Writes the header, once all streams are there.
  func writeHeader(options: [(name: String, value: String)]) throws(RemuxError) {
    for (name, value) in Self.options + options { try set(name, value, operation) }
    try check(unsafe libav.avformat_write_header(context.pointer, nil), operation)
  }

  /// Converts a packet of the input to the form and the index of one of the muxer's streams.
  func prepare(_ packet: inout MediaPacket, for stream: Int32, _ operation: @autoclosure () -> String) throws(RemuxError) {
    if let filter = unsafe filters[stream] {
      try check(unsafe libav.av_bsf_send_packet(filter, packet.pointer), operation())
      let code = unsafe libav.av_bsf_receive_packet(filter, packet.pointer)
      // A damaged ADTS header may state a format that the filter does not know.
      try check(code == cuelight_error_not_implemented ? cuelight_error_invalid_data : code, operation())
    }
    unsafe packet.pointer.pointee.stream_index = stream
    // The position in the input's file means nothing in the output.
    unsafe packet.pointer.pointee.pos = -1
  }

  /// How many bytes `drain` would return.
  var pendingByteCount: Int { output.count }

  /// Removes and returns the bytes that were muxed since the last call, possibly none.
  func drain() throws(RemuxError) -> MuxedBytes {
    let bytes = try output.drain()
    unsafe context.bytes = output.pointer
    return bytes
  }
}

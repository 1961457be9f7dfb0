// What the muxers have in common. Unsafe: the pointers belong to open contexts of the callers'.

internal import CLibAV

/// Makes libavformat's muxer with this name, which writes into `output`. The caller frees it.
func makeMuxer(
  _ format: String, into output: MemoryOutput, _ operation: String, _ libav: LibAVFunctions
) throws(RemuxError) -> UnsafeMutablePointer<AVFormatContext> {
  var allocated: UnsafeMutablePointer<AVFormatContext>?
  try check(unsafe libav.avformat_alloc_output_context2(&allocated, nil, format, nil), operation)
  guard let context = unsafe allocated else { throw .outOfMemory(operation) }
  unsafe context.pointee.pb = output.pointer
  unsafe context.pointee.avoid_negative_ts = 0
  // Muxed bytes stay in the output's buffer until they are drained.
  unsafe context.pointee.flush_packets = 0
  // Otherwise packets that cannot be converted are lost without an error.
  unsafe context.pointee.error_recognition |= AV_EF_EXPLODE
  unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT
  return unsafe context
}

/// Writes the header of a muxer whose streams are set.
func writeHeader(
  _ context: UnsafeMutablePointer<AVFormatContext>, options: [(name: String, value: String)], _ operation: String, _ libav: LibAVFunctions
) throws(RemuxError) {
  var dictionary: OpaquePointer?
  defer { unsafe libav.av_dict_free(&dictionary) }
  for (name, value) in options { try check(unsafe libav.av_dict_set(&dictionary, name, value, 0), operation) }
  try check(unsafe libav.avformat_write_header(context, &dictionary), operation)
}

/// Adds a stream to a muxer, with the coding of `source` and times in 90 kHz ticks.
func addStream(
  like source: UnsafeMutablePointer<AVStream>, to context: UnsafeMutablePointer<AVFormatContext>, _ operation: String,
  _ libav: LibAVFunctions
) throws(RemuxError) -> UnsafeMutablePointer<AVStream> {
  guard let stream = unsafe libav.avformat_new_stream(context, nil) else { throw .outOfMemory(operation) }
  try check(unsafe libav.avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar), operation)
  // The tag is the input container's name for the codec.
  unsafe stream.pointee.codecpar.pointee.codec_tag = 0
  unsafe stream.pointee.time_base = .ticks
  // The MPEG-TS muxer derives the distance of the PCRs from the frame rate.
  unsafe stream.pointee.avg_frame_rate = unsafe source.pointee.avg_frame_rate
  unsafe stream.pointee.disposition = unsafe source.pointee.disposition
  if let language = unsafe libav.av_dict_get(source.pointee.metadata, "language", nil, 0) {
    try check(unsafe libav.av_dict_set(&stream.pointee.metadata, "language", language.pointee.value, 0), operation)
  }
  return unsafe stream
}

/// Makes libavcodec's bitstream filter for a description such as `aac_adtstoasc` and the packets of `source`, in 90 kHz ticks.
///
/// The caller frees it.
func makeFilter(
  _ description: String, for source: UnsafeMutablePointer<AVStream>, _ operation: String, _ libav: LibAVFunctions
) throws(RemuxError) -> UnsafeMutablePointer<AVBSFContext> {
  var filter: UnsafeMutablePointer<AVBSFContext>?
  try check(unsafe libav.av_bsf_list_parse_str(description, &filter), operation)
  guard let made = unsafe filter else { throw .outOfMemory(operation) }
  do throws(RemuxError) {
    try check(unsafe libav.avcodec_parameters_copy(made.pointee.par_in, source.pointee.codecpar), operation)
    unsafe made.pointee.time_base_in = .ticks
    try check(unsafe libav.av_bsf_init(made), operation)
  } catch {
    unsafe libav.av_bsf_free(&filter)
    throw error
  }
  return unsafe made
}

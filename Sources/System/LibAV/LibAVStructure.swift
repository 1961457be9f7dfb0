// Unsafe: throughout, pointers come from libav, and the places of fields from the table of the version that is open; each accessor has the
// type that the headers declare.

internal import CLibAV

/// A structure of libav's whose fields lie at other places in other versions of the libraries. They are read and written here only: the
/// declarations of the headers are those of one version.
@unsafe struct LibAVStructure<Structure> {
  /// The structure, to be lent to libav.
  let pointer: UnsafeMutablePointer<Structure>
  private let layout: UnsafePointer<cuelight_layout>

  init(_ pointer: UnsafeMutablePointer<Structure>, _ libav: LibAVFunctions) {
    unsafe (self.pointer, layout) = unsafe (pointer, libav.layout)
  }

  private init(_ pointer: UnsafeMutablePointer<Structure>, _ layout: UnsafePointer<cuelight_layout>) {
    unsafe (self.pointer, self.layout) = unsafe (pointer, layout)
  }

  /// A field.
  private subscript<Value>(_ place: UInt16) -> Value {
    get { unsafe UnsafeRawPointer(pointer).load(fromByteOffset: Int(place), as: Value.self) }
    nonmutating set { unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: newValue, toByteOffset: Int(place), as: Value.self) }
  }

  /// An array whose start and number of elements are fields.
  private func array<Element>(_ start: UInt16, count: UInt16) -> UnsafeBufferPointer<Element> {
    let (first, number): (UnsafeMutablePointer<Element>?, Int32) = unsafe (self[start], self[count])
    return unsafe UnsafeBufferPointer(start: first, count: first == nil ? 0 : Int(max(number, 0)))
  }
}

/// A file that is read or written.
typealias LibAVContext = LibAVStructure<AVFormatContext>
/// A stream of a file.
typealias LibAVStream = LibAVStructure<AVStream>
/// How a stream is coded.
typealias LibAVParameters = LibAVStructure<AVCodecParameters>

extension LibAVContext {
  /// The container of a file that is read.
  var input: UnsafePointer<AVInputFormat>? { unsafe self[layout.pointee.AVFormatContext_iformat] }
  /// Where the file's bytes come from or go.
  var bytes: UnsafeMutablePointer<AVIOContext>? {
    get { unsafe self[layout.pointee.AVFormatContext_pb] }
    nonmutating set { unsafe self[layout.pointee.AVFormatContext_pb] = unsafe newValue }
  }
  /// When the first frame is presented, in microseconds; no timestamp if that is not known.
  var start: Int64 { unsafe self[layout.pointee.AVFormatContext_start_time] }
  /// The duration in microseconds; 0 or no timestamp if it is not known.
  var duration: Int64 { unsafe self[layout.pointee.AVFormatContext_duration] }
  /// What the duration was found by.
  var durationMethod: AVDurationEstimationMethod { unsafe self[layout.pointee.AVFormatContext_duration_estimation_method] }
  /// The tags of the file.
  var metadata: OpaquePointer? {
    get { unsafe self[layout.pointee.AVFormatContext_metadata] }
    nonmutating set { unsafe self[layout.pointee.AVFormatContext_metadata] = unsafe newValue }
  }
  /// What is asked whether to go on.
  var interruption: AVIOInterruptCB {
    get { unsafe self[layout.pointee.AVFormatContext_interrupt_callback] }
    nonmutating set { unsafe self[layout.pointee.AVFormatContext_interrupt_callback] = unsafe newValue }
  }
  /// The streams.
  var streams: UnsafeBufferPointer<UnsafeMutablePointer<AVStream>?> {
    unsafe array(layout.pointee.AVFormatContext_streams, count: layout.pointee.AVFormatContext_nb_streams)
  }
  /// The stream of an index; `nil` if there is none.
  func stream(_ index: Int) -> LibAVStream? {
    let streams = unsafe self.streams
    guard streams.indices.contains(index), let stream = unsafe streams[index] else { return nil }
    return unsafe LibAVStream(stream, layout)
  }
  /// The programs.
  var programs: [UnsafeMutablePointer<AVProgram>] {
    let programs: UnsafeBufferPointer<UnsafeMutablePointer<AVProgram>?> = unsafe array(
      layout.pointee.AVFormatContext_programs, count: layout.pointee.AVFormatContext_nb_programs)
    return unsafe programs.compactMap { unsafe $0 }
  }
}

extension LibAVStream {
  /// The index in its file.
  var index: Int32 { unsafe self[layout.pointee.AVStream_index] }
  /// The unit of its times, in seconds.
  var timeBase: AVRational {
    get { unsafe self[layout.pointee.AVStream_time_base] }
    nonmutating set { unsafe self[layout.pointee.AVStream_time_base] = newValue }
  }
  /// Flags: what it is to the programme.
  var disposition: Int32 {
    get { unsafe self[layout.pointee.AVStream_disposition] }
    nonmutating set { unsafe self[layout.pointee.AVStream_disposition] = newValue }
  }
  /// Which packets are not read.
  var discard: AVDiscard {
    get { unsafe self[layout.pointee.AVStream_discard] }
    nonmutating set { unsafe self[layout.pointee.AVStream_discard] = newValue }
  }
  /// Its tags.
  var metadata: OpaquePointer? {
    get { unsafe self[layout.pointee.AVStream_metadata] }
    nonmutating set { unsafe self[layout.pointee.AVStream_metadata] = unsafe newValue }
  }
  /// The average number of video frames in a second.
  var averageFrameRate: AVRational {
    get { unsafe self[layout.pointee.AVStream_avg_frame_rate] }
    nonmutating set { unsafe self[layout.pointee.AVStream_avg_frame_rate] = newValue }
  }
  /// The lowest rate at which all times can be exact.
  var baseFrameRate: AVRational { unsafe self[layout.pointee.AVStream_r_frame_rate] }
  /// How it is coded.
  var parameters: LibAVParameters {
    // Each stream has parameters for as long as it lives.
    let parameters: UnsafeMutablePointer<AVCodecParameters> = unsafe self[layout.pointee.AVStream_codecpar]
    return unsafe LibAVParameters(parameters, layout)
  }

  /// The nine values of the display matrix; `nil` if the picture is shown as it is.
  var displayMatrix: [Int32]? {
    let matrix = unsafe sideData.first { data in unsafe data.type == AV_PKT_DATA_DISPLAYMATRIX && data.size >= 9 * MemoryLayout<Int32>.size
    }
    guard let values = unsafe matrix?.data else { return nil }
    return (0..<9).map { unsafe UnsafeRawPointer(values).loadUnaligned(fromByteOffset: $0 * MemoryLayout<Int32>.size, as: Int32.self) }
  }

  /// What the container says of the stream as a whole. It moved in FFmpeg 6.1.
  private var sideData: UnsafeBufferPointer<AVPacketSideData> {
    if let coded = unsafe parameters.sideData { return unsafe coded }
    return unsafe array(layout.pointee.AVStream_side_data, count: layout.pointee.AVStream_nb_side_data)
  }
}

extension LibAVParameters {
  /// What the stream carries.
  var kind: AVMediaType { unsafe self[layout.pointee.AVCodecParameters_codec_type] }
  /// The codec.
  private var codec: AVCodecID { unsafe self[layout.pointee.AVCodecParameters_codec_id] }
  /// The container's name of the codec, the first character in the lowest byte.
  var tag: UInt32 {
    get { unsafe self[layout.pointee.AVCodecParameters_codec_tag] }
    nonmutating set { unsafe self[layout.pointee.AVCodecParameters_codec_tag] = newValue }
  }
  /// The picture's width in pixels.
  var width: Int32 { unsafe self[layout.pointee.AVCodecParameters_width] }
  /// The picture's height in pixels.
  var height: Int32 { unsafe self[layout.pointee.AVCodecParameters_height] }
  /// Whether the video is interlaced.
  var fieldOrder: AVFieldOrder { unsafe self[layout.pointee.AVCodecParameters_field_order] }
  /// The transfer characteristics, a code point of ISO/IEC 23091-2.
  var transferCharacteristics: UInt32 { unsafe self[layout.pointee.AVCodecParameters_color_trc] }
  /// How many video frames the decoder holds back.
  var reorderDepth: Int32 { unsafe self[layout.pointee.AVCodecParameters_video_delay] }
  /// Samples per second.
  var sampleRate: Int32 { unsafe self[layout.pointee.AVCodecParameters_sample_rate] }
  /// libavcodec's name of the codec. Names are the same in all versions, which numbers need not be.
  func codecName(_ libav: LibAVFunctions) -> String {
    // The name is a constant of the library's.
    unsafe libav.avcodec_get_name(codec).map { unsafe String(cString: $0) } ?? "none"
  }
  /// How many channels of sound there are. The field moved in FFmpeg 5.1.
  var channelCount: Int32 {
    let layoutPlace = unsafe layout.pointee.AVCodecParameters_ch_layout
    // The number stands after the order of the channels.
    return unsafe layoutPlace > 0 ? self[layoutPlace + 4] : self[layout.pointee.AVCodecParameters_channels]
  }
  /// What the decoder needs before the first packet.
  var extradata: [UInt8] {
    unsafe Array(array(layout.pointee.AVCodecParameters_extradata, count: layout.pointee.AVCodecParameters_extradata_size))
  }
  /// What the container says of the stream as a whole; `nil` if this version has that elsewhere.
  fileprivate var sideData: UnsafeBufferPointer<AVPacketSideData>? {
    guard unsafe layout.pointee.AVCodecParameters_coded_side_data > 0 else { return nil }
    return unsafe array(layout.pointee.AVCodecParameters_coded_side_data, count: layout.pointee.AVCodecParameters_nb_coded_side_data)
  }
}

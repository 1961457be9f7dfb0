internal import Basics
internal import CLibAV

/// libavformat's MP4 muxer, writing one track as fragments into memory (ISO/IEC 14496-12, 8.8; ISO/IEC 23000-19).
///
/// Conversions that MP4 needs (H.264 and HEVC from Annex B to length prefixes, ADTS to raw AAC) are done here; parameter sets in
/// the packets stay there. Sample entries are `avc1` and `hvc1`. There is no edit list: `tfdt` is the decoding time as given, and composition
/// offsets are not negative. The same packets always give the same bytes.
@safe
struct FragmentMuxer: ~Copyable {
  private var muxer: Muxer
  // Unsafe: the muxer's only stream, which lives as long as it.
  private let stream: LibAVStream
  private let inputIndex: Int
  private var lastDecoding: Int64?
  /// The size of the output's buffer in bytes. Fragments of audio usually fit it; those of video are gathered from several fillings.
  private static let outputBufferSize = 128 << 10

  /// The lowest sample rate of MP3 in ISO/IEC 13818-3.
  private static let lowestStandardMP3Rate: Int32 = 16_000

  /// Prepares a track.
  ///
  /// - Parameters:
  ///   - index: The index of the input's stream to copy.
  ///   - input: The file that says how the stream is coded.
  /// - Throws: `RemuxError` if there is no such stream, its picture size is not known, or the muxer does not take it.
  init(copying index: Int, of input: borrowing MediaInput) throws(RemuxError) {
    let operation = "making fragments of stream \(index) of \(input.path)"
    guard let source = unsafe input.stream(index) else { throw .invalidArgument(operation) }
    let parameters = unsafe source.parameters
    let codec = unsafe parameters.codecName(input.libav)
    guard unsafe parameters.kind != AVMEDIA_TYPE_VIDEO || (parameters.width > 0 && parameters.height > 0) else {
      throw RemuxError(code: cuelight_error_invalid_data, "finding the picture size of stream \(index) of \(input.path)")
    }
    var muxer = try Muxer("mp4", bufferSize: Self.outputBufferSize, operation, input.libav)
    let stream = try unsafe muxer.addStream(like: source)
    // MP4 with MP3 of these sample rates (MPEG-2.5) is not in the standard: libavformat writes it only at this level of compliance.
    if codec == "mp3", unsafe parameters.sampleRate < Self.lowestStandardMP3Rate { try muxer.set("strict", "unofficial", operation) }
    switch codec {
    // Players of HLS want the parameter sets in the sample entry, which this name signals.
    case "hevc": unsafe stream.parameters.tag = Self.hvc1
    case "aac": try unsafe muxer.addFilter("aac_adtstoasc", to: stream, like: source)
    default: break
    }
    try muxer.writeHeader(options: Self.options)
    self.muxer = muxer
    unsafe self.stream = unsafe stream
    inputIndex = index
  }

  /// Adds a packet of the input to the fragment; it is empty afterwards.
  ///
  /// Its times must be set (`MediaPacket.setTimes`): decoding times are not negative and grow, and no packet is presented before it is decoded.
  ///
  /// - Parameters:
  ///   - packet: The packet.
  ///   - next: When the next packet of the track is decoded, so that the fragment ends where the next one starts.
  /// - Throws: `RemuxError` if the times are otherwise or centuries away, the packet's bytes are not what its codec says, or it is another
  ///   stream's.
  mutating func write(_ packet: inout MediaPacket, next: MediaTime) throws(RemuxError) {
    let operation = "adding a packet of stream \(packet.streamIndex) to a fragment"
    let given = packet.times
    guard given.stream == inputIndex, let decoded = given.decoding, let presented = given.presentation,
      decoded >= .zero, presented >= decoded, max(presented, next) <= Timeline.latest
    else { throw .invalidArgument(operation) }
    try muxer.prepare(&packet, for: 0, operation)
    let timeBase = unsafe stream.timeBase
    packet.rescaleTimes(from: .ticks, to: timeBase)
    let pointer = unsafe packet.pointer
    // Two times of the 90 kHz clock may become one time of a coarser clock.
    let decoding = unsafe max(pointer.pointee.dts, lastDecoding.map { $0 + 1 } ?? .min)
    unsafe pointer.pointee.dts = decoding
    unsafe pointer.pointee.pts = unsafe max(pointer.pointee.pts, decoding)
    unsafe pointer.pointee.duration = max(muxer.libav.av_rescale_q(next.ticks, .ticks, timeBase) - decoding, 1)
    try check(unsafe muxer.libav.av_write_frame(muxer.context.pointer, packet.pointer), operation)
    lastDecoding = decoding
    packet.clear()
  }

  /// Returns the packets since the last call as `moof` and `mdat`; nothing if there are none. The first call, after the first packet, returns the
  /// initialization segment instead: `ftyp` and `moov`.
  ///
  /// - Throws: `RemuxError` if muxing fails, or if the packets before the first call lack information that the sample entry needs.
  mutating func drain() throws(RemuxError) -> MuxedBytes {
    try check(unsafe muxer.libav.av_write_frame(muxer.context.pointer, nil), "ending a fragment of stream \(inputIndex)")
    return try muxer.drain()
  }

  /// The sample entry's name as libavformat keeps it: the first character in the lowest byte.
  private static let hvc1 = "hvc1".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }

  /// `delay_moov` waits until the packets have described the codec. `frag_discont` without an edit list makes `tfdt` the DTS itself.
  /// The muxer's own CMAF mode is not used: its `tfdt` is the first PTS, which readers then show late.
  private static let options = [
    ("movflags", "frag_custom+delay_moov+default_base_moof+frag_discont+skip_sidx"), ("use_editlist", "0"), ("brand", "cmfc"),
  ]
}

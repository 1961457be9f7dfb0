package import Basics

/// A clock timestamp in an SEI message of video, which contains the SMPTE timecode of a picture (ISO/IEC 14496-10, D.2.3; ISO/IEC 23008-2, D.3.27).
package struct ClockTimestamp: Equatable, Sendable {
  /// The frame within the second.
  package var frames: Int
  /// The parts of the time; `nil` if the message leaves them out, because they are those of the timestamp before.
  package var seconds: Int?
  package var minutes: Int?
  package var hours: Int?
  /// Whether frame numbers are skipped so that the timecode keeps up with the clock.
  package var isDrop: Bool

  /// A timestamp with these parts.
  package init(frames: Int, seconds: Int?, minutes: Int?, hours: Int?, isDrop: Bool) {
    (self.frames, self.seconds, self.minutes, self.hours, self.isDrop) = (frames, seconds, minutes, hours, isDrop)
  }

  /// counting_type of timecodes that skip the frames 0 and 1 at the start of most minutes (table D-2).
  private static let dropFrameCounting = 4
  /// The number of timestamps by pic_struct (ISO/IEC 14496-10, table D-1).
  private static let countsByStructure = [1, 1, 1, 2, 2, 3, 3, 2, 3]

  /// The timestamp with the parts that it leaves out, which are those of the timestamp before it in decoding order; `nil` if a part is not known.
  package func completed(from previous: ClockTimestamp?) -> ClockTimestamp? {
    var whole = self
    whole.seconds = seconds ?? previous?.seconds
    whole.minutes = minutes ?? previous?.minutes
    whole.hours = hours ?? previous?.hours
    return whole.seconds == nil || whole.minutes == nil || whole.hours == nil ? nil : whole
  }

  // MARK: Reading

  /// Reads the timestamps of a picture timing SEI message of H.264 (ISO/IEC 14496-10, D.1.3).
  ///
  /// - Parameter timing: What the sequence parameter set says about these messages.
  /// - Throws: `ParseError` if the message is cut off, or has values that are not allowed.
  package static func timestamps(
    inPictureTiming payload: Span<UInt8>, _ timing: PictureTiming
  ) throws(ParseError) -> [ClockTimestamp] {
    var bits = BitReader(payload, baseOffset: 0)
    try bits.skip(timing.delaySize)
    let structure = Int(try bits.readUInt8(4))
    guard structure < countsByStructure.count else { throw bits.error("pic_struct \(structure) is not allowed") }
    var found: [ClockTimestamp] = []
    for _ in 0..<countsByStructure[structure] where try bits.readFlag() {
      try bits.skip(2 + 1)  // ct_type, nuit_field_based_flag
      found.append(try ClockTimestamp(&bits, frameSize: 8))
      try bits.skip(timing.offsetSize)
    }
    return found
  }

  /// Reads the timestamps of a time code SEI message of HEVC (ISO/IEC 23008-2, D.2.27).
  ///
  /// - Throws: `ParseError` if the message is cut off, or has values that are not allowed.
  package static func timestamps(inTimeCode payload: Span<UInt8>) throws(ParseError) -> [ClockTimestamp] {
    var bits = BitReader(payload, baseOffset: 0)
    var found: [ClockTimestamp] = []
    for _ in 0..<Int(try bits.readUInt8(2)) where try bits.readFlag() {
      try bits.skip(1)  // units_field_based_flag
      found.append(try ClockTimestamp(&bits, frameSize: 9))
      try bits.skip(Int(try bits.readUInt8(5)))  // time_offset_value
    }
    return found
  }

  /// Reads the fields from counting_type to the hours, which are the same in both codecs.
  private init(_ bits: inout BitReader, frameSize: Int) throws(ParseError) {
    let counting = Int(try bits.readUInt8(5))
    let isFull = try bits.readFlag()
    try bits.skip(1)  // discontinuity_flag
    // Many encoders set cnt_dropped_flag in every picture of a drop-frame timecode, whatever counting_type is.
    let isDropped = try bits.readFlag()
    isDrop = isDropped || counting == Self.dropFrameCounting
    frames = Int(try bits.read(frameSize))
    (seconds, minutes, hours) = (nil, nil, nil)
    if !isFull { guard try bits.readFlag() else { return } }
    seconds = try Self.read(6, below: 60, &bits)
    if !isFull { guard try bits.readFlag() else { return } }
    minutes = try Self.read(6, below: 60, &bits)
    if !isFull { guard try bits.readFlag() else { return } }
    hours = try Self.read(5, below: 24, &bits)
  }

  private static func read(_ size: Int, below limit: Int, _ bits: inout BitReader) throws(ParseError) -> Int {
    let value = Int(try bits.readUInt8(size))
    guard value < limit else { throw bits.error("\(value) is not allowed in a timecode") }
    return value
  }
}

/// What a sequence parameter set of H.264 says about picture timing SEI messages with timecodes.
package struct PictureTiming: Equatable, Sendable {
  /// The bits before pic_struct: those of cpb_removal_delay and dpb_output_delay.
  package var delaySize: Int
  /// The bits of time_offset.
  package var offsetSize: Int

  /// The sizes of these fields in bits.
  package init(delaySize: Int, offsetSize: Int) { (self.delaySize, self.offsetSize) = (delaySize, offsetSize) }

  /// The bits of time_offset in a stream without parameters of a hypothetical reference decoder (ISO/IEC 14496-10, E.2.2).
  private static let usualOffsetSize = 24

  /// Reads the video usability information of H.264 after the colour description (ISO/IEC 14496-10, E.1.1); `nil` if messages have no pic_struct.
  init?(_ bits: inout BitReader) throws(ParseError) {
    if try bits.readFlag() { for _ in 0..<2 { _ = try bits.readExponentialGolomb() } }  // chroma_loc_info_present_flag
    if try bits.readFlag() { try bits.skip(32 + 32 + 1) }  // timing_info_present_flag
    self.init(delaySize: 0, offsetSize: Self.usualOffsetSize)
    var hasDecoder = false
    // Of a NAL stream, and of a VCL stream.
    for _ in 0..<2 where try bits.readFlag() {
      try readDecoder(&bits)
      hasDecoder = true
    }
    if hasDecoder { try bits.skip(1) }  // low_delay_hrd_flag
    guard try bits.readFlag() else { return nil }
  }

  /// Reads hrd_parameters (ISO/IEC 14496-10, E.1.2).
  private mutating func readDecoder(_ bits: inout BitReader) throws(ParseError) {
    let buffers = try bits.readExponentialGolomb(atMost: 31) + 1
    try bits.skip(4 + 4)
    for _ in 0..<buffers {
      for _ in 0..<2 { _ = try bits.readExponentialGolomb() }
      try bits.skip(1)
    }
    try bits.skip(5)
    delaySize = Int(try bits.readUInt8(5)) + 1
    delaySize += Int(try bits.readUInt8(5)) + 1
    offsetSize = Int(try bits.readUInt8(5))
  }
}

import Basics
package import NALUnits

/// How the samples of a track are coded (ISO/IEC 14496-12, 8.5.2).
package struct SampleEntry: Equatable, Sendable {
  /// The coding, for example `avc1`.
  package var type: BoxType
  /// The coding in the form of RFC 6381, for CODECS in playlists, for example `avc1.64001F`; `nil` if it is not known here.
  package var codec: String?
  /// How the samples contain the NAL units of H.264 or HEVC; `nil` for any other coding.
  package var nalUnits: NALUnitLayout?
  /// The size of the video frames; `nil` if it is not video.
  package var pictureSize: PictureSize?
  /// The transfer characteristic of the video (ISO/IEC 23091-2): 16 for PQ, 18 for HLG; `nil` if it is not stated.
  package var transfer: UInt8?
  /// Samples per second; `nil` if it is not audio.
  package var sampleRate: Int?
  /// The number of channels; `nil` if it is not audio.
  package var channelCount: Int?

  /// Codecs in the form of RFC 6381 that are the same for every stream.
  package enum FixedCodec {
    /// MP3, as Apple writes it.
    package static let mp3 = "mp4a.40.34"
    /// AC-3.
    package static let ac3 = "ac-3"
    /// Enhanced AC-3.
    package static let ec3 = "ec-3"
  }
}

extension SampleEntry {
  /// Reads the sample entry that `box` is, in a track with this handler.
  init(_ box: borrowing Box, handler: BoxType) throws(ParseError) {
    self.init(type: box.type, codec: nil)
    switch handler {
    case .vide: try readVideo(box)
    case .soun: try readAudio(box)
    default: break
    }
  }

  private mutating func readVideo(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    try reader.skip(24)
    pictureSize = PictureSize(width: Int(try reader.readUInt16()), height: Int(try reader.readUInt16()))
    var boxes = try box.children(after: 78)
    while let child = try boxes.next() {
      switch (type, child.type) {
      case (.avc1, BoxType("avcC")), (.avc3, BoxType("avcC")):
        codec = try H264Profile(configuration: child.fields).codec(type)
        nalUnits = NALUnitLayout(.h264, configuration: child.payload)
        transfer = transfer ?? VideoParameters.transfer(.h264, configuration: child.payload)
      case (.hvc1, BoxType("hvcC")), (.hev1, BoxType("hvcC")):
        nalUnits = NALUnitLayout(.hevc, configuration: child.payload)
        transfer = transfer ?? VideoParameters.transfer(.hevc, configuration: child.payload)
        codec = try HEVCProfile(configuration: child.payload, baseOffset: child.payloadOffset).codec(type)
      case (_, BoxType("colr")): transfer = Self.transfer(inColour: child.payload) ?? transfer
      case (BoxType("vp09"), BoxType("vpcC")): codec = try VideoConfigurations.vp9(child.fields)
      case (BoxType("av01"), BoxType("av1C")): codec = try VideoConfigurations.av1(child.fields)
      default: break
      }
    }
  }

  /// The transfer characteristic in a colour information box of the type `nclx` (ISO/IEC 14496-12, 12.1.5).
  private static func transfer(inColour bytes: Span<UInt8>) -> UInt8? {
    var reader = ByteReader(bytes)
    guard (try? reader.readUInt32()) == BoxType("nclx").rawValue, (try? reader.readUInt16()) != nil,
      let transfer = try? reader.readUInt16()
    else { return nil }
    return UInt8(exactly: transfer)
  }

  private mutating func readAudio(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    try reader.skip(8)
    // Versions 1 and 2 of QuickTime's audio sample entry are longer.
    let version = try reader.readUInt16()
    let more = version == 1 ? 16 : version == 2 ? 36 : 0
    try reader.skip(6)
    channelCount = Int(try reader.readUInt16())
    try reader.skip(6)
    sampleRate = Int(try reader.readUInt16())
    if Self.namesThemselves.contains(type) { codec = "\(type)" }
    try readAudioBoxes(try box.children(after: 28 + more))
  }

  /// Codings whose type alone is the codec in the form of RFC 6381.
  private static let namesThemselves = [.ac3, .ec3, .opus, BoxType("fLaC"), BoxType("alac")]

  private mutating func readAudioBoxes(_ children: consuming BoxReader) throws(ParseError) {
    var boxes = children
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("esds"): try readDescriptor(child)
      case BoxType("wave"): try readAudioBoxes(try child.children())
      case BoxType("dac3"), BoxType("dec3"):
        var bits = BitReader(child.payload, baseOffset: child.payloadOffset)
        try bits.skip(child.type == BoxType("dac3") ? 10 : 16 + 12)
        channelCount = try Self.readDolbyChannels(&bits)
      default: break
      }
    }
  }

  private mutating func readDescriptor(_ box: borrowing Box) throws(ParseError) {
    let descriptor = try ElementaryStreamDescriptor(box.fields)
    guard descriptor.objectType == ElementaryStreamDescriptor.mpeg4Audio else {
      codec = "\(type).\(descriptor.objectType.digits(2, radix: 16))"
      return
    }
    // A muxer that writes the movie before it has received any audio cannot state more.
    guard !descriptor.specificInfo.isEmpty else { return }
    let audio = try AACConfiguration(audioSpecificConfig: descriptor.specificInfo.view, baseOffset: descriptor.specificInfoOffset)
    codec = "\(type).40.\(audio.objectType)"
    sampleRate = audio.sampleRate
    channelCount = audio.channelCount ?? channelCount
  }

  /// The number of channels by acmod and lfeon (ETSI TS 102 366, Annex F). The channel count of AC-3's sample entry itself is a constant.
  private static func readDolbyChannels(_ bits: inout BitReader) throws(ParseError) -> Int {
    let mode = Int(try bits.read(3))
    return [2, 1, 2, 3, 3, 4, 4, 5][mode] + (try bits.readFlag() ? 1 : 0)
  }
}

import Basics
package import NALUnits

/// The stream_type of an elementary stream in a PMT (ISO/IEC 13818-1, table 2-34, and third-party registrations).
public struct StreamType: RawRepresentable, Hashable, Sendable {
  /// The value of the stream_type field.
  public let rawValue: UInt8

  /// The type with this value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// MPEG-1 video.
  public static let mpeg1Video = StreamType(rawValue: 0x01)
  /// MPEG-2 video.
  public static let mpeg2Video = StreamType(rawValue: 0x02)
  /// MPEG-1 audio.
  public static let mpeg1Audio = StreamType(rawValue: 0x03)
  /// MPEG-2 audio.
  public static let mpeg2Audio = StreamType(rawValue: 0x04)
  /// Private data in PES packets: AC-3, DTS, subtitles and other streams. Descriptors say which.
  public static let privateData = StreamType(rawValue: 0x06)
  /// AAC in ADTS.
  public static let aac = StreamType(rawValue: 0x0F)
  /// MPEG-4 part 2 video.
  public static let mpeg4Video = StreamType(rawValue: 0x10)
  /// AAC in LATM.
  public static let aacLATM = StreamType(rawValue: 0x11)
  /// Metadata in PES packets; timed ID3 is carried so.
  public static let metadata = StreamType(rawValue: 0x15)
  /// H.264 video.
  public static let h264 = StreamType(rawValue: 0x1B)
  /// HEVC video.
  public static let hevc = StreamType(rawValue: 0x24)
  /// VVC video.
  public static let vvc = StreamType(rawValue: 0x33)
  /// AAC without a transport syntax of its own.
  public static let aacRaw = StreamType(rawValue: 0x1C)
  /// MPEG-H 3D audio, the main stream.
  public static let mpegH = StreamType(rawValue: 0x2D)
  /// JPEG 2000 video.
  public static let jpeg2000 = StreamType(rawValue: 0x21)
  /// EVC video.
  public static let evc = StreamType(rawValue: 0x35)
  /// AVS2 video.
  public static let avs2 = StreamType(rawValue: 0xD2)
  /// AVS3 video.
  public static let avs3 = StreamType(rawValue: 0xD4)
  /// VC-1 video.
  public static let vc1 = StreamType(rawValue: 0xEA)
  /// DTS-HD.
  public static let dtsHD = StreamType(rawValue: 0x85)
  /// AC-3 (ATSC).
  public static let ac3 = StreamType(rawValue: 0x81)
  /// DTS.
  public static let dts = StreamType(rawValue: 0x82)
  /// TrueHD.
  public static let trueHD = StreamType(rawValue: 0x83)
  /// E-AC-3 (ATSC).
  public static let eac3 = StreamType(rawValue: 0x87)

  /// Sections of SCTE 35, which announce splices. In programs of Blu-ray it is DTS-HD audio.
  package static let splices = StreamType(rawValue: 0x86)

  /// Whether it is video.
  public var isVideo: Bool {
    [.mpeg1Video, .mpeg2Video, .mpeg4Video, .h264, .hevc, .vvc, .evc, .jpeg2000, .avs2, .avs3, .vc1].contains(self)
  }

  /// Whether it is audio. Audio in private data is recognised by its descriptors: see ``ProgramMapTable/ElementaryStream/isAudio``.
  public var isAudio: Bool {
    [.mpeg1Audio, .mpeg2Audio, .aac, .aacLATM, .aacRaw, .mpegH, .ac3, .dts, .dtsHD, .trueHD, .eac3].contains(self)
  }

  /// The codec, if access units of the type consist of NAL units that can carry our SEI messages.
  package var nalUnitCodec: NALUnitCodec? { self == .h264 ? .h264 : self == .hevc ? .hevc : nil }

  /// What the type is called.
  public var name: String {
    switch self {
    case .mpeg1Video: "MPEG-1 video"
    case .mpeg2Video: "MPEG-2 video"
    case .mpeg1Audio, .mpeg2Audio: "MPEG audio"
    case .privateData: "private data"
    case .aac, .aacLATM, .aacRaw: "AAC audio"
    case .mpegH: "MPEG-H audio"
    case .mpeg4Video: "MPEG-4 video"
    case .metadata: "metadata"
    case .h264: "H.264 video"
    case .hevc: "HEVC video"
    case .vvc: "VVC video"
    case .evc: "EVC video"
    case .jpeg2000: "JPEG 2000 video"
    case .avs2, .avs3: "AVS video"
    case .vc1: "VC-1 video"
    case .ac3: "AC-3 audio"
    case .dts, .dtsHD: "DTS audio"
    case .trueHD: "TrueHD audio"
    case .eac3: "E-AC-3 audio"
    default: "type 0x\(rawValue.digits(2, radix: 16))"
    }
  }
}

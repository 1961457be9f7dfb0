public import Basics
internal import CLibAV

/// What a media file says about one of its streams.
public struct MediaStream: Hashable, Sendable {
  /// What a stream carries.
  public enum Kind: Hashable, Sendable {
    /// Video frames.
    case video
    /// Audio.
    case audio
    /// Text or video frames shown over the video.
    case subtitle
    /// Anything else that has times, such as timecode or metadata.
    case data
    /// A file that was put into the container, such as a font.
    case attachment
    /// Unknown to libavformat.
    case unknown
  }

  /// The stream's index in its file, from 0.
  public var index: Int
  /// What the stream carries.
  public var kind: Kind
  /// libavcodec's name of the codec, for example `h264`.
  public var codecName: String
  /// Whether the stream is a single picture that belongs to the file as a whole, such as an album's cover.
  public var isAttachedPicture: Bool = false
  /// The language as the container states it, usually three letters of ISO 639-2.
  public var language: String?
  /// The average time from one video frame to the next, rounded to a tick; `nil` for other streams and if it is not known.
  public var frameDuration: MediaTime?
  /// The video frame's width in pixels; `nil` for other streams.
  public var width: Int?
  /// The video frame's height in pixels; `nil` for other streams.
  public var height: Int?
  /// Samples per second; `nil` for other streams than audio.
  public var sampleRate: Int?
  /// How many video frames the decoder holds back to show them in order: 0 if decoding and presentation order are the same.
  public var reorderDepth: Int = 0

  /// A stream with nothing but the mandatory values.
  public init(index: Int, kind: Kind, codecName: String) { (self.index, self.kind, self.codecName) = (index, kind, codecName) }

  /// Whether the stream belongs to a program: video or audio, but not a single picture that belongs to the file.
  package var isVideoOrAudio: Bool { (kind == .video || kind == .audio) && !isAttachedPicture }
  /// Whether enough is known of the stream to make a track of it.
  var isDescribed: Bool { kind == .video ? (width ?? 0) > 0 && (height ?? 0) > 0 : (sampleRate ?? 0) > 0 }
}

extension MediaStream {
  /// Reads a stream's description.
  init(_ stream: LibAVStream, _ libav: LibAVFunctions) {
    // Unsafe: a stream of an open context has its codec parameters until the context is closed.
    let parameters = unsafe stream.parameters
    self.init(index: Int(unsafe stream.index), kind: Kind(unsafe parameters.kind), codecName: unsafe parameters.codecName(libav))
    let stillPictures = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS
    isAttachedPicture = unsafe stream.disposition & stillPictures != 0
    // Unsafe: the entry and its text belong to the stream's dictionary, and the text is copied at once.
    if let entry = unsafe libav.av_dict_get(stream.metadata, "language", nil, 0), let value = unsafe entry.pointee.value {
      language = unsafe String(cString: value)
    }
    switch kind {
    case .video:
      frameDuration = Self.frameDuration(rate: unsafe stream.averageFrameRate, libav)
      width = Int(unsafe parameters.width)
      height = Int(unsafe parameters.height)
      reorderDepth = Int(unsafe parameters.reorderDepth)
    case .audio:
      sampleRate = Int(unsafe parameters.sampleRate)
    case .subtitle, .data, .attachment, .unknown:
      break
    }
  }

  private static func frameDuration(rate: AVRational, _ libav: LibAVFunctions) -> MediaTime? {
    guard rate.num > 0, rate.den > 0 else { return nil }
    return MediaTime(ticks: libav.av_rescale(MediaTime.ticksPerSecond, Int64(rate.den), Int64(rate.num)))
  }
}

extension MediaStream.Kind {
  init(_ type: AVMediaType) {
    switch type {
    case AVMEDIA_TYPE_VIDEO: self = .video
    case AVMEDIA_TYPE_AUDIO: self = .audio
    case AVMEDIA_TYPE_SUBTITLE: self = .subtitle
    case AVMEDIA_TYPE_DATA: self = .data
    case AVMEDIA_TYPE_ATTACHMENT: self = .attachment
    default: self = .unknown
    }
  }
}

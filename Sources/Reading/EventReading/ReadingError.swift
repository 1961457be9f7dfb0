import Basics

/// Why an input cannot be read at all.
public enum ReadingError: Error, Equatable, Sendable {
  /// The input is empty.
  case empty
  /// The input is neither a transport stream nor another supported format; `lookedLike` is the format that its first bytes suggest.
  case notATransportStream(lookedLike: OtherFormat?)
  /// The input is an MP4 or MOV file whose movie lists all samples itself, so that there are no fragments with event messages.
  case plainMP4
  /// The input starts as fragmented MP4 does, and holds neither a movie header nor a fragment nor an event message.
  case noFragments
}

/// An unsupported format, detected by its first bytes.
public enum OtherFormat: String, Equatable, Sendable {
  /// A file of MP4 or MOV without fragments.
  case mp4 = "an MP4 or MOV file"
  /// A file of Matroska or WebM.
  case matroska = "a Matroska or WebM file"
  /// A file of FLV.
  case flv = "an FLV file"
  /// An ID3 tag, with which MP3 files begin.
  case id3 = "an ID3 tag, as files of MP3 begin with"
  /// Frames of AAC.
  case aac = "AAC without a container"
  /// Frames of MP3.
  case mp3 = "an MP3 file"
  /// Frames of AC-3.
  case ac3 = "AC-3 without a container"
  /// Frames of E-AC-3.
  case eac3 = "E-AC-3 without a container"
  /// An HLS playlist instead of a stream.
  case playlist = "an HLS playlist, which must start with #EXTM3U"
  /// A file of AVI or WAV.
  case riff = "an AVI or WAV file"
  /// An MPEG program stream.
  case programStream = "an MPEG program stream"
  /// Text.
  case text = "text"

  /// Whether it is a file of video or audio, which can be stamped.
  public var isMediaFile: Bool {
    switch self {
    case .mp4, .matroska, .flv, .id3, .aac, .mp3, .ac3, .eac3, .riff: true
    case .playlist, .programStream, .text: false
    }
  }
}

extension ReadingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .empty: "the input is empty"
    case .notATransportStream(let guess?): "no MPEG transport stream: this looks like \(guess.rawValue)"
    case .notATransportStream(nil): "no MPEG transport stream: no packets with a program association table were found"
    case .plainMP4: "no fragmented MP4: this is a plain MP4 or MOV file, which carries no timed ID3"
    case .noFragments: "no fragmented MP4: neither a movie header nor a fragment was found"
    }
  }
}

extension ReadingError {
  /// The number of bytes at the start of the input that are examined to guess its format.
  static let prefixLength = 4_096

  /// The error for an input that starts with `prefix`.
  static func unrecognised(_ prefix: [UInt8]) -> ReadingError {
    prefix.isEmpty ? .empty : .notATransportStream(lookedLike: OtherFormat(startingWith: prefix))
  }
}

extension OtherFormat {
  /// Guesses the format by the known first bytes of other formats; `nil` if they are not known.
  package init?(startingWith prefix: [UInt8]) {
    guard let format = Self.guess(prefix) else { return nil }
    self = format
  }

  private static func guess(_ prefix: [UInt8]) -> OtherFormat? {
    let formats: [(offset: Int, bytes: [UInt8], format: OtherFormat)] = [
      (4, Array("mdat".utf8), .mp4), (4, Array("wide".utf8), .mp4), (0, [0x1A, 0x45, 0xDF, 0xA3], .matroska), (0, Array("FLV".utf8), .flv),
      (0, Array("ID3".utf8), .id3), (0, Array("RIFF".utf8), .riff),
      (0, [0, 0, 1, 0xBA], .programStream),
    ]
    if let format = formats.first(where: { prefix.dropFirst($0.offset).starts(with: $0.bytes) }) { return format.format }
    // A playlist starts with its first byte. If it was not recognized, something precedes it.
    let text = prefix.drop { [0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
    if text.starts(with: Array("#EXT".utf8)) { return .playlist }
    if let sound = sound(prefix) { return sound }
    let isText = prefix.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
    return isText ? .text : nil
  }

  /// The audio format of the bytes: they must consist of whole frames, at least two, or of one that is cut off.
  private static func sound(_ prefix: [UInt8]) -> OtherFormat? {
    var format: PackedAudioHeader.Format?
    var rest = prefix[...]
    while case .frame(let frame) = PackedAudioHeader(Array(rest.prefix(16)).view) {
      guard format == nil || format == frame.format else { return nil }
      format = frame.format
      rest = rest.dropFirst(frame.size)
    }
    // The rest is too short for a header, unless the frames end before the bytes do.
    guard rest.count < 7 else { return nil }
    return switch format {
    case .aac: .aac
    case .mp3: .mp3
    case .ac3: .ac3
    case .eac3: .eac3
    case nil: nil
    }
  }
}

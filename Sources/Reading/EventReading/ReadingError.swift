/// Why an input cannot be read at all.
public enum ReadingError: Error, Equatable, Sendable {
  /// The input is empty.
  case empty
  /// The input is neither a transport stream nor what its first bytes would have told; `lookedLike` names what it seems to be instead.
  case notATransportStream(lookedLike: String?)
  /// The input is an MP4 or MOV file whose movie lists all samples itself, so that there are no fragments for event messages to stand at.
  case plainMP4
  /// The input starts as fragmented MP4 does, and holds neither a movie header nor a fragment nor an event message.
  case noFragments
}

extension ReadingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .empty: "the input is empty"
    case .notATransportStream(let guess?): "no MPEG transport stream: this looks like \(guess)"
    case .notATransportStream(nil): "no MPEG transport stream: no packets with a program association table were found"
    case .plainMP4: "no fragmented MP4: this is a plain MP4 or MOV file, which carries no timed ID3"
    case .noFragments: "no fragmented MP4: neither a movie header nor a fragment was found"
    }
  }
}

extension ReadingError {
  /// How many bytes of the input's start are looked at to tell what it is.
  static let prefixLength = 512

  /// The error for an input that starts with `prefix`.
  static func unrecognised(_ prefix: [UInt8]) -> ReadingError {
    prefix.isEmpty ? .empty : .notATransportStream(lookedLike: guess(prefix))
  }

  /// What the well-known first bytes of other formats say.
  private static func guess(_ prefix: [UInt8]) -> String? {
    let formats: [(offset: Int, bytes: [UInt8], name: String)] = [
      (4, Array("mdat".utf8), "an MP4 or MOV file"), (4, Array("wide".utf8), "an MP4 or MOV file"),
      (0, [0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM file"), (0, Array("FLV".utf8), "an FLV file"),
      (0, Array("ID3".utf8), "an ID3 tag or MP3 file"),
      (0, Array("#EXTM3U".utf8), "an HLS playlist"), (0, Array("RIFF".utf8), "an AVI or WAV file"),
      (0, [0, 0, 1, 0xBA], "an MPEG program stream"),
    ]
    if let format = formats.first(where: { prefix.dropFirst($0.offset).starts(with: $0.bytes) }) { return format.name }
    let isText = prefix.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
    return isText ? "text" : nil
  }
}

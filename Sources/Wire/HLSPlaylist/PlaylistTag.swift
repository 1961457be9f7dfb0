/// The known tags (RFC 8216bis, 4.4); all others are kept as they are.
enum PlaylistTag: String, CaseIterable {
  case header = "#EXTM3U"
  case version = "#EXT-X-VERSION"
  case independentSegments = "#EXT-X-INDEPENDENT-SEGMENTS"
  case start = "#EXT-X-START"
  case define = "#EXT-X-DEFINE"
  case targetDuration = "#EXT-X-TARGETDURATION"
  case mediaSequence = "#EXT-X-MEDIA-SEQUENCE"
  case discontinuitySequence = "#EXT-X-DISCONTINUITY-SEQUENCE"
  case endList = "#EXT-X-ENDLIST"
  case playlistType = "#EXT-X-PLAYLIST-TYPE"
  case iFramesOnly = "#EXT-X-I-FRAMES-ONLY"
  case skip = "#EXT-X-SKIP"
  case segmentDuration = "#EXTINF"
  case byteRange = "#EXT-X-BYTERANGE"
  case discontinuity = "#EXT-X-DISCONTINUITY"
  case key = "#EXT-X-KEY"
  case map = "#EXT-X-MAP"
  case programDateTime = "#EXT-X-PROGRAM-DATE-TIME"
  case gap = "#EXT-X-GAP"
  case bitrate = "#EXT-X-BITRATE"
  case dateRange = "#EXT-X-DATERANGE"
  case media = "#EXT-X-MEDIA"
  case streamInformation = "#EXT-X-STREAM-INF"
  case iFrameStreamInformation = "#EXT-X-I-FRAME-STREAM-INF"
  case sessionData = "#EXT-X-SESSION-DATA"
  case sessionKey = "#EXT-X-SESSION-KEY"

  /// In which playlists a tag may occur, and what it applies to there.
  enum Scope {
    case anyPlaylist
    case mediaPlaylist
    case mediaSegment
    case multivariantPlaylist
  }

  /// The tag as written at the start of its line.
  var text: String { rawValue }

  var scope: Scope {
    switch self {
    case .header, .version, .independentSegments, .start, .define: .anyPlaylist
    case .targetDuration, .mediaSequence, .discontinuitySequence, .endList, .playlistType, .iFramesOnly, .skip: .mediaPlaylist
    case .segmentDuration, .byteRange, .discontinuity, .key, .map, .programDateTime, .gap, .bitrate, .dateRange: .mediaSegment
    case .media, .streamInformation, .iFrameStreamInformation, .sessionData, .sessionKey: .multivariantPlaylist
    }
  }

  /// The kind of playlist that alone may have the tag; `nil` if both may.
  var kind: Playlist.Kind? {
    switch scope {
    case .anyPlaylist: nil
    case .mediaPlaylist, .mediaSegment: .media
    case .multivariantPlaylist: .multivariant
    }
  }

  /// The kind of playlist whose URIs the tag precedes, which the tag alone decides; `nil` for other tags.
  var deciding: Playlist.Kind? {
    switch self {
    case .segmentDuration: .media
    case .streamInformation: .multivariant
    default: nil
    }
  }

  private static let names: [(bytes: [UInt8], tag: PlaylistTag)] = allCases.map { (Array($0.text.utf8), $0) }

  /// The tag of this name, or `nil`. Names are compared by their bytes.
  init?(_ name: ArraySlice<UInt8>) {
    guard let entry = Self.names.first(where: { $0.bytes.count == name.count && $0.bytes.elementsEqual(name) }) else { return nil }
    self = entry.tag
  }
}

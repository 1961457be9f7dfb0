import HLSPlaylist

/// How large the resources of a presentation may be, in bytes.
public struct HLSLimits: Equatable, Sendable {
  /// A playlist: 16 MiB.
  public var playlist = UInt64(PlaylistLimits.presentationBytes)
  /// An initialization segment: 16 MiB.
  public var initializationSegment: UInt64 = 16 << 20
  /// A key, which has 16 bytes: 1 KiB.
  public var key: UInt64 = 1 << 10
  /// A segment: 1 GiB. It is never held in memory.
  public var segment: UInt64 = 1 << 30

  /// The default limits.
  public init() {}

  /// The limits of a playlist's text.
  var text: PlaylistLimits { PlaylistLimits(bytes: Int(clamping: playlist)) }

  func limit(_ kind: HLSReader.Resource.Kind) -> UInt64 {
    switch kind {
    case .playlist: playlist
    case .initializationSegment: initializationSegment
    case .key: key
    case .segment: segment
    }
  }
}

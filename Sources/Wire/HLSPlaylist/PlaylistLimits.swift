/// Limits of a playlist, so that no input can exhaust memory or time.
package struct PlaylistLimits: Equatable, Sendable {
  /// The length of the text in bytes, and the total number of bytes that variable substitution may insert.
  package var bytes = 67_108_864
  /// The length of a line in bytes, and of a value after variable substitution. A `data:` URI of a key or map fits.
  package var line = 1_048_576
  /// How many segments a media playlist may have.
  package var segments = 1_000_000
  /// How many variants, renditions, session data and session keys a multivariant playlist may have in total.
  package var variants = 10_000
  /// How many attributes a tag may have.
  package var attributes = 128
  /// How many variables EXT-X-DEFINE may define.
  package var variables = 128
  /// How many keys, of different KEYFORMATs, may apply to one segment.
  package var keys = 8

  /// The maximum size in bytes of the playlists of a presentation that is read or written.
  package static let presentationBytes = 16 << 20

  /// The default limits: 64 MiB, lines of 1 MiB, a million segments, ten thousand variants.
  package static let standard = PlaylistLimits()
}

extension PlaylistLimits {
  /// The default limits, except for the length of the text.
  package init(bytes: Int) {
    self.init()
    self.bytes = bytes
  }
}

/// How much playlist a reader accepts, so that no input can exhaust the memory or the time.
package struct PlaylistLimits: Equatable, Sendable {
  /// The length of the text in bytes, and how many bytes variable substitution may put into it altogether.
  package var bytes = 67_108_864
  /// The length of a line in bytes, and of a value after variable substitution. A `data:` URI of a key or map fits.
  package var line = 1_048_576
  /// How many segments a media playlist may have.
  package var segments = 1_000_000
  /// How many variants, renditions, session data and session keys together a multivariant playlist may have.
  package var variants = 10_000
  /// How many attributes a tag may have.
  package var attributes = 128
  /// How many variables EXT-X-DEFINE may define.
  package var variables = 128
  /// How many keys, of different KEYFORMATs, may apply to one segment.
  package var keys = 8

  /// The most bytes of a playlist that a presentation is read and written with.
  package static let presentationBytes = 16 << 20

  /// The default limits: 64 MiB, lines of 1 MiB, a million segments, ten thousand variants.
  package static let standard = PlaylistLimits()

  /// Limits that differ from the default ones in what is given.
  package init(
    bytes: Int = 67_108_864, line: Int = 1_048_576, segments: Int = 1_000_000, variants: Int = 10_000, attributes: Int = 128,
    variables: Int = 128, keys: Int = 8
  ) {
    self.bytes = bytes
    self.line = line
    self.segments = segments
    self.variants = variants
    self.attributes = attributes
    self.variables = variables
    self.keys = keys
  }
}

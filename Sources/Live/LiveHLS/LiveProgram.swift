package import HLSPlaylist

/// How the segments of a live presentation are coded where each stream has a track of its own, until another program follows.
package struct LiveProgram: Equatable, Sendable {
  /// Audio in a track of its own.
  package struct Audio: Equatable, Sendable {
    package var initialization: [UInt8]
    /// The language as the stream says it.
    package var language: String?
    package var channelCount: Int?
    /// Its codec as RFC 6381 writes it; `nil` where it has no such name.
    package var codecs: String?

    package init(initialization: [UInt8], language: String?, channelCount: Int?) {
      (self.initialization, self.language, self.channelCount) = (initialization, language, channelCount)
    }
  }

  /// The initialization segment of the main track.
  package var initialization: [UInt8]
  package var audio: [Audio]
  /// The codecs of all tracks as RFC 6381 writes them; `nil` where one has no such name.
  package var codecs: String?
  /// That of the main track alone.
  package var mainCodecs: String?
  package var resolution: Resolution?
  package var frameRate: PlaylistDecimal?

  package init(
    initialization: [UInt8], audio: [Audio], codecs: String?, resolution: Resolution? = nil, frameRate: PlaylistDecimal? = nil
  ) {
    (self.initialization, self.audio) = (initialization, audio)
    (self.codecs, self.resolution, self.frameRate) = (codecs, resolution, frameRate)
  }
}

/// A file of a live presentation.
package struct SegmentFile: Equatable, Sendable {
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

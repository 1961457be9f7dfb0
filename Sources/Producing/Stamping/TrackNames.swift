import Basics

/// The names of a track's files.
struct TrackNames {
  /// What the track carries.
  enum Content: String {
    /// The track that carries the events.
    case main = "media"
    /// A rendition of an audio group.
    case audio = "audio"
    /// A rendition of subtitles.
    case subtitles = "subtitles"
  }

  /// The media playlist.
  let playlist: String
  /// The initialization segment.
  let initializationSegment: String
  /// The segments.
  let segments: NumberedNames

  /// Makes the names.
  ///
  /// - Parameters:
  ///   - presentation: The multivariant playlist's name without its extension.
  ///   - rendition: The number of the input, from 1; `nil` if there is only one.
  ///   - content: What the track carries.
  ///   - number: The number of the track among those with the same content, from 1.
  ///   - type: The format of the segments.
  init(presentation: String, rendition: Int?, _ content: Content, number: Int = 1, type: SegmentType) {
    let parts = [rendition.map { "-\($0)" } ?? "", number > 1 ? "-\(number)" : ""].joined()
    playlist = "\(presentation)-\(content.rawValue)\(parts).m3u8"
    // The prefix is the presentation's name, so that several presentations can share a folder.
    let prefix = "\(presentation)-\(content == .main ? "segment" : content.rawValue)\(parts)-"
    initializationSegment = "\(prefix)init.mp4"
    segments = NumberedNames(prefix: prefix, suffix: type == .transportStream ? ".ts" : ".m4s")
  }
}

/// Names that differ in a number, which starts from 0 and has at least five digits.
package struct NumberedNames: Equatable, Sendable {
  package let prefix: String
  package let suffix: String

  func name(_ number: Int) -> String { "\(prefix)\(number.digits(5))\(suffix)" }
}

/// The bytes of the tracks between two cuts: of a part, or of a segment without parts.
struct SegmentPortion: Equatable, Sendable {
  /// The bytes of each track, the main one first; `nil` for a track without any.
  var tracks: [[UInt8]?]
  /// The indices of the tracks that the playlists list.
  var listed: [Int]
  /// The coding of the tracks, if it is new.
  var program: LiveProgram?
  /// Whether the coding of a track has changed, so that it needs another initialization segment.
  var isCodingChanged = false

  /// The bytes of the main track and of audio in tracks of its own, as the playlists list them.
  static func listed(_ listed: [Int], of tracks: [[UInt8]?]) -> (main: [UInt8]?, audio: [[UInt8]?]) {
    (tracks.first ?? nil, listed.dropFirst().map { $0 < tracks.count ? tracks[$0] : nil })
  }
}

import Basics
import CMAF
import HLSPlaylist

/// Finds the segments of a fragmented MP4 file: each starts with a fragment of the video that starts with a key frame.
struct FragmentSegments: Sendable {
  private(set) var segments: FileSegments
  private var reader = FragmentReader()
  private var places = FragmentPlaces()
  /// The track that tells the time.
  private var reference: Track?
  /// Where the first fragment of any track starts.
  private var first: Int?

  /// A track whose times step back by more than this (half a second), or forward by more than ten seconds, has a new clock.
  private static let longestStepBack = MediaTime(ticks: 45_000)
  private static let longestGap = MediaTime(seconds: 10)

  init(uri: String) { segments = FileSegments(uri: uri) }

  /// Whether the file has described its tracks.
  var hasMovie: Bool { reader.movie != nil }

  mutating func push(_ chunk: Span<UInt8>) {
    places.push(chunk)
    for item in reader.push(chunk) { receive(item) }
    places.forget()
  }

  /// Ends the file.
  mutating func finish() {
    for item in reader.finish() { receive(item) }
    segments.finish(at: places.end)
  }

  private mutating func receive(_ item: FragmentItem) {
    switch item {
    case .initialisation(let movie):
      reference = movie.tracks.first { $0.handler == .vide } ?? movie.tracks.first { $0.handler == .soun }
    case .fragment(let fragment, let offset):
      guard let place = places.place(ofFragmentAt: offset) else { return }
      first = first ?? place.start
      guard let part = fragment.tracks.first(where: { $0.trackID == reference?.id }) else { return }
      receive(part, place)
    case .eventMessage, .tags, .userData, .damage: break
    }
  }

  private mutating func receive(_ part: TrackFragment, _ place: FragmentPlaces.Place) {
    guard let time = part.earliestPresentationTime else { return }
    if let end = segments.end {
      let isJump = place.map != segments.map || time < end - Self.longestStepBack || time > end + Self.longestGap
      // Audio can start anywhere; video can be shown from a key frame on.
      let isKey = reference?.handler != .vide || part.startsWithSyncSample != false
      if isJump || (isKey && segments.isLongEnough(at: time)) {
        segments.begin(at: place.start, after: place.previousEnd, time: time, isDiscontinuous: isJump, map: place.map)
      }
    } else {
      segments.begin(at: min(first ?? place.start, place.start), time: time, map: place.map)
    }
    if let duration = part.duration { segments.extend(to: time + duration) }
  }
}

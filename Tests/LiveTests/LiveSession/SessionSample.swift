import Basics
import EventReading
import HLSPlaylist
import LiveGame
import LiveHLS
import PacketStamping
import Stamping
import TestSupport
import Testing

@testable import LiveSession

/// Short streams that FFmpeg makes, with reordered frames, and audio in two languages. Some are small renditions of others, without reordered frames.
enum SessionClip: String, FFmpegClip {
  case plain
  case wrapping
  case small
  case smallWrapping
  /// A rendition of ``plain`` with key frames at other times.
  case odd
  /// A rendition with another clock.
  case other

  static let table = "fragments"
  var fileExtension: String { "ts" }

  var arguments: String {
    let start = [.wrapping, .smallWrapping].contains(self) ? "95440" : self == .other ? "5000" : "10"
    let isMain = [.plain, .wrapping].contains(self)
    return "-f lavfi -i testsrc2=size=\(isMain ? "160x120" : "80x60"):rate=25:duration=8 -f lavfi -i sine=sample_rate=48000:duration=8 "
      + "-f lavfi -i sine=frequency=880:sample_rate=48000:duration=8 -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast "
      + "-bf \(isMain ? 2 : 0) -g \(self == .odd ? 40 : 25) -threads 1 "
      + "-c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -muxdelay 0 -output_ts_offset \(start)"
  }
}

/// A session over a file that comes faster than it should, to its end.
struct SessionSample {
  /// What is posted while the stream goes on.
  struct Later {
    var request: LiveRequest
    /// How much of the programme has come then.
    var time: MediaTime
    /// Whether the session ends as soon as the event is placed, in the middle of a segment.
    var endsInSegment = false
  }

  var clip = SessionClip.plain
  var type = SegmentType.fragmentedMP4
  /// How long the parts of segments are; `nil` for none.
  var partDuration: MediaTime?
  /// The journal's path; `nil` for none.
  var journal: String?
  /// Where the presentation is written besides; `nil` for nowhere.
  var folder: String?
  /// The path of a recording; `nil` for none.
  var recording: String?
  var playlist = LivePlaylist.Kind.event
  /// Whether playlists have events as date ranges, too.
  var hasDateRanges = false
  /// Whether tags go into SEI messages, too.
  var writesMessages = false
  /// The programme time at which the session ends; `nil` where it ends otherwise.
  var duration: MediaTime?
  /// The inputs of other renditions.
  var variants: [SessionClip] = []
  /// How long segments should be.
  var segmentDuration = MediaTime(seconds: 2)
  /// How fast files come; `nil` for as fast as the sample allows.
  var pace: Double?
  /// Whether files start again at their ends; `nil` for only where something is posted while the stream goes on.
  var loops: Bool?
  /// What is posted before the input begins.
  var requests: [LiveRequest] = []
  /// What is posted while the stream goes on; the session ends when it is in a segment.
  var later: Later?

  /// Runs the session, as fast as its threads can.
  func run() async throws -> LiveSession { try await TestThread.run { try await play() } }

  private func play() async throws -> LiveSession {
    var settings = LiveSettings(
      input: .file(clip.path),
      outputs: try [folder.map { "\($0)/index.m3u8" }, recording].compactMap(\.self).map {
        try #require(LiveOutputAddress($0))
      }, game: "friday", playlist: playlist)
    if writesMessages { settings.options.carriages.insert(.messages) }
    settings.duration = duration
    settings.hasDateRanges = hasDateRanges
    settings.segmentType = type
    settings.partDuration = partDuration
    settings.segmentDuration = segmentDuration
    settings.journal = journal
    settings.pace = pace ?? (later == nil ? 1_000 : variants.isEmpty ? 8 : 2)
    settings.variants = variants.map { .file($0.path) }
    settings.variantPatience = .seconds(120)
    // What comes later finds a stream, however slow this machine is.
    settings.loops = loops ?? (later != nil)
    settings.title = "T"
    let session = try LiveSession(settings) { _ in }
    // What is accepted before the input begins goes before its first access unit.
    session.desk.start()
    for request in requests { try await Self.post(request, to: session) }
    session.start()
    if let later {
      while session.situation.time ?? .zero < later.time { try await Task.sleep(for: .milliseconds(5)) }
      try await Self.post(later.request, to: session)
      while later.endsInSegment, session.desk.read({ game, _ in game.statuses.last?.at == nil }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      while !later.endsInSegment, session.desk.read({ game, _ in game.statuses.last?.segments.isEmpty ?? true }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      // Otherwise it ends by itself.
      if duration == nil, settings.loops { await session.stopWaiting() }
    }
    while !session.situation.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
    return session
  }

  private static func post(_ request: LiveRequest, to session: LiveSession) async throws {
    _ = try await session.desk.change { (game, now) throws(LiveProblem) in
      try game.accept(request, newGUID: SampleGame.guid("none"), now: now)
    }
  }
}

extension LiveSession {
  /// A media playlist as clients have it.
  func media(_ name: String = LivePlaylist.mediaName) throws -> MediaPlaylist {
    let file = try #require(store.file(name))
    guard case .media(let media) = try Playlist(file.bytes.span) else { throw MediaPlaylistIsMissing() }
    return media
  }

  struct MediaPlaylistIsMissing: Error {}

  /// The bytes of files, one behind the other.
  func bytes(_ names: [String]) throws -> [UInt8] { try names.flatMap { try #require(store.file($0)).bytes } }

  /// What a segment holds, read by itself with its initialization segment.
  func items(of segment: MediaSegment) throws -> [StreamItem] {
    var reader = EventReader()
    let bytes = try bytes([segment.initializationSegment?.uri, segment.uri].compactMap(\.self))
    return try reader.push(bytes.span) + reader.finish()
  }
}

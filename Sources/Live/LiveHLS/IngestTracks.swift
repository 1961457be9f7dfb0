import Basics
import CMAF
import HLSPlaylist
package import LiveGame

/// The tracks of a live presentation of fragmented MP4, as an ingest takes them (DASH-IF Live Media Ingest, interface 1): each segment with the header
/// of its track, with consecutive numbers, the date of its start, and a mark in the last one.
package struct IngestTracks: Sendable {
  /// A segment of one track.
  package struct Segment: Equatable, Sendable {
    /// The name of the track's stream, for example `video.cmfv`.
    package var track: String
    package var contentType: String
    /// The initialization segment.
    package var header: [UInt8]
    package var bytes: [UInt8]
  }

  private struct Track: Sendable {
    var header: [UInt8]
    var timescale: Timescale
    var isVideo: Bool
  }

  /// The initialization segments by their names: those of the last segment.
  private var tracks: [String: Track] = [:]
  /// The number of the latest fragment of each track.
  private var numbers: [String: UInt32] = [:]
  private let hasEventTrack: Bool
  private var events = EventTrackWriter()

  /// - Parameter hasEventTrack: Whether the events have a track of their own as well.
  package init(hasEventTrack: Bool) { self.hasEventTrack = hasEventTrack }

  /// The segments of all tracks, the main one first; none for a gap.
  ///
  /// - Parameters:
  ///   - record: What is known of the segment; `nil` for a change without one.
  ///   - files: The new files, with initialization segments.
  ///   - isLast: Whether the stream ends with it.
  package mutating func segments(_ record: JournalRecord.SegmentRecord?, _ files: [SegmentFile], isLast: Bool) -> [Segment] {
    for file in files { note(file) }
    guard let record, !record.isGap else { return [] }
    let needed = Set(record.initializations)
    tracks = tracks.filter { needed.contains($0.key) }
    let roles: [(role: LiveTrack.Role, file: JournalRecord.SegmentRecord.TrackFile)] =
      [(.main, .init(name: record.name, initialization: record.initialization))] + record.audio.enumerated().map { (.audio($0), $1) }
      + record.variants.enumerated().map { (.rendition($0), $1) }
    var segments: [Segment] = []
    for (role, file) in roles {
      guard let name = file.name, let bytes = files.first(where: { $0.name == name })?.bytes,
        let track = file.initialization.flatMap({ tracks[$0] })
      else { continue }
      let stream = Self.stream(role, isVideo: track.isVideo)
      let number = numbers[stream] ?? 0
      var written = IngestSegment(track.timescale, isLast: isLast)
      // A segment that cannot be read is sent as it is.
      let content = bytes.span
      let sent =
        (try? written.rewrite(content, after: number, start: FragmentTracks.origin + record.start, date: record.wallClock)) ?? bytes
      numbers[stream] = written.number ?? number
      segments.append(
        Segment(track: stream, contentType: track.isVideo ? "video/mp4" : "audio/mp4", header: track.header, bytes: sent))
      if role == .main, hasEventTrack {
        let start = FragmentTracks.origin + record.start
        if let bytes = try? events.segment(written.messages, start: start, duration: record.duration, isLast: isLast),
          let header = try? EventTrackWriter.header()
        {
          segments.append(Segment(track: "events.cmfm", contentType: "application/mp4", header: header, bytes: bytes))
        }
      }
    }
    return segments
  }

  private mutating func note(_ file: SegmentFile) {
    guard SegmentFile.isInitialization(file.name) else { return }
    var reader = FragmentReader()
    _ = reader.push(file.bytes.span)
    guard let track = reader.movie?.tracks.first else { return }
    tracks[file.name] = Track(header: file.bytes, timescale: track.timescale, isVideo: track.handler == .vide)
  }

  /// The name of a track's stream: its ending says what it has (ISO/IEC 23000-19, 7.3.1).
  private static func stream(_ role: LiveTrack.Role, isVideo: Bool) -> String {
    switch role {
    case .main: isVideo ? "video.cmfv" : "audio.cmfa"
    case .audio(let index): "audio\(index + 1).cmfa"
    case .rendition(let index): isVideo ? "video\(index + 2).cmfv" : "audio.\(index + 2).cmfa"
    }
  }
}

import Basics
import HLSPlaylist
import HLSReading
import SCTE35

/// Reads the date ranges of media playlists, and their tags for splices that no standard or only SCTE 35 defines.
struct PlaylistMetadata: Sendable {
  private var playlist: MediaPlaylist?
  private var dates: [Int64?] = []
  /// The date of the timeline origin in milliseconds since 1970, by the date of the latest segment.
  private var originDate: Int64?
  /// Date ranges whose times are not known yet.
  private var waiting: [DateRange] = []
  /// The identifiers and sections of date ranges that were read: a playlist that is loaded again repeats them.
  private var known: [DateRange] = []

  /// The maximum number of date ranges that are remembered.
  private static let most = 1_024

  /// Receives a playlist that was loaded, for the first time or again.
  mutating func load(_ playlist: MediaPlaylist) {
    self.playlist = playlist
    dates = playlist.segmentDates
    for range in playlist.allDateRanges where range.attributes[DateRange.eventAttribute] == nil && !known.contains(range) {
      if known.count >= Self.most { known.removeFirst() }
      known.append(range)
      if waiting.count < Self.most { waiting.append(range) }
    }
  }

  /// Starts the segment of a media sequence number, at a programme time. Returns the metadata in front of it.
  mutating func begin(_ number: UInt64, at position: MediaTime) -> [TimedMetadata] {
    guard let playlist, number >= playlist.mediaSequence, let index = Int(exactly: number - playlist.mediaSequence),
      playlist.segments.indices.contains(index)
    else { return [] }
    if dates.indices.contains(index), let date = dates[index] { originDate = date - position.milliseconds }
    return release(at: position) + Self.cues(playlist.segments[index].unknownTags, at: position)
  }

  /// Ends the presentation. Tags after the last segment count then.
  mutating func finish(at position: MediaTime) -> [TimedMetadata] {
    let last = playlist?.trailingTags ?? []
    playlist = nil
    return release(at: position) + Self.cues(last, at: position)
  }

  /// Returns the date ranges that wait, at their dates, or at a position if the playlist has no dates.
  private mutating func release(at position: MediaTime) -> [TimedMetadata] {
    let ranges = waiting
    waiting = []
    return ranges.map { range in
      let sections = [("SCTE35-CMD", range.scte35Command), ("SCTE35-OUT", range.scte35Out), ("SCTE35-IN", range.scte35In)]
      let splices = sections.compactMap { name, bytes in
        bytes.map { PlaylistSplice(name, SpliceReading($0)) } ?? range.attributes[name].map { _ in PlaylistSplice(name, Self.noSection) }
      }
      let start = range.startDate ?? known.first { $0.id == range.id && $0.startDate != nil }?.startDate
      var time = position
      if let start, let originDate { time = MediaTime(milliseconds: start.milliseconds - originDate) }
      return Self.item(.dateRange(range, splices), at: time)
    }
  }

  private static func item(_ content: TimedMetadata.Content, at time: MediaTime) -> TimedMetadata {
    TimedMetadata(content: content, time: time, offset: 0, byteCount: 0)
  }

  /// The tags for splices among these lines.
  private static func cues(_ lines: [String], at time: MediaTime) -> [TimedMetadata] {
    lines.compactMap { line in
      guard let tag = CueTag(line) else { return nil }
      return item(.playlistTag(String(line.dropFirst()), tag, splice(in: tag)), at: time)
    }
  }

  /// What is in a tag that should have a section; `nil` if it has none and need not have one.
  private static func splice(in tag: CueTag) -> PlaylistSplice? {
    let name = tag.name.rawValue
    if let problem = tag.problem { return PlaylistSplice(name, .unreadable(reason: problem)) }
    guard let section = tag.section else { return tag.name == .scte35 ? PlaylistSplice(name, .unreadable(reason: "no CUE")) : nil }
    return PlaylistSplice(name, section.section.map { SpliceReading($0) } ?? noSection)
  }

  private static let noSection = SpliceReading.unreadable(reason: "neither hexadecimal digits nor base64")
}

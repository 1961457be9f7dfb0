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

  /// The tags for splices, without `#`.
  private static let tags = [
    "EXT-X-CUE-OUT-CONT", "EXT-X-CUE-OUT", "EXT-X-CUE-IN", "EXT-OATCLS-SCTE35", "EXT-X-SCTE35", "EXT-X-SPLICEPOINT-SCTE35",
  ]

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
    return release(at: position)
      + playlist.segments[index].unknownTags.compactMap { Self.cue($0) }.map { content in Self.item(content, at: position) }
  }

  /// Ends the presentation.
  mutating func finish(at position: MediaTime) -> [TimedMetadata] { release(at: position) }

  /// Returns the date ranges that wait, at their dates, or at a position if the playlist has no dates.
  private mutating func release(at position: MediaTime) -> [TimedMetadata] {
    let ranges = waiting
    waiting = []
    return ranges.map { range in
      var splices: [PlaylistSplice] = []
      if let bytes = range.scte35Command { splices.append(PlaylistSplice("SCTE35-CMD", bytes)) }
      if let bytes = range.scte35Out { splices.append(PlaylistSplice("SCTE35-OUT", bytes)) }
      if let bytes = range.scte35In { splices.append(PlaylistSplice("SCTE35-IN", bytes)) }
      let start = range.startDate ?? known.first { $0.id == range.id && $0.startDate != nil }?.startDate
      var time = position
      if let start, let originDate { time = MediaTime(milliseconds: start.milliseconds - originDate) }
      return Self.item(.dateRange(range, splices), at: time)
    }
  }

  private static func item(_ content: TimedMetadata.Content, at time: MediaTime) -> TimedMetadata {
    TimedMetadata(content: content, time: time, offset: 0, byteCount: 0)
  }

  /// The splice in a tag; `nil` if the tag is another one.
  private static func cue(_ line: String) -> TimedMetadata.Content? {
    let text = Array(line.utf8.dropFirst())
    guard let name = tags.first(where: { isTag($0, text) }) else { return nil }
    var value = text.dropFirst(name.utf8.count + 1)
    if !name.hasSuffix("OATCLS-SCTE35"), !name.hasSuffix("SPLICEPOINT-SCTE35") {
      // The section is the value of an attribute.
      guard let section = attribute("CUE", of: value) ?? attribute("SCTE35", of: value) else {
        return .playlistTag(String(decoding: text, as: UTF8.self), nil)
      }
      value = section
    }
    let tag = String(decoding: text, as: UTF8.self)
    guard let bytes = Base64.decode(value.filter { $0 != UInt8(ascii: "\"") }) else {
      return .playlistTag(tag, .unreadable(name, reason: "no base64"))
    }
    return .playlistTag(tag, PlaylistSplice(name, bytes))
  }

  private static func isTag(_ name: String, _ text: [UInt8]) -> Bool {
    guard text.starts(with: name.utf8) else { return false }
    return text.count == name.utf8.count || text[name.utf8.count] == UInt8(ascii: ":")
  }

  /// The value of an attribute, with its quotation marks; `nil` if there is none.
  private static func attribute(_ name: String, of list: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let prefix = Array("\(name)=".utf8)
    for part in list.split(separator: UInt8(ascii: ",")) where part.starts(with: prefix) { return part.dropFirst(prefix.count) }
    return nil
  }
}

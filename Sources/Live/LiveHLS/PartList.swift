import Basics
import HLSPlaylist
import LiveGame
import Stamping

/// A media playlist in the form for clients over HTTP that may ask for something of it.
package struct ReloadedPlaylist: Equatable, Sendable {
  package var name: String
  package var bytes: [UInt8]
  /// The same without the segments that a client knows if it has loaded the playlist lately; `nil` if there are none.
  package var update: [UInt8]?
  /// The same without the date ranges that the client knows either; `nil` if that is not offered.
  package var rangeUpdate: [UInt8]?
  /// How far low-latency HLS has come; `nil` without it.
  package var progress: PlaylistProgress?
  /// The names of the next files, which the playlist announces.
  package var hints: [String]

  package init(name: String, bytes: [UInt8], progress: PlaylistProgress? = nil, hints: [String]) {
    (self.name, self.bytes, self.progress, self.hints) = (name, bytes, progress, hints)
  }

  /// The text for a client.
  package func text(for directives: DeliveryDirectives) -> [UInt8] {
    guard directives.skips, let update else { return bytes }
    return directives.skipsDateRanges ? rangeUpdate ?? update : update
  }
}

/// The parts that a track's playlist of low-latency HLS lists: those of the segment that is being written, and of the latest ones before it.
struct PartList: Sendable {
  struct Part: Equatable, Sendable {
    /// The name of its file; `nil` if the track has no data for it.
    var name: String?
    var duration: MediaTime
    var isIndependent: Bool
  }

  /// The segment that is being written.
  struct Open: Sendable {
    var start: MediaTime
    /// The date of its start.
    var date: PlaylistDate?
    var isDiscontinuous: Bool
    var parts: [Part] = []
  }

  private struct Complete: Sendable {
    var sequence: UInt64
    var duration: MediaTime
    /// The parts that make it up.
    var parts: [Part] = []
    /// The names of other files: parts of a segment that was given up, which can be loaded for a while and are no longer listed.
    var leftovers: [String] = []
  }

  /// The maximum duration of a part; `nil` if it is not known yet.
  private(set) var target: MediaTime?
  private(set) var open: Open?
  private var complete = Queue<Complete>()
  /// The names of files with parts of segments that were given up since the last complete one.
  private var leftovers: [String] = []

  /// Parts are listed up to three target durations from the end, and can be loaded for as long again (RFC 8216bis, 6.2.2).
  private static let listedTargets: Int64 = 3

  /// Appends a part to the segment that is being written.
  mutating func append(_ part: Part, to segment: Open, target: MediaTime) {
    self.target = target
    if open?.start != segment.start {
      giveUp()
      open = segment
    }
    open?.parts.append(part)
  }

  /// Completes the segment that is being written, or a gap; returns the names of files that clients may not load any more.
  ///
  /// - Parameter isGap: Whether the track has no data for the segment.
  mutating func complete(_ record: JournalRecord.SegmentRecord, isGap: Bool) -> [String] {
    var segment = Complete(sequence: record.mediaSequence, duration: record.duration)
    if let open, open.start == record.start, !isGap { segment.parts = open.parts } else { giveUp() }
    (segment.leftovers, leftovers, open) = (leftovers, [], nil)
    complete.append(segment)
    let kept = MediaTime(seconds: Int(clamping: record.targetDuration)).ticks * Self.listedTargets * 2
    var removable: [String] = []
    var behind = complete.elements.dropFirst().reduce(0) { $0 + $1.duration.ticks }
    while complete.count > 1, behind >= kept, let first = complete.popFirst() {
      removable += first.parts.compactMap(\.name) + first.leftovers
      behind -= complete.first?.duration.ticks ?? 0
    }
    return removable
  }

  /// Removes the parts of the open segment, which was not completed, from the list.
  private mutating func giveUp() { leftovers += open?.parts.compactMap(\.name) ?? [] }

  /// The number of parts of the latest complete segment.
  var lastParts: Int { complete.last?.parts.count ?? 0 }

  /// The number of parts of the segment that is being written.
  var openParts: Int { open?.parts.count ?? 0 }

  /// How many parts ahead of a playlist a client may ask: three seconds, but at least three parts.
  var advanceLimit: Int {
    guard let target, target.ticks > 0 else { return 3 }
    return max(3, Int((3 * MediaTime.ticksPerSecond + target.ticks - 1) / target.ticks))
  }

  /// Adds the tags of low-latency HLS to a track's playlist.
  ///
  /// - Parameters:
  ///   - control: What EXT-X-SERVER-CONTROL says of delta updates.
  ///   - hint: The name of the next file; `nil` for none.
  ///   - others: The progress of the other tracks' playlists.
  ///   - longest: The maximum duration of a part of any track (RFC 8216bis, 4.4.3.8).
  func add(to playlist: inout MediaPlaylist, control: String, hint: String?, others: [Report], longest: MediaTime) {
    guard let target else { return }
    let hold = PlaylistDecimal(MediaTime(ticks: longest.ticks * Int64(LivePart.heldBack)))
    playlist.unknownTags += [
      "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,\(control),PART-HOLD-BACK=\(hold.text)",
      "#EXT-X-PART-INF:PART-TARGET=\(PlaylistDecimal(target).text)",
    ]
    let listed = MediaTime(seconds: Int(clamping: playlist.targetDuration)).ticks * Self.listedTargets
    var behind = open?.parts.reduce(0) { $0 + $1.duration.ticks } ?? 0
    for segment in complete.elements.reversed() {
      guard behind < listed, segment.sequence >= playlist.mediaSequence else { break }
      let index = Int(segment.sequence - playlist.mediaSequence)
      guard index < playlist.segments.count else { continue }
      playlist.segments[index].unknownTags += segment.parts.map(\.tag)
      behind += segment.duration.ticks
    }
    guard !playlist.isEnded else { return }
    if let open {
      if open.isDiscontinuous { playlist.trailingTags.append("#EXT-X-DISCONTINUITY") }
      if let date = open.date, !playlist.hasDateRanges { playlist.trailingTags.append("#EXT-X-PROGRAM-DATE-TIME:\(date.text)") }
      playlist.trailingTags += open.parts.map(\.tag)
    }
    if let hint { playlist.trailingTags.append("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(hint)\"") }
    playlist.trailingTags += others.map(\.tag)
  }

  /// The progress of a playlist, in the rendition reports of other tracks (RFC 8216bis, 4.4.5.4).
  struct Report: Sendable {
    let name: String
    /// The media sequence number of the last segment of which the playlist lists anything, and how many parts of it.
    let sequence: UInt64
    let partCount: Int

    /// - Parameter nextSequence: The media sequence number of the segment that is being written.
    init(_ name: String, _ parts: PartList, nextSequence: UInt64) {
      self.name = name
      (sequence, partCount) = parts.openParts > 0 ? (nextSequence, parts.openParts) : (nextSequence - 1, parts.lastParts)
    }

    fileprivate var tag: String {
      let last = partCount > 0 ? ",LAST-PART=\(partCount - 1)" : ""
      return "#EXT-X-RENDITION-REPORT:URI=\"\(name)\",LAST-MSN=\(sequence)\(last)"
    }
  }
}

extension MediaPlaylist {
  /// Whether it lists date ranges. hls.js 1.6 breaks where one begins in a segment that has a date and is not complete (see Decisions): in such a
  /// playlist the date of the open segment follows from the segment before it.
  fileprivate var hasDateRanges: Bool { segments.contains { !$0.dateRanges.isEmpty } }
}

extension PartList.Part {
  /// The tag of the part in the track's playlist.
  fileprivate var tag: String {
    let duration = PlaylistDecimal(duration).text
    guard let name else { return "#EXT-X-PART:DURATION=\(duration),URI=\"gap\",GAP=YES" }
    return "#EXT-X-PART:DURATION=\(duration),URI=\"\(name)\"\(isIndependent ? ",INDEPENDENT=YES" : "")"
  }
}

package import Basics
import DASH
package import HLSPlaylist

/// The date ranges of a live presentation: what its media playlists list, and what their delta updates leave out (RFC 8216bis, 6.2.5.1).
///
/// All media playlists of a presentation have the same ones (6.2.4). A range is listed from the moment at which it is known, and leaves the playlists
/// with the last segment that it overlaps.
package struct LiveDateRanges: Sendable {
  private struct Entry: Sendable {
    var value: LiveDateRange
    /// When it was listed, or its last attribute was added.
    var changed: Duration
  }

  /// In the order of their starts. Those of one start are in the order in which they came.
  private var entries: [Entry] = []
  /// The IDs of ranges that are no longer listed, and when they left.
  private var removed = Queue<(id: String, at: Duration)>()
  /// The time since the session began.
  private var now = Duration.zero
  /// The maximum number of ranges that are listed at a time. Each client loads them with each playlist.
  static let mostListed = 1_000

  /// No ranges.
  package init() {}

  /// Whether none is listed.
  package var isEmpty: Bool { entries.isEmpty }

  /// The ranges that the playlists list, in the order of their starts.
  package var listed: [DateRange] { entries.map(\.value.range) }

  /// The same as events of an MPD.
  var events: [EventStream.Event] { entries.flatMap(\.value.events) }

  /// Sets the time, by which it is known what clients have not seen yet.
  ///
  /// - Parameter now: The time since the session began.
  package mutating func advance(to now: Duration) { self.now = max(self.now, now) }

  /// Lists a range, or adds attributes to one that is listed. That one may also get its end.
  ///
  /// - Returns: Whether the playlists have changed: not if the range says nothing new, contradicts what is listed, or cannot be written.
  @discardableResult
  package mutating func set(_ value: LiveDateRange) -> Bool {
    if let index = entries.firstIndex(where: { $0.value.range.id.hasSameBytes(as: value.range.id) }) {
      guard let sum = entries[index].value.range.adding(value.range), sum.isWritable else { return false }
      entries[index].value.end = value.end ?? entries[index].value.end
      if !value.events.isEmpty { entries[index].value.events = value.events }
      guard sum != entries[index].value.range else { return false }
      (entries[index].value.range, entries[index].changed) = (sum, now)
      return true
    }
    guard value.range.isWritable else { return false }
    let place = entries.firstIndex { $0.value.start > value.start } ?? entries.endIndex
    entries.insert(Entry(value: value, changed: now), at: place)
    if entries.count > Self.mostListed { remove(at: entries.startIndex) }
    return true
  }

  /// Removes a range that does not take place.
  ///
  /// - Returns: Whether it was listed.
  @discardableResult
  package mutating func withdraw(_ id: String) -> Bool {
    guard let index = entries.firstIndex(where: { $0.value.range.id.hasSameBytes(as: id) }) else { return false }
    remove(at: index)
    return true
  }

  /// Removes the ranges that overlap no segment any more.
  ///
  /// - Parameter start: The start of the first listed segment.
  package mutating func retire(before start: MediaTime) {
    var index = entries.startIndex
    while index < entries.endIndex {
      if let end = entries[index].value.end, end <= start { remove(at: index) } else { index += 1 }
    }
  }

  private mutating func remove(at index: Int) {
    removed.append((entries.remove(at: index).value.range.id, now))
    if removed.count > Self.mostListed { _ = removed.popFirst() }
  }

  /// Takes the ranges of an earlier session over, whose clients may know them all.
  ///
  /// - Parameters:
  ///   - start: The start of the first listed segment; `nil` without segments.
  ///   - boundary: Clients that have loaded a playlist within this time expect updates.
  package mutating func resume(_ ranges: [LiveDateRange], window start: MediaTime?, boundary: MediaTime) {
    for value in ranges {
      if let start, let end = value.end, end <= start {
        if end > start - boundary { removed.append((value.range.id, now)) }
      } else {
        set(value)
      }
    }
  }

  /// What a delta update says for a client that has loaded a playlist lately.
  ///
  /// - Parameter boundary: CAN-SKIP-UNTIL: ranges that were listed longer ago than this are known.
  package func delta(boundary: MediaTime) -> PlaylistDelta.DateRanges {
    let boundary = Duration.milliseconds(boundary.milliseconds)
    let known = entries.filter { $0.changed + boundary < now }.map(\.value.range.id)
    let gone = removed.elements.filter { $0.at + boundary >= now }.map(\.id)
    return PlaylistDelta.DateRanges(known: known, removed: gone)
  }
}

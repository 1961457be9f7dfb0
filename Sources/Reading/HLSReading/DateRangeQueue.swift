import Basics
import GameEvents
import HLSPlaylist

/// Yields the events of date ranges (EXT-X-DATERANGE), each with the segment that is presented at its time.
///
/// It contains only entries of the latest playlist.
struct DateRangeQueue: Sendable {
  /// An event of a date range.
  struct Entry: Equatable, Sendable {
    var id: String
    /// When the range starts, in milliseconds since 1970.
    var start: Int64?
    /// The value of the attribute.
    var value: AttributeValue
  }

  /// The pending entries, sorted by the media sequence number before which they are due.
  private var pending: [(due: UInt64, entry: Entry)] = []
  private var nextPending = 0
  /// The entries that were yielded and are still in the playlist, by their identifiers, byte for byte.
  private var yielded: [[UInt8]: Entry] = [:]
  private var dates: [Int64?] = []
  private var firstSequence: UInt64 = 0

  /// Loads a playlist, for the first time or again.
  ///
  /// - Parameters:
  ///   - firstNew: The index of the first segment that is not read yet.
  ///   - time: The programme time at which that segment starts.
  mutating func load(_ playlist: MediaPlaylist, firstNew: Int, at time: MediaTime) {
    let entries = Self.entries(of: playlist)
    let known = Set(entries.map { Array($0.id.utf8) })
    yielded = yielded.filter { known.contains($0.key) }
    // Entries that were removed from the playlist are due now.
    let vanished = pending[nextPending...].filter { !known.contains(Array($0.entry.id.utf8)) }.map { (due: UInt64(0), entry: $0.entry) }
    dates = playlist.segmentDates
    firstSequence = playlist.mediaSequence
    let schedule = Schedule(playlist, dates: dates, firstNew: firstNew, at: time)
    let waiting = entries.filter { yielded[Array($0.id.utf8)] != $0 }.map { (due: schedule.due($0), entry: $0) }
    pending = vanished + waiting.sorted { $0.due < $1.due }
    nextPending = 0
  }

  /// Removes the entries that are due before the segment of this media sequence number is read; all remaining ones if it is `nil`.
  mutating func removeDue(before sequence: UInt64?) -> [Entry] {
    var due: [Entry] = []
    while nextPending < pending.count, sequence.map({ pending[nextPending].due <= $0 }) ?? true {
      let entry = pending[nextPending].entry
      nextPending += 1
      yielded[Array(entry.id.utf8)] = entry
      due.append(entry)
    }
    return due
  }

  /// The date at which a segment starts, in milliseconds since 1970; `nil` if the playlist does not state it.
  func date(of sequence: UInt64) -> Int64? {
    guard sequence >= firstSequence, sequence - firstSequence < UInt64(dates.count) else { return nil }
    return dates[Int(sequence - firstSequence)]
  }

  /// The ranges with an event, each identifier once: further ranges with an identifier add attributes to the same range.
  private static func entries(of playlist: MediaPlaylist) -> [Entry] {
    var starts: [[UInt8]: Int64] = [:]
    var entries: [Entry] = []
    var seen: Set<[UInt8]> = []
    for range in playlist.allDateRanges {
      let id = Array(range.id.utf8)
      if let start = range.startDate?.milliseconds, starts[id] == nil { starts[id] = start }
      if let value = range.attributes[DateRange.eventAttribute], seen.insert(id).inserted {
        entries.append(Entry(id: range.id, value: value))
      }
    }
    for index in entries.indices { entries[index].start = starts[Array(entries[index].id.utf8)] }
    return entries
  }
}

extension MediaPlaylist {
  /// The date of each segment in milliseconds since 1970, computed forwards and backwards from those in the playlist.
  package var segmentDates: [Int64?] {
    var dates = [Int64?](repeating: nil, count: segments.count)
    var next: Int64?
    for index in segments.indices {
      dates[index] = segments[index].programDateTime?.milliseconds ?? next
      next = dates[index].map { $0 + segments[index].milliseconds }
    }
    guard let first = dates.firstIndex(where: { $0 != nil }) else { return dates }
    for index in (0..<first).reversed() { dates[index] = dates[index + 1].map { $0 - segments[index].milliseconds } }
    return dates
  }
}

extension DateRangeQueue.Entry {
  /// Whether both are equal, byte for byte.
  static func == (left: Self, right: Self) -> Bool {
    left.id.utf8.elementsEqual(right.id.utf8) && left.start == right.start && left.value == right.value
  }

  /// The copy of an event, with its signature checked by `signatures`, if given.
  func copy(requiring signatures: SignatureCheck? = nil) throws(EventError) -> EventCopy {
    guard let bytes = value.hexadecimal else { throw .invalid(key: DateRange.eventAttribute, expected: "a hexadecimal sequence") }
    return try EventCopy(parsing: String(decoding: bytes, as: UTF8.self), description: "", requiring: signatures)
  }

  /// The length of the event in bytes.
  var byteCount: Int { value.hexadecimal?.count ?? 0 }
}

/// Before which segment of a playlist an event is due.
private struct Schedule {
  /// For each segment, the latest date at which it or one before it ends, in milliseconds; the first of them may have none.
  private var endDates: [Int64] = []
  private var firstDated = 0
  /// For each new segment, the programme time at which it should end.
  private var endTimes: [MediaTime] = []
  private let firstNew: Int
  private let firstSequence: UInt64

  init(_ playlist: MediaPlaylist, dates: [Int64?], firstNew: Int, at time: MediaTime) {
    self.firstNew = firstNew
    firstSequence = playlist.mediaSequence
    firstDated = dates.firstIndex { $0 != nil } ?? dates.count
    for (segment, date) in zip(playlist.segments, dates) {
      guard let date else { continue }
      let end = date + segment.milliseconds
      endDates.append(max(endDates.last ?? end, end))
    }
    var end = time
    for segment in playlist.segments[firstNew...] {
      end += MediaTime(segment.duration)
      endTimes.append(end)
    }
  }

  /// The media sequence number of the first segment that ends after the event; the largest one if none does yet.
  func due(_ entry: DateRangeQueue.Entry) -> UInt64 {
    if let start = entry.start, !endDates.isEmpty {
      return sequence(of: endDates.partitionIndex { $0 > start }, in: endDates.count, firstDated)
    }
    guard let time = (try? entry.copy())?.programmeTime else { return 0 }
    return sequence(of: endTimes.partitionIndex { $0 > time }, in: endTimes.count, firstNew)
  }

  /// The media sequence number of a place in a list of this size that starts with the segment `first`; the largest one after its end.
  private func sequence(of place: Int, in count: Int, _ first: Int) -> UInt64 {
    place < count ? firstSequence + UInt64(first + place) : .max
  }
}

extension MediaSegment {
  /// The duration in milliseconds.
  fileprivate var milliseconds: Int64 { duration.billionths / 1_000_000 }
}

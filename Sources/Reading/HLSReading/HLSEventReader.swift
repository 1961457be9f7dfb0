package import Basics
package import EventReading
import GameEvents
import HLSPlaylist
package import TransportStream

/// Finds game events, and every other ID3 tag, in the portions of an HLS presentation.
///
/// It joins the stretches between discontinuities to one programme, and puts the events of date ranges among those of the segments.
package struct HLSEventReader: Sendable {
  /// Whether everything wanted was read. Further portions are ignored.
  package private(set) var isFinished = false
  /// How much of the programme is read, counted from where reading started.
  private let duration: MediaTime?
  /// Checks signatures; `nil` if they are not required.
  private let signatures: SignatureCheck?
  private var feed: SegmentFeed
  private var dateRanges = DateRangeQueue()
  /// The events of date ranges in the time of the segment that is being read, in the order of their times.
  private var waiting: [DateRangeEvent] = []
  /// The date of the timeline origin in milliseconds since 1970, by the date of the latest segment.
  private var originDate: Int64?
  /// Whether a segment was begun, and no initialization segment.
  private var isSegment = false

  /// An event of a date range that waits for earlier items of its segment.
  private struct DateRangeEvent: Sendable {
    /// When it is presented, on the programme's timeline.
    var time: MediaTime
    var copy: EventCopy
    var entry: DateRangeQueue.Entry
  }

  /// Starts before the first portion.
  ///
  /// - Parameter options: Only the duration, the signatures and whether events of other times are kept matter here.
  package init(_ options: HLSReader.Options = HLSReader.Options()) {
    (duration, signatures) = (options.duration, options.signatures)
    feed = SegmentFeed(requiring: signatures, keepsOtherTimes: options.keepsOtherTimes)
  }

  /// The programme time up to which segments are read; `nil` before the first.
  package var end: MediaTime? { feed.start == nil ? nil : feed.position.time }

  /// The programme time at which the video (or the audio) starts; `nil` before it is known.
  package var start: MediaTime? { feed.start }

  /// The container of the latest stretch of the presentation; `nil` before it is known.
  package var container: Container? { feed.reader.container }

  /// The tables of the latest stretch, if that is a transport stream.
  package var tables: ProgramTables { feed.reader.tables }

  /// Reads portions, and returns what was found in them.
  package mutating func receive(_ portions: [HLSPortion]) -> [HLSItem] {
    var items: [HLSItem] = []
    for portion in portions { receive(portion, &items) }
    return items
  }

  /// Reads the next portion, and returns what was found in it.
  package mutating func receive(_ portion: HLSPortion) -> [HLSItem] { receive([portion]) }

  private mutating func receive(_ portion: HLSPortion, _ items: inout [HLSItem]) {
    guard !isFinished else { return }
    switch portion {
    case .playlist: break
    case .segments(let playlist, let firstNew, let missed):
      if let missed { feed.lose(missed, &items) }
      dateRanges.load(playlist, firstNew: firstNew, at: feed.position.time)
      finishIfLongEnough(&items)
    case .next(let mediaSequence, _):
      if let date = dateRanges.date(of: mediaSequence) { originDate = date - feed.position.time.milliseconds }
      queueDateRanges(before: mediaSequence, &items)
    case .discontinuity: feed.restart(&items)
    case .begin(let part):
      isSegment = part.kind == .segment
      feed.begin(part, &items)
    case .bytes(let bytes):
      var found: [HLSItem] = []
      feed.push(bytes.span, &found)
      append(found, to: &items)
    case .end(let duration):
      var found: [HLSItem] = []
      feed.end(isSegment ? duration : nil, &found)
      append(found, to: &items)
      if isSegment { endSegment(&items) }
    case .lost(let duration):
      feed.lose(duration, &items)
      endSegment(&items)
    case .notice(let notice): items.append(.notice(notice))
    case .finished: finish(&items)
    }
  }

  private mutating func endSegment(_ items: inout [HLSItem]) {
    releaseDateRanges(upTo: nil, &items)
    finishIfLongEnough(&items)
  }

  private mutating func finishIfLongEnough(_ items: inout [HLSItem]) {
    if let duration, feed.position.videoTime >= duration { finish(&items) }
  }

  private mutating func finish(_ items: inout [HLSItem]) {
    isFinished = true
    feed.finish(&items)
    queueDateRanges(before: nil, &items)
    releaseDateRanges(upTo: nil, &items)
  }
}

// MARK: Date ranges
extension HLSEventReader {
  /// Queues the date ranges that are due before the segment of this media sequence number; all remaining ones if it is `nil`.
  private mutating func queueDateRanges(before mediaSequence: UInt64?, _ items: inout [HLSItem]) {
    for entry in dateRanges.removeDue(before: mediaSequence) {
      do throws(EventError) {
        let copy = try entry.copy(requiring: signatures)
        waiting.append(DateRangeEvent(time: copy.programmeTime ?? time(ofDate: entry.start), copy: copy, entry: entry))
      } catch {
        items.append(.notice(.unusableDateRange(id: entry.id, error)))
      }
    }
    waiting.sort { $0.time < $1.time }
  }

  /// Appends the items of a segment, merged with the events of date ranges by time.
  private mutating func append(_ found: [HLSItem], to items: inout [HLSItem]) {
    for item in found {
      switch item {
      case .item(.copy(_, let place), _), .item(.tag(_, let place), _): releaseDateRanges(upTo: place.time, &items)
      case .item(.damage, _), .notice: break
      }
      items.append(item)
    }
  }

  /// Appends the events of date ranges up to a time, or all that wait.
  private mutating func releaseDateRanges(upTo time: MediaTime?, _ items: inout [HLSItem]) {
    let due = time.map { time in waiting.prefix { $0.time <= time } } ?? waiting[...]
    for event in due {
      let place = Place(
        time: event.time, presentationTime: event.time + (feed.reader.timelineOrigin ?? .zero), carriage: .dateRange(id: event.entry.id),
        offset: 0,
        byteCount: event.entry.byteCount)
      items.append(.item(.copy(event.copy, place), in: nil))
    }
    waiting.removeFirst(due.count)
  }

  /// The programme time of a date; the current reading position if that is not known.
  private func time(ofDate date: Int64?) -> MediaTime {
    guard let date, let originDate else { return feed.position.time }
    return MediaTime(milliseconds: date - originDate)
  }
}

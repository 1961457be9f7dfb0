package import Basics
package import HLSPlaylist
import HLSReading
import SCTE35

/// Gathers the ad breaks of a stream or a presentation: from sections in the stream, from date ranges, interstitials among them, and from the
/// tags of playlists.
package struct FoundBreaks: Sendable {
  private var found: [FoundBreak?] = []
  private var tracker = AdBreaks()
  /// Where the breaks of the tracker are, by their numbers.
  private var numbers: [Int: Int] = [:]
  /// Where the date ranges are, by their IDs.
  private var ranges: [String: Int] = [:]
  /// The break that a tag has opened.
  private var openTag: Int?

  /// The maximum number of breaks. Further ones are not recorded.
  private static let most = 4_096

  /// A stream without breaks.
  init() {}

  /// The breaks in the order in which they were announced, without cancelled ones and those that end when they begin.
  package var all: [FoundBreak] { found.compactMap { $0 }.filter { known in known.end.map { $0 > known.start } ?? true } }

  /// When the programme is left, in the order of the times.
  ///
  /// - Parameter end: When the programme ends. A break that nothing ends lasts until then.
  package func times(until end: MediaTime) -> [Range<MediaTime>] {
    all.compactMap { known in
      let last = known.end ?? end
      return known.start < last ? known.start..<last : nil
    }.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  /// Receives the next item of metadata.
  mutating func receive(_ item: TimedMetadata) {
    switch item.content {
    case .splice(let section): push(section, item)
    case .eventMessage(_, .section(let section)?): push(section, item)
    case .dateRange(let range, let splices): receive(range, splices, item)
    case .playlistTag(_, let tag, let splice): receive(tag, splice, item)
    case .klv, .eventMessage, .message, .userData, .unreadable: break
    }
  }

  /// Ends the input at a time.
  mutating func finish(at end: MediaTime) { apply(tracker.advance(to: end), nil) }

  // MARK: Sections

  private mutating func push(_ section: SpliceSection, _ item: TimedMetadata) {
    let place = section.time == nil ? item.time : item.placeTime ?? item.time
    // The reader has found the time of the splice. The clock is what makes the tracker find the same.
    let clock = section.time.map { ($0 &- UInt64(bitPattern: (item.time - place).ticks)) & 0x1_FFFF_FFFF }
    apply(tracker.push(section, bytes: [], at: place, clock: clock), item)
  }

  private mutating func apply(_ changes: [AdBreaks.Change], _ item: TimedMetadata?) {
    for change in changes {
      switch change {
      case .announced(let new):
        let isKnown = found.contains { $0?.form == .section && $0?.id == new.id }
        let added = FoundBreak(
          form: .section, id: new.id, start: new.start, hasKnownID: isKnown, offset: item?.offset ?? 0, source: item?.source)
        numbers[new.number] = add(added)
        update(new)
      case .begun(let known), .changed(let known), .ended(let known): update(known)
      case .cancelled(let known): if let index = numbers[known.number] { found[index] = nil }
      }
    }
  }

  private mutating func update(_ known: AdBreak) {
    guard let index = numbers[known.number] else { return }
    found[index]?.start = known.start
    found[index]?.end = known.expectedEnd
    // A segmentation that says its duration ends after it; a splice_insert without auto_return waits for another one.
    found[index]?.isEnded = known.back != nil || known.returnsByItself || known.id.type != nil && known.duration != nil
  }

  private mutating func add(_ new: FoundBreak) -> Int? {
    guard found.count < Self.most else { return nil }
    found.append(new)
    return found.count - 1
  }

  // MARK: Date ranges

  private mutating func receive(_ range: DateRange, _ splices: [PlaylistSplice], _ item: TimedMetadata) {
    var cue: BreakCue?
    for case .section(let section) in splices.map({ $0.content }) { cue = cue ?? section.breakCues.first }
    let isOut = splices.contains { $0.name == "SCTE35-OUT" } || cue?.isOut == true
    let isIn = splices.contains { $0.name == "SCTE35-IN" } || cue?.isOut == false
    guard isOut || isIn || range.isInterstitial || ranges[range.id] != nil else { return }
    let length = range.length
    if let index = ranges[range.id] ?? (isOut || range.isInterstitial ? nil : openRange(cue?.id)) {
      let start = found[index]?.start ?? item.time
      if let length, ranges[range.id] == index { found[index]?.end = start + length.time }
      // The "in" of a break whose date range has another ID lies at its end.
      if ranges[range.id] == nil { found[index]?.end = item.time }
      if isIn || length?.isReal == true { found[index]?.isEnded = true }
    } else if isOut || range.isInterstitial {
      let expected = length?.time ?? cue?.duration.map { MediaTime(ticks: Int64(clamping: $0)) }
      let new = FoundBreak(
        form: .dateRange(range.id), id: cue?.id, start: item.time, end: expected.map { item.time + $0 },
        isEnded: isIn || length?.isReal == true || range.isInterstitial, offset: item.offset, source: item.source)
      ranges[range.id] = add(new)
    }
  }

  /// Where the latest date range of a break is that nothing has ended.
  private func openRange(_ id: AdBreak.Identifier?) -> Int? {
    guard let id else { return nil }
    return found.lastIndex { known in
      guard let known, case .dateRange = known.form else { return false }
      return known.id == id && !known.isEnded
    }
  }

  // MARK: Tags

  private mutating func receive(_ tag: CueTag, _ splice: PlaylistSplice?, _ item: TimedMetadata) {
    var cue: BreakCue?
    if case .section(let section)? = splice?.content { cue = section.breakCues.first }
    guard let isOut = tag.isOut ?? cue?.isOut else { return }
    let duration = tag.duration.flatMap { MediaTime($0) } ?? cue?.duration.map { MediaTime(ticks: Int64(clamping: $0)) }
    guard isOut else {
      if let openTag {
        found[openTag]?.end = item.time
        found[openTag]?.isEnded = true
      }
      openTag = nil
      return
    }
    if let index = openTag, let known = found[index] {
      let isOver = known.end.map { $0 <= item.time } ?? false
      let isSame = known.start == item.time || tag.name == .outContinued || !isOver
      if isSame {
        if let duration, known.end == nil { found[index]?.end = known.start + duration }
        return
      }
      openTag = nil
    }
    let elapsed = tag.elapsed.flatMap { MediaTime($0) } ?? .zero
    let start = max(item.time - elapsed, .zero)
    let new = FoundBreak(
      form: .tag(tag.name.rawValue), id: cue?.id, start: start, end: duration.map { start + $0 }, isEnded: duration != nil,
      offset: item.offset, source: item.source)
    openTag = add(new)
  }
}

extension DateRange {
  /// Whether it is an interstitial (RFC 8216bis, appendix D).
  package var isInterstitial: Bool { rangeClass == "com.apple.hls.interstitial" }

  /// How long it is, and whether that is more than a plan; `nil` if it does not say.
  package var length: (time: MediaTime, isReal: Bool)? {
    if let time = duration.flatMap({ MediaTime($0) }) { return (time, true) }
    if let startDate, let endDate { return (MediaTime(milliseconds: endDate.milliseconds - startDate.milliseconds), true) }
    return plannedDuration.flatMap { MediaTime($0) }.map { ($0, false) }
  }
}

import Basics
import EventSchedule
import GameEvents
import LiveGame
import LiveHLS
import Sheets
import Stamping

/// The state of earlier sessions, restored from their journal.
struct RestoredSession {
  /// The game, and the events that must go into the stream now.
  var game: LiveGame
  var arrivals: [LiveGame.Arrival] = []
  /// The playlist to continue; `nil` without one.
  var continuation: LivePlaylist.Continuation?
  /// The last segment, and the last segment or gap.
  private var lastSegment: JournalRecord.SegmentRecord?
  private var lastRecord: JournalRecord.SegmentRecord?
  /// Whether the stream continues soon enough for bursts to continue.
  private var continuesBursts = false
  /// The dates of programme times, if the stream continues without a break.
  private(set) var dates: DateAnchor?
  /// The latest term of a pair.
  private(set) var term = 0
  /// The programme time of the first access unit.
  var start = MediaTime.zero
  /// The usual delay of players, in target durations. Segments in memory are lost with the process.
  private static let usualDelay = 3
  /// Whether there was a session before.
  private(set) var isContinuation = false
  /// The first records of this session.
  var beginning: [JournalRecord] = []

  /// Restores the session, or makes a new one without records.
  ///
  /// - Parameter now: Milliseconds since 1970.
  /// - Throws: `JournalText.Damage` if the journal belongs to another game, or contradicts itself.
  init(_ records: [JournalRecord], _ settings: LiveSettings, now: Int64) throws(JournalText.Damage) {
    let restored = try RestoredGame(
      records,
      RestoredGame.Settings(
        game: settings.game, isGameNamed: settings.isGameNamed, title: settings.title, policy: settings.policy, sealKey: settings.sealKey,
        hasOpenAnswers: settings.hasOpenAnswers, sign: settings.sign, breaks: settings.breaks))
    (game, arrivals, beginning) = (restored.game, restored.arrivals, restored.beginning)
    guard !records.isEmpty else { return }
    isContinuation = true
    continuation = Self.continuation(records, settings.segmentType)
    for case .segment(let record) in records {
      lastRecord = record
      if !record.isGap { lastSegment = record }
    }
    term = records.term
    start = Self.start(records, now: now)
  }

  /// The PTS of the access unit that the next segment starts with; `nil` if it is unknown.
  var nextTimestamp: UInt64? { lastRecord.flatMap { $0.isGap ? nil : $0.nextTimestamp } }

  /// The numbers of copies so far of the bursts that continue after the last segment, by events.
  var bursts: [GUID: Int] {
    guard continuesBursts else { return [:] }
    return Dictionary(lastRecord?.bursts.map { ($0.guid, $0.copies) } ?? []) { $1 }
  }

  /// Continues after the segments that another node of a pair has listed, where the input does.
  mutating func begin(_ beginning: StandbyInput.Beginning) {
    guard let last = lastRecord else { return }
    let end = last.start + last.duration
    continuesBursts = beginning != .unknown
    switch beginning {
    case .seamless:
      start = end
      dates = DateAnchor(time: last.start, wallClock: last.wallClock)
      continuation?.isSeamless = true
    case .later(let distance): start = max(end, end + distance)
    case .unknown: break
    }
  }

  /// Accepts the cues for the start.
  ///
  /// - Parameter now: Milliseconds since 1970.
  /// - Throws: `SheetError` if they contradict the journal.
  mutating func start(with cues: LiveSheet, now: Int64) throws(SheetError) {
    // The programme of a new session has not begun.
    let change = try game.start(with: cues, now: LiveGame.Now(time: start > .zero ? start : nil, wallClock: now))
    beginning += change.records
    arrivals += change.arrivals
  }

  /// The placed events, in the order of their sequence numbers.
  ///
  /// - Parameter sign: Signs each event; `nil` for no signatures.
  /// - Returns: Events that all viewers have seen, and events whose copies may be lost, since they are later than the last segment that still exists.
  func placedEvents(signedBy sign: EventSigner?) -> (seen: [PlannedEvent], lost: [PlannedEvent]) {
    var seenUntil = MediaTime(ticks: .min)
    if let last = continuation?.segments.last(where: { !$0.isGap }) {
      seenUntil = last.start + last.duration
    } else if let last = lastSegment {
      seenUntil = last.start + last.duration - MediaTime(seconds: Int(clamping: last.targetDuration) * Self.usualDelay)
    }
    let placed = game.placedEvents.map { event in
      var event = event
      event.signature = sign?(event.event.signedBytes)
      return event
    }
    return (placed.filter { $0.time < seenUntil }, placed.filter { $0.time >= seenUntil })
  }

  /// The date ranges of events in the stream, the same as before the restart.
  func dateRanges(of events: [PlannedEvent]) -> [LiveDateRange] {
    events.compactMap { event in
      game.status(event.event.guid)?.wallClock.flatMap { LiveDateRange(event, wallClock: $0) }
    }
  }

  /// Keeps the segments that still exist. Later ones were listed but never written, and become gaps.
  ///
  /// - Returns: The names of files that some of those may have.
  mutating func keepSegments(_ range: Range<Int>) -> [String] {
    guard let all = continuation?.segments else { return [] }
    var kept = Array(all[range])
    let unwritten = all[range.upperBound...].flatMap(\.segmentFiles)
    if let last = kept.last {
      for var record in all[range.upperBound...] {
        record.isGap = true
        // Their own initialization segments may be missing, too.
        record.takeInitializations(of: last)
        kept.append(record)
      }
    }
    continuation?.segments = kept
    return unwritten
  }

  /// Lets the coding of a seamless segment be compared with that of the last one.
  ///
  /// - Parameter read: The bytes of a file; `nil` if it does not exist.
  mutating func compareInitializations(_ read: (String) -> [UInt8]?) {
    guard continuation?.isSeamless == true, let names = continuation?.segments.last?.initializations else { return }
    let files = names.compactMap(read)
    if files.count == names.count { continuation?.initializations = files }
  }

  /// Where the playlist goes on, with all segments that the journal has of it.
  private static func continuation(_ records: [JournalRecord], _ type: SegmentType) -> LivePlaylist.Continuation? {
    var segments: [JournalRecord.SegmentRecord] = []
    for case .segment(let record) in records { segments.append(record) }
    guard let last = segments.last else { return nil }
    var continuation = LivePlaylist.Continuation(
      mediaSequence: last.mediaSequence + 1, discontinuitySequence: last.discontinuitySequence, targetDuration: last.targetDuration)
    // The MPD begins anew if a date is before its start.
    continuation.firstDate = segments.lazy.map(\.wallClock).min()
    // A playlist has segments of one type.
    let ofOtherType = segments.lastIndex { !$0.isGap && ($0.initialization != nil) != (type == .fragmentedMP4) }
    continuation.segments = Array(segments[(ofOtherType.map { $0 + 1 } ?? 0)...])
    if case .ended = records.last { continuation.hasBegunSegment = false } else { continuation.hasBegunSegment = last.precedesParts }
    return continuation
  }

  /// How far the stream may have been ahead of the journal at least: inputs deliver seconds at once, and copies follow their events.
  private static let margin = MediaTime(seconds: 1)

  /// The programme time at which the next session begins. It went on while no session ran, so that no time occurs twice.
  static func start(_ records: [JournalRecord], now: Int64) -> MediaTime {
    var latest = MediaTime.zero
    for record in records {
      switch record {
      case .segment(let segment):
        latest = max(latest, segment.start + max(MediaTime(ticks: (now - segment.wallClock) * 90), segment.duration + margin))
      case .placed(_, let at, _, let wallClock): latest = max(latest, at + max(MediaTime(ticks: (now - wallClock) * 90), margin))
      default: continue
      }
    }
    return latest
  }
}

import Basics
import EventSchedule
import GameEvents
import LiveGame
import LiveHLS
import Sheets
import Stamping

/// What a journal tells of the sessions before this one.
struct RestoredSession {
  /// The game as it was, and the events that must go into the stream now.
  var game: LiveGame
  var arrivals: [LiveGame.Arrival] = []
  /// Where the playlist goes on; `nil` where there was none.
  var continuation: LivePlaylist.Continuation?
  /// The last segment of the session before, and that or a gap behind it.
  private var lastSegment: JournalRecord.SegmentRecord?
  private var lastRecord: JournalRecord.SegmentRecord?
  /// Whether it goes on so soon that bursts do, too.
  private var goesOnSoon = false
  /// Which date the programme has when, where it goes on without a break.
  private(set) var dates: DateAnchor?
  /// How often a node of a pair has led.
  private(set) var term = 0
  /// The programme time of the first access unit.
  var start = MediaTime.zero
  /// Who watches is this many target durations behind, as players usually are. Segments in memory are lost with the process.
  private static let usualDelay = 3
  /// Whether there was a session before.
  private(set) var isContinuation = false
  /// The records that the journal needs before anything else.
  var beginning: [JournalRecord] = []

  /// What the records of a journal say, or nothing where there are none.
  ///
  /// - Parameter now: Milliseconds since 1970.
  /// - Throws: `JournalText.Damage` where the journal is that of another game, or contradicts itself.
  init(_ records: [JournalRecord], _ settings: LiveSettings, now: Int64) throws(JournalText.Damage) {
    let restored = try RestoredGame(
      records,
      RestoredGame.Settings(
        game: settings.game, isGameNamed: settings.isGameNamed, title: settings.title, policy: settings.policy, sealKey: settings.sealKey,
        hasOpenAnswers: settings.hasOpenAnswers, sign: settings.sign))
    (game, arrivals, beginning) = (restored.game, restored.arrivals, restored.beginning)
    guard !records.isEmpty else { return }
    isContinuation = true
    continuation = Self.continuation(records, settings.segmentType)
    for case .segment(let record) in records {
      lastRecord = record
      if !record.isGap { lastSegment = record }
    }
    for case .led(let term, _) in records { self.term = max(self.term, term) }
    start = Self.start(records, now: now)
  }

  /// When the access unit is presented that the next segment starts with, on the stream's clock; `nil` where that is not known.
  var nextTimestamp: UInt64? { lastRecord.flatMap { $0.isGap ? nil : $0.nextTimestamp } }

  /// How many copies there are of the bursts that go on behind the last segment, by their events.
  var bursts: [GUID: Int] {
    guard goesOnSoon else { return [:] }
    return Dictionary(lastRecord?.bursts.map { ($0.guid, $0.copies) } ?? []) { $1 }
  }

  /// Goes on where the input does, behind what another node of a pair has listed.
  mutating func begin(_ beginning: StandbyInput.Beginning) {
    guard let last = lastRecord else { return }
    let end = last.start + last.duration
    goesOnSoon = beginning != .unknown
    switch beginning {
    case .seamless:
      start = end
      dates = DateAnchor(time: last.start, wallClock: last.wallClock)
      continuation?.isSeamless = true
    case .later(let distance): start = max(end, end + distance)
    case .unknown: break
    }
  }

  /// Accepts the cues that are there from the start.
  ///
  /// - Parameter now: Milliseconds since 1970.
  /// - Throws: `SheetError` where they contradict the journal.
  mutating func start(with cues: LiveSheet, now: Int64) throws(SheetError) {
    // The programme of a new session has not begun.
    let change = try game.start(with: cues, now: LiveGame.Now(time: start > .zero ? start : nil, wallClock: now))
    beginning += change.records
    arrivals += change.arrivals
  }

  /// The events that have their places, in the order of these.
  ///
  /// - Parameter sign: Signs each event; `nil` for no signatures.
  /// - Returns: Those that everybody has seen, who was there, and those whose copies may be lost: they came after the last segment that is still
  ///   there, and the process may have ended before they were sent.
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

  /// Keeps the segments that are there. Those behind them were promised to players and never written: they are gaps.
  ///
  /// - Returns: The names of the files that some of them may have.
  mutating func keepSegments(_ range: Range<Int>) -> [String] {
    guard let all = continuation?.segments else { return [] }
    var kept = Array(all[range])
    let unwritten = all[range.upperBound...].flatMap(\.segmentFiles)
    if let last = kept.last {
      for var record in all[range.upperBound...] {
        record.isGap = true
        // Initialization segments of their own may be missing, too.
        record.initialization = last.initialization
        record.audio = last.audio.map { .init(name: nil, initialization: $0.initialization) }
        record.variants = last.variants.map { .init(name: nil, initialization: $0.initialization) }
        kept.append(record)
      }
    }
    continuation?.segments = kept
    return unwritten
  }

  /// Where the playlist goes on, with all segments that the journal has of it.
  private static func continuation(_ records: [JournalRecord], _ type: SegmentType) -> LivePlaylist.Continuation? {
    var segments: [JournalRecord.SegmentRecord] = []
    for case .segment(let record) in records { segments.append(record) }
    guard let last = segments.last else { return nil }
    var continuation = LivePlaylist.Continuation(
      mediaSequence: last.mediaSequence + 1, discontinuitySequence: last.discontinuitySequence, targetDuration: last.targetDuration)
    continuation.firstDate = segments.first?.wallClock
    // A playlist has segments of one type.
    let ofOtherType = segments.lastIndex { !$0.isGap && ($0.initialization != nil) != (type == .fragmentedMP4) }
    continuation.segments = Array(segments[(ofOtherType.map { $0 + 1 } ?? 0)...])
    // Earlier versions wrote gaps without initialization segments, which no playlist has behind segments with them.
    for index in continuation.segments.indices.dropFirst() where continuation.segments[index].initialization == nil {
      let last = continuation.segments[index - 1]
      guard continuation.segments[index].isGap, last.initialization != nil else { continue }
      continuation.segments[index].initialization = last.initialization
      continuation.segments[index].audio = last.audio.map { .init(name: nil, initialization: $0.initialization) }
      continuation.segments[index].variants = last.variants.map { .init(name: nil, initialization: $0.initialization) }
    }
    if case .ended = records.last { continuation.hasBegunSegment = false } else { continuation.hasBegunSegment = last.precedesParts }
    return continuation
  }

  /// How far the stream may have come, at least, behind what the journal knows last: inputs bring seconds at once, and copies follow their events.
  private static let margin = MediaTime(seconds: 1)

  /// The programme time at which the next session begins. It went on while no session ran, so that no time comes twice.
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

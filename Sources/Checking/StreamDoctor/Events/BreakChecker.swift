import Basics
import HLSPlaylist
import HLSReading
import MetadataReading
import SCTE35

/// Checks the ad breaks of one rendition: their sections, their ends, their date ranges, and that no event of the game lies inside.
struct BreakChecker: Sendable {
  private var reader = MetadataReader()
  /// The sections that opened date ranges, by the IDs of those.
  private var opened: [String: BreakCue] = [:]
  private let name: String

  /// The maximum number of remembered date ranges.
  private static let most = 1_024
  /// By how much the durations and dates of a date range may differ from those of its section.
  private static let tolerance = MediaTime(seconds: 1)

  /// Starts a rendition, whose playlist or stream has this name.
  init(name: String) { self.name = name }

  /// Receives the next portion.
  mutating func receive(_ portion: HLSPortion, _ log: inout FindingLog) { check(reader.receive(portion), &log) }

  /// Ends the rendition.
  ///
  /// - Parameter events: The events of the game.
  mutating func finish(_ events: [TimedEvent], _ log: inout FindingLog) {
    check(reader.finish(), &log)
    let breaks = reader.breaks.all
    for known in breaks {
      if known.hasKnownID { add(.cueID, known, "\(known.name) at \(known.start.clockText), which an earlier break has had", &log) }
      if !known.isEnded { add(.cueEnd, known, "nothing ends \(known.name), which begins at \(known.start.clockText)", &log) }
    }
    for case .dateRange(let id) in breaks.map(\.form) { compareTimes(id, breaks, &log) }
    for event in events {
      guard let met = breaks.first(where: { $0.meets(from: event.time, to: event.time + event.duration) }) else { continue }
      let end = met.end.map { " to \($0.clockText)" } ?? ""
      log.add(
        .cueEvent,
        FindingPlace(
          resource: event.resource, position: .byte(event.offset),
          found: "\(event.name) at \(event.time.clockText) meets \(met.name), from \(met.start.clockText)\(end)"))
    }
  }

  private mutating func check(_ findings: [MetadataFinding], _ log: inout FindingLog) {
    for case .new(let item, _) in findings {
      switch item.content {
      case .unreadable(.splice, let reason), .eventMessage(_, .unreadable(let reason)?): add(.cueSection, item, reason, &log)
      case .playlistTag(_, let tag, let splice?):
        if case .unreadable(let reason) = splice.content { add(.cueSection, item, "\(tag.name.rawValue): \(reason)", &log) }
      case .dateRange(let range, let splices): check(range, splices, item, &log)
      case .splice, .klv, .eventMessage, .message, .userData, .playlistTag, .unreadable: break
      }
    }
  }

  /// Compares a date range with the sections in it.
  private mutating func check(_ range: DateRange, _ splices: [PlaylistSplice], _ item: TimedMetadata, _ log: inout FindingLog) {
    for splice in splices {
      let name = "\(splice.name) of the date range \(range.id)"
      switch splice.content {
      case .unreadable(let reason): add(.cueSection, item, "\(name): \(reason)", &log)
      case .section(let section): compare(range, splice, section.breakCues, name, item, &log)
      }
    }
  }

  private mutating func compare(
    _ range: DateRange, _ splice: PlaylistSplice, _ cues: [BreakCue], _ name: String, _ item: TimedMetadata, _ log: inout FindingLog
  ) {
    let isOut: Bool? = splice.name == "SCTE35-OUT" ? true : splice.name == "SCTE35-IN" ? false : nil
    // A section may have segmentations of several kinds, and other ones open no break.
    guard let first = cues.first else { return }
    guard let cue = cues.first(where: { isOut == nil || $0.isOut == isOut }) else {
      return add(.cueDateRange, item, "\(name) has a section that says \(first.isOut ? "out" : "in")", &log)
    }
    if cue.isOut {
      if opened.count < Self.most { opened[range.id] = opened[range.id] ?? cue }
      guard let ticks = cue.duration, let planned = range.plannedDuration.map({ MediaTime($0) }) ?? range.length?.time else { return }
      let duration = MediaTime(ticks: Int64(clamping: ticks))
      guard (planned - duration).magnitude > Self.tolerance else { return }
      add(
        .cueDateRange, item,
        "the date range \(range.id) lasts \(planned.shortestDecimalSeconds) s, and its section says \(duration.shortestDecimalSeconds) s",
        &log)
    } else if let begun = opened[range.id], !cues.contains(where: { !$0.isOut && $0.id.eventID == begun.id.eventID }) {
      add(.cueDateRange, item, "\(name) ends the event \(cue.id.eventID), and the range was opened by \(begun.id.eventID)", &log)
    }
  }

  /// Compares the time of a date range with that of the same break in the stream.
  private func compareTimes(_ id: String, _ breaks: [FoundBreak], _ log: inout FindingLog) {
    guard let range = breaks.first(where: { $0.form == .dateRange(id) }), let eventID = range.id else { return }
    let same = breaks.filter { $0.form == .section && $0.id == eventID }
    guard let nearest = same.min(by: { ($0.start - range.start).magnitude < ($1.start - range.start).magnitude }),
      (nearest.start - range.start).magnitude > Self.tolerance
    else { return }
    let times = "begins at \(range.start.clockText), and the break of its section in the stream at \(nearest.start.clockText)"
    log.add(.cueDateRange, in: name, "the date range \(id) \(times)")
  }

  private func add(_ rule: DoctorRule, _ item: TimedMetadata, _ found: String, _ log: inout FindingLog) {
    switch item.content {
    case .dateRange, .playlistTag: log.add(rule, in: name, found)
    default: log.add(rule, FindingPlace(resource: item.source?.uri ?? name, position: .byte(item.offset), found: found))
    }
  }

  private func add(_ rule: DoctorRule, _ known: FoundBreak, _ found: String, _ log: inout FindingLog) {
    guard known.form == .section else { return log.add(rule, in: name, found) }
    log.add(rule, FindingPlace(resource: known.source?.uri ?? name, position: .byte(known.offset), found: found))
  }
}

/// An event of a game, with the time in which it should not meet an ad break.
struct TimedEvent: Equatable, Sendable {
  /// What it is, in words.
  var name: String
  /// When it happens, in programme time.
  var time: MediaTime
  /// How long it takes answers; zero for other events.
  var duration: MediaTime
  /// The stream or segment with its first copy.
  var resource: String
  /// The offset of that copy.
  var offset: Int
}

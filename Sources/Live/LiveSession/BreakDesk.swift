import Basics
import HLSPlaylist
import HLSReading
import LiveGame
import LiveHLS
import SCTE35
import Stamping
import Synchronization

/// Follows the ad breaks of a live stream, and makes date ranges of them. The dates are passed in.
struct BreakDesk: Sendable {
  /// What has changed.
  struct Changes: Equatable, Sendable {
    /// The breaks, as they are now: those that are over or cancelled have ended.
    var breaks: [AdBreak] = []
    /// The date ranges of breaks that are new, or have ended.
    var ranges: [LiveDateRange] = []
    /// The IDs of date ranges that do not take place.
    var withdrawn: [String] = []
    /// How many breaks have begun.
    var begun = 0
    /// Why sections cannot be read, in words.
    var damages: [String] = []
  }

  private var breaks: AdBreaks
  /// The date range of each break as it was first listed, and how often its start has changed before.
  private var listed: [Int: (range: LiveDateRange, revision: Int)] = [:]

  /// A stream without breaks, or one that goes on.
  ///
  /// - Parameters:
  ///   - known: The breaks that were announced before.
  ///   - count: How many there were.
  init(_ known: [AdBreak] = [], count: Int = 0) { breaks = AdBreaks(resuming: known, count: count) }

  /// Receives the sections up to a time.
  mutating func follow(_ splices: [FoundSplice], to time: MediaTime, date: (MediaTime) -> Int64) -> Changes {
    var changes = Changes()
    // What an earlier session has announced is listed again, before the first access unit may end it.
    for known in breaks.current where listed[known.number] == nil && !known.out.isEmpty { list(known, date, &changes) }
    for splice in splices {
      do throws(ParseError) {
        let section = try SpliceSection(splice.bytes.view)
        for change in breaks.push(section, bytes: splice.bytes, at: splice.place, clock: splice.clock) { take(change, date, &changes) }
      } catch {
        changes.damages.append("\(error.reason)")
      }
    }
    for change in breaks.advance(to: time) { take(change, date, &changes) }
    return changes
  }

  private mutating func take(_ change: AdBreaks.Change, _ date: (MediaTime) -> Int64, _ changes: inout Changes) {
    switch change {
    case .announced(let known): list(known, date, &changes)
    case .begun: changes.begun += 1
    case .changed(let known):
      if let (range, revision) = listed[known.number], range.start != known.start {
        changes.withdrawn.append(range.range.id)
        listed[known.number] = nil
        list(known, revision: revision + 1, date, &changes)
      }
    case .ended(let known):
      guard var (range, _) = listed.removeValue(forKey: known.number), let end = known.end else { break }
      range.range.end(known)
      range.end = end
      range.events = known.listedEvents
      changes.ranges.append(range)
    case .cancelled(let known):
      if let (range, _) = listed.removeValue(forKey: known.number) { changes.withdrawn.append(range.range.id) }
    }
    changes.breaks.append(change.known)
  }

  /// Lists a break that is announced. One that is over has no range.
  private mutating func list(_ known: AdBreak, revision: Int = 0, _ date: (MediaTime) -> Int64, _ changes: inout Changes) {
    guard let start = PlaylistDate(milliseconds: date(known.start)) else { return }
    let range = DateRange(known, id: known.name + (revision == 0 ? "" : "-\(revision)"), startDate: start)
    let listing = LiveDateRange(range, start: known.start, end: nil, events: known.listedEvents)
    listed[known.number] = (listing, revision)
    changes.ranges.append(listing)
  }
}

extension AdBreaks.Change {
  /// The break as it is now. One that is cancelled has ended.
  fileprivate var known: AdBreak {
    switch self {
    case .announced(let known), .begun(let known), .changed(let known), .ended(let known): return known
    case .cancelled(var known):
      known.state = .ended
      return known
    }
  }
}

/// The ad breaks of the first input.
extension LiveSession {
  /// Whether a break is open, and how many questions wait for the end of one.
  package var breakSituation: (isOpen: Bool, heldEvents: Int) {
    desk.read { game, _ in (game.breaks.contains { $0.state == .open }, game.heldCount) }
  }

  /// Receives the sections of the input up to a time.
  func follow(_ splices: [FoundSplice], to time: MediaTime) {
    let changes = state.withLock { state in
      var dates = state.dates
      let changes = state.breaks.follow(splices, to: time) { dates.tell($0) ?? 0 }
      state.dates = dates
      state.situation.cues += splices.count
      state.situation.damagedCues += changes.damages.count
      state.situation.breaks += changes.begun
      return changes
    }
    if let damage = changes.damages.first { report("\(settings.input.name): a section of SCTE-35 cannot be read: \(damage)") }
    desk.note(changes.breaks)
    presentation.set(changes.ranges, withdrawing: changes.withdrawn)
  }
}

import GameEvents

/// Counts, tag by tag, how a player handles a stream.
struct PlayerTally: Sendable {
  /// The copies of one event.
  private struct EventCount: Sendable {
    var shown = 0
    /// The first reason for which a copy of it was dropped.
    var reason: String?
  }

  private let model: PlayerModel
  private var cues = 0
  /// The number of tags that are dropped, or give an unreadable cue, for each reason.
  private var tags: [(reason: String, count: Int)] = []
  private var events: [GUID: EventCount] = [:]
  /// The events in the order of their first copies.
  private var order: [GUID] = []

  /// The number of events that are counted one by one.
  private static let mostEvents = 65_536
  /// The number of events that are named for each reason.
  private static let eventsNamed = 5

  init(_ model: PlayerModel) { self.model = model }

  /// Counts the next tag.
  mutating func add(_ tag: TagObservation) {
    if let reason = model.reasonToDrop(tag) {
      countTag(reason)
      for frame in tag.frames { add(frame.event, shown: 0, reason) }
      return
    }
    for frame in tag.frames {
      switch model.verdict(frame, tag) {
      case .ignored: break
      case .shown(let times):
        cues += times
        add(frame.event, shown: times, nil)
      case .unreadable(let reason):
        cues += 1
        countTag(reason)
        add(frame.event, shown: 0, reason)
      }
    }
  }

  /// What the player is expected to show.
  func prediction(_ remarks: [String]) -> PlayerPrediction {
    let dropped = tags.map { entry in
      let lost = order.filter { guid in events[guid].map { $0.shown == 0 && $0.reason == entry.reason } ?? false }
      return PlayerPrediction.Group(
        reason: entry.reason, tags: entry.count, events: Array(lost.prefix(Self.eventsNamed)), eventCount: lost.count)
    }
    let repeated = order.filter { (events[$0]?.shown ?? 0) > 1 }
    let repeats = repeated.reduce(0) { $0 + (events[$1]?.shown ?? 0) }
    return PlayerPrediction(
      player: model.player, evidence: model.evidence, cues: cues, events: events.values.filter { $0.shown > 0 }.count, dropped: dropped,
      repeated: repeated.isEmpty
        ? nil
        : .init(
          reason: model.reasonToRepeat, tags: repeats, events: Array(repeated.prefix(Self.eventsNamed)), eventCount: repeated.count),
      mostRepeats: repeated.reduce(0) { max($0, events[$1]?.shown ?? 0) }, remarks: remarks)
  }

  private mutating func countTag(_ reason: String) {
    if let index = tags.firstIndex(where: { $0.reason == reason }) {
      tags[index].count += 1
    } else {
      tags.append((reason, 1))
    }
  }

  private mutating func add(_ event: GUID?, shown: Int, _ reason: String?) {
    guard let event else { return }
    if events[event] == nil {
      guard events.count < Self.mostEvents else { return }
      order.append(event)
    }
    var known = events[event] ?? EventCount()
    known.shown += shown
    known.reason = known.reason ?? reason
    events[event] = known
  }
}

import Basics
import GameEvents

extension EventLog {
  /// What has happened by `time` and moves the state, in the order in which it is folded.
  ///
  /// Each game keeps the log's order. Games are merged by time: an entry counts with the latest time of its game so far, and ties are ordered
  /// by the bytes of the games' names. So the order depends on the entries alone.
  func foldedEntries(upTo time: MediaTime) -> [Entry] {
    let games = gamesByName
    guard games.count > 1 else { return games.first.map { folded($0, upTo: time) } ?? [] }
    var ranked: [(time: MediaTime, rank: Int, entry: Entry)] = []
    for (rank, game) in games.enumerated() {
      var latest = MediaTime(ticks: .min)
      for entry in folded(game, upTo: time) {
        latest = max(latest, entry.time)
        ranked.append((latest, rank, entry))
      }
    }
    // Stable, so that each game keeps its order.
    ranked.sort { ($0.time, $0.rank) < ($1.time, $1.rank) }
    return ranked.map { $0.entry }
  }

  /// Whether `entries`, which have happened by `time`, come after everything else in their game that has.
  func areLatest(_ entries: some BidirectionalCollection<Entry>, of game: GameID, upTo time: MediaTime) -> Bool {
    var index = entries.endIndex
    for entry in self.entries(of: game).reversed() where entry.isFolded(upTo: time) {
      guard index > entries.startIndex else { return true }
      index = entries.index(before: index)
      guard entries[index].event.guid == entry.event.guid else { return false }
    }
    return index == entries.startIndex
  }

  /// The entries of exactly this time, in the order in which they are folded, custom events among them.
  func entries(at time: MediaTime) -> [Entry] { gamesByName.flatMap { entries(of: $0).filter { $0.time == time } } }

  /// The time of the first entry after `time`.
  func firstTime(after time: MediaTime) -> MediaTime? {
    games.compactMap { entries(of: $0).lazy.map { $0.time }.filter { $0 > time }.min() }.min()
  }

  private var gamesByName: [GameID] { games.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) } }

  private func folded(_ game: GameID, upTo time: MediaTime) -> [Entry] { entries(of: game).filter { $0.isFolded(upTo: time) } }
}

extension EventLog.Entry {
  /// Whether the event has happened by `time` and is one of the game's five, which alone move the state.
  func isFolded(upTo time: MediaTime) -> Bool { self.time <= time && !event.isCustom }
}

extension GameEvent {
  /// Whether the event's type is none of the game's.
  var isCustom: Bool {
    if case .custom = content { true } else { false }
  }
}

import Basics
import GameEvents

/// The events that have happened and affect the state, in the order of the fold, and their fold.
///
/// Each game keeps the log's order. Games are merged by time: the time of an entry is the latest one of its game so far, and ties are ordered
/// by the bytes of the games' names. So the order depends on the entries alone.
///
/// The fold is kept at checkpoints. After a late entry, folding starts at the checkpoint before it, and ends at the first checkpoint
/// whose fold did not change. Mostly that is a few entries later, because the next question replaces the previous one.
struct FoldedEntries: Sendable {
  /// The fold of the first entries.
  private struct Checkpoint: Sendable {
    var count: Int
    var fold: GameFold
  }

  /// The approximate number of entries between two checkpoints.
  private static let spacing = 32

  private var entries: [FoldedEntry] = []
  private var checkpoints: [Checkpoint] = []
  /// The fold of all entries.
  private(set) var fold: GameFold
  /// The latest time of an entry.
  private(set) var latestTime = MediaTime(ticks: .min)
  /// How many entries have been folded, including repeated folding: the effort so far.
  private(set) var steps = 0
  /// Whether ``FoldedEntry/latest`` is right for all entries. With a single game it is not needed, and need not be right.
  private var isMerged = true
  private var numbers: [GameID: Int] = [:]
  private var nextNumber = 0
  /// How many entries there are of each game.
  private var counts: [Int: Int] = [:]
  private let verifySeal: SealCheck?

  init(verifySeal: SealCheck?) {
    self.verifySeal = verifySeal
    fold = GameFold(verifySeal: verifySeal)
  }

  /// An entry of the log, if it affects the state.
  mutating func make(_ entry: EventLog.Entry, of log: EventLog) -> FoldedEntry? {
    let game = entry.event.gameID
    guard !entry.event.isCustom, log.counts(entry, of: game) else { return nil }
    return FoldedEntry(entry, gameNumber: number(of: game), isVerified: log.isVerified(game))
  }

  private mutating func number(of game: GameID) -> Int {
    if let number = numbers[game] { return number }
    nextNumber += 1
    numbers[game] = nextNumber
    return nextNumber
  }

  // MARK: One entry

  /// Whether an entry follows all others.
  func isLast(_ entry: FoldedEntry, byTime: Bool) -> Bool {
    guard entry.time > latestTime || entries.last?.gameNumber == entry.gameNumber else { return false }
    guard counts[entry.gameNumber] != nil, let last = entries.last(where: { $0.gameNumber == entry.gameNumber }) else { return true }
    return last.place.precedes(entry.place, byTime: byTime)
  }

  /// Adds an entry that follows all others.
  ///
  /// - Parameter fold: The fold including it.
  mutating func append(_ entry: FoldedEntry, _ fold: GameFold) {
    var entry = entry
    // In its game it may be dated before another one.
    if let last = entries.last, last.gameNumber == entry.gameNumber { entry.latest = max(last.latest, entry.time) }
    entries.append(entry)
    counts[entry.gameNumber, default: 0] += 1
    latestTime = max(latestTime, entry.time)
    steps += 1
    self.fold = fold
    if entries.count - (checkpoints.last?.count ?? 0) >= Self.spacing { checkpoints.append(Checkpoint(count: entries.count, fold: fold)) }
  }

  /// Adds an entry in its place.
  mutating func insert(_ entry: FoldedEntry, byTime: Bool, _ selections: Selections) {
    let isSingle = counts[entry.gameNumber] == entries.count
    let index =
      isSingle ? entries.partitionIndex { entry.place.precedes($0.place, byTime: byTime) } : mergedIndex(of: entry, byTime: byTime)
    counts[entry.gameNumber, default: 0] += 1
    latestTime = max(latestTime, entry.time)
    guard let index else {
      guard isMerged else {
        let next = entries.firstIndex { $0.gameNumber == entry.gameNumber && entry.place.precedes($0.place, byTime: byTime) }
        entries.insert(entry, at: next ?? entries.count)
        return refoldAll(selections)
      }
      return insertAmongOthers(entry, byTime: byTime, selections)
    }
    if isSingle, isMerged {
      let isAfterAll = index == 0 || entries[index - 1].latest <= entry.time
      isMerged = isAfterAll && (index == entries.count || entries[index].latest >= entry.time)
    }
    entries.insert(entry, at: index)
    for later in checkpoints.partitionIndex(where: { $0.count > index })..<checkpoints.count { checkpoints[later].count += 1 }
    refold(from: index, selections)
  }

  /// The index of an entry among those of several games; `nil` if it moves others, because it is dated after some later ones of its game.
  private func mergedIndex(of entry: FoldedEntry, byTime: Bool) -> Int? {
    guard isMerged else { return nil }
    let index = entries.partitionIndex { Self.precedes(entry, $0, byTime: byTime) }
    guard counts[entry.gameNumber] != nil else { return index }
    if let before = entries[..<index].last(where: { $0.gameNumber == entry.gameNumber }) {
      guard before.place.precedes(entry.place, byTime: byTime) else { return nil }
    }
    if let after = entries[index...].first(where: { $0.gameNumber == entry.gameNumber }) {
      guard entry.place.precedes(after.place, byTime: byTime) else { return nil }
    }
    return index
  }

  /// Adds an entry whose time contradicts its number: it counts with a later time, or others of its game do because of it.
  private mutating func insertAmongOthers(_ entry: FoldedEntry, byTime: Bool, _ selections: Selections) {
    var entry = entry
    let isBefore = { (other: FoldedEntry) in other.gameNumber == entry.gameNumber && other.place.precedes(entry.place, byTime: byTime) }
    if let previous = entries.last(where: isBefore) { entry.latest = max(previous.latest, entry.time) }
    var moved: [Int] = []
    for (index, other) in entries.enumerated()
    where other.gameNumber == entry.gameNumber && other.latest < entry.latest && entry.place.precedes(other.place, byTime: byTime) {
      moved.append(index)
    }
    let added =
      [entry]
      + moved.map { index in
        var other = entries[index]
        other.latest = entry.latest
        return other
      }
    replace(moved, by: added, byTime: byTime, selections)
  }

  /// Removes the entry of an event of a game.
  mutating func remove(_ guid: GUID, of game: GameID, byTime: Bool, _ selections: Selections) {
    guard let number = numbers[game], let index = entries.firstIndex(where: { $0.gameNumber == number && $0.guid == guid }) else { return }
    let removed = entries[index]
    uncount(1, of: number)
    var (moved, added) = ([index], [FoldedEntry]())
    if counts.count > 1, isMerged {
      var latest = entries[..<index].last { $0.gameNumber == number }?.latest ?? MediaTime(ticks: .min)
      for later in entries.indices[(index + 1)...] where entries[later].gameNumber == number {
        var entry = entries[later]
        latest = max(latest, entry.time)
        guard entry.latest > latest else { break }
        entry.latest = latest
        moved.append(later)
        added.append(entry)
      }
    } else {
      isMerged = false
    }
    if isMerged || counts.count < 2 {
      replace(moved, by: added, byTime: byTime, selections)
    } else {
      entries.remove(at: index)
      refoldAll(selections)
    }
    if removed.time == latestTime { findLatestTime() }
  }

  /// Removes entries, inserts others of one game in the order of that game, and repeats the fold as far as it differs.
  ///
  /// - Parameter indices: The indices of the entries to remove, ascending.
  private mutating func replace(_ indices: [Int], by added: [FoldedEntry], byTime: Bool, _ selections: Selections) {
    guard let firstTaken = indices.first ?? added.first.map({ _ in entries.count }) else { return }
    let oldCount = entries.count
    // The range of the changes among the entries that stay.
    var (first, last) = (firstTaken, indices.last.map { $0 + 1 - indices.count } ?? 0)
    if indices.count > 1 {
      var taken = indices[...]
      entries = entries.indices.compactMap { index in
        guard taken.first == index else { return entries[index] }
        taken.removeFirst()
        return nil
      }
    } else if let index = indices.first {
      entries.remove(at: index)
    }
    for (number, entry) in added.enumerated() {
      let index = entries.partitionIndex { Self.precedes(entry, $0, byTime: byTime) }
      entries.insert(entry, at: index)
      (first, last) = (min(first, index - number), max(last, index - number))
    }
    let unchanged = oldCount - indices.count - last
    let (end, growth) = (oldCount - unchanged, entries.count - oldCount)
    checkpoints = checkpoints.compactMap { checkpoint in
      guard checkpoint.count > first else { return checkpoint }
      guard checkpoint.count >= end, checkpoint.count + growth > first else { return nil }
      return Checkpoint(count: checkpoint.count + growth, fold: checkpoint.fold)
    }
    refold(from: first, selections)
  }

  /// Whether an entry comes before another one when games are merged.
  private static func precedes(_ entry: FoldedEntry, _ other: FoldedEntry, byTime: Bool) -> Bool {
    if other.latest != entry.latest { return entry.latest < other.latest }
    if other.gameNumber != entry.gameNumber { return entry.game.precedes(other.game) }
    return entry.place.precedes(other.place, byTime: byTime)
  }

  private mutating func uncount(_ count: Int, of number: Int) {
    let left = (counts[number] ?? 0) - count
    counts[number] = left > 0 ? left : nil
  }

  private mutating func findLatestTime() { latestTime = entries.lazy.map { $0.time }.max() ?? MediaTime(ticks: .min) }

  // MARK: Whole games

  /// Loads everything in `log` that has happened by `time`.
  mutating func load(_ log: EventLog, upTo time: MediaTime, _ selections: Selections) {
    (entries, numbers, counts) = ([], [:], [:])
    for game in log.games { add(game, of: log, upTo: time) }
    findLatestTime()
    refoldAll(selections)
  }

  /// Loads one game of `log` again.
  mutating func reload(_ game: GameID, of log: EventLog, upTo time: MediaTime, _ selections: Selections) {
    discard(game)
    add(game, of: log, upTo: time)
    findLatestTime()
    refoldAll(selections)
  }

  /// Removes games.
  mutating func remove(_ games: [GameID], _ selections: Selections) {
    let leaving = Set(games.compactMap { numbers.removeValue(forKey: $0) })
    guard leaving.contains(where: { counts[$0] != nil }) else { return }
    for number in leaving { counts[number] = nil }
    if isMerged {
      replace(entries.indices.filter { leaving.contains(entries[$0].gameNumber) }, by: [], byTime: false, selections)
    } else {
      entries.removeAll { leaving.contains($0.gameNumber) }
      refoldAll(selections)
    }
    findLatestTime()
  }

  private mutating func discard(_ game: GameID) {
    guard let number = numbers[game], counts.removeValue(forKey: number) != nil else { return }
    entries.removeAll { $0.gameNumber == number }
  }

  private mutating func add(_ game: GameID, of log: EventLog, upTo time: MediaTime) {
    let (number, isVerified) = (number(of: game), log.isVerified(game))
    let before = entries.count
    for entry in log.countingEntries(of: game) where entry.time <= time {
      if let entry = FoldedEntry(entry, gameNumber: number, isVerified: isVerified) { entries.append(entry) }
    }
    if entries.count > before { counts[number] = entries.count - before }
  }

  /// Merges the games, each of which is in its order.
  private mutating func merge() {
    var ranks: [Int: Int] = [:]
    for (rank, game) in Array(numbers).ordered(by: { $0.key.precedes($1.key) }).enumerated() { ranks[game.value] = rank }
    var latest = [MediaTime](repeating: MediaTime(ticks: .min), count: numbers.count)
    for index in entries.indices {
      guard let rank = ranks[entries[index].gameNumber] else { continue }
      latest[rank] = max(latest[rank], entries[index].time)
      entries[index].latest = latest[rank]
    }
    isMerged = true
    guard counts.count > 1 else { return }
    var order: [(latest: MediaTime, rank: Int, index: Int)] = []
    order.reserveCapacity(entries.count)
    for (index, entry) in entries.enumerated() { order.append((entry.latest, ranks[entry.gameNumber] ?? 0, index)) }
    entries = order.ordered { $0 < $1 }.map { entries[$0.index] }
  }

  // MARK: The fold

  private mutating func refoldAll(_ selections: Selections) {
    merge()
    checkpoints = []
    refold(from: 0, selections)
  }

  /// Repeats the fold from `index` on, until nothing differs any more.
  private mutating func refold(from index: Int, _ selections: Selections) {
    var next = checkpoints.partitionIndex { $0.count > index }
    var (count, fold) = next > 0 ? (checkpoints[next - 1].count, checkpoints[next - 1].fold) : (0, GameFold(verifySeal: verifySeal))
    while true {
      if next < checkpoints.count, checkpoints[next].count == count {
        if checkpoints[next].fold == fold { return }
        checkpoints[next].fold = fold
        next += 1
      } else if count - (next > 0 ? checkpoints[next - 1].count : 0) >= Self.spacing {
        checkpoints.insert(Checkpoint(count: count, fold: fold), at: next)
        next += 1
      }
      guard count < entries.count else { break }
      fold.makeWay(for: entries[count], selections)
      fold.apply(entries[count], selections)
      count += 1
      steps &+= 1
    }
    self.fold = fold
  }
}

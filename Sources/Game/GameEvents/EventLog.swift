public import Basics

/// Everything that a reader knows about the events: one entry for each event, however many copies of it arrived.
///
/// The log's memory is bounded (see ``Limits``). Entries that make up the state at the current time are never removed; of the others, those that
/// were seen longest ago are removed first. The sequence number of a removed event is still known. The game that the state shows is never
/// removed: the one that started last or, after its end, the one that is still running.
///
/// Verified copies take precedence: as soon as a verified copy of one of a game's six events is known, events with only unverified copies
/// do not count in that game (``counts(_:of:)``). They stay in the log, but are removed first.
public struct EventLog: Equatable, Sendable {
  /// The log's entry for one event.
  public struct Entry: Equatable, Sendable {
    /// The event.
    public var event: GameEvent
    /// When it happened, on the programme's timeline.
    public var time: MediaTime
    /// Whether a verified copy of it was seen.
    public var isVerified: Bool
    /// The latest time at which a copy of it was seen.
    public var lastSeen: MediaTime
  }

  /// The limits of the log.
  public struct Limits: Equatable, Sendable {
    /// How long to wait for a missing event before it is lost.
    public var lossDelay: MediaTime
    /// How many entries of a game are kept, apart from the few that make up the state. Temporarily there are a quarter more.
    public var entries: Int
    /// How many games are kept.
    public var games: Int
    /// How many bytes the entries of all games take, by ``GameEvent/footprint``, apart from the few that make up the state. Temporarily there
    /// are a quarter more.
    public var bytes: Int

    /// Limits: 5 seconds, 4,096 entries, 16 games and 16 MiB unless said otherwise.
    public init(lossDelay: MediaTime = MediaTime(seconds: 5), entries: Int = 4_096, games: Int = 16, bytes: Int = 16 << 20) {
      self.lossDelay = lossDelay
      self.entries = max(entries, 1)
      self.games = max(games, 1)
      self.bytes = max(bytes, 1)
    }

    /// How many entries there may be before some are removed.
    var largestEntryCount: Int { Self.withQuarter(entries) }

    /// How many bytes they may take before some are removed.
    var largestFootprint: Int { Self.withQuarter(bytes) }

    private static func withQuarter(_ count: Int) -> Int {
      let (sum, overflow) = count.addingReportingOverflow(count / 4)
      return overflow ? .max : sum
    }
  }

  /// What a copy was found to be.
  public enum Outcome: Equatable, Sendable {
    /// The first copy of its event.
    case new
    /// The first copy of an event that had been declared lost.
    case recovered
    /// A repeat of a known event.
    case duplicate
    /// A verified copy of an event that was known from an unverified copy with another content. Its entry has been replaced.
    case corrected
    /// It has a known GUID and another content. Nothing changes.
    case conflict
    /// Its event has the sequence number of an earlier one, which is kept. Nothing changes.
    case sequenceConflict(with: GUID)
  }

  /// What a copy changed besides its own entry.
  package struct Changes: Equatable, Sendable {
    /// Whether the copy's entry is new, or begins to count.
    package internal(set) var hasAdded = false
    /// Replaced entries that counted, or are of other types than the game's six.
    package internal(set) var replaced: [Entry] = []
    /// The event without a verified copy that was removed because it had the copy's sequence number.
    package internal(set) var displaced: GUID?
    /// Whether the order of the copy's game, or what counts in it, has changed as a whole.
    package internal(set) var isRearranged = false
    /// Whether entries of the copy's game were removed to make room.
    package internal(set) var hasRemovedEntries = false
    /// Games that were removed to make room.
    package internal(set) var removedGames: [GameID] = []

    /// No changes.
    package init() {}

    /// Whether nothing has changed.
    package var isEmpty: Bool { !hasAdded && replaced.isEmpty && !isRearranged && !hasRemovedEntries && removedGames.isEmpty }
  }

  /// Events that did not arrive.
  public struct Loss: Equatable, Sendable {
    /// The game they belong to.
    public var game: GameID
    /// Their sequence numbers.
    public var sequences: ClosedRange<Int>
  }

  /// The limits of the log.
  public let limits: Limits
  private var histories: [GameID: GameHistory] = [:]
  private var joined: MediaTime?
  /// How many games were removed.
  private var drops = ArrivalCount()

  /// An empty log.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// The games that the log knows, in the order of their latest copies, the latest last.
  public var games: [GameID] {
    histories.map { (id: $0.key, seen: $0.value.lastSeen) }.ordered { left, right in
      left.seen == right.seen ? left.id.precedes(right.id) : left.seen < right.seen
    }.map { $0.id }
  }

  /// The entries of a game in their order: by sequence number if all that count have one, else by time. The order is by time, too, if more than
  /// 32 entries are dated before one with a smaller number: in that case the numbers are not trusted.
  public func entries(of game: GameID) -> [Entry] { histories[game]?.entries ?? [] }

  /// The entries of a game that count, in their order.
  package func countingEntries(of game: GameID) -> [Entry] { histories[game]?.countingEntries ?? [] }

  /// A value that stays the same as long as entries are only added at the end of a game.
  package struct Revision: Equatable, Sendable {
    fileprivate var drops: Int
    fileprivate var rewrites: Int
  }

  /// The revision of a game's entries.
  package func revision(of game: GameID) -> Revision {
    Revision(drops: drops.value, rewrites: histories[game]?.rewrites.value ?? 0)
  }

  /// All entries, game by game.
  public var entries: [Entry] { games.flatMap { entries(of: $0) } }

  /// Whether an entry of a game counts: all do until a verified copy of one of the game's six events is known, then the verified ones.
  public func counts(_ entry: Entry, of game: GameID) -> Bool { histories[game]?.counts(entry) ?? true }

  /// Whether a verified copy of one of the game's six events is known.
  public func isVerified(_ game: GameID) -> Bool { histories[game]?.isVerified ?? false }

  /// Whether the entries of a game are in the order of their times, because one that counts has no sequence number,
  /// or the numbers contradict the times.
  package func isOrderedByTime(_ game: GameID) -> Bool { histories[game]?.isOrderedByTime ?? false }

  /// The entry of an event.
  public func entry(_ guid: GUID, of game: GameID) -> Entry? { histories[game]?.entry(guid) }

  /// The sequence numbers that have been declared lost and have not arrived since.
  public func lost(of game: GameID) -> SequenceSet { histories[game]?.gaps.lost ?? SequenceSet() }

  /// When the event of `copy` happened: its `at`, or else the copy's time less its age.
  public static func time(of copy: EventCopy, seenAt time: MediaTime) -> MediaTime { copy.event.at ?? time - copy.age }

  /// Records a copy that was seen at `time` of the programme.
  public mutating func accept(_ copy: EventCopy, at time: MediaTime) -> Outcome {
    var changes = Changes()
    return accept(copy, at: time, now: time, changes: &changes)
  }

  /// Records a copy that was seen at `time` of the programme, and returns what it changed besides its own entry.
  ///
  /// - Parameter now: The time whose state must not change when entries are removed: a copy may be late.
  package mutating func accept(_ copy: EventCopy, at time: MediaTime, now: MediaTime, changes: inout Changes) -> Outcome {
    let joined = joined ?? time
    self.joined = joined
    let game = copy.event.gameID
    let outcome = histories[game, default: GameHistory(joined: joined)].accept(
      copy, at: time, now: now, limits: limits, &changes)
    if histories.count > limits.games { dropAGame(newest: game, at: now, &changes) }
    guard changes.hasAdded else { return outcome }
    // Each game is limited to these bytes by itself; of several large ones the oldest are removed.
    while footprint > limits.largestFootprint, dropAGame(newest: game, at: now, &changes) {}
    return outcome
  }

  /// The earliest time at which a missing event will be lost.
  public var nextDeadline: MediaTime? {
    var earliest: MediaTime?
    for history in histories.values {
      guard let deadline = history.gaps.nextDeadline else { continue }
      earliest = earliest.map { min($0, deadline) } ?? deadline
    }
    return earliest
  }

  /// Declares lost the missing events that have not arrived by `time`.
  public mutating func losses(upTo time: MediaTime) -> [Loss] {
    guard let deadline = nextDeadline, deadline <= time else { return [] }
    return games.flatMap { game in
      (histories[game]?.gaps.lose(upTo: time) ?? []).map { Loss(game: game, sequences: $0) }
    }
  }

  /// Declares all missing events lost, because the stream has ended.
  public mutating func finish() -> [Loss] { losses(upTo: MediaTime(ticks: .max)) }

  /// Skips the events that would be missing, because the reader has moved to `time`.
  public mutating func seek(to time: MediaTime) {
    joined = time
    for game in histories.keys { histories[game]?.gaps.rejoin(at: time) }
  }

  private var footprint: Int { histories.values.reduce(0) { $0 + $1.footprint } }

  /// Drops the game seen longest ago, one without verified events before any other, but not the one that the state shows; the newest only
  /// if there is no other. Returns whether there was one.
  @discardableResult
  private mutating func dropAGame(newest: GameID, at time: MediaTime, _ changes: inout Changes) -> Bool {
    let running = runningGame(at: time)
    let droppable = games.filter { $0 != running }
    let others = droppable.filter { $0 != newest }
    guard let game = others.first(where: { !isVerified($0) }) ?? others.first ?? droppable.first else { return false }
    histories[game] = nil
    changes.removedGames.append(game)
    drops.value &+= 1
    return true
  }

  /// The game that the state at `time` shows: while one with verified events runs, no other game does.
  private func runningGame(at time: MediaTime) -> GameID? {
    let verified = histories.compactMap { $0.value.isVerified ? (game: $0.key, course: $0.value.course) : nil }
    if let game = GameCourse.running(among: verified, at: time), histories[game]?.course.isOver(at: time) == false { return game }
    return GameCourse.running(among: histories.map { (game: $0.key, course: $0.value.course) }, at: time)
  }
}

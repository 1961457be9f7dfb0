package import AnswerIntake
package import Basics
import CueSheet
package import GameEvents
package import Questions
package import Scoring

/// A game that a host leads, or that follows its plan by itself: who plays, what was asked, what came of it.
///
/// It touches neither clock nor disk nor network. Everything that happens is a ``HostingRecord``; whoever changes the game has to store the records
/// before anybody hears of them, and the same records, players and answers make the same game again.
package struct HostedGame: Sendable {
  /// What is the same from the beginning to the end.
  package struct Settings: Sendable {
    /// The game's name in the stream and in addresses.
    package var id: String
    /// What players type to join.
    package var code: String
    /// What the show is called.
    package var title: String
    /// What is asked, in this order.
    package var questions: [Question]
    /// How it is played.
    package var rules: GameRules
    /// Where the scoreboards are; `nil` where nobody knows.
    package var boardAddress: String?
    /// The most bytes of an event's tag.
    package var largestTagSize = 1_024

    package init(id: String, code: String, title: String, questions: [Question], rules: GameRules) {
      (self.id, self.code, self.title, self.questions, self.rules) = (id, code, title, questions, rules)
    }
  }

  /// Where the show is.
  package struct Moment: Equatable, Sendable {
    /// The programme's time at the live edge; `nil` as long as there is no stream.
    package var edge: MediaTime?
    /// Milliseconds since 1970.
    package var wallClock: Int64
    /// Whether the stream has ended, so that nothing more comes.
    package var hasEnded: Bool

    package init(edge: MediaTime?, wallClock: Int64, hasEnded: Bool = false) {
      (self.edge, self.wallClock, self.hasEnded) = (edge, wallClock, hasEnded)
    }
  }

  /// A question that was asked.
  package struct Asked: Equatable, Sendable {
    /// How far a question has come.
    package enum Phase: String, Equatable, Sendable {
      /// It is on its way into the stream.
      case asking
      /// It takes answers, at the live edge or behind it.
      case open
      /// The last answers are being stored; nothing new is taken.
      case deciding
      /// The result is on its way into the stream.
      case decided
      /// The result is in the stream.
      case shown
      /// There is no result.
      case voided
    }

    package var guid: GUID
    /// Its place in the quiz, from 0.
    package var quizIndex: Int
    package var phase = Phase.asking
    /// When it is in the stream.
    package var opensAt: MediaTime?
    /// Up to when it takes answers.
    package var closesAt: MediaTime?
    /// When that was at the live edge, in milliseconds since 1970.
    var closedAt: Int64?
    /// Up to when it takes answers by what is in the stream; `nil` as long as it is not there.
    var streamClosesAt: MediaTime?
    /// The change of its time that is on its way into the stream.
    var adjustment: Adjustment?
    /// How many changes of its time there were.
    var adjustmentCount = 0
    /// The latest time of an answer that was taken.
    var latestAnswer: MediaTime?
    /// The result.
    package var result: GUID?
    package var resultCue: JSONObject?
    package var shownAt: MediaTime?
  }

  /// A change of a question's time for answers.
  package struct Adjustment: Equatable, Sendable {
    package var guid: GUID
    /// How long the question is to take answers; zero ends it where the event is.
    package var allottedTime: MediaTime
  }

  /// An event on its way into the stream.
  package struct Outgoing: Equatable, Sendable {
    package var guid: GUID
    package var cue: JSONObject
  }

  /// A scoreboard that everybody may see.
  package struct Board: Sendable {
    /// The scoreboard after a question; `nil` for the one at the end.
    package var scoreboard: Scoreboard?
    /// The results, at the end.
    package var results: GameResults?

    /// The first players.
    package var leaders: [Standing] { scoreboard?.leaders ?? results?.leaders ?? [] }
  }

  /// What has changed.
  package struct Change: Sendable {
    /// What has to be stored before anybody hears of it.
    package var records: [HostingRecord] = []
    /// The question whose answers must all be stored before ``HostedGame/decide(_:now:)`` may be called.
    package var closing: Int?
    /// What the host is told.
    package var messages: [HostMessage] = []

    /// Nothing has changed.
    package init() {}
  }

  /// What is the same from the beginning to the end.
  package var settings: Settings
  /// What was asked, in this order. An answer's `question` is a place in it.
  package private(set) var asked: [Asked] = []
  /// The players with their answers, as far as they are stored.
  package private(set) var scored: ScoredGame
  /// The players and points that everybody may know: without results that are not in the stream.
  package private(set) var published: ScoredGame
  /// The scoreboards so far.
  package private(set) var boards: [Board] = []
  /// The show's start, once it is on its way.
  package private(set) var start: Outgoing?
  private(set) var startedAt: MediaTime?
  /// The end, once it is decided.
  package private(set) var end: Outgoing?
  package private(set) var endedAt: MediaTime?
  /// Whether the plan is followed without a host.
  package private(set) var isAutomatic = false
  /// When the game is to begin, in milliseconds since 1970.
  package private(set) var startsAt: Int64?
  /// From when on players may join, in milliseconds since 1970; `nil` for at once.
  package private(set) var entryOpensAt: Int64?
  /// The ranks on the latest scoreboard, once somebody has asked for one.
  private var ranks: RankTable?
  private var players = PlayerIndex()
  private var commands: Set<String> = []
  private var commandOrder: [String] = []
  /// The number of the last information about the audience.
  private var infoNumber: Int64?

  /// The most commands that are remembered.
  private static let mostCommands = 10_000
  /// How many players the leaderboard of a result names.
  package static let leaderCount = 3
  /// How many players a board lists.
  package static let boardCount = 100
  /// How often information about the audience goes into the stream.
  private static let infoInterval = MediaTime(seconds: 10)

  /// A game in which nothing has happened.
  package init(_ settings: Settings) {
    self.settings = settings
    scored = ScoredGame(rules: settings.rules.scoring)
    published = scored
  }

  // MARK: Where it is

  /// How far the game has come, as everybody may know it.
  package enum Phase: String, Sendable {
    case lobby, starting, asking, open, closed, result, ended
  }

  /// How far the game has come.
  package func phase(at now: Moment) -> Phase {
    if end != nil { return .ended }
    guard let last = asked.last else { return start == nil ? .lobby : .starting }
    switch last.phase {
    case .asking: return .asking
    case .open: return isClosed(last, now) ? .closed : .open
    case .deciding, .decided: return .closed
    case .shown, .voided: return .result
    }
  }

  private func isClosed(_ question: Asked, _ now: Moment) -> Bool {
    guard let edge = now.edge, let closes = question.closesAt else { return false }
    return edge >= closes
  }

  /// Whether nothing more will happen.
  package var isOver: Bool { endedAt != nil || (end != nil && start == nil) }

  /// The index of the question that takes answers or waits for its result.
  package var current: Int? {
    guard let last = asked.last, ![.shown, .voided].contains(last.phase), end == nil else { return nil }
    return asked.count - 1
  }

  /// Whether there are no more questions to ask.
  package var hasAskedAll: Bool { asked.count >= settings.questions.count }

  /// When the result of a question is decided, in milliseconds since 1970; `nil` where that is not known.
  package func revealAt(_ question: Asked, now: Moment) -> Int64? {
    guard question.phase == .open, let closes = question.closesAt, let edge = now.edge else { return nil }
    let closed = question.closedAt ?? now.wallClock + milliseconds(closes - edge)
    return closed + milliseconds(settings.rules.delay)
  }

  private func milliseconds(_ time: MediaTime) -> Int64 { time.ticks / 90 }

  /// The windows of all questions that were asked, by their identifiers.
  package var windows: [GUID: AnswerWindow] {
    var windows: [GUID: AnswerWindow] = [:]
    for (index, question) in asked.enumerated() {
      guard let opens = question.opensAt, let closes = question.closesAt else { continue }
      windows[question.guid] = AnswerWindow(
        question: UInt32(index), answerCount: settings.questions[question.quizIndex].answers.count, opensAt: opens, closesAt: closes,
        delay: settings.rules.delay, isDecided: question.phase != .open)
    }
    return windows
  }

  /// What is on its way into the stream, in this order.
  package var outgoing: [Outgoing] {
    var list: [Outgoing] = []
    if let start, startedAt == nil { list.append(start) }
    for question in asked {
      if question.phase == .asking { list.append(ask(question)) }
      if let adjustment = question.adjustment, question.phase != .voided {
        list.append(adjust(question, adjustment))
      } else if question.phase == .decided, let guid = question.result, let cue = question.resultCue {
        list.append(Outgoing(guid: guid, cue: cue))
      }
    }
    // A game that never began leaves no trace in the stream.
    if let end, endedAt == nil, start != nil { list.append(end) }
    return list
  }

  /// The number of players who are in the game.
  package var playerCount: Int { scored.roster.count - players.kicked.count }

  // MARK: Players

  /// A player's place in the roster, and the name as it is shown.
  package struct Joined: Equatable, Sendable {
    package var player: Int
    package var nickname: String
    /// Whether the player was there before.
    package var isKnown: Bool
    package var joinedAt: MediaTime?
  }

  /// Lets a player join; one who has joined before stays the same player.
  ///
  /// - Parameters:
  ///   - key: What the client identifies itself with.
  ///   - position: Where the player's stream is; `nil` for as far behind the live edge as is allowed.
  /// - Throws: ``HostingProblem``.
  package mutating func join(_ nickname: String, key: String, position: MediaTime? = nil, now: Moment) throws(HostingProblem) -> Joined {
    if let known = players.player(of: key) {
      guard !players.kicked.contains(known) else { throw .kicked }
      let name = scored.roster.nicknames[known].text
      guard let wanted = try? Nickname(nickname), wanted.text.hasSameBytes(as: name) else { throw .joinedOtherwise(nickname: name) }
      return Joined(player: known, nickname: name, isKnown: true, joinedAt: nil)
    }
    guard end == nil else { throw .ended }
    if let entryOpensAt, now.wallClock < entryOpensAt { throw .notOpen }
    guard scored.roster.count < settings.rules.mostPlayers else { throw .full }
    let time = joinTime(position, now)
    let player = try add(nickname, key: key, at: time)
    return Joined(player: player, nickname: scored.roster.nicknames[player].text, isKnown: false, joinedAt: time)
  }

  /// Players count from where their stream is. Before the first question all are there from the beginning.
  private func joinTime(_ position: MediaTime?, _ now: Moment) -> MediaTime? {
    let shown = boards.compactMap(\.scoreboard?.time).max()
    // Without a stream nobody is behind what was shown or asked last.
    guard let first = asked.first?.opensAt, let edge = now.edge ?? ([shown] + asked.map(\.opensAt)).compactMap({ $0 }).max() else {
      return nil
    }
    let earliest = edge - settings.rules.delay
    let time = min(max(position ?? earliest, earliest), edge)
    // A scoreboard that was shown has only those who were there.
    if let shown, time <= shown { return shown + MediaTime(ticks: 1) }
    return time <= first ? nil : time
  }

  /// Adds a player who was stored before, whatever the rules for nicknames are today; returns whether that can be.
  package mutating func restore(player nickname: String, key: String, at time: MediaTime?) -> Bool {
    guard let name = try? Nickname(nickname) else { return false }
    return (try? add(name, key: key, at: time)) != nil
  }

  /// What a player's client identifies itself with.
  package func key(of player: Int) -> String { players.key(of: player) }

  private mutating func add(_ nickname: String, key: String, at time: MediaTime?) throws(HostingProblem) -> Int {
    let name: Nickname
    do throws(NicknameError) { name = try Nickname(nickname) } catch { throw .nicknameInvalid("\(error)") }
    try players.check(name)
    return try add(name, key: key, at: time)
  }

  private mutating func add(_ name: Nickname, key: String, at time: MediaTime?) throws(HostingProblem) -> Int {
    do throws(JoiningError) {
      let player = try scored.join(name.text, at: time).index
      _ = try published.join(name.text, at: time)
      players.add(name, key: key, player: player)
      return player
    } catch {
      switch error {
      case .nickname(let reason): throw .nicknameInvalid("\(reason)")
      case .taken: throw .nicknameTaken(suggestions: players.suggestions(for: name))
      case .full: throw .full
      }
    }
  }

  /// Whether a player was taken out, by the host or by the player's own will.
  package func isKicked(_ player: Int) -> Bool { players.kicked.contains(player) }

  /// Whether a player has deleted what was kept.
  package func isRemoved(_ player: Int) -> Bool { players.removed.contains(player) }

  /// Takes a player out of whom nothing is to be kept, at any time, also after the end. The nickname is free then.
  ///
  /// - Throws: ``HostingProblem`` where there is no such player.
  package mutating func remove(_ player: Int) throws(HostingProblem) -> Change {
    guard player >= 0, player < scored.roster.count else { throw .unknownPlayer }
    var change = Change()
    if !isRemoved(player) { add(.removed(player: player), &change) }
    return change
  }

  /// The players who are out or were taken out, by their places.
  package mutating func barred() -> [Bool] {
    var barred = published.playersOut()
    for player in players.kicked where player < barred.count { barred[player] = true }
    return barred
  }

  /// When each player joined, by their places.
  package func joinTime(of player: Int) -> MediaTime {
    guard player < scored.roster.count else { return MediaTime(ticks: .max) }
    return scored.roster.joinTime(of: PlayerID(player)) ?? MediaTime(ticks: .min)
  }

  // MARK: Answers

  /// Takes answers that are stored.
  package mutating func record(_ answers: [PackedAnswer]) {
    for answer in answers {
      guard Int(answer.question) < asked.count, Int(answer.player) < scored.roster.count, !isKicked(Int(answer.player)) else { continue }
      let player = PlayerID(Int(answer.player))
      let latest = asked[Int(answer.question)].latestAnswer
      asked[Int(answer.question)].latestAnswer = max(latest ?? answer.time, answer.time)
      scored.record(Int(answer.answer), to: asked[Int(answer.question)].guid, by: player, at: answer.time)
    }
  }

  /// How many players have chosen each answer of the question that takes answers, for the host.
  package mutating func counts(_ index: Int) -> [Int] { scored.summary(of: asked[index].guid)?.counts ?? [] }

  /// A player's place on the latest scoreboard.
  package mutating func standing(of player: Int) -> Standing? {
    guard player < published.roster.count else { return nil }
    return published.standing(of: PlayerID(player), at: lastShown, &ranks)
  }

  private var lastShown: MediaTime { asked.compactMap(\.shownAt).max() ?? .zero }

  // MARK: Commands

  /// What a host may want.
  package enum Command: Equatable, Sendable {
    /// Ask the next question; first begin, and after the last question end.
    case next
    /// Take no more answers from now on.
    case close
    /// Show the result now.
    case reveal
    /// Show no result.
    case void
    /// End the game.
    case end
    /// Take answers this much longer.
    case extend(MediaTime)
    /// Take a player out.
    case kick(player: Int)
  }

  /// Whether a command of this identifier was carried out.
  package func hasDone(_ id: String) -> Bool { commands.contains(id) }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - id: What the host calls it; the same again does nothing.
  ///   - mayBegin: Asked when the game is to begin: whether the stream is free.
  /// - Throws: ``HostingProblem``; then nothing has changed.
  package mutating func carryOut(
    _ command: Command, id: String, now: Moment, mayBegin: () -> Bool = { true }
  ) throws(HostingProblem) -> Change {
    guard !commands.contains(id) else { return Change() }
    guard end == nil else { throw .ended }
    var change = Change()
    switch command {
    case .next: try next(now, mayBegin, &change)
    case .close:
      guard let edge = now.edge, let index = current, asked[index].phase == .open else { throw .notNow("no question takes answers") }
      guard let closes = asked[index].closesAt, edge < closes else { throw .notNow("the time is up already") }
      // Answers stop at once; who reads the stream learns it there.
      closeEarly(index, now, &change)
      try adjust(index, (asked[index].closesAt ?? edge) - (asked[index].opensAt ?? edge), &change)
    case .reveal:
      guard let index = current, asked[index].phase == .open else { throw .notNow("no question waits for its result") }
      closeEarly(index, now, &change)
      close(index, &change)
    case .extend(let time):
      guard let edge = now.edge, let index = current, asked[index].phase == .open, let opens = asked[index].opensAt,
        let closes = asked[index].closesAt
      else { throw .notNow("no question takes answers") }
      // The event must be in the stream before the time is up.
      guard edge + Self.margin < closes else { throw .notNow("the time is up already") }
      let allotted = closes - opens + time
      guard allotted - settings.rules.allottedTime <= Self.longestExtension else {
        throw .notNow("a question is extended by 10 minutes at most")
      }
      try adjust(index, allotted, &change)
    case .void:
      guard let index = current, [.open, .decided].contains(asked[index].phase) else { throw .notNow("no question waits for its result") }
      add(.voided(question: index), &change)
    case .end:
      if let index = current {
        guard asked[index].phase != .deciding else { throw .notNow("a result is being decided") }
        add(.voided(question: index), &change)
      }
      finish(now, &change)
    case .kick(let player):
      guard player >= 0, player < scored.roster.count, !isKicked(player) else { throw .unknownPlayer }
      add(.kicked(player: player), &change)
    }
    // From now on there is a host.
    if isAutomatic, command != .next || !change.records.isEmpty { if case .kick = command {} else { add(.automatic(false), &change) } }
    add(.command(id: id), &change)
    return change
  }

  /// Sets whether the plan is followed by itself, and when it begins.
  ///
  /// - Throws: `HostingProblem` where the game has begun.
  package mutating func plan(automatic: Bool, startsAt: Int64?, entryOpensAt: Int64?) throws(HostingProblem) -> Change {
    var change = Change()
    if startsAt != self.startsAt || entryOpensAt != self.entryOpensAt {
      guard start == nil else { throw .notNow("the game has begun") }
      add(.planned(startsAt: startsAt, entryOpensAt: entryOpensAt), &change)
    }
    if automatic != isAutomatic { add(.automatic(automatic), &change) }
    return change
  }

  private static let longestExtension = MediaTime(seconds: 600)

  private mutating func next(_ now: Moment, _ mayBegin: () -> Bool, _ change: inout Change) throws(HostingProblem) {
    if let index = current {
      throw .notNow(asked[index].phase == .open ? "a question takes answers; close or void it first" : "a result is on its way")
    }
    if start == nil {
      guard mayBegin() else { throw .notNow("another game is in the stream; end it first") }
      begin(&change)
    }
    guard !hasAskedAll else { return finish(now, &change) }
    askNext(&change)
  }

  private mutating func begin(_ change: inout Change) {
    guard let guid = GUID(game: settings.id, deciding: "", kind: .startGame) else { return }
    add(.started(guid), &change)
  }

  private mutating func askNext(_ change: inout Change) {
    let index = asked.count
    guard let guid = GUID(game: settings.id, deciding: "\(index + 1)", kind: .askQuestion) else { return }
    add(.asked(guid, question: index), &change)
  }

  /// Sends a new time for answers into the stream. It counts from when it is there.
  private mutating func adjust(_ index: Int, _ allottedTime: MediaTime, _ change: inout Change) throws(HostingProblem) {
    guard asked[index].adjustment == nil else { throw .notNow("a change of the time is on its way into the stream") }
    let name = "\(asked[index].guid.text) \(asked[index].adjustmentCount + 1)"
    guard let guid = GUID(game: settings.id, deciding: name, kind: .adjustTime) else { return }
    add(.adjusting(guid, question: index, allottedTime: allottedTime), &change)
  }

  /// Ends the time for answers at the live edge, where it is not up yet.
  private mutating func closeEarly(_ index: Int, _ now: Moment, _ change: inout Change) {
    guard let edge = now.edge, let closes = asked[index].closesAt, edge < closes else { return }
    // No answer that was taken lies behind the end.
    let end = max(edge, asked[index].opensAt ?? edge, asked[index].latestAnswer.map { $0 + MediaTime(ticks: 1) } ?? edge)
    add(.closed(question: index, at: end), &change)
  }

  private mutating func close(_ index: Int, _ change: inout Change) {
    asked[index].phase = .deciding
    change.closing = index
  }

  // MARK: Time

  /// Goes on to a moment: closes questions, and follows the plan where there is no host.
  ///
  /// - Parameter mayBegin: Asked when the game is to begin: whether the stream is free.
  package mutating func advance(_ now: Moment, mayBegin: () -> Bool = { true }) -> Change {
    var change = Change()
    guard end == nil else { return change }
    if now.hasEnded {
      leave(now, &change)
      guard end == nil, current != nil else { return change }
    }
    if let index = current {
      if let edge = now.edge, let closes = asked[index].closesAt, edge >= closes, asked[index].closedAt == nil {
        asked[index].closedAt = now.wallClock - milliseconds(edge - closes)
        change.messages.append(.closed(asked[index].guid))
      }
      if asked[index].phase == .open, let closed = asked[index].closedAt,
        now.wallClock >= closed + milliseconds(settings.rules.delay)
      {
        close(index, &change)
      }
    } else if isAutomatic {
      follow(now, mayBegin, &change)
    }
    return change
  }

  /// Brings a game to its end whose stream has ended.
  private mutating func leave(_ now: Moment, _ change: inout Change) {
    guard let index = current else {
      if start != nil { finish(now, &change) }
      return
    }
    switch asked[index].phase {
    case .asking: add(.voided(question: index), &change)
    case .open: closeEarly(index, now, &change)
    case .deciding, .decided, .shown, .voided: break
    }
  }

  private mutating func follow(_ now: Moment, _ mayBegin: () -> Bool, _ change: inout Change) {
    guard let edge = now.edge else { return }
    guard start != nil else {
      guard let startsAt, now.wallClock >= startsAt, mayBegin() else { return }
      return begin(&change)
    }
    guard let startedAt else { return }
    // The title is seen for a moment, and each result for the pause.
    let due = asked.last.map { $0.shownAt.map { $0 + settings.rules.pause } ?? edge } ?? startedAt + Self.titleTime
    guard edge >= due else { return }
    if hasAskedAll { finish(now, &change) } else { askNext(&change) }
  }

  private static let titleTime = MediaTime(seconds: 2)

  /// The information about the audience that is due; `nil` where none is.
  package mutating func information(viewers: Int, now: Moment) -> Outgoing? {
    guard let edge = now.edge, startedAt != nil, end == nil else { return nil }
    let number = edge.ticks / Self.infoInterval.ticks
    guard infoNumber.map({ number > $0 }) ?? true else { return nil }
    infoNumber = number
    guard let guid = GUID(game: settings.id, deciding: "\(number)", kind: .periodicInfo) else { return nil }
    var cue = cue(.periodicInfo, guid)
    cue.append("viewers", max(viewers, 0))
    cue.append("players", playerCount)
    // Old news is not worth sending.
    cue.append("expires", 5)
    return Outgoing(guid: guid, cue: cue)
  }

  // MARK: Results

  /// Decides on a result, once all answers that were taken are stored and recorded here.
  package mutating func decide(_ index: Int, now: Moment) -> Change {
    var change = Change()
    guard asked[index].phase == .deciding, let guid = GUID(game: settings.id, deciding: asked[index].guid.text, kind: .showResults) else {
      return change
    }
    var game = scored
    var question = scoredQuestion(index)
    question.result = guid
    // What the host has closed early was closed when the answers came; who reads the stream may not know it yet.
    question.closesAt = asked[index].streamClosesAt ?? question.closesAt
    game.receive([question])
    let time = now.edge ?? question.closesAt
    var cue = ResultCue(settings, asked[index], number: index + 1, board: boards.count + 1, guid: guid).cue(
      counts: game.summary(of: question.guid)?.counts ?? [], leaders: game.leaders(Self.leaderCount, at: time))
    // The result closes the question in the stream: no answer may lie behind it.
    if let latest = asked[index].latestAnswer, latest + Self.margin > time {
      cue.append("at", latest + Self.margin)
      cue.append("late", "next")
    }
    add(.decided(guid, question: index, cue: cue), &change)
    return change
  }

  /// The time at the live edge may be some frames ahead of the frame that an event goes in front of.
  private static let margin = MediaTime(ticks: 22_500)

  private mutating func finish(_ now: Moment, _ change: inout Change) {
    guard let guid = GUID(game: settings.id, deciding: "", kind: .endGame) else { return }
    let time = now.edge ?? .zero
    let cue = ResultCue.end(
      settings, guid: guid, asked: asked.count, winners: scored.winners(at: time), leaders: scored.leaders(Self.leaderCount, at: time))
    add(.ended(guid, cue: cue), &change)
  }

  /// Takes the injector's word for what a result says: another process has decided it.
  package mutating func adopt(_ cue: JSONObject, for guid: GUID) -> Change {
    var change = Change()
    if let index = asked.firstIndex(where: { $0.result == guid && $0.phase == .decided }) {
      add(.decided(guid, question: index, cue: cue), &change)
    } else if end?.guid == guid {
      add(.ended(guid, cue: cue), &change)
    }
    return change
  }

  /// Records that an event is in the stream.
  package mutating func place(_ guid: GUID, at time: MediaTime) -> Change {
    var change = Change()
    guard outgoing.contains(where: { $0.guid == guid }) else { return change }
    add(.placed(guid, at: time), &change)
    return change
  }

  /// Takes a change of a question's time back that the stream does not take.
  package mutating func withdraw(_ guid: GUID) -> Change {
    var change = Change()
    if asked.contains(where: { $0.adjustment?.guid == guid }) { add(.withdrawn(guid), &change) }
    return change
  }

  private func scoredQuestion(_ index: Int) -> ScoredQuestion {
    let (asked, question) = (asked[index], settings.questions[asked[index].quizIndex])
    let opens = asked.opensAt ?? .zero
    return ScoredQuestion(
      guid: asked.guid, number: index + 1, answerCount: question.answers.count, opensAt: opens, allottedTime: settings.rules.allottedTime,
      closesAt: asked.closesAt, correctAnswer: question.correctAnswer, points: question.points)
  }

  /// The question as it is before its result.
  private func unscoredQuestion(_ index: Int) -> ScoredQuestion {
    var question = scoredQuestion(index)
    (question.correctAnswer, question.points) = (nil, nil)
    return question
  }

  // MARK: What has happened

  private mutating func add(_ record: HostingRecord, _ change: inout Change) {
    change.records.append(record)
    change.messages += apply(record)
  }

  /// Makes what was stored happen again.
  package mutating func restore(_ record: HostingRecord) { _ = apply(record) }

  /// Makes the scoreboards again, once records and answers are restored: answers come behind the records that they belong to.
  package mutating func republish() {
    let shown = asked.indices.filter { asked[$0].phase == .shown }
    guard !shown.isEmpty || endedAt != nil else { return }
    boards = []
    var game = scored
    for index in asked.indices {
      guard asked[index].opensAt != nil else { continue }
      game.receive([unscoredQuestion(index)])
    }
    scored = game
    for index in shown {
      asked[index].phase = .decided
      show(index, at: asked[index].shownAt ?? .zero)
    }
    if let endedAt { publish(Board(results: scored.results(of: GameID(settings.id), top: Self.boardCount, at: endedAt))) }
  }

  /// Decisions that were not finished when the process ended are taken up again.
  package mutating func resume() {
    for index in asked.indices where asked[index].phase == .deciding { asked[index].phase = .open }
  }

  private mutating func apply(_ record: HostingRecord) -> [HostMessage] {
    switch record {
    case .started(let guid):
      var cue = cue(.startGame, guid)
      cue.append("title", settings.title)
      cue.append("totalQuestions", settings.questions.count)
      start = Outgoing(guid: guid, cue: cue)
      return [.started]
    case .asked(let guid, let question):
      guard settings.questions.indices.contains(question) else { return [] }
      asked.append(Asked(guid: guid, quizIndex: question))
      return [.asked(guid, number: asked.count)]
    case .placed(let guid, let time): return applyPlace(guid, time)
    case .closed(let index, let time):
      guard asked.indices.contains(index) else { return [] }
      asked[index].closesAt = time
      return []
    case .adjusting(let guid, let index, let time):
      guard asked.indices.contains(index) else { return [] }
      asked[index].adjustment = Adjustment(guid: guid, allottedTime: time)
      asked[index].adjustmentCount += 1
      return []
    case .withdrawn(let guid):
      for index in asked.indices where asked[index].adjustment?.guid == guid { asked[index].adjustment = nil }
      return []
    case .voided(let index):
      guard asked.indices.contains(index) else { return [] }
      asked[index].phase = .voided
      asked[index].shownAt = asked[index].closesAt
      return [.voided(asked[index].guid)]
    case .decided(let guid, let index, let cue):
      guard asked.indices.contains(index) else { return [] }
      (asked[index].result, asked[index].resultCue, asked[index].phase) = (guid, cue, .decided)
      return [.decision(guid)]
    case .ended(let guid, let cue):
      end = Outgoing(guid: guid, cue: cue)
      return [.ended]
    case .kicked(let player):
      guard player < scored.roster.count else { return [] }
      takeOut(player)
      return [.kicked(player)]
    case .removed(let player):
      guard player < scored.roster.count, let mark = try? Nickname(PlayerIndex.mark(of: player)) else { return [] }
      players.forget(player, scored.roster.nicknames[player])
      scored.rename(PlayerID(player), to: mark)
      published.rename(PlayerID(player), to: mark)
      takeOut(player)
      return [.removed(player)]
    case .automatic(let isOn):
      isAutomatic = isOn
      return []
    case .planned(let start, let entry):
      (startsAt, entryOpensAt) = (start, entry)
      return []
    case .command(let id):
      commands.insert(id)
      commandOrder.append(id)
      if commandOrder.count > Self.mostCommands { commands.remove(commandOrder.removeFirst()) }
      return []
    }
  }

  private mutating func takeOut(_ player: Int) {
    players.kick(player)
    scored.remove(PlayerID(player))
    published.remove(PlayerID(player))
    ranks = nil
    republish()
  }

  private mutating func applyPlace(_ guid: GUID, _ time: MediaTime) -> [HostMessage] {
    if start?.guid == guid { startedAt = time }
    if end?.guid == guid {
      endedAt = time
      publish(Board(results: scored.results(of: GameID(settings.id), top: Self.boardCount, at: time)))
    }
    for index in asked.indices {
      if asked[index].guid == guid, asked[index].opensAt == nil {
        asked[index].opensAt = time
        asked[index].streamClosesAt = time + settings.rules.allottedTime
        asked[index].closesAt = asked[index].streamClosesAt
        if asked[index].phase == .asking { asked[index].phase = .open }
        scored.receive([unscoredQuestion(index)])
      }
      if asked[index].adjustment?.guid == guid { applyAdjustment(index, time) }
      if asked[index].result == guid { show(index, at: time) }
    }
    return [.placed(guid, at: time)]
  }

  /// Changes the time for answers, as everybody does who reads the stream: an event that comes when the time is up changes nothing.
  private mutating func applyAdjustment(_ index: Int, _ time: MediaTime) {
    guard let adjustment = asked[index].adjustment else { return }
    asked[index].adjustment = nil
    guard let opens = asked[index].opensAt, let closes = asked[index].streamClosesAt, time < closes else { return }
    let content = AdjustTime(questionGuid: asked[index].guid, allottedTime: adjustment.allottedTime)
    let end = content.end(ofQuestionFrom: opens, adjustedAt: time)
    // What is closed here stays closed.
    if asked[index].closesAt == closes { (asked[index].closesAt, asked[index].closedAt) = (end, nil) }
    asked[index].streamClosesAt = end
    scored.receive([unscoredQuestion(index)])
  }

  /// Takes a result into the points, as everybody who reads the stream does.
  private mutating func show(_ index: Int, at time: MediaTime) {
    guard let opens = asked[index].opensAt, asked[index].phase == .decided else { return }
    (asked[index].phase, asked[index].shownAt) = (.shown, time)
    var question = scoredQuestion(index)
    // In the stream a question is closed by the end of its time, or by its result.
    question.closesAt = max(min(asked[index].streamClosesAt ?? time, time), opens)
    question.result = asked[index].result
    scored.receive([question])
    publish(Board(scoreboard: scored.scoreboard(of: GameID(settings.id), after: question.guid, top: Self.boardCount, at: time)))
  }

  private mutating func publish(_ board: Board) {
    (published, ranks) = (scored, nil)
    boards.append(board)
  }

  private func ask(_ asked: Asked) -> Outgoing {
    let question = settings.questions[asked.quizIndex]
    var cue = cue(.askQuestion, asked.guid)
    cue.append("question", question.text)
    cue.append("answers", question.answers)
    cue.append("correctAnswer", question.correctAnswer)
    cue.append("allottedTime", settings.rules.allottedTime)
    cue.append("totalQuestions", settings.questions.count)
    if let category = question.category { cue.append("category", category) }
    if let difficulty = question.difficulty { cue.append("difficulty", difficulty.rawValue) }
    return Outgoing(guid: asked.guid, cue: cue)
  }

  private func adjust(_ asked: Asked, _ adjustment: Adjustment) -> Outgoing {
    var cue = cue(.adjustTime, adjustment.guid)
    if let index = self.asked.firstIndex(where: { $0.guid == asked.guid }) { cue.append("questionNumber", index + 1) }
    cue.append("allottedTime", adjustment.allottedTime)
    return Outgoing(guid: adjustment.guid, cue: cue)
  }

  private func cue(_ type: EventType, _ guid: GUID) -> JSONObject { ResultCue.beginning(type, guid, game: settings.id) }
}

/// What a host is told.
package enum HostMessage: Equatable, Sendable {
  case started
  case asked(GUID, number: Int)
  case placed(GUID, at: MediaTime)
  case closed(GUID)
  case voided(GUID)
  case decision(GUID)
  case ended
  case kicked(Int)
  case removed(Int)
}

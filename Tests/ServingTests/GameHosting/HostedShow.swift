import AnswerIntake
import Basics
import CueSheet
import GameEvents
import GameHosting
import Questions
import Scoring

/// A game whose changes are written down as a server does it, so that it can be made again as it was at every moment.
struct HostedShow: Sendable {
  /// A player as it is kept.
  struct Player: Equatable, Sendable {
    var nickname: String
    var key: String
    var joinedAt: MediaTime?
    var team: String?
  }

  /// How much was kept at a moment, and the game then.
  struct Snapshot: Sendable {
    var records: Int
    var players: Int
    var answers: Int
    var game: HostedGame
    var now: HostedGame.Moment
  }

  var game: HostedGame
  private(set) var now: HostedGame.Moment
  private(set) var records: [HostingRecord]
  private(set) var players: [Player]
  private(set) var answers: [PackedAnswer]
  private(set) var snapshots: [Snapshot] = []

  /// A game in which nothing has happened, at 0 s.
  init(_ settings: HostedGame.Settings = HostedShow.settings()) {
    (game, now) = (HostedGame(settings), Self.moment(0))
    (records, players, answers) = ([], [], [])
    keep()
  }

  /// A game that is made again.
  init(
    _ settings: HostedGame.Settings, players: [Player], records: [HostingRecord], answers: [PackedAnswer], now: HostedGame.Moment
  ) throws(HostingProblem) {
    var game = HostedGame(settings)
    for player in players {
      guard game.restore(player: player.nickname, key: player.key, at: player.joinedAt, team: player.team) else {
        throw .nicknameInvalid(player.nickname)
      }
    }
    for record in records { game.restore(record) }
    game.record(answers)
    game.republish()
    game.resume()
    (self.game, self.now) = (game, now)
    (self.records, self.players, self.answers) = (records, players, answers)
  }

  /// The game as it is made again of what was kept at a moment.
  func restored(_ snapshot: Snapshot) throws(HostingProblem) -> HostedShow {
    try HostedShow(
      game.settings, players: Array(players.prefix(snapshot.players)), records: Array(records.prefix(snapshot.records)),
      answers: Array(answers.prefix(snapshot.answers)), now: snapshot.now)
  }

  // MARK: Time

  static let epoch: Int64 = 1_800_000_000_000

  /// Where the show is after so many seconds: the programme and the clock go on alike.
  static func moment(_ seconds: Double) -> HostedGame.Moment {
    HostedGame.Moment(edge: MediaTime(seconds: seconds), wallClock: wallClock(seconds))
  }

  static func wallClock(_ seconds: Double) -> Int64 { epoch + Int64((seconds * 1_000).rounded()) }

  mutating func go(to seconds: Double, _ stream: StreamCondition = StreamCondition()) {
    now = Self.moment(seconds)
    now.stream = stream
  }

  /// Goes on to a moment at which the stream has ended, so many seconds long.
  mutating func goBehindTheStream(to seconds: Double, end: Double) {
    now = HostedGame.Moment(edge: MediaTime(seconds: end), wallClock: Self.wallClock(seconds), hasEnded: true)
  }

  /// Goes on to a moment at which there is no stream.
  mutating func goWithoutStream(to seconds: Double) { now = HostedGame.Moment(edge: nil, wallClock: Self.wallClock(seconds)) }

  var seconds: Double { (now.edge ?? .zero).seconds }

  // MARK: What happens

  private mutating func keep() {
    snapshots.append(Snapshot(records: records.count, players: players.count, answers: answers.count, game: game, now: now))
  }

  @discardableResult
  private mutating func keep(_ change: HostedGame.Change) -> HostedGame.Change {
    records += change.records
    keep()
    return change
  }

  /// Carries out a command; without an identifier under one that no other has.
  @discardableResult
  mutating func command(
    _ command: HostedGame.Command, _ id: String? = nil, mayBegin: Bool = true
  ) throws(HostingProblem) -> HostedGame.Change {
    keep(try game.carryOut(command, id: id ?? "command \(records.count)", now: now) { mayBegin })
  }

  @discardableResult
  mutating func plan(automatic: Bool, startsAt: Int64?, entryOpensAt: Int64? = nil) throws(HostingProblem) -> HostedGame.Change {
    keep(try game.plan(automatic: automatic, startsAt: startsAt, entryOpensAt: entryOpensAt))
  }

  @discardableResult
  mutating func advance(mayBegin: Bool = true) -> HostedGame.Change { keep(game.advance(now) { mayBegin }) }

  @discardableResult
  mutating func decide(_ index: Int) -> HostedGame.Change { keep(game.decide(index, now: now)) }

  /// Puts an event into the stream, at the live edge.
  @discardableResult
  mutating func place(_ guid: GUID) -> HostedGame.Change { keep(game.place(guid, at: now.edge ?? .zero)) }

  @discardableResult
  mutating func withdraw(_ guid: GUID) -> HostedGame.Change { keep(game.withdraw(guid, now: now)) }

  mutating func adopt(_ cue: JSONObject, for guid: GUID) -> HostedGame.Change { keep(game.adopt(cue, for: guid)) }

  /// Puts everything into the stream that is on its way, and what follows it.
  mutating func placeAll() {
    while let outgoing = game.outgoing.first { place(outgoing.guid) }
  }

  /// Lets a player join, who calls itself by the name unless said otherwise.
  @discardableResult
  mutating func join(
    _ nickname: String, key: String? = nil, team: String? = nil, position: Double? = nil
  ) throws(HostingProblem) -> HostedGame.Joined {
    let key = key ?? "key of \(nickname)"
    let joined = try game.join(nickname, key: key, team: team, position: position.map { MediaTime(seconds: $0) }, now: now)
    let player = Player(nickname: joined.nickname, key: key, joinedAt: joined.joinedAt, team: joined.team)
    if joined.isChanged { players[joined.player] = player }
    if !joined.isKnown {
      players.append(player)
      keep()
    }
    return joined
  }

  /// Judges and takes an answer as a desk does it; returns why it is not taken.
  ///
  /// - Parameters:
  ///   - position: Where the player's stream is; `nil` for the live edge.
  ///   - question: Which of those that were asked; `nil` for the last one.
  @discardableResult
  mutating func answer(_ answer: Int, by player: Int, at position: Double? = nil, to question: Int? = nil) -> AnswerWindow.Refusal? {
    let index = question ?? game.asked.count - 1
    guard let edge = now.edge else { return .tooEarly }
    guard game.asked.indices.contains(index), let window = game.windows[game.asked[index].guid] else { return .unknownQuestion }
    let barred = game.barred()
    guard !barred[player] else { return .eliminated }
    let time = position.map { MediaTime(seconds: $0) } ?? edge
    if let refusal = window.refusal(.one(answer), at: time, edge: edge, joined: game.joinTime(of: player)) { return refusal }
    let packed = PackedAnswer(
      player: UInt32(player), question: window.question, answer: UInt32(truncatingIfNeeded: answer), time: time)
    answers.append(packed)
    game.record([packed])
    keep()
    return nil
  }

  /// Forgets a player as a store does it: what was kept under the name is under its mark, so that earlier moments cannot be made again.
  mutating func remove(_ player: Int) throws(HostingProblem) {
    let change = try game.remove(player)
    let mark = game.key(of: player)
    players[player] = Player(nickname: mark, key: mark, joinedAt: nil)
    answers.removeAll { $0.player == UInt32(player) }
    keep(change)
  }

  // MARK: Whole questions

  /// Asks the next question and puts it into the stream half a second later.
  mutating func ask() throws(HostingProblem) {
    try command(.next)
    go(to: seconds + 0.5)
    placeAll()
  }

  /// Lets the time of the question pass, decides, and shows the result half a second later.
  mutating func finishQuestion() {
    let index = game.asked.count - 1
    let closes = (game.asked[index].closesAt ?? .zero).seconds
    go(to: max(seconds, closes))
    advance()
    go(to: seconds + game.settings.rules.delay.seconds)
    if let closing = advance().closing { decide(closing) }
    go(to: seconds + 0.5)
    placeAll()
  }

  /// Shows the result at once, as a host does who says so.
  mutating func reveal() throws(HostingProblem) {
    if let closing = try command(.reveal).closing { decide(closing) }
    placeAll()
  }

  /// Plays on to the end, second by second: the host, or the plan, goes on whenever it can, and everything comes into the stream.
  ///
  /// - Returns: Whether it has come to the end.
  mutating func playToTheEnd() throws(HostingProblem) -> Bool {
    for _ in 0..<2_000 where !game.isOver {
      placeAll()
      if let closing = advance().closing { decide(closing) }
      if !game.isAutomatic, game.current == nil, game.end == nil { try command(.next) }
      go(to: seconds + 1)
    }
    return game.isOver
  }

  // MARK: A sample

  static let questions = [
    Question(
      text: "Which planet is red?", answers: ["Earth", "Mars", "Venus"], correctAnswer: 1, explanation: "It is full of rust."),
    Question(
      text: "Which metal is liquid?", answers: ["Iron", "Mercury"], correctAnswer: 1, category: "Chemistry", difficulty: .hard),
    Question(
      text: "When did the wall fall?", answers: ["1989", "1990"], correctAnswer: 0, link: "https://example.org/1989"),
  ]

  /// Three questions of 10 s, 12 s behind whose end their results are decided.
  static func settings(scoring: String = "right", _ change: (inout GameRules) -> Void = { _ in }) -> HostedGame.Settings {
    var rules = GameRules()
    rules.scoring = (try? ScoringRules(parsing: scoring)) ?? ScoringRules()
    change(&rules)
    var settings = HostedGame.Settings(id: "g1", code: "ABCDEF", title: "Friday", questions: questions, rules: rules)
    settings.boardAddress = "https://example.org/g1"
    return settings
  }

  /// The identifier of what the sample decides once.
  static func guid(_ question: String, _ kind: EventType) -> GUID {
    guard let guid = GUID(game: "g1", deciding: question, kind: kind) else { preconditionFailure("no identifier of \(question)") }
    return guid
  }

  static let start = guid("", .startGame)
  static let end = guid("", .endGame)
  /// The questions, in the order in which they are asked.
  static let asked = (1...3).map { HostedShow.guid("\($0)", .askQuestion) }
  /// A change of the time of a question, from 1.
  static func adjustment(_ question: Int, _ number: Int) -> GUID { guid("\(asked[question].text) \(number)", .adjustTime) }
  static let results = asked.map { HostedShow.guid($0.text, .showResults) }
}

/// What there is to know of a game at a moment. Of a question that is being decided nothing is kept: it counts as one that waits for its result.
struct GameFacts: Equatable, Sendable {
  struct Asked: Equatable, Sendable {
    var guid: GUID
    var quizIndex: Int
    var phase: HostedGame.Asked.Phase
    var opensAt: MediaTime?
    var closesAt: MediaTime?
    var revealAt: Int64?
    var result: GUID?
    var resultCue: JSONObject?
    var shownAt: MediaTime?
  }

  struct Board: Equatable, Sendable {
    var scoreboard: Scoreboard?
    var results: GameResults?
    var teams: [HostedGame.TeamPlace]?
  }

  var phase: HostedGame.Phase
  var questions: [Question]
  var upcoming: [Int]
  var asked: [Asked]
  var outgoing: [HostedGame.Outgoing]
  var boards: [Board]
  var windows: [GUID: AnswerWindow]
  var current: Int?
  var start: HostedGame.Outgoing?
  var end: HostedGame.Outgoing?
  var endedAt: MediaTime?
  var isOver: Bool
  var playerCount: Int
  var isAutomatic: Bool
  var startsAt: Int64?
  var entryOpensAt: Int64?
  var standings: [Standing?]
  var barred: [Bool]
  var joinTimes: [MediaTime]
  var counts: [Int]

  init(_ game: HostedGame, _ now: HostedGame.Moment) {
    var game = game
    game.resume()
    // A game that is made again has its boards made again.
    if game.areBoardsStale { game.republish() }
    phase = game.phase(at: now)
    (questions, upcoming) = (game.settings.questions, game.upcoming)
    asked = game.asked.map { question in
      Asked(
        guid: question.guid, quizIndex: question.quizIndex, phase: question.phase, opensAt: question.opensAt, closesAt: question.closesAt,
        revealAt: game.revealAt(question, now: now), result: question.result, resultCue: question.resultCue, shownAt: question.shownAt)
    }
    outgoing = game.outgoing
    boards = game.boards.map { Board(scoreboard: $0.scoreboard, results: $0.results, teams: $0.teams) }
    windows = game.windows
    current = game.current
    (start, end, endedAt, isOver) = (game.start, game.end, game.endedAt, game.isOver)
    playerCount = game.playerCount
    (isAutomatic, startsAt, entryOpensAt) = (game.isAutomatic, game.startsAt, game.entryOpensAt)
    let players = 0..<game.scored.roster.count
    var standings: [Standing?] = []
    for player in players { standings.append(game.standing(of: player)) }
    self.standings = standings
    barred = game.barred()
    joinTimes = players.map { game.joinTime(of: $0) }
    counts = game.current.map { game.counts($0) } ?? []
  }
}

extension HostedShow {
  var facts: GameFacts { GameFacts(game, now) }

  /// The lines of the latest board: `1 Ann 2`.
  var board: [String] { game.boards.last?.leaders.map { "\($0.rank) \($0.nickname) \($0.score)" } ?? [] }
}

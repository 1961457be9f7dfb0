package import Basics
package import GameEvents
package import StateMachine

/// The players of a game that is replayed.
///
/// They answer each question once its result is known, or once the result cannot arrive any more, and their points are counted. Answers
/// have their own times, so nothing depends on when they are handed in.
package struct Audience: Sendable {
  /// Output, in the order in which it is shown.
  package enum Output: Sendable {
    /// A message about the list of answers.
    case message(String)
    /// The scoreboard after a question.
    case scoreboard(Scoreboard)
    /// The results at the end of a game.
    case results(GameResults)
  }

  /// A game of the stream.
  private struct Show {
    var id: GameID
    var game: ScoredGame
    /// The questions whose answers were handed in and whose scoreboards were shown, and whether their results were known then.
    var shown: [GUID: Bool] = [:]
    var isOver = false
    private var follower = QuestionFollower()
    /// The questions that have changed since their scoreboards were shown, if they were.
    private var waiting: [GUID: ScoredQuestion] = [:]
    /// When the latest question opened.
    private var latestOpening = MediaTime(ticks: .min)

    init(id: GameID, game: ScoredGame) { (self.id, self.game) = (id, game) }

    /// Follows the log.
    mutating func follow(_ log: EventLog, upTo time: MediaTime, verifySeal: SealCheck?) {
      let changed: [ScoredQuestion]
      switch follower.changes(in: log, game: id, upTo: time, verifySeal: verifySeal) {
      case .questions(let questions):
        game.receive(questions)
        changed = questions
      case .everything:
        game.follow(log, game: id, upTo: time, verifySeal: verifySeal)
        changed = game.questions
        (waiting, latestOpening) = ([:], MediaTime(ticks: .min))
      }
      for question in changed {
        latestOpening = max(latestOpening, question.opensAt)
        if shown[question.guid] != true { waiting[question.guid] = question }
      }
    }

    /// Removes and returns the questions, in order, whose scoreboards may be shown: that of a result, and those that are over, or all.
    mutating func takeWaiting(result: GUID?, all: Bool) -> [ScoredQuestion] {
      let questions = waiting.values.filter { $0.guid == result || all || $0.opensAt < latestOpening }
      for question in questions { waiting[question.guid] = nil }
      return questions.sorted { $0.precedes($1) }
    }
  }

  private static let checkpointInterval = 4_096

  private var shows: [Show] = []
  /// The game before anything happened, with all players.
  private let beginning: ScoredGame
  private var list: AnswerList?
  private let bots: [(bot: Bot, player: PlayerID)]
  private let seed: UInt64
  private let top: Int
  private let listsAll: Bool
  private let verifySeal: SealCheck?
  private let isRecorded: Bool

  /// The players of a game and bots that join it.
  ///
  /// - Parameters:
  ///   - game: The game that the players have joined.
  ///   - list: Their answers.
  ///   - bots: The bots.
  ///   - seed: The seed of the bots' answers.
  ///   - top: The maximum number of players on a scoreboard.
  ///   - listsAll: Whether results list all players.
  ///   - verifySeal: Checks the seals of answers.
  ///   - isRecorded: Whether records are made of the answers.
  ///   - isInterrupted: Asked once in some thousand bots; if it returns `true`, the others do not join, and the audience is of no use.
  /// - Throws: ``JoiningError`` if a player has the nickname of a bot.
  package init(
    _ game: ScoredGame, _ list: AnswerList?, bots crowd: [Bot], seed: UInt64, top: Int, listsAll: Bool, verifySeal: SealCheck?,
    isRecorded: Bool, isInterrupted: () -> Bool = { false }
  ) throws(JoiningError) {
    var game = game
    var bots: [(bot: Bot, player: PlayerID)] = []
    for (index, bot) in crowd.enumerated() {
      if index.isMultiple(of: Self.checkpointInterval), isInterrupted() { break }
      // A player of whom only answers are known may still join; a bot with that nickname would become that person.
      if let nickname = try? Nickname(bot.nickname), let player = game.roster.player(named: nickname) {
        throw .taken(nickname, by: game.roster.nickname(of: player))
      }
      bots.append((bot, try game.join(bot.nickname)))
    }
    (beginning, self.list, self.bots, self.seed) = (game, list, bots, seed)
    (self.top, self.listsAll, self.verifySeal, self.isRecorded) = (top, listsAll, verifySeal, isRecorded)
  }

  /// The games and their points.
  package var games: [(id: GameID, game: ScoredGame)] { shows.map { ($0.id, $0.game) } }

  /// Records of who joined, in order.
  package var joinings: some Sequence<AudienceRecord> {
    let roster = beginning.roster
    return roster.players.lazy.map { .join(nickname: roster.nickname(of: $0).text, at: roster.joinTime(of: $0)) }
  }

  /// Applies a transition of the game.
  ///
  /// - Parameters:
  ///   - record: Receives each answer that is handed in, if records are made.
  ///   - checkpoint: Called once in some thousand answers; it may throw to end the work.
  package mutating func follow<Failure>(
    _ transition: GameTransition, _ machine: GameStateMachine, checkpoint: () throws(Failure) -> Void,
    _ record: (AudienceRecord) throws(Failure) -> Void
  ) throws(Failure) -> [Output] {
    switch transition.kind {
    case .infoUpdated, .timeAdjusted, .customEvent, .lobbyOpened, .entryOpened, .joinedLate, .eventConflict, .sequenceConflict, .eventLost:
      return []
    case .gameStarted, .questionAsked, .questionClosed, .resultsShown, .gameEnded, .eventRecovered, .sealBroken: break
    }
    let index = shows.firstIndex { $0.id == transition.game } ?? shows.count
    if index == shows.count { shows.append(Show(id: transition.game, game: beginning)) }
    var output: [Output] = []
    for earlier in 0..<index where !shows[earlier].isOver { try end(earlier, at: transition.time, checkpoint, record, &output) }
    shows[index].follow(machine.log, upTo: machine.time ?? transition.time, verifySeal: verifySeal)
    let result = transition.kind == .resultsShown ? transition.state.result?.content.questionGuid : nil
    for question in shows[index].takeWaiting(result: result, all: transition.kind == .gameEnded) {
      try show(question, index, at: transition.time, checkpoint, record, &output)
    }
    if transition.kind == .gameEnded { try end(index, at: transition.time, checkpoint, record, &output) }
    return output
  }

  /// Ends the games that have not ended.
  package mutating func finish<Failure>(
    at time: MediaTime?, checkpoint: () throws(Failure) -> Void, _ record: (AudienceRecord) throws(Failure) -> Void
  ) throws(Failure) -> [Output] {
    var output: [Output] = []
    for index in shows.indices where !shows[index].isOver { try end(index, at: time ?? .zero, checkpoint, record, &output) }
    return output + (list?.leftover ?? []).map { .message($0) }
  }

  private mutating func end<Failure>(
    _ index: Int, at time: MediaTime, _ checkpoint: () throws(Failure) -> Void, _ record: (AudienceRecord) throws(Failure) -> Void,
    _ output: inout [Output]
  ) throws(Failure) {
    guard !shows[index].isOver else { return }
    shows[index].isOver = true
    for question in shows[index].game.questions { try show(question, index, at: time, checkpoint, record, &output) }
    output.append(.results(shows[index].game.results(of: shows[index].id, top: listsAll ? .max : top, at: time)))
  }

  /// Hands in the answers to a question, unless that was done, and shows the scoreboard after it.
  private mutating func show<Failure>(
    _ question: ScoredQuestion, _ index: Int, at time: MediaTime, _ checkpoint: () throws(Failure) -> Void,
    _ record: (AudienceRecord) throws(Failure) -> Void, _ output: inout [Output]
  ) throws(Failure) {
    let isScored = question.right != nil
    let before = shows[index].shown[question.guid]
    guard before == nil || (before == false && isScored) else { return }
    shows[index].shown[question.guid] = isScored
    if before == nil, let (answers, messages) = list?.removeAnswers(to: question, isInFirstGame: index == 0) {
      output += messages.map { .message($0) }
      for (number, answer) in answers.enumerated() {
        if number.isMultiple(of: Self.checkpointInterval) { try checkpoint() }
        try handIn(answer.answer, to: question, by: answer.player, at: answer.time, arrival: answer.arrival, index, record)
      }
    }
    for (number, (bot, player)) in bots.enumerated() where before == nil || bot.kind == .perfect {
      if number.isMultiple(of: Self.checkpointInterval) { try checkpoint() }
      guard let (code, answerTime) = bot.answer(to: question, seed: seed), let answer = bot.answer(code, to: question) else {
        continue
      }
      try handIn(answer, to: question, by: player, at: answerTime, index, record)
    }
    if before == nil, list != nil, let summary = shows[index].game.summary(of: question.guid) {
      output += AnswerList.excess(summary, of: beginning.roster).map { .message($0) }
    }
    if let scoreboard = shows[index].game.scoreboard(of: shows[index].id, after: question.guid, top: top, at: time) {
      output.append(.scoreboard(scoreboard))
    }
  }

  private mutating func handIn<Failure>(
    _ answer: GivenAnswer, to question: ScoredQuestion, by player: PlayerID, at time: MediaTime, arrival: Int64? = nil, _ index: Int,
    _ record: (AudienceRecord) throws(Failure) -> Void
  ) throws(Failure) {
    shows[index].game.record(answer, to: question, by: player, at: time, arrival: arrival ?? 0)
    guard isRecorded else { return }
    let nickname = beginning.roster.nickname(of: player).text
    try record(.answer(nickname: nickname, question: .guid(question.guid), answer: answer, time: time, arrival: arrival))
  }
}

import Seals
import Basics
import CueSheet
import GameEvents
import GameState
import Scoring

/// The players of a replay: they answer each question once its result is known, or once it will not come any more, and their points are
/// counted. Answers have their own times, so nothing depends on when they are handed in.
struct Audience {
  /// A game of the stream.
  private struct Show {
    var id: GameID
    var game: ScoredGame
    /// The questions whose answers were handed in and whose scoreboards were shown, and whether their results were known then.
    var shown: [GUID: Bool] = [:]
    var isOver = false
  }

  private var shows: [Show] = []
  /// The game before anything happened, with all players.
  private let beginning: ScoredGame
  private var file: AnswerFile?
  private let bots: [(bot: Bot, player: PlayerID)]
  private let seed: UInt64
  private let printer: ScoreboardPrinter
  private let recorder: AnswerRecorder?

  /// Reads the answers and lets everybody join.
  init(_ options: ScoringOptions, overwrite: Bool) throws(CommandFailure) {
    var game = ScoredGame(rules: options.scoring ?? .standard)
    // Before any answers are read it must be clear that the file can be made.
    if let path = options.recordAnswers { recorder = try AnswerRecorder(path: path, overwrite: overwrite) } else { recorder = nil }
    file = nil
    if let path = options.answers { file = try AnswerFile(path: path, joining: &game) }
    var bots: [(bot: Bot, player: PlayerID)] = []
    for bot in options.bots?.bots ?? [] {
      do throws(JoiningError) {
        // Who only answered may still join: a bot would become that person.
        if let nickname = try? Nickname(bot.nickname), let player = game.roster.player(named: nickname) {
          throw .taken(nickname, by: game.roster.nickname(of: player))
        }
        bots.append((bot, try game.join(bot.nickname)))
      } catch {
        throw CommandFailure("--bots: \(error)", status: CommandFailure.invalidInput)
      }
    }
    self.bots = bots
    seed = options.seed
    printer = ScoreboardPrinter(top: options.scoreboardCount)
    beginning = game
    for player in game.roster.players {
      let record = AudienceRecord.join(nickname: game.roster.nickname(of: player).text, at: game.roster.joinTime(of: player))
      try recorder?.write(record)
    }
  }

  /// The games and their points.
  var games: [(id: GameID, game: ScoredGame)] { shows.map { ($0.id, $0.game) } }

  /// Follows the game through a transition and prints what there is to say.
  mutating func take(_ transition: Transition, _ machine: GameStateMachine, _ output: inout TransitionPrinter) throws(CommandFailure) {
    switch transition.kind {
    case .infoUpdated, .customEvent, .lobbyOpened, .entryOpened, .joinedLate, .eventConflict, .eventLost: return
    case .gameStarted, .questionAsked, .questionClosed, .resultsShown, .gameEnded, .eventRecovered, .sealBroken: break
    }
    let index = indexOfShow(transition.game)
    if index == shows.count { shows.append(Show(id: transition.game, game: beginning)) }
    for earlier in 0..<index where !shows[earlier].isOver { try end(earlier, at: transition.time, &output) }
    let now = machine.time ?? transition.time
    shows[index].game.follow(machine.log, game: transition.game, upTo: now, verifySeal: AnswerSeal.verify)
    let result = transition.kind == .resultsShown ? transition.state.result?.content.questionGuid : nil
    for question in shows[index].game.questions {
      let isOver = transition.kind == .gameEnded || shows[index].game.questions.contains { $0.opensAt > question.opensAt }
      guard question.guid == result || isOver else { continue }
      try show(question, index, at: transition.time, &output)
    }
    if transition.kind == .gameEnded { try end(index, at: transition.time, &output) }
  }

  /// Ends what has not ended, and writes what is to be written.
  mutating func finish(at time: MediaTime?, _ output: inout TransitionPrinter) throws(CommandFailure) {
    for index in shows.indices where !shows[index].isOver { try end(index, at: time ?? .zero, &output) }
    file?.reportRest()
    try recorder?.finish()
  }

  private func indexOfShow(_ id: GameID) -> Int { shows.firstIndex { $0.id == id } ?? shows.count }

  private mutating func end(_ index: Int, at time: MediaTime, _ output: inout TransitionPrinter) throws(CommandFailure) {
    guard !shows[index].isOver else { return }
    shows[index].isOver = true
    for question in shows[index].game.questions { try show(question, index, at: time, &output) }
    try printer.printResults(&shows[index].game, of: shows[index].id, at: time, &output)
  }

  /// Hands in the answers to a question, unless that was done, and prints the scoreboard after it.
  private mutating func show(
    _ question: ScoredQuestion, _ index: Int, at time: MediaTime, _ output: inout TransitionPrinter
  ) throws(CommandFailure) {
    let isScored = question.correctAnswer != nil
    let before = shows[index].shown[question.guid]
    guard before == nil || (before == false && isScored) else { return }
    shows[index].shown[question.guid] = isScored
    for answer in before == nil ? file?.takeAnswers(to: question, isInFirstGame: index == 0) ?? [] : [] {
      try handIn(answer.answer, to: question, by: answer.player, at: answer.time, index)
    }
    for (bot, player) in bots where before == nil || bot.kind == .perfect {
      guard let (answer, answerTime) = bot.answer(to: question, seed: seed) else { continue }
      try handIn(answer, to: question, by: player, at: answerTime, index)
    }
    if before == nil, let summary = shows[index].game.summary(of: question.guid) { file?.reportExcess(summary, of: beginning.roster) }
    try printer.printScoreboard(&shows[index].game, of: shows[index].id, after: question, at: time, &output)
  }

  private mutating func handIn(
    _ answer: Int, to question: ScoredQuestion, by player: PlayerID, at time: MediaTime, _ index: Int
  ) throws(CommandFailure) {
    _ = shows[index].game.answer(answer, to: question.guid, by: player, at: time)
    guard let recorder else { return }
    let nickname = beginning.roster.nickname(of: player).text
    try recorder.write(.answer(nickname: nickname, question: .guid(question.guid), answer: answer, time: time))
  }
}

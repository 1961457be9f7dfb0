import Basics
import CommandSupport
import CueSheet
import EventSchedule
import GameEvents
import Scoring
import Sheets
import StateMachine

/// A cue sheet of the events of a game, in which the results and the end contain the audience's real answers.
struct ResultSheet {
  private let file: OutputFile
  /// The maximum number of players that a leaderboard names, if they fit.
  private let top: Int

  /// A sheet that will be written to this path, which must not exist unless it may be replaced.
  init(path: String, overwrites: Bool, top: Int) throws(CommandFailure) {
    file = try OutputFile(path: path, overwrites: overwrites)
    self.top = top
  }

  private var path: String { file.path }

  /// Writes the sheet of the game that was played.
  func write(_ player: ReplayDriver) throws(CommandFailure) {
    let games = player.audience?.audience.games ?? []
    guard let (id, game) = games.first else { throw failure("the stream has no game; nothing was written") }
    if games.count > 1 {
      StandardError.write("\(path): of the stream's \(games.count) games only \(GameText.name(id)) is written")
    }
    let log = player.machine.log
    guard log.entries.count >= player.machine.counters.events else {
      throw failure(
        "the stream has \(player.machine.counters.events) events, more than are kept (\(log.entries.count)); nothing was written")
    }
    try write(log.entries(of: id), of: id, game)
  }

  /// Writes the sheet, after reading it back.
  ///
  /// - Parameters:
  ///   - entries: The events of the game, in their order.
  ///   - game: The game's name.
  ///   - scored: The game with its answers.
  private func write(_ entries: [EventLog.Entry], of game: GameID, _ scored: ScoredGame) throws(CommandFailure) {
    let questions = scored.questions
    let lacksRight = Set(
      entries.compactMap { entry in
        if case .askQuestion(let question) = entry.event.content, !question.task.kind.needsRight { entry.event.guid } else { nil }
      })
    if let question = questions.first(where: { $0.right == nil && !lacksRight.contains($0.guid) }) {
      throw failure("question \(question.number) has no result in the stream, so its right answer is not known; nothing was written")
    }
    let policy = CopyPolicy()
    var counting = ResultCounting(scored, entries, top: top) { event in
      (try? policy.largestTagSize(of: event)).map { $0 <= policy.largestTagSize } ?? false
    }
    let events = entries.map { counting.event(for: $0) }
    let right = questions.compactMap { question in lacksRight.contains(question.guid) ? nil : question.right.map { (question.guid, $0) } }
    let text = CueSheetText(
      comments: ["Made by cuelight replay --emit-results of the events of a stream and the answers of \(scored.roster.count) players."],
      game: game, events, rightAnswers: Dictionary(right) { first, _ in first }
    ) { entries[$0].event.content == events[$0].content }
    let bytes = Array(text.yaml.utf8)
    try check(bytes, against: events)
    if let lost = CueSheetText.lostKeys(of: events) { StandardError.write("\(path): \(lost)") }
    if !counting.shortened.isEmpty {
      StandardError.write("\(path): to fit into tags of \(policy.largestTagSize) bytes, \(counting.shortened.joined(separator: "; "))")
    }
    try file.write(bytes)
  }

  /// Refuses a sheet that does not read back as intended, before it gets its name.
  private func check(_ bytes: [UInt8], against events: [GameEvent]) throws(CommandFailure) {
    let sheet = try orFail(CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)) { (error: SheetError) in
      CommandFailure(invalid: error.problems.map { "\(path): nothing was written: \($0.message)" }.joined(separator: "\n"))
    }
    guard let event = sheet.firstDifference(from: events) else { return }
    throw failure("nothing was written: the \(event.type) at \((event.at ?? .zero).clockText) of the stream says what no cue sheet can")
  }

  private func failure(_ reason: String) -> CommandFailure { CommandFailure(invalid: "\(path): \(reason)") }
}

import Basics
import CommandSupport
import CueSheet
import EventSchedule
import GameEvents
import Scoring
import Sheets
import StateMachine

/// A cue sheet made of the events of a game, whose results and end carry what the audience really did.
struct ResultSheet {
  private let file: OutputFile
  /// The most players that a leaderboard names, if they fit.
  private let top: Int

  /// A sheet that will be written to this path, which must not exist unless it is to be replaced.
  init(path: String, overwrites: Bool, top: Int) throws(CommandFailure) {
    file = try OutputFile(path: path, overwrites: overwrites)
    self.top = top
  }

  private var path: String { file.path }

  /// Writes the sheet of the game that was played.
  func write(_ player: ReplayDriver) throws(CommandFailure) {
    let games = player.audience?.audience.games ?? []
    guard let (id, game) = games.first else {
      throw CommandFailure(invalid: "\(path): the stream has no game; nothing was written")
    }
    if games.count > 1 {
      StandardError.write("\(path): of the stream's \(games.count) games only \(GameText.name(id)) is written")
    }
    let log = player.machine.log
    guard log.entries.count >= player.machine.counters.events else {
      throw CommandFailure(
        invalid:
          "\(path): the stream has \(player.machine.counters.events) events, more than are kept (\(log.entries.count)); nothing was written"
      )
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
    if let question = questions.first(where: { $0.correctAnswer == nil }) {
      throw CommandFailure(
        invalid: "\(path): question \(question.number) has no result in the stream, so its right answer is not known; nothing was written")
    }
    let policy = CopyPolicy()
    var counting = ResultCounting(scored, entries, top: top) { event in
      (try? policy.largestTagSize(of: event)).map { $0 <= policy.largestTagSize } ?? false
    }
    let events = entries.map { counting.event(for: $0) }
    var title: String?
    for case .startGame(let start) in events.map(\.content) where title == nil { title = start.title }
    let right = Dictionary(questions.map { ($0.guid, $0.correctAnswer) }) { first, _ in first }
    let areInSequence = entries.enumerated().allSatisfy { $0.element.event.sequence == $0.offset + 1 }
    let text = CueSheetText(
      comments: ["Made by cuelight replay --emit-results of the events of a stream and the answers of \(scored.roster.count) players."],
      game: game.text, title: title,
      cues: zip(entries, events).map { entry, event in
        CueSheetText.cue(
          for: event, keepsGUID: entry.event.content == event.content, keepsSequence: !areInSequence,
          correctAnswer: right[event.guid] ?? nil)
      })
    let bytes = Array(text.yaml.utf8)
    try check(bytes, against: events)
    let poorer = events.count { !$0.unknownKeys.isEmpty && $0.type != .periodicInfo }
    if poorer > 0 {
      StandardError.write("\(path): \(poorer) \(poorer == 1 ? "event has" : "events have") keys that no cue sheet has; they are left out")
    }
    if !counting.shortened.isEmpty {
      StandardError.write("\(path): to fit into tags of \(policy.largestTagSize) bytes, \(counting.shortened.joined(separator: "; "))")
    }
    try file.write(bytes)
  }

  /// Refuses a sheet that would not say what it should, before it has its name.
  private func check(_ bytes: [UInt8], against events: [GameEvent]) throws(CommandFailure) {
    let sheet: CueSheet
    do {
      sheet = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)
    } catch {
      let problems = error.problems.map { "\(path): nothing was written: \($0.message)" }
      throw CommandFailure(invalid: problems.joined(separator: "\n"))
    }
    guard let event = sheet.firstDifference(from: events) else { return }
    throw CommandFailure(
      invalid:
        "\(path): nothing was written: the \(event.type) at \((event.at ?? .zero).clockText) of the stream says what no cue sheet can")
  }
}

import CueSheet
import EventSchedule
import GameEvents
import GameState
import JSONText
import LibAV
import MediaTime
import Scoring

/// A cue sheet made of the events of a game, whose results and end carry what the audience really did.
struct ResultSheet {
  private let path: String
  private let overwrites: Bool
  /// How many players a leaderboard names, if they fit.
  private let top: Int

  /// A sheet that will be written to this path, which must not exist unless it is to be replaced.
  init(path: String, overwrite: Bool, top: Int) throws(CommandFailure) {
    self.path = path
    overwrites = overwrite
    self.top = top
    // Before anything is replayed it must be clear that the file can be made.
    _ = try sink()
  }

  private func sink() throws(CommandFailure) -> FileSink {
    do throws(FileSinkError) { return try FileSink(path: path, overwrite: overwrites) } catch { throw CommandFailure(error) }
  }

  /// Writes the sheet of the game that was played.
  func write(_ player: Player) throws(CommandFailure) {
    guard let (id, game) = player.audience?.games.first else {
      throw CommandFailure("\(path): the stream has no game; nothing was written", status: CommandFailure.invalidInput)
    }
    let log = player.machine.log
    guard log.entries.count >= player.machine.counters.events else {
      throw CommandFailure(
        "\(path): the stream has \(player.machine.counters.events) events, more than are kept (\(log.entries.count)); nothing was written",
        status: CommandFailure.invalidInput)
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
        "\(path): question \(question.number) has no result in the stream, so its right answer is not known; nothing was written",
        status: CommandFailure.invalidInput)
    }
    var counting = Counting(scored, entries, top: top)
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
      StandardError.write(
        "\(path): to fit into tags of \(CopyPolicy().largestTagSize) bytes, \(counting.shortened.joined(separator: "; "))")
    }
    var sink = try sink()
    do throws(FileSinkError) {
      try sink.write(bytes.span)
      try sink.commit()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Refuses a sheet that would not say what it should, before it has its name.
  private func check(_ bytes: [UInt8], against events: [GameEvent]) throws(CommandFailure) {
    do {
      let sheet = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)
      let read = sheet.events.map { ReadBack($0.event) }
      let written = events.map { ReadBack($0) }.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
      guard let index = zip(read, written).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else { return }
      throw CommandFailure(
        "\(path): the \(written[index].content.type) at \(written[index].time.clockText) of the stream says what no cue sheet can; "
          + "nothing was written", status: CommandFailure.invalidInput)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(
        "\(path): the stream's events make no valid cue sheet; nothing was written: \(error)", status: CommandFailure.invalidInput)
    }
  }
}

/// What of an event must be read out of a cue sheet as it was written.
private struct ReadBack: Equatable {
  var time: MediaTime
  var sequence: Int
  var content: EventContent
  var counters = JSONObject()

  init(_ event: GameEvent) {
    time = event.at ?? .zero
    sequence = event.sequence ?? 0
    content = event.content
    if case .askQuestion(var question) = content {
      (question.seal, question.correctAnswer) = (nil, nil)
      content = .askQuestion(question)
    } else if case .showResults(var results) = content {
      results.salt = nil
      content = .showResults(results)
    } else if case .periodicInfo = content {
      counters = event.unknownKeys
    }
  }
}

/// Puts what the audience did into the events of a game, one after the other: each leaderboard is that of its time.
private struct Counting {
  private let questions: [ScoredQuestion]
  private var game: ScoredGame
  /// The questions of which a result is shown.
  private let withResults: Set<GUID>
  private let top: Int
  private let policy = CopyPolicy()
  /// What was left out, in words.
  private(set) var shortened: [String] = []

  init(_ game: ScoredGame, _ entries: [EventLog.Entry], top: Int) {
    self.top = top
    withResults = Set(
      entries.compactMap { entry in
        if case .showResults(let content) = entry.event.content { content.questionGuid } else { nil }
      })
    questions = game.questions
    self.game = game
    self.game.take(questions.map { Self.unscored($0) })
  }

  private static func unscored(_ question: ScoredQuestion) -> ScoredQuestion {
    var question = question
    question.correctAnswer = nil
    return question
  }

  /// The event with the real counts, leaderboard and winners.
  mutating func event(for entry: EventLog.Entry) -> GameEvent {
    var event = entry.event
    event.at = event.at ?? entry.time
    // Questions without a result of their own were scored when their time was up.
    game.take(questions.filter { $0.closesAt <= entry.time && !withResults.contains($0.guid) })
    switch event.content {
    case .showResults(var content):
      game.take(questions.filter { $0.guid == content.questionGuid })
      guard let summary = game.summary(of: content.questionGuid) else { return event }
      content.counts = summary.counts
      content.leaderboard = game.leaders(top).map { LeaderboardEntry($0) }
      event.content = .showResults(content)
      let wanted = content.leaderboard?.count ?? 0
      let count = largestCount(upTo: wanted) { count in
        var shorter = content
        shorter.leaderboard = Array(content.leaderboard?.prefix(count) ?? [])
        // The sheet may be stamped with sealed answers though this stream has open ones.
        shorter.salt = content.salt ?? String(repeating: "=", count: 24)
        return with(event, .showResults(shorter))
      }
      content.leaderboard = Array(content.leaderboard?.prefix(count) ?? [])
      if count < wanted { shortened.append("the leaderboard after question \(content.questionNumber) has \(count) of \(wanted) players") }
      event.content = .showResults(content)
    case .endGame(let content): event.content = .endGame(ending(content, event))
    case .startGame, .askQuestion, .periodicInfo, .custom: break
    }
    return event
  }

  private mutating func ending(_ content: EndGame, _ event: GameEvent) -> EndGame {
    var content = content
    let (winners, leaders) = (game.winners().map { $0.nickname.text }, game.leaders(top).map { LeaderboardEntry($0) })
    (content.winners, content.leaderboard) = ([], [])
    // All winners, and the leaderboard as far as there is room; where not even they fit, the short list first.
    var winnerCount = fittingWinners(winners, content, event)
    if winnerCount == winners.count { content.winners = winners }
    let leaderCount = fittingLeaders(leaders, content, event)
    content.leaderboard = Array(leaders.prefix(leaderCount))
    if winnerCount < winners.count {
      winnerCount = fittingWinners(winners, content, event)
      content.winners = Array(winners.prefix(winnerCount))
    }
    if winnerCount < winners.count { shortened.append("the end names \(winnerCount) of \(winners.count) winners") }
    if leaderCount < leaders.count { shortened.append("the last leaderboard has \(leaderCount) of \(leaders.count) players") }
    return content
  }

  private func fittingWinners(_ winners: [String], _ content: EndGame, _ event: GameEvent) -> Int {
    largestCount(upTo: winners.count) { count in
      var content = content
      content.winners = Array(winners.prefix(count))
      return with(event, .endGame(content))
    }
  }

  private func fittingLeaders(_ leaders: [LeaderboardEntry], _ content: EndGame, _ event: GameEvent) -> Int {
    largestCount(upTo: leaders.count) { count in
      var content = content
      content.leaderboard = Array(leaders.prefix(count))
      return with(event, .endGame(content))
    }
  }

  private func with(_ event: GameEvent, _ content: EventContent) -> GameEvent {
    var event = event
    event.content = content
    return event
  }

  /// The largest count, up to `most`, with which the event fits a tag; 0 where none does.
  private func largestCount(upTo most: Int, _ event: (Int) -> GameEvent) -> Int {
    var (fitting, tooMany) = (0, most + 1)
    while tooMany - fitting > 1 {
      let count = (fitting + tooMany) / 2
      let size = (try? policy.largestTagSize(of: event(count))) ?? .max
      if size <= policy.largestTagSize { fitting = count } else { tooMany = count }
    }
    return fitting
  }
}

import Basics
import EventSchedule
import GameEvents
import Scoring

/// Puts what the audience did into the events of a game, one after the other: each leaderboard is that of its time.
struct ResultCounting {
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
      content.leaderboard = game.leaders(top, at: entry.time).map { LeaderboardEntry($0) }
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
    case .endGame(let content): event.content = .endGame(ending(content, event, at: entry.time))
    case .startGame, .askQuestion, .periodicInfo, .custom: break
    }
    return event
  }

  private mutating func ending(_ content: EndGame, _ event: GameEvent, at time: MediaTime) -> EndGame {
    var content = content
    let winners = game.winners(at: time).map { $0.nickname.text }
    let leaders = game.leaders(top, at: time).map { LeaderboardEntry($0) }
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

import Basics
package import GameEvents

/// Inserts the audience's counts, winners and leaderboards into the events of a game, in order: each leaderboard is that of its time.
package struct ResultCounting {
  private let questions: [GUID: ScoredQuestion]
  /// The questions without a result of their own that are not scored yet, in the order in which they close.
  private var unannounced: ArraySlice<ScoredQuestion>
  private var game: ScoredGame
  private let top: Int
  private let fits: (GameEvent) -> Bool
  /// Messages about what was left out.
  package private(set) var shortened: [String] = []

  /// Starts before the first event of a game.
  ///
  /// - Parameters:
  ///   - game: The game with its players and answers.
  ///   - entries: The events.
  ///   - top: The maximum number of players on a leaderboard.
  ///   - fits: Whether an event fits into a tag. Leaderboards and winners are shortened until it does.
  package init(_ game: ScoredGame, _ entries: [EventLog.Entry], top: Int, fits: @escaping (GameEvent) -> Bool) {
    self.top = top
    self.fits = fits
    let withResults = Set(
      entries.compactMap { entry in
        if case .showResults(let content) = entry.event.content { content.questionGuid } else { nil }
      })
    let known = game.questions
    var questions: [GUID: ScoredQuestion] = [:]
    for question in known where questions[question.guid] == nil { questions[question.guid] = question }
    self.questions = questions
    unannounced = known.filter { !withResults.contains($0.guid) }.sorted { $0.closesAt < $1.closesAt }[...]
    self.game = game
    self.game.receive(
      known.map { question in
        var unscored = question
        unscored.right = nil
        return unscored
      })
  }

  /// The event with the real counts, leaderboard and winners.
  package mutating func event(for entry: EventLog.Entry) -> GameEvent {
    var event = entry.event
    event.at = event.at ?? entry.time
    // Questions without a result of their own were scored when their time was up.
    let due = unannounced.prefix { $0.closesAt <= entry.time }
    unannounced = unannounced[due.endIndex...]
    game.receive(Array(due))
    switch event.content {
    case .showResults(var content):
      game.receive(questions[content.questionGuid].map { [$0] } ?? [])
      guard let summary = game.summary(of: content.questionGuid) else { return event }
      content.counts = summary.question.answerCount > 0 ? summary.counts : nil
      content.histogram = summary.histogram
      content.texts = summary.texts
      let leaders = game.leaders(top, at: entry.time).map { LeaderboardEntry($0) }
      let count = largestCount(upTo: leaders.count, event) { count in
        content.leaderboard = Array(leaders.prefix(count))
        var shorter = content
        // Reserves space for a salt: this stream has unsealed answers, but the sheet may be stamped with sealed ones.
        shorter.salt = content.salt ?? String(repeating: "=", count: 24)
        return .showResults(shorter)
      }
      content.leaderboard = Array(leaders.prefix(count))
      if count < leaders.count {
        shortened.append("the leaderboard after question \(content.questionNumber) has \(count) of \(leaders.count) players")
      }
      event.content = .showResults(content)
    case .endGame(let content): event.content = .endGame(ending(content, event, at: entry))
    case .startGame, .askQuestion, .adjustTime, .periodicInfo, .custom: break
    }
    return event
  }

  private mutating func ending(_ content: EndGame, _ event: GameEvent, at entry: EventLog.Entry) -> EndGame {
    var content = content
    let winners = game.winners(at: entry.time).map { $0.nickname.text }
    let leaders = game.leaders(top, at: entry.time).map { LeaderboardEntry($0) }
    func shorten(toWinners winnerCount: Int, leaders leaderCount: Int) -> EndGame {
      content.winners = Array(winners.prefix(winnerCount))
      content.leaderboard = Array(leaders.prefix(leaderCount))
      return content
    }
    // All winners, and the leaderboard as far as there is room; if not even the winners fit, the leaderboard first.
    let hasRoomForWinners =
      largestCount(upTo: winners.count, event) { .endGame(shorten(toWinners: $0, leaders: 0)) } == winners.count
    let kept = hasRoomForWinners ? winners.count : 0
    let leaderCount = largestCount(upTo: leaders.count, event) { .endGame(shorten(toWinners: kept, leaders: $0)) }
    let winnerCount =
      hasRoomForWinners
      ? kept : largestCount(upTo: winners.count, event) { .endGame(shorten(toWinners: $0, leaders: leaderCount)) }
    if winnerCount < winners.count { shortened.append("the end names \(winnerCount) of \(winners.count) winners") }
    if leaderCount < leaders.count { shortened.append("the last leaderboard has \(leaderCount) of \(leaders.count) players") }
    return shorten(toWinners: winnerCount, leaders: leaderCount)
  }

  /// The largest count, up to `most`, with which the event fits a tag; 0 if none does.
  private func largestCount(upTo most: Int, _ event: GameEvent, _ content: (Int) -> EventContent) -> Int {
    var event = event
    let tooMany = (1..<max(most, 0) + 1).partitionIndex { count in
      event.content = content(count)
      return !fits(event)
    }
    return tooMany - 1
  }
}

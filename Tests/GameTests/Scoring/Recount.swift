import Basics

@testable import Scoring

/// One answer, as it is given.
struct RecountedAnswer: Sendable {
  var player: Int
  var question: ScoredQuestion
  var answer: Int
  var time: MediaTime
  var arrival: Int64 = 0
}

/// A straightforward recount: everything again for each player, with nothing kept.
struct Recount {
  var rules: ScoringRules
  var questions: [ScoredQuestion]
  var answers: [RecountedAnswer]
  /// When each player joined.
  var joinTimes: [MediaTime]
  var players: Int { joinTimes.count }

  struct Line: Equatable {
    var score = 0
    var right = 0
    var outAt: Int?
    /// How many of the questions that count were over before the player joined.
    var late = 0

    /// Whether it is in front of another one.
    func isAhead(of other: Line) -> Bool {
      if (outAt == nil) != (other.outAt == nil) { return outAt == nil }
      return score == other.score ? late < other.late : score > other.score
    }
  }

  /// The answer of a player that counts.
  func choice(_ player: Int, _ question: ScoredQuestion) -> RecountedAnswer? {
    let accepted = answers.filter {
      $0.player == player && $0.question.guid == question.guid && $0.time >= question.opensAt && $0.time < question.closesAt
        && $0.answer < question.answerCount && $0.time >= joinTimes[player]
    }
    var choice = accepted.max { ($0.arrival, $0.time, -$0.answer) < ($1.arrival, $1.time, -$1.answer) }
    // Nobody gains time by a change.
    if let latest = accepted.map(\.time).max() { choice?.time = latest }
    return choice
  }

  /// The lines of all players and how often each answer was taken, question by question.
  func count() -> (lines: [Line], counts: [[Int]]) {
    var lines = Array(repeating: Line(), count: players)
    var streaks = Array(repeating: 0, count: players)
    var mistakes = Array(repeating: 0, count: players)
    var counts: [[Int]] = []
    for question in questions.sorted(by: { $0.opensAt < $1.opensAt }) {
      var choices: [Int: RecountedAnswer] = [:]
      for player in 0..<players where lines[player].outAt == nil { choices[player] = choice(player, question) }
      var count = Array(repeating: 0, count: question.answerCount)
      for choice in choices.values { count[choice.answer] += 1 }
      counts.append(count)
      guard let right = question.correctAnswer else { continue }
      let first = choices.values.filter { $0.answer == right }.map(\.time).min()
      for player in 0..<players where joinTimes[player] >= question.closesAt { lines[player].late += 1 }
      for player in 0..<players where lines[player].outAt == nil && joinTimes[player] < question.closesAt {
        let choice = choices[player]
        let isRight = choice?.answer == right
        streaks[player] = isRight ? streaks[player] + 1 : 0
        if isRight { lines[player].right += 1 }
        lines[player].score += points(choice, isRight, question, first, streaks[player])
        if !isRight, choice != nil || rules.elimination?.countsMissed == true { mistakes[player] += 1 }
        if let elimination = rules.elimination, mistakes[player] > elimination.secondChances { lines[player].outAt = question.number }
      }
    }
    return (lines, counts)
  }

  private func points(_ choice: RecountedAnswer?, _ isRight: Bool, _ question: ScoredQuestion, _ first: MediaTime?, _ streak: Int) -> Int {
    guard let choice else { return 0 }
    var points = 0
    let isPlain = rules.right == nil && rules.first == nil && rules.points == nil && rules.speed == nil
    if isRight { points += isPlain ? 1 : rules.right?.points ?? 0 }
    if isRight, choice.time == first { points += rules.first?.points ?? 0 }
    if rules.points != nil { points += question.points.map { $0[choice.answer] } ?? (isRight ? 1 : 0) }
    if isRight, let speed = rules.speed {
      let passed = (choice.time - question.opensAt).ticks
      let left = max(question.allottedTime.ticks - (speed.isExact ? passed : passed / 90_000 * 90_000), 0)
      points += speed.least + Int(Int64(speed.most - speed.least) * left / question.allottedTime.ticks)
    }
    if isRight, let rule = rules.streak, streak >= rule.length { points += rule.points }
    return points
  }
}

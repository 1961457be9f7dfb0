import CuelightReader

// The examples of the article "Scoring a game", word for word: `DocumentationTests` compares them.

// MARK: Scoring.md

func scoreAnAudience() throws {
  var game = ScoredGame(rules: try ScoringRules(parsing: "speed:1000:500+streak:100"))
  let ann = try game.join("Ann")
  let ben = try game.join("Ben", at: MediaTime(seconds: 12))

  guard let guid = GUID("question-1") else { return }
  var question = ScoredQuestion(
    guid: guid, number: 1, answerCount: 3, opensAt: MediaTime(seconds: 20), allottedTime: MediaTime(seconds: 10))
  game.receive([question])

  // Where each player's own stream was; the order in which answers arrive does not matter.
  print(game.answer(1, to: guid, by: ann, at: MediaTime(seconds: 29.5)))  // the answer is taken
  print(game.answer(1, to: guid, by: ben, at: MediaTime(seconds: 30)))  // the time for answers was up

  question.correctAnswer = 1
  game.receive([question])
  for standing in game.leaders(10) { print(standing.rank, standing.nickname, standing.score) }
}

/// The server of a live game: events come from the stream, players and answers from a network.
struct GameServer {
  var machine = GameStateMachine(verifySeal: nil)
  var scores = ScoredGame(rules: .standard)

  mutating func receive(_ copy: EventCopy, at time: MediaTime) {
    for transition in machine.receive(copy, at: time) {
      scores.follow(machine.log, game: transition.game, upTo: time, verifySeal: nil)
      guard transition.kind == .resultsShown, let question = transition.state.result?.content.questionGuid else { continue }
      if let summary = scores.summary(of: question) { print(summary.counts, summary.taken, summary.tooLate) }
    }
  }

  /// What to answer to a player who wants to join.
  mutating func join(_ nickname: String, at time: MediaTime) -> String {
    do {
      _ = try scores.join(nickname, at: time)
      return "welcome"
    } catch {
      return "\(error)"
    }
  }
}

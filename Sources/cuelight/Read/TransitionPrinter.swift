import Basics
import CommandSupport
import EventReading
import GameEvents
import GameJSON
import StateMachine

/// Prints changes in the game, for people or for programs.
struct TransitionPrinter {
  let asJSON: Bool
  var output: StandardOutput

  mutating func print(_ transition: GameTransition) throws(CommandFailure) {
    if asJSON { return try output.line(transition.object) }
    try output.line("\(transition.time.clockText)  \(transition.text)")
  }
}

extension GameTransition {
  /// The transition in words.
  fileprivate var text: String {
    switch kind {
    case .lobbyOpened:
      let start = state.start
      return "\(titleText)   starts at \(start?.startsAt.clockText ?? "?")\(start?.content.startsAt.map { " (\($0))" } ?? "")"
    case .entryOpened: return "Players may enter"
    case .gameStarted: return "\(titleText)\(state.totalQuestions.map { "   \($0.of("question"))" } ?? "")"
    case .questionAsked: return state.question?.text(total: state.totalQuestions) ?? "Question"
    case .timeAdjusted: return "Answers until \(state.question?.closesAt.clockText ?? "?")"
    case .questionClosed: return "Time is up\(state.right.map { $0.words(of: state.question?.content) }.map { "   Answer: \($0)" } ?? "")"
    case .resultsShown: return state.resultText
    case .infoUpdated: return state.infoText
    case .gameEnded: return state.endingText
    case .joinedLate: return "Joined \(GameText.name(game)) after its beginning"
    case .eventLost(let sequences):
      return sequences.count == 1
        ? "Event \(sequences.lowerBound) is lost" : "Events \(sequences.lowerBound) to \(sequences.upperBound) are lost"
    case .eventRecovered: return "Recovered event \(guid?.text ?? "")"
    case .eventConflict: return "Conflict: copies of event \(guid?.text ?? "") say different things"
    case .sequenceConflict(let kept):
      return "Conflict: event \(guid?.text ?? "") has the sequence number of event \(kept.text), and does not count"
    case .sealBroken: return "Seal broken: the result does not fit the question's seal; it does not count"
    case .customEvent(let event): return "\(event.type)   \(event.content.object.text)"
    }
  }

  private var titleText: String { state.title ?? GameText.name(game) }
}

/// Words for a game in messages.
enum GameText {
  static func name(_ game: GameID) -> String { game.text.isEmpty ? "the game" : game.text }
}

extension GameState.Question {
  func text(total: Int?) -> String {
    let number = "Question \(content.questionNumber)\(total.map { " of \($0)" } ?? "")"
    return "\(number)   \(content.question)   \(answersText)   \(content.allottedTime.shortestDecimalSeconds) s"
  }

  var answersText: String { content.answers.enumerated().map { "[\($0.offset + 1)] \($0.element)" }.joined(separator: "  ") }

  /// Whether an answer is among those that the player has selected.
  func isSelected(_ index: Int) -> Bool {
    switch selection {
    case .one(let selected): selected == index
    case .several(let selected): selected.contains(index)
    case .order, .number, .text, nil: false
    }
  }

  func answer(_ index: Int) -> String? { content.answers.indices.contains(index) ? content.answers[index] : nil }
}

extension GameState {
  fileprivate var resultText: String {
    guard let result else { return "Answer" }
    let content = result.content
    let isOfQuestion = question?.guid == content.questionGuid
    let answer = content.right.map { right in
      isOfQuestion ? right.words(of: question?.content) : "\(right.words(of: nil)) of question \(content.questionNumber)"
    }
    let parts: [String?] = [
      answer.map { "Answer: \($0)" } ?? "Result of question \(content.questionNumber)",
      content.counts.map { $0.map(String.init).joined(separator: " · ") },
      content.texts.map { $0.entries.map { "\($0.text.text) \($0.count)" }.joined(separator: " · ") }, content.explanation, content.url,
      content.leaderboard.map { Self.text($0) },
    ]
    return parts.compactMap(\.self).joined(separator: "   ")
  }

  fileprivate var infoText: String {
    guard let info else { return "" }
    let further = info.unknownKeys.members.map { ", \($0.key) \($0.value.string ?? $0.value.text)" }.joined()
    return "\(info.content.viewers) viewers\(info.content.players.map { ", \($0) players" } ?? "")\(further)"
  }

  fileprivate var endingText: String {
    let winners = ending?.content.winners.map { winners in
      winners.isEmpty ? "nobody won" : "\(winners.count == 1 ? "Winner" : "Winners"): \(winners.joined(separator: ", "))"
    }
    return ["The game is over", winners, ending?.content.leaderboard.map { Self.text($0) }].compactMap(\.self).joined(separator: "   ")
  }

  private static func text(_ leaderboard: [LeaderboardEntry]) -> String {
    leaderboard.map { "\($0.nickname) \($0.score)" }.joined(separator: ", ")
  }
}

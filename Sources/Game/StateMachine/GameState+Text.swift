import Basics
import GameEvents

extension GameState: CustomStringConvertible {
  /// The state in words, for example `asking: "Which metal is liquid?", closes at 7 s; 1 right of 2`.
  public var description: String {
    var text = phase.text
    switch phase {
    case .lobby: if let start { text += ": starts at \(start.startsAt.shortestDecimalSeconds) s" }
    case .asking:
      if let question { text += ": \"\(question.content.question)\", closes at \(question.closesAt.shortestDecimalSeconds) s" }
    case .closed, .results: if let question { text += ": \"\(question.content.question)\"" }
    case .waiting, .playing, .ended: break
    }
    return answered > 0 ? "\(text); \(score) right of \(answered)" : text
  }
}

extension GameTransition: CustomStringConvertible {
  /// The transition in words, for example `questionAsked at 2 s, asking: "Which metal is liquid?", closes at 7 s`.
  public var description: String { "\(kind.text) at \(eventTime.shortestDecimalSeconds) s, \(state.description)" }
}

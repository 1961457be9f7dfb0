package import Basics
package import GameEvents

/// An event of a stream, merged from its copies.
package struct PreviewEvent: Equatable, Sendable {
  package var event: GameEvent
  /// When its first copy is presented, on the programme's timeline.
  package var time: MediaTime
  /// The number of copies so far.
  package var copies = 1
  /// The content in one line.
  package var text: String

  /// - Parameter question: The question that the event belongs to, if it is known.
  package init(_ event: GameEvent, at time: MediaTime, question: AskQuestion?) {
    (self.event, self.time) = (event, time)
    text = Self.text(event.content, question)
  }

  /// The maximum number of characters of a text: one line.
  private static let longestText = 300

  private static func text(_ content: EventContent, _ question: AskQuestion?) -> String {
    let text =
      switch content {
      case .startGame(let start): start.title
      case .askQuestion(let question): "\(question.question) [\(question.answers.joined(separator: " · "))]"
      case .adjustTime(let change): "\(question?.question ?? change.questionGuid.text) → \(change.allottedTime.shortestDecimalSeconds) s"
      case .periodicInfo(let info): [info.viewers, info.players].compactMap { $0 }.map { "\($0)" }.joined(separator: " · ")
      case .showResults(let result): answer(result, question)
      case .endGame(let end): (end.winners ?? []).joined(separator: " · ")
      case .custom(_, let keys): keys.text
      }
    let start = text.prefix(longestText)
    return String(start) + (start.endIndex < text.endIndex ? "…" : "")
  }

  private static func answer(_ result: ShowResults, _ question: AskQuestion?) -> String {
    result.right.map { $0.words(of: question) } ?? (result.counts ?? []).map(String.init).joined(separator: " · ")
  }

  /// The event in the form for the page.
  var object: JSONObject {
    var object = JSONObject(fields: ["guid": event.guid.text, "type": event.type.text, "time": time])
    if case .askQuestion(let question) = event.content { object.append("allottedTime", question.allottedTime) }
    if let game = event.game { object.append("game", game) }
    object.append("sequence", orNull: event.sequence)
    return object.with("copies", copies).with("text", text)
  }
}

import Basics
import GameEvents
import Scoring
import StateMachine

/// Describes the game line by line, in whole sentences that a screen reader can read out.
struct PlayNarrator {
  /// The remaining seconds that are announced, besides half of the time.
  private static let moments = [10, 5, 3, 2, 1]

  /// The question or start whose time runs, and the remaining seconds that were announced last.
  private var countdown: (end: MediaTime, said: Int)?

  /// The sentences about a transition, a line each.
  func lines(_ moment: SoloGame.Moment) -> [String] {
    let (transition, state) = (moment.transition, moment.transition.state)
    switch transition.kind {
    case .lobbyOpened:
      let left = (state.start?.startsAt ?? transition.time) - transition.time
      return ["\(name(state)) starts in \(PlayWords.wholeSeconds(left).of("second"))."]
    case .entryOpened: return ["You may enter now."]
    case .gameStarted:
      let count = state.totalQuestions.map { " It has \($0.of("question"))." } ?? ""
      return ["\(name(state)) begins.\(count)"]
    case .questionAsked: return [question(state, moment.score)]
    case .timeAdjusted:
      guard let question = state.question else { return [] }
      return ["The time has changed: you have \(PlayWords.wholeSeconds(question.closesAt - transition.time).of("second"))."]
    case .questionClosed:
      // Without an answer, the verdict covers both.
      let choice = state.verdict == .notAnswered ? nil : PlayWords.choice(state, moment.score)
      return [["Time is up.", choice, PlayWords.verdict(state, moment.score)].compactMap(\.self).joined(separator: " ")]
    case .resultsShown:
      // An address is alone at the end of its line, without a full stop that could be taken for a part of it.
      return [result(state, moment.score)] + [state.result?.content.url.map { "More: \($0)" }].compactMap(\.self)
    case .gameEnded:
      return [
        (["The game is over.", PlayWords.result(state, moment.score)] + [PlayWords.winners(state)].compactMap(\.self)).joined(
          separator: " ")
      ]
    case .joinedLate: return ["You have come after the beginning of the game."]
    case .sealBroken, .infoUpdated, .eventLost, .eventRecovered, .eventConflict, .sequenceConflict, .customEvent: return []
    }
  }

  /// Returns the sentence about the remaining time, if it is due now.
  mutating func line(_ state: GameState, at now: MediaTime) -> String? {
    let (end, total): (MediaTime?, MediaTime) =
      switch state.phase {
      case .asking: (state.question?.closesAt, state.question?.duration ?? .zero)
      case .lobby: (state.start?.startsAt, (state.start?.startsAt ?? .zero) - (state.start?.time ?? .zero))
      case .waiting, .playing, .closed, .results, .ended: (nil, .zero)
      }
    guard let end else {
      countdown = nil
      return nil
    }
    let left = PlayWords.wholeSeconds(end - now)
    guard let said = countdown?.said, countdown?.end == end else {
      countdown = (end, left)
      return nil
    }
    let half = PlayWords.wholeSeconds(total) / 2
    // If several such moments have passed since the last call, the sentence is about the latest.
    guard left > 0, left < said, (left..<said).contains(where: { Self.moments.contains($0) || ($0 == half && half > 10) }) else {
      return nil
    }
    countdown = (end, left)
    return "\(left.of("second")) left."
  }

  private func name(_ state: GameState) -> String { state.title ?? "The game" }

  private func question(_ state: GameState, _ score: SoloGame.Score) -> String {
    guard let question = state.question else { return "A question is asked." }
    let media = question.content.media.descriptions.map { Self.ended($0) + " " }.joined()
    var task = ""
    if case .number(let scale) = question.content.form { task = "Type a number: \(PlayWords.range(scale, question)). " }
    if question.content.form == .text { task = "Type your answer. " }
    if case .order = question.content.form { task = "Type their numbers in the right order. " }
    let answers = question.content.answers.enumerated().map { "Answer \($0.offset + 1): \(Self.ended($0.element))" }.joined(separator: " ")
    let time =
      score.outAt == nil
      ? "You have \(PlayWords.wholeSeconds(question.content.allottedTime).of("second"))." : "You are out of the game."
    return
      "\(PlayWords.questionNumber(state) ?? "Question"): \(Self.ended(question.content.question)) \(media)\(answers)\(answers.isEmpty ? "" : " ")\(task)\(time)"
  }

  private func result(_ state: GameState, _ score: SoloGame.Score) -> String {
    let missed = state.result.flatMap { result in
      result.content.right.map { right in
        "The answer to question \(result.content.questionNumber) is \(PlayWords.answer(right, of: state.question))."
      }
    }
    let explanation = state.result?.content.explanation.map { Self.ended($0) }
    let soFar = score.decided > 0 ? "So far: \(PlayWords.score(score))." : nil
    // The line about the end of the time has already said that there was no answer, and everything about an open answer.
    let isTold = state.question?.content.right != nil && state.verdict != .void
    let verdict = isTold ? nil : state.verdict == .notAnswered ? missed : PlayWords.verdict(state, score) ?? missed
    return [verdict, explanation, soFar].compactMap(\.self).joined(separator: " ")
  }

  /// The text with a mark at its end, at which a voice pauses.
  private static func ended(_ text: String) -> String { text.last.map { ".!?:;…".contains($0) } ?? true ? text : text + "." }
}

import Basics
import GameEvents
import Scoring
import StateMachine

/// Sentences for a player, on the screen and line by line.
enum PlayWords {
  static func answer(_ index: Int, of question: GameState.Question?) -> String {
    question?.answer(index).map { "\(index + 1) (\($0))" } ?? "\(index + 1)"
  }

  static func answer(_ right: RightAnswer, of question: GameState.Question?) -> String {
    right.index.map { answer($0, of: question) } ?? right.words(of: question?.content)
  }

  static func reply(_ reply: SoloGame.Reply, _ question: GameState.Question?) -> String {
    switch reply {
    case .selected(let answer, nil):
      "Your answer is \(Self.answer(answer, of: question)). You can change it until the time is up."
    case .selected(let answer, _?): "Your answer is now \(Self.answer(answer, of: question))."
    case .selectedSeveral(let answers):
      "Your answers are \(answers.map { Self.answer($0, of: question) }.joined(separator: ", ")). A key takes its answer back."
    case .ordering(let items, let count):
      "Your order so far: \(items.map { Self.answer($0, of: question) }.joined(separator: ", ")). \((count - items.count).of("answer")) to go."
    case .selectedWhole(let answer): "Your answer is \(answer.words(of: question?.content)). You can change it until the time is up."
    case .typing(let text): "Your \(question?.content.form == .text ? "answer" : "number"): \(text)_"
    case .noNumber(let scale): "This is none of the numbers: \(Self.range(scale, question))."
    case .noText: "An answer has 1 to \(AnswerText.largestLength) characters."
    case .otherKind: "Keys cannot answer this question; the game's page can."
    case .tooLate(let answer): "Too late: the time is up, and answer \(answer + 1) does not count."
    case .noQuestion: "There is no question to answer now."
    case .unknownAnswer(let answer, let count): "There is no answer \(answer + 1); press 1 to \(count)."
    case .eliminated: "You are out of the game, so your answers do not count."
    }
  }

  /// The numbers that a question takes.
  static func range(_ scale: NumberScale, _ question: GameState.Question?) -> String {
    let step = scale.step == .one ? "" : " in steps of \(scale.step.text)"
    return "\(scale.least.text) to \(scale.most.text)\(question?.content.task.unit.map { " \($0)" } ?? "")\(step)"
  }

  /// The player's answer to the question, once its time is up.
  static func choice(_ state: GameState, _ score: SoloGame.Score) -> String {
    if let selected = state.question?.selection, state.question?.selectedAnswer == nil {
      return "Your answer is \(selected.words(of: state.question?.content))."
    }
    if let selected = state.question?.selectedAnswer { return "Your answer is \(answer(selected, of: state.question))." }
    return score.isOut(before: state.question) ? "You are out of the game." : "You gave no answer."
  }

  /// The verdict on the question.
  static func verdict(_ state: GameState, _ score: SoloGame.Score) -> String? {
    guard let verdict = state.verdict, let right = state.right else { return nil }
    let answer = Self.answer(right, of: state.question)
    return switch verdict {
    case .right: "Right: the answer is \(answer)."
    case .wrong: "Wrong: the right answer is \(answer)."
    case .notAnswered: "\(choice(state, score)) The right answer is \(answer)."
    case .void: "The result does not fit the question's seal, so it does not count."
    }
  }

  /// The verdict on the question, in a few columns; `nil` if there is none.
  static func shortVerdict(_ state: GameState) -> String? {
    guard let verdict = state.verdict, let right = state.right else { return nil }
    let answer = right.index.map { "\($0 + 1)" } ?? right.words(of: state.question?.content)
    return switch verdict {
    case .right: "Right: \(answer)"
    case .wrong, .notAnswered: "\(answer) is right"
    case .void: nil
    }
  }

  /// The points so far, short.
  static func score(_ score: SoloGame.Score) -> String {
    let right = "\(score.right) of \(score.decided) right"
    return (score.points.map { "\($0.of("point")), " } ?? "") + right + (score.outAt == nil ? "" : ", out")
  }

  /// How the game ended for the person: "7 of 10".
  static func result(_ state: GameState, _ score: SoloGame.Score) -> String {
    // A show may have asked fewer questions than it announced, or more.
    let total = max(state.ending?.content.totalQuestions ?? 0, score.decided)
    let points = score.points.map { " and \($0.of("point"))" } ?? ""
    let out = score.outAt.map { " You were out of the game after question \($0)." } ?? ""
    return "Your result\(state.phase == .ended ? "" : " so far"): \(score.right) of \(total)\(points).\(out)"
  }

  static func winners(_ state: GameState) -> String? {
    guard let winners = state.ending?.content.winners else { return nil }
    return winners.isEmpty
      ? "Nobody has won." : "The \(winners.count == 1 ? "winner is" : "winners are") \(winners.joined(separator: ", "))."
  }

  static func questionNumber(_ state: GameState) -> String? {
    guard let number = state.question?.content.questionNumber ?? state.result?.content.questionNumber else { return nil }
    return "Question \(number)\(state.totalQuestions.map { " of \($0)" } ?? "")"
  }

  static func title(_ state: GameState) -> String? { state.title ?? state.game.map { GameText.name($0) } }

  /// Whole seconds, rounded up, so that zero means that no time is left.
  static func wholeSeconds(_ time: MediaTime) -> Int {
    Int(clamping: max(0, (time.ticks + MediaTime.ticksPerSecond - 1) / MediaTime.ticksPerSecond))
  }

  /// A duration as a person reads it on a clock: 9, 1:05, 1:00:00.
  static func clock(_ time: MediaTime) -> String {
    let seconds = wholeSeconds(time)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if seconds < 60 { return "\(seconds) s" }
    return seconds < 3_600
      ? "\(seconds / 60):\(two(seconds % 60))" : "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}

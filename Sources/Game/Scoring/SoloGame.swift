package import Basics
package import GameEvents
package import StateMachine

/// The game of one person: the state, the person's answers, and the replies to them.
///
/// It has no clock, no terminal and no stream, so that a test can play with it.
package struct SoloGame: Sendable {
  /// The reply to a key.
  package enum Reply: Equatable, Sendable {
    /// The answer of this index is selected; `changedFrom` is the one that was selected before, if that was another.
    case selected(answer: Int, changedFrom: Int?)
    /// The answers of these indices are selected, of a question that takes several.
    case selectedSeveral([Int])
    /// These items are in their places, of so many; the order is complete when all are.
    case ordering([Int], of: Int)
    /// An order, a number or a text is selected.
    case selectedWhole(GivenAnswer)
    /// A number or a text that is being typed.
    case typing(String)
    /// A text is no number of the question's scale.
    case noNumber(NumberScale)
    /// A text is too long, or has characters that do not show.
    case noText
    /// The question takes an answer of an unknown kind, which keys do not give.
    case otherKind
    /// The time for answers is up.
    case tooLate(answer: Int)
    /// There is no question.
    case noQuestion
    /// The question has only `count` answers.
    case unknownAnswer(answer: Int, count: Int)
    /// The person is out of the game.
    case eliminated
  }

  /// The outcome of a question for the person.
  package enum Verdict: Equatable, Sendable {
    /// The selected answer is right.
    case right
    /// The selected answer is wrong.
    case wrong
    /// No answer was selected in time.
    case notAnswered
    /// The result does not open the question's seal.
    case void
  }

  /// The points so far.
  package struct Score: Equatable, Sendable {
    /// How many questions were answered right.
    package var right = 0
    /// How many questions were decided.
    package var decided = 0
    /// The points that the rules award, if there are any.
    package var points: Int?
    /// The number of the question that eliminated the person.
    package var outAt: Int?

    /// Whether the person was out before a question, and so could not answer it.
    package func isOut(before question: GameState.Question?) -> Bool { outAt.map { $0 != question?.content.questionNumber } ?? false }
  }

  /// A transition, and the points after it.
  package struct Moment: Equatable, Sendable {
    /// The transition.
    package var transition: GameTransition
    /// The points after it.
    package var score: Score
  }

  /// Follows the game.
  package private(set) var machine: GameStateMachine
  /// The reply to the last key.
  package private(set) var reply: Reply?
  /// The items of an order that have their places, and the number that is being typed.
  private var (items, typed): ([Int], String) = ([], "")
  /// The question that `reply` is about.
  private var replyQuestion: GUID?
  /// The questions of `current` whose right answers are known.
  private var decided: Set<GUID> = []
  /// The running game.
  private var current: GameID?
  private let rules: ScoringRules?
  private let verifySeal: SealCheck?
  private var scored: (id: GameID, game: ScoredGame, player: PlayerID)?

  /// A game that is scored by `rules`; with `nil` by the number of right answers.
  ///
  /// - Parameters:
  ///   - rules: How answers are scored.
  ///   - verifySeal: Checks the seals of answers.
  package init(rules: ScoringRules?, verifySeal: SealCheck?) {
    self.rules = rules
    self.verifySeal = verifySeal
    machine = GameStateMachine(verifySeal: verifySeal)
  }

  /// The state of the game.
  package var state: GameState { machine.state }

  /// Receives a copy that the stream presents at `time`.
  package mutating func receive(_ copy: EventCopy, at time: MediaTime) -> [Moment] { moments(machine.receive(copy, at: time)) }

  /// Advances to `time`.
  package mutating func advance(to time: MediaTime) -> [Moment] { moments(machine.advance(to: time)) }

  /// Ends the stream.
  package mutating func finish() -> [Moment] { moments(machine.finish()) }

  /// Selects the answer of a number, from 1, as a key does; where a question takes several, a second time takes it back.
  package mutating func press(_ number: Int, at time: MediaTime) -> [Moment] {
    let moments = advance(to: time)
    let answer = number - 1
    replyQuestion = state.subject
    if state.phase == .asking, case .order(let count)? = state.question?.content.form {
      place(answer, of: count, at: time)
    } else if let given = given(answer) {
      select(given, answer, at: time)
    } else {
      reply = .otherKind
    }
    return moments
  }

  private var isOut: Bool { state.phase == .asking && scoredPlayer?.outAt != nil }

  /// Selects an answer, where the game has advanced to `time`, so that there are no transitions.
  ///
  /// - Parameter index: The index of the answer, for replies.
  private mutating func select(_ given: GivenAnswer, _ index: Int, at time: MediaTime) {
    let before = state.question?.selectedAnswer
    guard !isOut else { return reply = .eliminated }
    switch machine.select(given, at: time).outcome {
    case .accepted:
      if let question = state.question?.guid, let player = scored?.player, let now = machine.time {
        _ = scored?.game.answer(given, to: question, by: player, at: now)
      }
      switch given {
      case .one: reply = .selected(answer: index, changedFrom: before == index ? nil : before)
      case .several(let selected): reply = .selectedSeveral(selected)
      case .order, .number, .text: reply = .selectedWhole(given)
      }
    case .tooLate: reply = .tooLate(answer: index)
    case .noQuestion: reply = .noQuestion
    case .unknownAnswer:
      reply = .unknownAnswer(answer: index, count: state.question?.content.answers.count ?? 0)
      if case .number(let scale)? = state.question?.content.form { reply = .noNumber(scale) }
    }
  }

  /// Puts an item behind those that have their places, or takes it back. When all items are there, the order is selected, and the next key begins anew.
  private mutating func place(_ index: Int, of count: Int, at time: MediaTime) {
    guard !isOut else { return reply = .eliminated }
    guard (0..<count).contains(index) else { return reply = .unknownAnswer(answer: index, count: count) }
    if items.count == count { items = [] }
    if items.contains(index) { items.removeAll { $0 == index } } else { items.append(index) }
    guard items.count == count else { return reply = .ordering(items, of: count) }
    select(.order(items), index, at: time)
  }

  // MARK: Numbers and texts

  /// Whether the open question takes a number, which is typed.
  package var takesNumber: Bool { if state.phase == .asking, case .number? = state.question?.content.form { true } else { false } }

  /// Whether the open question takes a text, which is typed.
  package var takesText: Bool { state.phase == .asking && state.question?.content.form == .text }

  /// Adds a character to what is being typed, or takes the last one away.
  package mutating func type(_ character: Character?) {
    guard takesNumber || takesText, !isOut else { return }
    replyQuestion = state.subject
    let largest = takesText ? AnswerText.largestLength : 20
    if let character, typed.unicodeScalars.count < largest { typed.append(character) }
    if character == nil, !typed.isEmpty { typed.removeLast() }
    reply = .typing(typed)
  }

  /// Selects the number or the text that was typed.
  package mutating func enter(at time: MediaTime) -> [Moment] { typed.isEmpty ? advance(to: time) : enter(typed, at: time) }

  /// Selects what a text says: itself, a number with a point or a comma, or the numbers of answers, one after the other.
  package mutating func enter(_ text: String, at time: MediaTime) -> [Moment] {
    var moments = advance(to: time)
    guard state.phase == .asking, let form = state.question?.content.form else { return moments + press(0, at: time) }
    if form == .text {
      (replyQuestion, typed) = (state.subject, "")
      guard let text = AnswerText(text) else {
        reply = .noText
        return moments
      }
      select(.text(text), 0, at: time)
      return moments
    }
    if case .number(let scale) = form {
      (replyQuestion, typed) = (state.subject, "")
      let text = String(text.map { $0 == "," ? "." : $0 }.filter { $0 != " " })
      guard let number = DecimalNumber(text) else {
        reply = .noNumber(scale)
        return moments
      }
      select(.number(number), 0, at: time)
      return moments
    }
    // The items of an order are at most nine, so that nothing needs to stand between their numbers.
    var numbers = text.split { !$0.isNumber }.map { Int($0) ?? 0 }
    if case .order = form { numbers = text.compactMap { $0.wholeNumberValue } }
    for number in numbers { moments += press(number, at: time) }
    return moments
  }

  /// What a key selects, by the answer's index; `nil` if keys cannot answer the question.
  private func given(_ index: Int) -> GivenAnswer? {
    guard state.phase == .asking, let question = state.question else { return .one(index) }
    switch question.content.form {
    case .one: return .one(index)
    case .several(let count):
      guard (0..<count).contains(index) else { return .one(index) }
      guard case .several(let selected) = question.selection else { return .several([index]) }
      guard selected.contains(index) else { return .several((selected + [index]).sorted()) }
      // One answer at least stays selected.
      return .several(selected.count > 1 ? selected.filter { $0 != index } : selected)
    case .none, .order, .number, .text: return nil
    }
  }

  /// The points so far.
  package var score: Score { score(of: state) }

  private func score(of state: GameState) -> Score {
    let player = scoredPlayer
    return Score(right: state.score, decided: decided.count, points: player?.score, outAt: player?.outAt)
  }

  private var scoredPlayer: Standing? {
    guard var scored else { return nil }
    return scored.game.standing(of: scored.player)
  }

  private mutating func moments(_ transitions: [GameTransition]) -> [Moment] {
    transitions.map { transition in
      switch transition.kind {
      case .gameStarted, .lobbyOpened, .questionAsked, .questionClosed, .gameEnded: (reply, items, typed) = (nil, [], "")
      case .resultsShown, .entryOpened, .timeAdjusted, .infoUpdated, .joinedLate, .eventLost, .eventRecovered, .eventConflict,
        .sequenceConflict,
        .sealBroken, .customEvent:
        break
      }
      // This is the result of a missed question: the reply was about an earlier question.
      if transition.state.subject != replyQuestion { reply = nil }
      // An event of another game than the running one changes nothing here.
      if let id = transition.state.game {
        if current != id { enter(id, at: transition.time) }
        scored?.game.follow(machine.log, game: id, upTo: machine.time ?? transition.time, verifySeal: verifySeal)
      }
      let state = transition.state
      if state.right != nil, state.result?.seal != .broken, let guid = state.question?.guid { decided.insert(guid) }
      return Moment(transition: transition, score: score(of: state))
    }
  }

  /// A player who joins late has not missed the questions that were over before, even if the stream repeats them.
  private mutating func enter(_ id: GameID, at time: MediaTime) {
    current = id
    decided = []
    scored = nil
    guard let rules else { return }
    var game = ScoredGame(rules: rules)
    // The only player of a game can have any nickname.
    guard let player = try? game.join("you", at: time) else { return }
    scored = (id, game, player)
  }
}

extension GameState {
  /// The question that is shown, or whose result is.
  fileprivate var subject: GUID? { question?.guid ?? result?.content.questionGuid }

  /// The outcome of the current question for the person; `nil` while it is open, and where it depends on the answers of others.
  package var verdict: SoloGame.Verdict? {
    guard let question, let right else { return nil }
    if result?.seal == .broken { return .void }
    guard question.selection != nil else { return .notAnswered }
    return question.isRight(right).map { $0 ? .right : .wrong }
  }
}

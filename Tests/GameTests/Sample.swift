import Basics
import GameEvents

@testable import StateMachine
@testable import Scoring

extension GUID {
  /// The identifier of a text that is known to be one.
  static func of(_ text: String) -> GUID {
    guard let guid = GUID(text) else { preconditionFailure("no GUID: \(text)") }
    return guid
  }
}

extension JSONNumber {
  /// The number of a text that is known to be one.
  static func of(_ text: String) -> JSONNumber {
    guard let number = JSONNumber(text) else { preconditionFailure("no number: \(text)") }
    return number
  }
}

extension MediaTime {
  static func seconds(_ seconds: Int) -> MediaTime { MediaTime(seconds: seconds) }
}

/// Events, copies, questions and games to test with. Times are seconds of the programme.
enum Sample {
  static func guid(_ text: String) -> GUID { .of(text) }

  // MARK: Events of the game `friday`

  static func event(
    _ guid: String, _ content: EventContent, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil
  ) -> GameEvent {
    GameEvent(guid: .of(guid), game: game, sequence: sequence, at: seconds.map { .seconds($0) }, content: content)
  }

  static func start(
    _ guid: String = "start", game: String? = "friday", sequence: Int? = 1, at seconds: Int? = 2, startsIn: Int? = nil
  ) -> GameEvent {
    let content = StartGame(title: "Friday Night", totalQuestions: 3, startsIn: startsIn.map { .seconds($0) })
    return event(guid, .startGame(content), game: game, sequence: sequence, at: seconds)
  }

  static func ask(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    let content = AskQuestion(question: "Which?", answers: ["A", "B"], questionNumber: 1, allottedTime: .seconds(10))
    return event(guid, .askQuestion(content), game: game, sequence: sequence, at: seconds)
  }

  /// How a question's right answer travels.
  enum Secrecy {
    case open, sealed, neither
  }

  /// A question whose right answer is the one of its number.
  static func ask(
    _ number: Int, game: String? = "friday", sequence: Int?, at: Int, allotted: Int = 10, _ secrecy: Secrecy = .sealed, name: String? = nil
  ) -> GameEvent {
    let content = AskQuestion(
      question: "Which of three, number \(number)?", answers: ["One", "Two", "Three"], questionNumber: number,
      allottedTime: .seconds(allotted), correctAnswer: secrecy == .open ? number : nil, seal: secrecy == .sealed ? "salt:\(number)" : nil)
    return event(name ?? "ask\(number)", .askQuestion(content), game: game, sequence: sequence, at: at)
  }

  static func adjust(
    _ guid: String, of question: String, to allotted: Int, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil
  ) -> GameEvent {
    let content = AdjustTime(questionGuid: .of(question), allottedTime: .seconds(allotted))
    return event(guid, .adjustTime(content), game: game, sequence: sequence, at: seconds)
  }

  static func info(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .periodicInfo(PeriodicInfo(viewers: 5)), game: game, sequence: sequence, at: seconds)
  }

  static func info(_ viewers: Int, game: String? = "friday", sequence: Int?, at: Int) -> GameEvent {
    event("info\(viewers)", .periodicInfo(PeriodicInfo(viewers: viewers)), game: game, sequence: sequence, at: at)
  }

  static func show(
    _ guid: String, of question: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil
  ) -> GameEvent {
    let content = ShowResults(questionGuid: .of(question), questionNumber: 1, correctAnswer: 0)
    return event(guid, .showResults(content), game: game, sequence: sequence, at: seconds)
  }

  static func show(
    _ number: Int, game: String? = "friday", sequence: Int?, at: Int, right: Int? = nil, of question: String? = nil, salt: String? = "salt"
  ) -> GameEvent {
    let content = ShowResults(
      questionGuid: .of(question ?? "ask\(number)"), questionNumber: number, correctAnswer: right ?? number, salt: salt)
    return event("show\(number)", .showResults(content), game: game, sequence: sequence, at: at)
  }

  static func end(_ guid: String = "end", game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .endGame(EndGame(totalQuestions: 3)), game: game, sequence: sequence, at: seconds)
  }

  static func poll(_ guid: String, game: String? = "friday", sequence: Int? = nil, at seconds: Int? = nil) -> GameEvent {
    event(guid, .custom(EventType("poll"), JSONObject()), game: game, sequence: sequence, at: seconds)
  }

  /// A short game: one question with an open answer, one with a sealed one.
  static let shortGame = [
    start(), ask(1, sequence: 2, at: 5, .open), show(1, sequence: 3, at: 18), ask(2, sequence: 4, at: 20), show(2, sequence: 5, at: 33),
    info(100, sequence: 6, at: 35), end(sequence: 7, at: 40),
  ]

  static func copy(of event: GameEvent, seenAt seconds: Int? = nil, isRefresh: Bool = false, isVerified: Bool = true) -> EventCopy {
    let at = event.at ?? .zero
    let age = max(.zero, seconds.map { MediaTime.seconds($0) - at } ?? .zero)
    return EventCopy(of: event, copy: isRefresh ? 4 : 1, copies: 3, age: age, isVerified: isVerified)
  }

  static let verifySeal: SealCheck = { seal, salt, _, right in seal == "\(salt):\(right.sealedText)" }

  // MARK: Scored games

  /// The question of a number: three answers, open for 10 s from 20 s times its number on.
  static func question(_ number: Int, right: Int? = nil, points: [Int]? = nil, result: String? = nil) -> ScoredQuestion {
    ScoredQuestion(
      guid: guid("q\(number)"), number: number, answerCount: 3, opensAt: MediaTime(seconds: 20 * number),
      allottedTime: MediaTime(seconds: 10), correctAnswer: right, points: points, result: result.map { guid($0) })
  }

  /// A game of players `a`, `b`, `c` …
  static func scoredGame(_ rules: ScoringRules = .standard, players: Int) throws -> ScoredGame {
    var game = ScoredGame(rules: rules)
    for index in 0..<players { _ = try game.join(name(index)) }
    return game
  }

  static func name(_ index: Int) -> String { String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }
}

extension EventLog {
  /// Takes a copy of an event at so many seconds of the programme; without a time, when the event happens.
  mutating func accept(_ event: GameEvent, seenAt seconds: Int? = nil, isVerified: Bool = true) -> Outcome {
    let time = seconds.map { MediaTime(seconds: $0) } ?? event.at ?? .zero
    let age = max(event.at.map { time - $0 } ?? .zero, .zero)
    return accept(EventCopy(of: event, copies: 3, age: age, isVerified: isVerified), at: time)
  }

  /// The texts of the GUIDs of a game's entries, in their order.
  func guids(of game: String = "friday") -> [String] { entries(of: GameID(game)).map { $0.event.guid.text } }
}

/// What a transition says, without the state after it.
struct Announcement: Equatable, Sendable, CustomStringConvertible {
  var kind: GameTransition.Kind
  var time: MediaTime
  var eventTime: MediaTime
  var guid: GUID?

  init(_ kind: GameTransition.Kind, at time: Int, happened eventTime: Int? = nil, _ guid: String?) {
    self.kind = kind
    self.time = MediaTime(seconds: time)
    self.eventTime = MediaTime(seconds: eventTime ?? time)
    self.guid = guid.map(Sample.guid)
  }

  init(_ transition: GameTransition) {
    (kind, time, eventTime, guid) = (transition.kind, transition.time, transition.eventTime, transition.guid)
  }

  var description: String { "\(kind.text) \(guid?.text ?? "-") at \(time.clockText), of \(eventTime.clockText)" }
}

extension [GameTransition] {
  var announcements: [Announcement] { map(Announcement.init) }
}

extension GameStateMachine {
  init() { self.init(verifySeal: Sample.verifySeal) }

  /// Receives an event, at its own time unless said otherwise.
  mutating func receive(_ event: GameEvent, seenAt seconds: Int? = nil, isRefresh: Bool = false) -> [GameTransition] {
    let time = seconds.map { MediaTime(seconds: $0) } ?? event.at ?? .zero
    return receive(Sample.copy(of: event, seenAt: seconds, isRefresh: isRefresh), at: time)
  }

  /// Receives events, each at its own time.
  mutating func play(_ events: some Sequence<GameEvent>) -> [GameTransition] { events.flatMap { receive($0) } }

  mutating func advance(to seconds: Int) -> [GameTransition] { advance(to: MediaTime(seconds: seconds)) }

  mutating func seek(to seconds: Int) -> [GameTransition] { seek(to: MediaTime(seconds: seconds)) }

  mutating func select(_ answer: Int, at seconds: Int) -> SelectionOutcome {
    select(answer: answer, at: MediaTime(seconds: seconds)).outcome
  }

  /// The state when everything is folded again.
  var refoldedState: GameState {
    var copy = self
    _ = copy.seek(to: time ?? .zero)
    return copy.state
  }
}

extension ScoredGame {
  /// Answers for the player of this nickname, so many seconds after the question opened.
  mutating func answer(_ nickname: String, _ number: Int, _ answer: Int, after seconds: Double) throws -> AnswerOutcome {
    let player = try entering(nickname)
    return self.answer(
      answer, to: Sample.guid("q\(number)"), by: player, at: MediaTime(seconds: 20 * number) + MediaTime(seconds: seconds))
  }

  /// The lines of the scoreboard: `1 ann 3`, and `out 2` for whom question 2 put out.
  mutating func board(_ count: Int = 100) -> [String] {
    leaders(count).map { "\($0.rank) \($0.nickname) \($0.score)\($0.outAt.map { " out \($0)" } ?? "")" }
  }

  mutating func winnerNames() -> [String] { winners().map { $0.nickname.text } }
}

import Basics
import GameEvents

@testable import GameState

/// Events and copies to play with. Times are seconds of the programme.
enum GameSample {
  static func guid(_ text: String) -> GUID { .of(text) }

  static func event(_ name: String, game: String? = "g", sequence: Int?, at: Int, _ content: EventContent) -> GameEvent {
    GameEvent(guid: guid(name), game: game, sequence: sequence, at: MediaTime(seconds: at), content: content)
  }

  static func start(_ name: String = "start", game: String? = "g", sequence: Int? = 1, at: Int = 2, startsIn: Int? = nil) -> GameEvent {
    let content = StartGame(title: "Friday", totalQuestions: 2, startsIn: startsIn.map { MediaTime(seconds: $0) }, startsAt: nil)
    return event(name, game: game, sequence: sequence, at: at, .startGame(content))
  }

  /// How a question's right answer travels.
  enum Secrecy {
    case open, sealed, neither
  }

  /// A question whose right answer is the one of its number.
  static func ask(
    _ number: Int, game: String? = "g", sequence: Int?, at: Int, allotted: Int = 10, _ secrecy: Secrecy = .sealed, name: String? = nil
  ) -> GameEvent {
    let content = AskQuestion(
      question: "Which of three, number \(number)?", answers: ["One", "Two", "Three"], questionNumber: number,
      allottedTime: MediaTime(seconds: allotted), correctAnswer: secrecy == .open ? number : nil,
      seal: secrecy == .sealed ? "salt:\(number)" : nil)
    return event(name ?? "ask\(number)", game: game, sequence: sequence, at: at, .askQuestion(content))
  }

  static func show(
    _ number: Int, game: String? = "g", sequence: Int?, at: Int, right: Int? = nil, of question: String? = nil, salt: String? = "salt"
  ) -> GameEvent {
    let content = ShowResults(
      questionGuid: guid(question ?? "ask\(number)"), questionNumber: number, correctAnswer: right ?? number, salt: salt)
    return event("show\(number)", game: game, sequence: sequence, at: at, .showResults(content))
  }

  static func info(_ viewers: Int, game: String? = "g", sequence: Int?, at: Int) -> GameEvent {
    event("info\(viewers)", game: game, sequence: sequence, at: at, .periodicInfo(PeriodicInfo(viewers: viewers)))
  }

  static func end(_ name: String = "end", game: String? = "g", sequence: Int?, at: Int) -> GameEvent {
    event(name, game: game, sequence: sequence, at: at, .endGame(EndGame(totalQuestions: 2)))
  }

  static func custom(_ name: String, game: String? = "g", sequence: Int?, at: Int) -> GameEvent {
    event(name, game: game, sequence: sequence, at: at, .custom(EventType("poll"), JSONObject()))
  }

  /// A short game: one question with an open answer, one with a sealed one.
  static let game = [
    start(), ask(1, sequence: 2, at: 5, .open), show(1, sequence: 3, at: 18), ask(2, sequence: 4, at: 20), show(2, sequence: 5, at: 33),
    info(100, sequence: 6, at: 35), end(sequence: 7, at: 40),
  ]

  static func copy(of event: GameEvent, seenAt seconds: Int? = nil, isRefresh: Bool = false, isVerified: Bool = true) -> EventCopy {
    let at = event.at ?? .zero
    let age = max(.zero, seconds.map { MediaTime(seconds: $0) - at } ?? .zero)
    return EventCopy(of: event, copy: isRefresh ? 4 : 1, copies: 3, age: age, isVerified: isVerified)
  }

  static let verifySeal: SealCheck = { seal, salt, _, answer in seal == "\(salt):\(answer)" }
}

/// What a transition says, without the state after it.
struct Announcement: Equatable, Sendable, CustomStringConvertible {
  var kind: Transition.Kind
  var time: MediaTime
  var eventTime: MediaTime
  var guid: GUID?

  init(_ kind: Transition.Kind, at time: Int, happened eventTime: Int? = nil, _ guid: String?) {
    self.kind = kind
    self.time = MediaTime(seconds: time)
    self.eventTime = MediaTime(seconds: eventTime ?? time)
    self.guid = guid.map(GameSample.guid)
  }

  init(_ transition: Transition) {
    (kind, time, eventTime, guid) = (transition.kind, transition.time, transition.eventTime, transition.guid)
  }

  var description: String { "\(kind.name) \(guid?.text ?? "-") at \(time.clockText), of \(eventTime.clockText)" }
}

extension [Transition] {
  var announcements: [Announcement] { map(Announcement.init) }
}

extension GameStateMachine {
  init() { self.init(verifySeal: GameSample.verifySeal) }

  /// Receives an event, at its own time unless said otherwise.
  mutating func receive(_ event: GameEvent, seenAt seconds: Int? = nil, isRefresh: Bool = false) -> [Transition] {
    let time = seconds.map { MediaTime(seconds: $0) } ?? event.at ?? .zero
    return receive(GameSample.copy(of: event, seenAt: seconds, isRefresh: isRefresh), at: time)
  }

  /// Receives events, each at its own time.
  mutating func play(_ events: some Sequence<GameEvent>) -> [Transition] { events.flatMap { receive($0) } }

  mutating func advance(to seconds: Int) -> [Transition] { advance(to: MediaTime(seconds: seconds)) }

  mutating func seek(to seconds: Int) -> [Transition] { seek(to: MediaTime(seconds: seconds)) }

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

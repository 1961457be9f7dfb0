import Basics
import GameEvents
import StateMachine
import TestSupport
import Testing

@testable import Scoring

/// Questions out of events: the same as the state machine plays.
@Suite struct QuestionListTests {
  static let verifySeal: SealCheck = { seal, salt, _, right in seal == "\(salt):\(right.sealedText)" }

  private func event(_ name: String, _ sequence: Int, at: Int, _ content: EventContent) -> GameEvent {
    GameEvent(guid: Sample.guid(name), game: "g", sequence: sequence, at: MediaTime(seconds: at), content: content)
  }

  private func ask(_ number: Int, _ sequence: Int, at: Int, allotted: Int = 10, right: Int? = nil, seal: String? = nil) -> GameEvent {
    let content = AskQuestion(
      question: "Number \(number)?", answers: ["One", "Two", "Three"], questionNumber: number, allottedTime: MediaTime(seconds: allotted),
      correctAnswer: right, seal: seal)
    return event("q\(number)", sequence, at: at, .askQuestion(content))
  }

  private func show(_ number: Int, _ sequence: Int, at: Int, right: Int, salt: String? = nil, points: [Int]? = nil) -> GameEvent {
    let content = ShowResults(
      questionGuid: Sample.guid("q\(number)"), questionNumber: number, correctAnswer: right, salt: salt, points: points)
    return event("r\(number)", sequence, at: at, .showResults(content))
  }

  private func questions(_ events: [GameEvent], upTo seconds: Int) -> [ScoredQuestion] {
    var log = EventLog()
    for event in events { _ = log.accept(EventCopy(of: event, copy: 1, copies: 1), at: MediaTime(seconds: seconds)) }
    return ScoredQuestion.questions(of: GameID("g"), in: log, upTo: MediaTime(seconds: seconds), verifySeal: Self.verifySeal)
  }

  @Test func openAnswersCountWhenTheTimeIsUp() {
    let events = [ask(1, 1, at: 20, right: 2)]
    #expect(questions(events, upTo: 19) == [])
    #expect(questions(events, upTo: 29) == [Sample.question(1)])
    #expect(questions(events, upTo: 30) == [Sample.question(1, right: 2)])
  }

  @Test func sealedAnswersCountWithAResultThatOpensTheSeal() {
    let question = ask(1, 1, at: 20, seal: "salt:1")
    #expect(questions([question, show(1, 2, at: 35, right: 0, salt: "salt")], upTo: 40) == [Sample.question(1)])
    #expect(questions([question, show(1, 2, at: 35, right: 1)], upTo: 40) == [Sample.question(1)])
    #expect(
      questions([show(1, 2, at: 35, right: 1, salt: "salt", points: [1, 2, 3]), question], upTo: 40)
        == [Sample.question(1, right: 1, points: [1, 2, 3], result: "r1")])
    // Points for another number of answers are none.
    #expect(
      questions([question, show(1, 2, at: 35, right: 1, salt: "salt", points: [1])], upTo: 40) == [
        Sample.question(1, right: 1, result: "r1")
      ])
  }

  @Test func whatComesNextClosesAQuestion() {
    let end = event("end", 3, at: 44, .endGame(EndGame(totalQuestions: 2)))
    var (first, second) = (Sample.question(1), Sample.question(2))
    first.closesAt = MediaTime(seconds: 25)
    #expect(questions([ask(1, 1, at: 20), show(1, 2, at: 25, right: 0)], upTo: 60).map(\.closesAt) == [first.closesAt])
    second.closesAt = MediaTime(seconds: 44)
    #expect(questions([ask(1, 1, at: 20), ask(2, 2, at: 40), end, ask(3, 4, at: 60)], upTo: 100) == [Sample.question(1), second])
  }

  @Test func theTimeForAnswersChanges() {
    func adjust(_ sequence: Int, at: Int, to allotted: Int) -> GameEvent {
      event(
        "a\(sequence)", sequence, at: at,
        .adjustTime(AdjustTime(questionGuid: Sample.guid("q1"), allottedTime: MediaTime(seconds: allotted))))
    }
    let ask = ask(1, 1, at: 20, right: 2)
    func closesAt(_ events: GameEvent...) -> [MediaTime] { questions([ask] + events, upTo: 100).map(\.closesAt) }
    #expect(closesAt(adjust(2, at: 25, to: 30)) == [MediaTime(seconds: 50)])
    #expect(closesAt(adjust(2, at: 25, to: 30), adjust(3, at: 40, to: 25)) == [MediaTime(seconds: 45)])
    #expect(closesAt(adjust(2, at: 25, to: 0)) == [MediaTime(seconds: 25)])
    #expect(closesAt(adjust(2, at: 25, to: 0), adjust(3, at: 28, to: 60)) == [MediaTime(seconds: 25)])
    #expect(closesAt(adjust(2, at: 30, to: 60)) == [MediaTime(seconds: 30)])
    #expect(closesAt(adjust(2, at: 25, to: 30), show(1, 3, at: 35, right: 2)) == [MediaTime(seconds: 35)])
    // The right answer of an open question counts when the new time is up.
    #expect(questions([ask, adjust(2, at: 25, to: 30)], upTo: 49).map(\.correctAnswer) == [nil])
    #expect(questions([ask, adjust(2, at: 25, to: 30)], upTo: 50).map(\.correctAnswer) == [2])
  }

  @Test func whatLeavesTheLogStaysAndWhatIsTakenBackGoes() throws {
    var game = ScoredGame()
    let player = try game.join("ann")
    _ = game.answer(1, to: Sample.guid("q1"), by: player, at: MediaTime(seconds: 25))
    var log = EventLog()
    for event in [ask(1, 1, at: 20), show(1, 2, at: 35, right: 1)] {
      _ = log.accept(EventCopy(of: event, copy: 1, copies: 1), at: event.at ?? .zero)
    }
    func follow(_ log: EventLog, upTo seconds: Int) -> Int {
      game.follow(log, game: GameID("g"), upTo: MediaTime(seconds: seconds), verifySeal: nil)
      return game.standing(of: player).score
    }
    #expect(follow(log, upTo: 40) == 1)
    // Going back and forth.
    #expect(follow(log, upTo: 30) == 0 && game.questions == [Sample.question(1)])
    #expect(follow(log, upTo: 10) == 0 && game.questions == [])
    #expect(follow(log, upTo: 40) == 1)
    // The result has left, then the question.
    var shorter = EventLog()
    _ = shorter.accept(EventCopy(of: ask(1, 1, at: 20), copy: 1, copies: 1), at: MediaTime(seconds: 20))
    #expect(follow(shorter, upTo: 50) == 1)
    #expect(follow(EventLog(), upTo: 50) == 1)
    // It turns out that the game was over before the question.
    _ = log.accept(
      EventCopy(of: event("end", 0, at: 10, .endGame(EndGame(totalQuestions: 0))), copy: 1, copies: 1), at: MediaTime(seconds: 50))
    #expect(follow(log, upTo: 50) == 0 && game.questions == [])
  }

  /// One player's score is the one that the state machine finds, for games of chance in chance orders.
  @Test func scoresAreThoseOfTheStateMachine() throws {
    var generator = SeededNumbers(seed: 11)
    for _ in 0..<300 {
      var events: [GameEvent] = []
      var (time, sequence) = (0, 0)
      func next() -> Int {
        sequence += 1
        return sequence
      }
      for number in 1...4 {
        time += Int.random(in: 1...8, using: &generator)
        let right = Int.random(in: 0..<3, using: &generator)
        let isOpen = Bool.random(using: &generator)
        events.append(
          ask(
            number, next(), at: time, allotted: Int.random(in: 1...12, using: &generator), right: isOpen ? right : nil,
            seal: isOpen ? nil : "salt:\(right)"))
        guard Int.random(in: 0..<5, using: &generator) > 0 else { continue }
        time += Int.random(in: 1...14, using: &generator)
        let shown = Int.random(in: 0..<6, using: &generator) == 0 ? (right + 1) % 3 : right
        events.append(show(number, next(), at: time, right: isOpen ? right : shown, salt: "salt"))
      }
      if Bool.random(using: &generator) { events.append(event("end", next(), at: time + 2, .endGame(EndGame(totalQuestions: 4)))) }
      var machine = GameStateMachine(verifySeal: Self.verifySeal)
      var game = ScoredGame()
      let player = try game.join("ann")
      let end = time + 20
      for second in 0...end {
        for event in events where event.at == MediaTime(seconds: second) {
          _ = machine.receive(EventCopy(of: event, copy: 1, copies: 1), at: MediaTime(seconds: second))
        }
        let answer = Int.random(in: 0..<3, using: &generator)
        let now = MediaTime(seconds: second)
        guard let question = machine.state.question?.guid, machine.select(answer: answer, at: now).outcome == .accepted else { continue }
        _ = game.answer(answer, to: question, by: player, at: now)
      }
      _ = machine.advance(to: MediaTime(seconds: end))
      // The events in another order, followed one by one, and all at once.
      var log = EventLog()
      var followed = game
      for event in events.shuffled(using: &generator) {
        _ = log.accept(EventCopy(of: event, copy: 1, copies: 1), at: MediaTime(seconds: end))
        followed.follow(log, game: GameID("g"), upTo: MediaTime(seconds: end), verifySeal: Self.verifySeal)
      }
      game.follow(log, game: GameID("g"), upTo: MediaTime(seconds: end), verifySeal: Self.verifySeal)
      #expect(game.standing(of: player).score == machine.state.score)
      #expect(followed.questions == game.questions)
      #expect(followed.standing(of: player) == game.standing(of: player))
    }
  }

  /// Following a log that grows at its end tells of each question a few times, however many there are, and ends where following all of it does.
  @Test(arguments: [10, 300]) func followingTakesAFewStepsAQuestion(count: Int) throws {
    var (log, follower, game) = (EventLog(), QuestionFollower(), ScoredGame())
    var told = 0
    for number in 1...count {
      let time = 20 * number
      for (event, now) in [
        (ask(number, 2 * number, at: time, right: number % 2 == 0 ? 1 : nil, seal: number % 2 == 0 ? nil : "salt:1"), time),
        (show(number, 2 * number + 1, at: time + 12, right: 1, salt: "salt"), time + 12),
      ] {
        _ = log.accept(EventCopy(of: event, copy: 1, copies: 1), at: MediaTime(seconds: now))
        let changes = follower.changes(in: log, game: GameID("g"), upTo: MediaTime(seconds: now), verifySeal: Self.verifySeal)
        guard case .questions(let questions) = changes else {
          #expect(number == 1)
          game.follow(log, game: GameID("g"), upTo: MediaTime(seconds: now), verifySeal: Self.verifySeal)
          continue
        }
        told += questions.count
        game.receive(questions)
      }
    }
    #expect(told <= 3 * count)
    let end = MediaTime(seconds: 20 * count + 12)
    #expect(game.questions == ScoredQuestion.questions(of: GameID("g"), in: log, upTo: end, verifySeal: Self.verifySeal))
  }

  /// Whatever the order in which events come, and whenever they are known, following gives what a fold of the whole log gives.
  @Test(arguments: 0..<UInt64(100)) func followingInAnyOrder(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    var events: [GameEvent] = []
    for number in 1...6 {
      let time = 10 * number + Int.random(in: 0...12, using: &random)
      events.append(ask(number, 2 * number, at: time, allotted: Int.random(in: 1...15, using: &random), seal: "salt:1"))
      events.append(
        show(
          number, 2 * number + 1, at: time + Int.random(in: 1...15, using: &random), right: Int.random(in: 0...1, using: &random),
          salt: "salt"))
    }
    if Bool.random(using: &random) { events.append(event("end", 20, at: 60, .endGame(EndGame(totalQuestions: 6)))) }
    if Bool.random(using: &random) { events.shuffle(using: &random) }
    var (log, follower, game, now) = (EventLog(), QuestionFollower(), ScoredGame(), 0)
    for event in events {
      now += Int.random(in: 0...12, using: &random)
      let time = MediaTime(seconds: now)
      _ = log.accept(EventCopy(of: event, copy: 1, copies: 1), at: time)
      switch follower.changes(in: log, game: GameID("g"), upTo: time, verifySeal: Self.verifySeal) {
      case .questions(let questions): game.receive(questions)
      case .everything: game.follow(log, game: GameID("g"), upTo: time, verifySeal: Self.verifySeal)
      }
      let whole = ScoredQuestion.questions(of: GameID("g"), in: log, upTo: time, verifySeal: Self.verifySeal)
      #expect(game.questions == whole.sorted { $0.precedes($1) })
    }
  }
}

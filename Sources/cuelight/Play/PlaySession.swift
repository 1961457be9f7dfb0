import Basics
import CommandSupport
import Files
import GameEvents
import Scoring
import Seals
import StateMachine

/// A game, its stream, and the clock by which it is played.
struct PlaySession {
  private(set) var game: SoloGame
  private(set) var situation = PlayScreen.Situation()
  /// The latest messages about problems of the stream.
  private(set) var messages: [String] = []
  /// Whether all of the stream could be loaded.
  private(set) var isWhole = true
  private let feed: PlayFeed
  private let from: MediaTime?
  private var clock: PlayClock?
  private let speed: Double
  /// The programme time of the last step at which the stream was late.
  private var starvedAt: MediaTime?

  private static let largestMessageCount = 20

  init(_ source: StreamSource, from: MediaTime?, rules: ScoringRules?, speed: Double) {
    game = SoloGame(rules: rules, verifySeal: AnswerSeal.verify)
    feed = PlayFeed(from: from)
    (self.from, self.speed) = (from, speed)
    feed.start(source)
  }

  /// Advances to the clock's time at `instant`.
  ///
  /// - Returns: What happened.
  /// - Throws: Why reading has failed.
  mutating func step(at instant: SuspendingClock.Instant) throws(CommandFailure) -> [SoloGame.Moment] {
    if clock == nil, let start = feed.beginning() { clock = PlayClock(showing: start, at: instant, speed: speed) }
    let now = clock?.time(at: instant)
    var moments: [SoloGame.Moment] = []
    for item in feed.removeItems(upTo: now) { moments += try handle(item, at: instant) }
    if let now = clock?.time(at: instant) {
      moments += game.advance(to: now)
      situation.now = now
      starvedAt = feed.isEmpty ? now : nil
    }
    // The rest of the stream only repeats known events, so the session does not wait for it.
    let log = game.machine.log
    if game.state.phase == .ended, let ending = feed.ending(ifKnown: { log.entry($0.guid, of: $0.gameID) != nil }) {
      finish(ending)
    } else if game.machine.counters.copies == 0, let ending = feed.mereEnding {
      // The stream was read to its end, and has no game.
      finish(ending)
    }
    return moments
  }

  private mutating func handle(_ item: PlayFeed.Item, at instant: SuspendingClock.Instant) throws(CommandFailure) -> [SoloGame.Moment] {
    switch item {
    case .message(let text):
      situation.message = text
      messages = messages.suffix(Self.largestMessageCount - 1) + [text]
      return []
    case .failure(let failure): throw failure
    case .end(let time, _, _):
      let moments = (time.map { game.advance(to: $0) } ?? []) + game.finish()
      finish(item)
      return moments
    case .copy(let copy, let time):
      // The stream is late. The video would have stopped too, so the programme continues from here.
      if let starvedAt, time < starvedAt {
        clock?.set(to: time, at: instant)
        self.starvedAt = nil
      }
      return game.receive(copy, at: time)
    }
  }

  private mutating func finish(_ item: PlayFeed.Item) {
    guard case .end(_, let isWhole, let contents) = item else { return }
    situation.isOver = true
    self.isWhole = isWhole
    guard game.machine.counters.copies == 0 else { return }
    situation.absence = "no game events found\(from.map { " from \($0.clockText) on" } ?? ""); the stream has \(contents)"
  }

  /// Selects an answer, from 1, at `instant`.
  mutating func press(_ number: Int, at instant: SuspendingClock.Instant) -> [SoloGame.Moment] {
    game.press(number, at: clock?.time(at: instant) ?? .zero)
  }

  /// Does what a key does on the screen, where the keys of answers are also the digits of numbers.
  mutating func press(_ key: PlayKeys.Key, at instant: SuspendingClock.Instant) {
    let digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-"] as [Character]
    switch key {
    case .answer(let number) where game.takesNumber: if digits.indices.contains(number - 1) { game.type(digits[number - 1]) }
    case .answer(let number): _ = press(number, at: instant)
    case .sign(let sign): game.type(sign)
    case .erase: game.type(nil)
    case .enter: if game.takesNumber || game.takesText { _ = game.enter(at: clock?.time(at: instant) ?? .zero) }
    case .text, .leave, .redraw, .other: break
    }
  }

  /// Selects what a line says at `instant`.
  mutating func enter(_ text: String, at instant: SuspendingClock.Instant) -> [SoloGame.Moment] {
    game.enter(text, at: clock?.time(at: instant) ?? .zero)
  }

  /// Stops the clock while `body` works.
  mutating func pausing(_ body: () -> Void) {
    let time = clock?.time(at: .now)
    body()
    if let time { clock?.set(to: time, at: .now) }
  }

  /// Ends reading.
  func stop() { feed.stop() }
}

import AnswerIntake
import Basics
import Dispatch
import GameEvents
import GameStore
import LiveSession
import Synchronization

/// Accepts the answers of one game: judges each at once, and acknowledges it when it is in the store.
///
/// It keeps a copy of what it needs to know about the game, so that a hundred thousand answers do not wait for each other.
final class AnswerDesk: Sendable {
  /// An answer in a request.
  typealias Request = AnswerRequest

  /// The game's rules for answers.
  struct Rules: Sendable {
    var windows: [GUID: AnswerWindow] = [:]
    /// By the places of players: whether they have been eliminated or removed.
    var barred: [Bool] = []
  }

  /// The outcome of a request with answers.
  enum Outcome: Equatable, Sendable {
    /// For each answer: `nil` if it is recorded, otherwise why it is not.
    case judged([AnswerWindow.Refusal?])
    /// The player sends answers too fast.
    case tooMany
    /// The player has answered the question too often.
    case tooManyChanges
    /// The store cannot be used, or is too slow.
    case overloaded
    case unknownPlayer
  }

  fileprivate struct Waiting: Sendable {
    var results: [AnswerWindow.Refusal?]
    /// The number of the request's answers that wait for the store: those of `results` without a refusal, in order.
    var count: Int
    var done: @Sendable (Outcome) -> Void
  }

  fileprivate struct State {
    var rules = Rules()
    /// By the places of players: when they joined.
    var joined: [MediaTime] = []
    /// By the places of players: the hash in their tokens.
    var keys: [UInt64] = []
    /// Players whose answers are no longer accepted, since they are being forgotten.
    var leaving: Set<Int> = []
    /// By the places of players: how many answers they may send at once, in thousandths, and when that was calculated.
    var allowances: [(left: Int32, second: Int32)] = []
    /// By questions that accept answers and by the places of players: how many answers were accepted.
    var taken: [UInt32: [UInt16]] = [:]
    var answers: [PackedAnswer] = []
    var waiting: [Waiting] = []
    /// Called once all answers that were accepted before are stored, since a question, a player or the whole game is being closed.
    var barriers: [@Sendable () -> Void] = []
    var isWriting = false
    var recorded = 0
    var refused = 0
  }

  /// The game's name.
  let game: String
  private let edge: @Sendable () -> MediaTime?
  private let record: @Sendable ([PackedAnswer]) -> Void
  private let writer: StoreWriter
  /// The maximum time until this process knows of a question that another one has asked; `nil` if there is no other one.
  private let lag: DispatchTimeInterval?
  private let state = Mutex(State())
  private let epoch = ContinuousClock.now

  /// The maximum number of answers that wait for the store.
  private static let mostWaiting = 200_000
  /// How many answers a player may send per second, and at once.
  fileprivate static let perSecond: Int32 = 5
  fileprivate static let burst: Int32 = 20
  /// The maximum number of answers of a player to a question. Scoring keeps ten times as many, so that answers from before a restart, or from other
  /// nodes, count too.
  static let mostChanges = 100

  /// - Parameters:
  ///   - edge: The programme time at the live edge.
  ///   - lag: The maximum time until this process knows of a question that another one has asked; `nil` if there is no other one.
  ///   - record: Receives answers that are stored.
  init(
    _ game: String, _ writer: StoreWriter, lag: DispatchTimeInterval? = nil, edge: @escaping @Sendable () -> MediaTime?,
    record: @escaping @Sendable ([PackedAnswer]) -> Void
  ) {
    (self.game, self.writer, self.lag, self.edge, self.record) = (game, writer, lag, edge, record)
    writer.addSource(of: self) { [weak self] in self?.batch() }
  }

  deinit { writer.removeSource(of: self) }

  /// The number of answers that were accepted and refused since the start.
  var counts: (recorded: Int, refused: Int) { state.withLock { ($0.recorded, $0.refused) } }

  /// Applies new rules of the game.
  func apply(_ rules: Rules) {
    state.withLock { state in
      state.rules = rules
      let open = Set(rules.windows.values.filter { !$0.isClosed }.map(\.question))
      state.taken = state.taken.filter { open.contains($0.key) }
    }
  }

  /// Records that a player has joined.
  func add(player: Int, joined: MediaTime, key: UInt64) {
    state.withLock { state in
      while state.joined.count <= player {
        state.joined.append(MediaTime(ticks: .max))
        state.keys.append(0)
        state.allowances.append((Self.burst * 1_000, 0))
      }
      (state.joined[player], state.keys[player]) = (joined, key)
    }
  }

  /// Whether a player may have joined on another node, which this one does not know yet.
  func isBehind(_ player: Int) -> Bool { lag != nil && state.withLock { player >= $0.keys.count } }

  /// How many answers wait for the store.
  var waitingCount: Int { state.withLock { $0.answers.count } }

  /// Whether a token belongs to a player of the game.
  func knows(_ player: Int, key: String) -> Bool {
    state.withLock { state in player >= 0 && player < state.keys.count && PlayerKey.text(state.keys[player]) == key }
  }

  /// Judges the answers of a player; calls `done` once those that are accepted are stored.
  func take(_ requests: [Request], of player: Int, _ done: @escaping @Sendable (Outcome) -> Void) {
    // Another process may have shown a player a question that this process does not know yet.
    guard let lag, state.withLock({ state in requests.contains { state.rules.windows[$0.question] == nil } }) else {
      return judge(requests, of: player, done)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + lag) { [self] in judge(requests, of: player, done) }
  }

  private func judge(_ requests: [Request], of player: Int, _ done: @escaping @Sendable (Outcome) -> Void) {
    let edge = edge()
    let second = Int32(truncatingIfNeeded: (ContinuousClock.now - epoch).components.seconds)
    var isFirst = false
    let outcome: Outcome? = state.withLock { state in
      guard player >= 0, player < state.joined.count, !state.leaving.contains(player) else { return .unknownPlayer }
      guard state.answers.count < Self.mostWaiting else { return .overloaded }
      guard state.takeAllowance(player, second) else { return .tooMany }
      // Without a stream it is unknown whether an answer is in time: it may be sent again.
      guard let edge else { return .overloaded }
      guard state.hasRoom(for: requests, of: player) else { return .tooManyChanges }
      let isBarred = player < state.rules.barred.count && state.rules.barred[player]
      var results: [AnswerWindow.Refusal?] = []
      let before = state.answers.count
      for request in requests {
        guard let window = state.rules.windows[request.question] else {
          results.append(.unknownQuestion)
          continue
        }
        let refusal = isBarred ? .eliminated : window.refusal(request.answer, at: request.time, edge: edge, joined: state.joined[player])
        results.append(refusal)
        guard refusal == nil, let code = window.form.code(of: request.answer) else { continue }
        let text: AnswerText? = if case .text(let text) = request.answer { text } else { nil }
        state.answers.append(
          PackedAnswer(
            player: UInt32(truncatingIfNeeded: player), question: window.question, answer: text == nil ? code : 0, time: request.time,
            text: text))
        state.count(window.question, player)
      }
      state.refused += results.count { $0 != nil }
      guard state.answers.count > before else { return .judged(results) }
      state.waiting.append(Waiting(results: results, count: state.answers.count - before, done: done))
      // The writer takes all waiting answers at once: only the first one has to wake it.
      isFirst = before == 0
      return nil
    }
    if let outcome { return done(outcome) }
    if isFirst { writer.wake() }
  }

  /// Stops accepting answers to a question, and calls `done` once all accepted ones are stored and recorded.
  func close(_ question: GUID, _ done: @escaping @Sendable () -> Void) {
    wait(until: done) { $0.rules.windows[question]?.isClosed = true }
  }

  /// Stops accepting answers of a player, and calls `done` once all accepted ones are stored and recorded.
  func close(player: Int, _ done: @escaping @Sendable () -> Void) {
    wait(until: done) { $0.leaving.insert(player) }
  }

  /// Accepts answers again from a player who stays after all.
  func reopen(player: Int) { state.withLock { _ = $0.leaving.remove(player) } }

  /// Stops accepting answers until it gets other rules, and calls `done` once all accepted ones are stored and recorded.
  func close(_ done: @escaping @Sendable () -> Void) {
    wait(until: done) { $0.rules = Rules() }
  }

  /// Refuses further answers from now on, and waits until the accepted ones are stored.
  private func wait(until done: @escaping @Sendable () -> Void, _ refuse: (inout State) -> Void) {
    let isDone = state.withLock { state in
      refuse(&state)
      guard !state.answers.isEmpty || state.isWriting else { return true }
      state.barriers.append(done)
      return false
    }
    if isDone { done() } else { writer.wake() }
  }

  /// Ends the open batch: its changes for the writer.
  private func batch() -> (changes: [StoreChange], done: @Sendable (StoreError?) -> Void)? {
    let (answers, waiting, barriers) = state.withLock { state in
      defer { (state.answers, state.waiting, state.barriers) = ([], [], []) }
      state.isWriting = !state.answers.isEmpty
      return (state.answers, state.waiting, state.barriers)
    }
    guard !answers.isEmpty else {
      for barrier in barriers { barrier() }
      return nil
    }
    return (
      [.answers(game: game, AnswerBatch.encode(answers))],
      { [self] failure in
        // Another node has closed a question in the meantime. The answers to other questions are accepted again.
        if failure == .closed { return takeAgain(answers, waiting, barriers) }
        // They count before they are acknowledged, so that nobody can load a scoreboard without them.
        if failure == nil { record(answers) }
        state.withLock { state in
          state.isWriting = false
          if failure == nil { state.recorded += answers.count }
        }
        for waiting in waiting { waiting.done(failure == nil ? .judged(waiting.results) : .overloaded) }
        for barrier in barriers { barrier() }
      }
    )
  }
}

extension AnswerDesk {
  /// Refuses answers to questions that are closed, if the store has refused a batch, and accepts the others again.
  private func takeAgain(_ answers: [PackedAnswer], _ waiting: [Waiting], _ barriers: [@Sendable () -> Void]) {
    var rest = answers[...]
    // Questions are closed in the order in which they were asked: the first question of the batch is the closed one.
    let closed = Set(answers.map(\.question)).min()
    var (refused, again, leftover): ([Waiting], [Waiting], [PackedAnswer]) = ([], [], [])
    state.withLock { state in
      state.isWriting = false
      for (guid, window) in state.rules.windows where window.question == closed { state.rules.windows[guid]?.isClosed = true }
      for var request in waiting {
        let own = rest.prefix(request.count)
        rest = rest.dropFirst(request.count)
        let places = request.results.indices.filter { request.results[$0] == nil }
        var left: [PackedAnswer] = []
        for (place, answer) in zip(places, own) {
          if answer.question == closed { request.results[place] = .revealed } else { left.append(answer) }
        }
        request.count = left.count
        if left.isEmpty { refused.append(request) } else { again.append(request) }
        leftover += left
        state.refused += own.count - left.count
      }
      // They go before those that have arrived in the meantime: the last answer of a player counts.
      (state.answers, state.waiting) = (leftover + state.answers, again + state.waiting)
      state.barriers += barriers
    }
    for request in refused { request.done(.judged(request.results)) }
    writer.wake()
  }
}

extension AnswerDesk.State {
  /// Whether this many answers of a player may be accepted.
  fileprivate func hasRoom(for requests: [AnswerDesk.Request], of player: Int) -> Bool {
    requests.allSatisfy { request in
      guard let question = rules.windows[request.question]?.question, let counts = taken[question], player < counts.count else {
        return true
      }
      return Int(counts[player]) + requests.count <= AnswerDesk.mostChanges
    }
  }

  fileprivate mutating func count(_ question: UInt32, _ player: Int) {
    var counts = taken.removeValue(forKey: question) ?? []
    if player >= counts.count { counts += [UInt16](repeating: 0, count: max(joined.count, player + 1) - counts.count) }
    counts[player] += 1
    taken[question] = counts
  }

  /// Whether a player may send answers now.
  fileprivate mutating func takeAllowance(_ player: Int, _ second: Int32) -> Bool {
    let (before, last) = allowances[player]
    let left = Int32(min(Int64(before) + Int64(second - last) * Int64(AnswerDesk.perSecond) * 1_000, Int64(AnswerDesk.burst) * 1_000))
    let isAllowed = left >= 1_000
    // A request with several answers counts once: it comes from a client that was offline.
    allowances[player] = (isAllowed ? left - 1_000 : left, second)
    return isAllowed
  }
}

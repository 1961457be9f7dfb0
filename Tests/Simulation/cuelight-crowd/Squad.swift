import Basics
import NIOCore

/// The players of one event loop with their connections. Squads share nothing, so that no lock is needed.
final class Squad {
  /// What has become of everything.
  struct Result: Sendable {
    var joined = 0
    var joins = Tally()
    /// By the questions that the squad was asked.
    var questions: [Tally] = []
    var sheets: [AnswerSheet] = []
    /// Connections that the server closed while nobody waited for a response, and while somebody did.
    var closed = (idle: 0, busy: 0)
    /// Attempts to connect that failed.
    var failures = 0
    /// Why the last connection was closed in the middle, or not opened.
    var lastReason: String?
  }

  private let loop: any EventLoop
  /// The nodes of the server, which connections have in turn.
  private let addresses: [SocketAddress]
  private let script: CrowdScript
  private let requests: RequestWriter
  /// The numbers of its players in the crowd.
  private let players: Range<Int>
  private var connections: [PlayerConnection] = []
  /// By the places of players; empty for those who have not joined.
  private var tokens: [String]
  /// What is asked, the beginning of each answer's body, and when the plan began.
  private var questions: [(asked: AskedQuestion, body: ByteBuffer, answers: [ByteBuffer], start: NIODeadline)] = []
  private var plans: [Plan] = []
  /// Requests that the server does not want now: in each queue all wait equally long, so that they come due in their order, and not all at once.
  private var delayed = [Queue<Delayed<Sending>>](repeating: Queue(), count: 8)
  /// Connections to be opened, at once or after a pause, by their places.
  private var wanting = Queue<Int>()
  private var wantingLater = Queue<Delayed<Int>>()
  private var opening = 0
  private var isOpeningNext = false
  private var nextCheck = NIODeadline.now()
  private var timer: Scheduled<Void>?
  private var isStopped = false
  /// Requests that are planned and not finished.
  private(set) var outstanding = 0
  private(set) var result = Result()

  private struct Delayed<Value: Sendable>: Sendable {
    var due: NIODeadline
    var value: Value
  }

  private static let pause = TimeAmount.seconds(1)
  private static let mostRetries: UInt8 = 30
  /// So many connections are opened at a time: a server's queue of those that it has not accepted yet is short.
  private static let mostOpening = 64
  private static let bufferSize = 2_048
  private static let recorded = ByteBuffer(string: "{\"results\":[\"recorded\"]}\n")

  init(
    _ loop: any EventLoop, _ addresses: [SocketAddress], _ script: CrowdScript, _ requests: RequestWriter, players: Range<Int>,
    connections: Int
  ) {
    (self.loop, self.addresses, self.script, self.requests, self.players) = (loop, addresses, script, requests, players)
    tokens = [String](repeating: "", count: players.count)
    self.connections = (0..<connections).map { PlayerConnection(index: $0, squad: self) }
  }

  // MARK: What is to do

  /// Lets all players join.
  func join(_ sendings: [Sending]) { begin(sendings, .now()) }

  /// Lets the players answer a question.
  func answer(_ question: AskedQuestion, _ sendings: [Sending]) {
    let now = NIODeadline.now()
    questions.append(
      (question, RequestWriter.answerStart(question: question.guid), question.answers.texts.map { ByteBuffer(string: $0) }, now))
    result.sheets.append(AnswerSheet(question, players: players.count))
    result.questions.append(Tally())
    begin(sendings, now)
  }

  private func begin(_ sendings: [Sending], _ now: NIODeadline) {
    plans.append(Plan(sendings, from: now))
    outstanding += sendings.count
    timer?.cancel()
    tick()
  }

  /// Ends everything.
  func stop() {
    isStopped = true
    timer?.cancel()
    for connection in connections { connection.stop() }
  }

  private func tick() {
    timer = nil
    guard !isStopped else { return }
    let now = NIODeadline.now()
    for index in plans.indices {
      while let sending = plans[index].popDue(now) { connection(of: sending).add(sending) }
    }
    plans.removeAll(where: \.isFinished)
    for index in delayed.indices {
      while let first = delayed[index].first, first.due <= now {
        _ = delayed[index].popFirst()
        connection(of: first.value).add(first.value)
      }
    }
    while let first = wantingLater.first, first.due <= now {
      _ = wantingLater.popFirst()
      open(connections[first.value])
    }
    if nextCheck <= now {
      nextCheck = now + .seconds(1)
      for connection in connections { connection.check(now) }
    }
    guard outstanding > 0 else { return }
    // The pause saves waking for each single request.
    let due = [
      plans.compactMap(\.nextDue).min(), delayed.compactMap(\.first?.due).min(), wantingLater.first?.due, now + .milliseconds(250),
    ]
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = loop.scheduleTask(deadline: max(due.compactMap { $0 }.min() ?? now, now + .milliseconds(1))) { bound.value.tick() }
  }

  private func connection(of sending: Sending) -> PlayerConnection { connections[Int(sending.player) % connections.count] }

  // MARK: Connections

  func open(_ connection: PlayerConnection) {
    guard !isStopped else { return }
    wanting.append(connection.index)
    openNext()
  }

  /// Opens a connection after a pause.
  func openLater(_ connection: PlayerConnection) { wantingLater.append(Delayed(due: .now() + Self.pause, value: connection.index)) }

  func openingEnded() {
    opening -= 1
    openNext()
  }

  private func openNext() {
    // Some attempts fail at once, and are told of while this goes on.
    guard !isOpeningNext else { return }
    isOpeningNext = true
    defer { isOpeningNext = false }
    while opening < Self.mostOpening, let index = wanting.popFirst() {
      opening += 1
      ResponseHandler.connect(connections[index], to: addresses[index % addresses.count], on: loop, bufferSize: Self.bufferSize)
    }
  }

  func note(failure: String) {
    result.failures += 1
    result.lastReason = failure
  }

  func noteClosing(_ reason: String, isIdle: Bool) {
    guard !isIdle else {
      result.closed.idle += 1
      return
    }
    result.closed.busy += 1
    result.lastReason = reason
  }

  // MARK: Requests

  /// Changes the figures of what a request belongs to, where they are.
  private func tally(_ sending: Sending, _ body: (inout Tally) -> Void) {
    if sending.kind == .join { body(&result.joins) } else { body(&result.questions[Int(sending.question)]) }
  }

  /// Writes a request; returns `false` where there is none, because the player has not joined.
  func write(_ sending: Sending, at now: NIODeadline, into buffer: inout ByteBuffer) -> Bool {
    let player = Int(sending.player)
    let isFirst = sending.retries == 0 && !sending.isResent
    guard sending.kind != .join else {
      if isFirst { result.joins.sent += 1 }
      let number = players.lowerBound + player
      requests.join(nickname: script.nickname(of: number), key: script.key(of: number), into: &buffer)
      return true
    }
    guard !tokens[player].isEmpty else {
      outstanding -= 1
      return false
    }
    let place = Int(sending.question)
    let asked = questions[place].asked
    // Whoever has not come to it before the time is up leaves it. So a crowd that is too large for a server is not late for the next question, too.
    guard !isFirst || asked.timeLeft(at: now) > 0 else {
      result.questions[place].leftOut += 1
      outstanding -= 1
      return false
    }
    let offset = result.sheets[place].stamp(sending, offset: asked.offset(at: now))
    if isFirst {
      result.questions[place].sent += 1
      let late = (now - (questions[place].start + .microseconds(Int64(sending.moment)))).nanoseconds / 1_000
      result.questions[place].lateness.add(UInt64(max(late, 0)))
    }
    requests.answer(
      questions[place].body, questions[place].answers[Int(sending.answer)], at: asked.opensAt + MediaTime(ticks: offset),
      token: tokens[player], into: &buffer)
    return true
  }

  func noteResending(_ sending: Sending) { tally(sending) { $0.resent += 1 } }

  /// Notes that a request has no response, and that nobody tries any more.
  func giveUp(_ sending: Sending) {
    tally(sending) { $0.unanswered += 1 }
    outstanding -= 1
  }

  /// Takes the response to a request.
  func finish(_ sending: Sending, _ status: Int, _ body: ByteBuffer?, after elapsed: TimeAmount) {
    tally(sending) { $0.note(status: status, microseconds: UInt64(max(elapsed.nanoseconds, 0) / 1_000)) }
    if Self.isPassing(status), sending.retries < Self.mostRetries {
      var again = sending
      again.retries += 1
      again.isResent = false
      tally(sending) { $0.retried += 1 }
      // Between half and all of the pause, so that those who were refused together do not come back together.
      let turn = Int(sending.player &+ UInt32(sending.retries) &* 5) % delayed.count
      let wait = Self.pause.nanoseconds / 2 * Int64(delayed.count + turn + 1) / Int64(delayed.count)
      delayed[turn].append(Delayed(due: .now() + .nanoseconds(wait), value: again))
      return
    }
    outstanding -= 1
    if sending.kind == .join { finishJoin(sending, status, body) } else { finishAnswer(sending, status, body) }
  }

  /// Whether the same request may be answered otherwise in a moment: also where a proxy has lost the server, or has none.
  private static func isPassing(_ status: Int) -> Bool { [429, 502, 503, 504].contains(status) }

  private func finishJoin(_ sending: Sending, _ status: Int, _ body: ByteBuffer?) {
    let object = Self.object(body)
    guard status == 200 || status == 201, let token = object?["token"]?.string, RequestWriter.isToken(token) else {
      result.joins.refuse(object?["title"]?.string ?? "status-\(status)")
      return
    }
    if tokens[Int(sending.player)].isEmpty { result.joined += 1 }
    tokens[Int(sending.player)] = token
    result.joins.accepted += 1
  }

  private func finishAnswer(_ sending: Sending, _ status: Int, _ body: ByteBuffer?) {
    let place = Int(sending.question)
    // Nearly all responses are this one, and need no parser.
    var outcome = "recorded"
    if body != Self.recorded {
      let object = Self.object(body)
      outcome = object?["results"]?.array?.first?.string ?? object?["title"]?.string ?? "status-\(status)"
    }
    guard status == 202, outcome == "recorded" else {
      result.questions[place].refuse(outcome == "recorded" ? "status-\(status)" : outcome)
      return
    }
    result.questions[place].accepted += 1
    result.sheets[place].confirm(sending)
  }

  private static func object(_ body: ByteBuffer?) -> JSONObject? {
    guard let body else { return nil }
    return (try? JSONValue(parsing: body.readableBytesUInt8Span))?.object
  }
}

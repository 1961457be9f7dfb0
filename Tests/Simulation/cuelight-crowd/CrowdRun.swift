import Basics
import NIOCore
import NIOPosix
import Terminal

/// A game from the first player to the record: what the main thread does, while the squads do the work.
struct CrowdRun {
  let settings: CrowdSettings
  let console: Console

  /// How often the state is asked for, in milliseconds.
  private static let interval: Int64 = 100
  /// How long the server may be away, in seconds.
  private static let patience: Int64 = 60

  /// - Throws: where there is no game, or the server is away for too long.
  func run() throws(CrowdFailure) -> CrowdReport {
    // One more, so that the state is asked for on time however busy the players are.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads + 1)
    // The threads end with the process.
    defer { group.shutdownGracefully { _ in } }
    let loops = Array(group.makeIterator())
    guard let server = settings.servers.first else { throw CrowdFailure("there is no server") }
    let addresses = try settings.servers.map { (server) throws(CrowdFailure) in
      do { return try SocketAddress.makeAddressResolvingHost(server.host, port: server.port) } catch {
        throw CrowdFailure("\(server.host): \(error)")
      }
    }
    let control = try ControlClient(server, addresses[0], on: loops[0])
    let game = try findGame(control)
    // A token that is not the host's is better known before the game than after it.
    let token = settings.hostToken
    try asking { () throws(ControlClient.Refusal) in try control.stream("/v1/games/\(game)/players", token: token) { _ in } }
    let script = CrowdScript(seed: settings.seed)
    let squads = try makeSquads(Array(loops.dropFirst()), addresses, script, RequestWriter(server, game: game))
    defer { for squad in squads { try? squad.perform { $0.stop() } } }

    let start = ContinuousClock.now
    try join(squads, script)
    let isComplete = Interruption.isRequested ? false : try play(control, squads, script, "/v1/games/\(game)")
    if isComplete { try finishRequests(squads) }
    let results = try squads.map { (squad) throws(CrowdFailure) in try squad.perform { $0.result } }
    let unfinished = try outstanding(squads)
    let seconds = start.duration(to: .now)
    var finding: RecordCheck.Finding?
    if isComplete, !Interruption.isRequested {
      let check = RecordCheck(script, squads: squads.map(\.players), sheets: results.map(\.sheets))
      finding = compare(check, control, "/v1/games/\(game)/record")
    }
    return CrowdReport(players: settings.players, results, unfinished: unfinished, seconds: seconds, finding)
  }

  // MARK: The beginning

  private func findGame(_ control: ControlClient) throws(CrowdFailure) -> String {
    let object = try asking { () throws(ControlClient.Refusal) in try control.object("/v1/games?next") }
    guard let id = object["id"]?.string, !id.isEmpty else { throw CrowdFailure("/v1/games?next: the game has no id") }
    console.line("game \(id.visible(.text)): \(object["title"]?.string?.visible(.text) ?? "")")
    return id.percentEncodedPart
  }

  /// Asks until there is an answer, or the server has been away for too long.
  private func asking<Value>(_ body: () throws(ControlClient.Refusal) -> Value) throws(CrowdFailure) -> Value {
    let end = NIODeadline.now() + .seconds(Self.patience)
    while true {
      do throws(ControlClient.Refusal) { return try body() } catch {
        guard error.isPassing, NIODeadline.now() < end, !Interruption.isRequested else { throw CrowdFailure(error.description) }
        Interruption.pause(milliseconds: 500)
      }
    }
  }

  private func makeSquads(
    _ loops: [any EventLoop], _ addresses: [SocketAddress], _ script: CrowdScript, _ requests: RequestWriter
  ) throws(CrowdFailure) -> [SquadHandle] {
    var squads: [SquadHandle] = []
    for (index, loop) in loops.enumerated() {
      // Parts as equal as can be.
      func part(_ all: Int) -> Range<Int> { all * index / loops.count..<all * (index + 1) / loops.count }
      let (players, connections) = (part(settings.players), part(settings.connections).count)
      let squad = try SquadHandle(on: loop, players: players) {
        Squad(loop, addresses, script, requests, players: players, connections: connections)
      }
      squads.append(squad)
    }
    return squads
  }

  private func join(_ squads: [SquadHandle], _ script: CrowdScript) throws(CrowdFailure) {
    console.line("\(settings.players) players join over \(settings.connections) connections")
    let start = ContinuousClock.now
    for (index, squad) in squads.enumerated() {
      let sendings = script.joins(squad.players, rate: settings.joinRate, every: (squads.count, index))
      try squad.perform { $0.join(sendings) }
    }
    while try outstanding(squads) > 0, !Interruption.isRequested { Interruption.pause(milliseconds: UInt32(Self.interval)) }
    var joined = 0
    for squad in squads { joined += try squad.perform { $0.result.joined } }
    console.line("\(joined) have joined in \(Console.seconds(start.duration(to: .now)))")
    guard joined > 0 || Interruption.isRequested else {
      let reason = try squads.first?.perform { $0.result.joins.refused.keys.sorted().first ?? $0.result.lastReason }
      throw CrowdFailure("nobody could join: \((reason ?? nil) ?? "no response")")
    }
  }

  private func outstanding(_ squads: [SquadHandle]) throws(CrowdFailure) -> Int {
    var sum = 0
    for squad in squads { sum += try squad.perform { $0.outstanding } }
    return sum
  }

  // MARK: The game

  /// Lets the players answer each question, up to the end; returns `false` where somebody interrupts.
  private func play(
    _ control: ControlClient, _ squads: [SquadHandle], _ script: CrowdScript, _ path: String
  ) throws(CrowdFailure) -> Bool {
    var first: GameState?
    var last: String?
    var asked = 0
    while !Interruption.isRequested {
      let start = NIODeadline.now()
      guard let state = GameState(try asking { () throws(ControlClient.Refusal) in try control.object("\(path)/state") }) else {
        throw CrowdFailure("\(path)/state: this is no state of a game")
      }
      let seenAt = NIODeadline.now()
      if first == nil, state.isOpen {
        // Nobody can tell how long it has been open, and thus what time it is.
        last = state.question?.guid
        console.line("question \(state.question?.number ?? 0) was open before all had joined: nobody answers it")
      }
      let before = first ?? state
      first = before
      if state.hasEnded || settings.questions.map({ state.boards - before.boards >= $0 }) ?? false { return true }
      if state.isOpen, let question = state.question, question.guid != last {
        last = question.guid
        let answers = try answers(to: question.guid, control, path)
        try ask(question, answers, squads, script, place: asked, seenAt: seenAt)
        asked += 1
      }
      let rest = Self.interval - (NIODeadline.now() - start).nanoseconds / 1_000_000
      if rest > 0 { Interruption.pause(milliseconds: UInt32(rest)) }
    }
    return false
  }

  /// What players answer to a question that was asked.
  private func answers(to guid: String, _ control: ControlClient, _ path: String) throws(CrowdFailure) -> AnswerPair {
    let token = settings.hostToken
    let list = try asking { () throws(ControlClient.Refusal) in try control.object("\(path)/questions", token: token) }
    let asked = list["asked"]?.array?.compactMap { $0.object }.last { $0["guid"]?.string == guid }
    return asked?["content"]?.object.map { AnswerPair($0) } ?? .indices
  }

  private func ask(
    _ question: GameState.Question, _ answers: AnswerPair, _ squads: [SquadHandle], _ script: CrowdScript, place: Int, seenAt: NIODeadline
  ) throws(CrowdFailure) {
    let asked = AskedQuestion(
      guid: question.guid, answers: answers, number: question.number, opensAt: question.opensAt, closesAt: question.closesAt, seenAt: seenAt
    )
    let window = min(settings.window, max(asked.timeLeft(at: .now()) - Self.reserve, 0))
    var count = 0
    for squad in squads {
      let sendings = script.answers(squad.players, number: question.number, place: place, window: window)
      count += sendings.count
      try squad.perform { $0.answer(asked, sendings) }
    }
    console.line("question \(question.number): \(count) requests within \(Console.seconds(.microseconds(window)))")
  }

  /// So many microseconds before the end the last answer is sent: the estimate of the time is behind, and nothing is to be too late by that.
  private static let reserve = 100_000

  /// Waits for the responses to what was sent.
  private func finishRequests(_ squads: [SquadHandle]) throws(CrowdFailure) {
    let end = NIODeadline.now() + .seconds(Self.patience)
    while try outstanding(squads) > 0, NIODeadline.now() < end, !Interruption.isRequested {
      Interruption.pause(milliseconds: UInt32(Self.interval))
    }
  }

  /// What the record says; `nil` where it cannot be had: the figures are worth something all the same.
  private func compare(_ check: RecordCheck, _ control: ControlClient, _ path: String) -> RecordCheck.Finding? {
    console.line("comparing the record")
    do throws(CrowdFailure) {
      try asking { () throws(ControlClient.Refusal) in
        // What came of an attempt before counts no more.
        check.restart()
        try control.stream(path, token: settings.hostToken) { check.take($0) }
      }
    } catch {
      console.complain(error.description)
      return nil
    }
    return check.finish()
  }
}

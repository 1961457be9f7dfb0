import Basics
import EventSchedule
import GameEvents
import HTTPClient
import LiveGame
import Synchronization
import TestSupport
import Testing

@testable import LiveSession
@testable import OtherInjectors

/// A session that sends events to a stand-in for Amazon IVS: what it sends, what it does not send, and its messages.
@Suite(.enabled(if: HostileServer.isAvailable, "python3 is not installed: apt-get install python3")) struct OutboundSessionTests {
  private static let channel = "arn:aws:ivs:eu-west-1:123456789012:channel/abcd"

  private final class Said: Sendable {
    private let messages = Mutex<[String]>([])
    func add(_ message: String) { messages.withLock { $0.append(message) } }
    var all: [String] { messages.withLock { $0 } }
  }

  /// A session, and the server that it talks to.
  private struct Sample {
    let server: HostileServer
    let session: OutboundSession
    private let said = Said()

    /// - Parameters:
    ///   - statuses: The statuses of the first answers; those that follow are 200.
    ///   - delay: How long each of the first answers takes, in seconds, if there are no statuses.
    init(_ policy: CopyPolicy? = nil, statuses: [Int] = [], delay: Double = 0, journal: String? = nil) throws {
      let folder = try Workshop.newFolder()
      try Workshop.write([], to: "\(folder)/PutMetadata")
      let script = "\(folder)/script.json"
      let delays = [String](repeating: "{\"delay\":\(delay)}", count: delay > 0 ? 1_000 : 0)
      let steps = statuses.isEmpty ? delays : statuses.map { "{\"status\":\($0)}" }
      try Workshop.write(Array("{\"/PutMetadata\":[\(steps.joined(separator: ","))]}".utf8), to: script)
      server = try HostileServer("--folder", folder, "--script", script)
      let keys = InjectorCredentials.amazon(AWSCredentials(accessKeyID: "AKID", secretAccessKey: "secret"))
      let request = InjectorRequest(try InjectorTarget("ivs:\(channel)"), keys, endpoint: server.url(""))
      var settings = OutboundSession.Settings(request, game: "g")
      if let policy { settings.policy = policy }
      settings.journal = journal
      session = try OutboundSession(settings) { [said] in said.add($0) }
      session.start()
    }

    var messages: [String] { said.all }

    /// Posts an event of a type of its own.
    func post(_ name: String, text: String = "") throws {
      _ = try session.desk.accept(try LiveRequest(json: #"{"event":"\#(name)","text":"\#(text)"}"#), as: SampleGame.guid(name))
    }

    /// Posts a question, which is refreshed as long as it is open.
    func ask(_ name: String) throws {
      let question = #"{"event":"askQuestion","question":"\#(name)?","answers":["A","B"],"correct":"A","allottedTime":600}"#
      _ = try session.desk.accept(try LiveRequest(json: question), as: SampleGame.guid(name))
    }

    func status(_ name: String) -> EventStatus? { session.desk.read { game, _ in game.status(SampleGame.guid(name)) } }

    /// The copies that the server has been sent, in their order.
    func sent() throws -> [EventCopy] {
      let answer = try WebAnswer(to: WebRequest(url: server.url("/-/sent")), limits: NetworkLimits(time: .seconds(20)))
      return try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map { line in
        let start = try #require(line.firstIndex(of: "{"))
        let body = try #require(try JSONValue(parsing: String(line[start...])).object)
        #expect(line.hasPrefix("POST /PutMetadata | Authorization: AWS4-HMAC-SHA256 ") && body["channelArn"]?.string == channel)
        let text = try #require(body["metadata"]?.string)
        #expect(text.utf8.count <= 1_024)
        return try EventCopy(parsing: text, description: "")
      }
    }

    /// The numbers of an event's copies.
    func copies(_ name: String) throws -> [Int] { try sent().filter { $0.event.guid == SampleGame.guid(name) }.map(\.copy) }

    /// Waits for a condition.
    func wait(_ what: Comment, _ condition: () throws -> Bool) async throws {
      for _ in 0..<3_000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      Issue.record(what)
    }
  }

  private static func run(_ sample: Sample, _ body: sending (Sample) async throws -> Void) async throws {
    try await TestThread.run {
      defer { sample.session.end() }
      try await body(sample)
    }
  }

  /// It is not idle before the last copy is answered, and noted.
  @Test func lastAnswer() async throws {
    try await Self.run(Sample(CopyPolicy(copies: 2, refreshInterval: nil), delay: 0.3)) { sample in
      try sample.post("a")
      try await sample.wait("all is answered") { sample.session.isIdle && sample.status("a")?.state != .accepted }
      #expect(sample.status("a")?.copies == 2)
    }
  }

  /// A copy above the kilobyte of IVS is not sent: its event is lost with the reason, and the events after it are sent.
  @Test func tooLarge() async throws {
    let journal = try Workshop.newFolder() + "/journal"
    try await Self.run(Sample(CopyPolicy(refreshInterval: nil, largestTagSize: 4_096), journal: journal)) { sample in
      try sample.post("large", text: String(repeating: "a", count: 1_100))
      try sample.post("small")
      try await sample.wait("all is handed over") { try sample.copies("small") == [1, 2, 3] }
      let large = try #require(sample.status("large"))
      #expect(large.state == .lost)
      let reason = try #require(large.reason)
      #expect(reason.hasPrefix("ivs refuses it: the event has 1") && reason.hasSuffix(" bytes, and 1024 is the most"))
      #expect(try sample.sent().map { "\($0.event.guid.text) \($0.copy)" } == ["small 1", "small 2", "small 3"])
    }
    // A session that goes on with the journal does not try again.
    try await Self.run(Sample(CopyPolicy(refreshInterval: nil, largestTagSize: 4_096), journal: journal)) { sample in
      try sample.post("next")
      try await sample.wait("the next event is handed over") { try sample.copies("next") == [1, 2, 3] }
      #expect(sample.status("large")?.state == .lost)
      #expect(try sample.sent().map(\.event.guid) == [SampleGame.guid("next"), SampleGame.guid("next"), SampleGame.guid("next")])
    }
  }

  /// With the usual policy, an event that is too large for a tag is refused before it is accepted, with the reason.
  @Test func refusedAtOnce() async throws {
    try await Self.run(Sample()) { sample in
      let problem = try #require(throws: LiveProblem.self) { try sample.post("large", text: String(repeating: "a", count: 1_100)) }
      #expect("\(problem)".contains("above the limit of 1024") && sample.status("large") == nil)
      #expect(try sample.sent() == [])
    }
  }

  /// An event that IVS itself refuses is lost, and its other copies are not sent.
  @Test func refusedByTheService() async throws {
    try await Self.run(Sample(CopyPolicy(refreshInterval: nil), statuses: [400])) { sample in
      try sample.post("a")
      try await sample.wait("the event is lost") { sample.status("a")?.state == .lost }
      #expect(sample.status("a")?.reason == "ivs refuses it: HTTP 400" && sample.session.failure == .refused(status: 400, "HTTP 400"))
      try sample.post("b")
      try await sample.wait("the other event is handed over") { try sample.copies("b") == [1, 2, 3] }
      #expect(try ["a", "b"].map(sample.copies) == [[1], [1, 2, 3]])
      try await sample.wait("the last answer is noted") { sample.session.failure == nil }
    }
  }

  /// A service that has no time, and one that does not know the channel, are asked again; the operator is told once of each, and of the end.
  @Test func anotherTry() async throws {
    try await Self.run(Sample(CopyPolicy(copies: 1, refreshInterval: nil), statuses: [429, 503, 404])) { sample in
      try sample.post("a")
      try await sample.wait("the event is handed over") { sample.status("a")?.state == .placed }
      try await sample.wait("the operator knows") { sample.messages.count == 4 }
      #expect(
        sample.messages == [
          "ivs does not accept events: HTTP 429", "ivs does not accept events: HTTP 503", "ivs does not accept events: HTTP 404",
          "ivs accepts events again",
        ])
      let ages = try sample.sent().map { $0.age.seconds }
      #expect(ages.count == 4 && zip(ages, ages.dropFirst()).allSatisfy { $1 - $0 >= 1 })
    }
  }

  /// Six questions with a refresh each every 0.4 s are more than five requests a second, however slow the server is: refreshes are dropped, repeats of a
  /// new event are not.
  @Test(arguments: [0, 0.3]) func refreshesAreDroppedFirst(delay: Double) async throws {
    let started = ContinuousClock.now
    try await Self.run(Sample(CopyPolicy(copies: 2, refreshInterval: MediaTime(milliseconds: 400)), delay: delay)) { sample in
      for number in 1...6 {
        try sample.ask("q\(number)")
        try await sample.wait("q\(number) is handed over") { try sample.copies("q\(number)").starts(with: [1, 2]) }
      }
      try await sample.wait("there are more refreshes than may be sent") { sample.session.dropped.refreshes > 0 }
      try sample.post("new")
      try await sample.wait("the new event is handed over") { try sample.copies("new").starts(with: [1, 2]) }
      try await sample.wait("there is time for a refresh") { try sample.sent().contains { $0.isRefresh } }
      #expect(sample.session.dropped.repeats == 0)
      let sent = try sample.sent()
      // Five requests go at once, and five more each 1.1 s.
      #expect(ContinuousClock.now - started >= .milliseconds((sent.count - 1) / 5 * 1_100))
      #expect(sent.allSatisfy { $0.isVerified })
    }
  }

  /// What a session has promised and not handed over, since it was ended, the next one hands over.
  @Test func goingOn() async throws {
    let journal = try Workshop.newFolder() + "/journal"
    try await Self.run(Sample(CopyPolicy(copies: 1, refreshInterval: nil), statuses: [404, 404, 404], journal: journal)) { sample in
      try sample.post("a")
      try await sample.wait("it is tried") { sample.session.failure != nil }
      #expect(sample.status("a")?.state == .accepted && !sample.session.isIdle)
    }
    try await Self.run(Sample(CopyPolicy(copies: 1, refreshInterval: nil), journal: journal)) { sample in
      try await sample.wait("it is handed over") { sample.status("a")?.state == .placed }
      #expect(try sample.copies("a") == [1])
      #expect(sample.status("a")?.sequence == 1)
    }
  }
}

import Basics
import LibC
import LiveSession
import Synchronization
import Testing

@testable import GameServer

/// One host leads, and who led before is told.
@Suite struct HostLeaseTests {
  private let lease = HostLease()
  private let log = Log()

  private func listen(_ session: String, client: String? = nil, takesOver: Bool = false) -> Int? {
    lease.listen(HostLease.Console(session: session, client: client), takesOver: takesOver) { [log] in
      log.add("\(session)\(client ?? "") \($0.rawValue)")
    }
  }

  private func take(_ session: String, client: String? = nil, takesOver: Bool = false) -> Bool {
    lease.take(HostLease.Console(session: session, client: client), takesOver: takesOver)
  }

  @Test func oneLeads() {
    #expect(take("a") && take("a") && !take("b"))
    // Only who leads may listen as the host, unless another one takes over.
    #expect(listen("b") == nil)
    #expect(listen("a") == 1)
    #expect(listen("a") == nil)
    #expect(log.lines == [])
    #expect(listen("b", takesOver: true) == 2)
    #expect(log.lines == ["a takeover"])
    #expect(take("b") && !take("a"))
    // The stream that was taken over ends: that changes nothing.
    lease.leave(1)
    #expect(!take("a") && listen("a") == nil)
    // Who has just left may come back, and others have to wait.
    lease.leave(2)
    #expect(!take("a") && listen("a") == nil)
    #expect(take("b") && listen("b") == 3)
    #expect(log.lines == ["a takeover"])
  }

  /// Who listens leads.
  @Test func whoListensLeads() {
    #expect(listen("a") == 1)
    #expect(!take("b") && take("a"))
    #expect(listen("a", takesOver: true) == 2)
    lease.leave(2)
    lease.leave(2)
    #expect(listen("a") == 3)
    #expect(log.lines == ["a takeover"])
  }

  /// Who comes back to where it listened takes the place of the stream that was lost, and nobody else's.
  @Test func comesBack() {
    #expect(listen("a", client: "1") == 1)
    #expect(listen("a", client: "2") == nil && listen("a") == nil && listen("b", client: "1") == nil)
    #expect(listen("a", client: "1") == 2)
    #expect(log.lines == ["a1 takeover"])
    // The end of the lost stream changes nothing.
    lease.leave(1)
    #expect(listen("a", client: "2") == nil)
    #expect(listen("b", client: "3", takesOver: true) == 3)
    #expect(listen("a", client: "1") == nil)
    lease.leave(3)
    #expect(listen("b", client: "4") == nil && listen("b", client: "3") == 4)
    #expect(log.lines == ["a1 takeover", "a1 takeover"])
  }

  /// Two consoles with one token are two: the one that does not lead commands nothing, until it takes over.
  @Test func consolesOfOneToken() {
    #expect(listen("a", client: "1") == 1)
    #expect(!take("a", client: "2") && !take("a") && take("a", client: "1"))
    #expect(take("a", client: "2", takesOver: true) && log.lines == ["a1 takeover"])
    #expect(!take("a", client: "1") && listen("a", client: "1") == nil && listen("a", client: "2") == 2)
    // A console that takes over from itself keeps its stream.
    #expect(take("a", client: "2", takesOver: true) && log.lines == ["a1 takeover"])
    lease.yield(HostLease.Console(session: "a", client: "1"))
    #expect(lease.listener == HostLease.Console(session: "a", client: "2"))
    lease.yield(HostLease.Console(session: "a", client: "2"))
    #expect(log.lines == ["a1 takeover", "a2 takeover"] && take("a"))
    // The access of a host ends for all of its consoles.
    #expect(listen("a", client: "3", takesOver: true) == 3)
    lease.end("a")
    #expect(log.lines.last == "a3 access-ended" && take("b", client: "1"))
  }

  private func watch(_ session: String, client: String? = nil) -> Int? {
    lease.watch(HostLease.Console(session: session, client: client)) { [log] in log.add("\(session)\(client ?? "") \($0.rawValue)") }
  }

  /// Consoles that watch change nothing of who leads, and know who does.
  @Test func watching() {
    #expect(watch("b", client: "1") == 1 && lease.leader == nil && lease.listener == nil)
    #expect(listen("a", client: "1") == 2 && watch("a", client: "2") == 3)
    #expect(lease.leader == HostLease.Console(session: "a", client: "1") && lease.sessions == ["a", "b"])
    #expect(!take("b", client: "1") && log.lines == [])
    // One that comes back takes the place of its lost stream, and one that takes the lead watches no more.
    #expect(watch("b", client: "1") == 4 && log.lines == ["b1 takeover"])
    #expect(listen("b", client: "1", takesOver: true) == 5)
    #expect(log.lines == ["b1 takeover", "a1 takeover", "b1 takeover"])
    #expect(lease.leader == HostLease.Console(session: "b", client: "1"))
    #expect(watch("a", client: "1") == 6)
    lease.leave(6)
    #expect(watch("a") == 7 && watch("a") == 8)
    // Whoever has no access any more hears nothing more.
    lease.end("a")
    #expect(log.lines.dropFirst(3) == ["a2 access-ended", "a access-ended", "a access-ended"] && lease.sessions == ["b"])
    for number in 0..<HostLease.mostWatching { #expect(watch("c", client: "\(number)") != nil) }
    #expect(watch("c") == nil && watch("c", client: "0") != nil)
    lease.end()
    #expect(lease.leader == nil && lease.sessions == [] && log.lines.last == "c0 access-ended")
  }

  /// The name of a console is behind its session, and may have spaces.
  @Test(arguments: [nil, "one", "Chrome on Linux", ""]) func names(client: String?) {
    #expect(HostLease.Console.client(ofName: HostLease.Console(session: "s", client: client).name) == client ?? "")
  }

  /// A host whose access has ended leads no more, and is told once.
  @Test func ended() {
    #expect(listen("a") == 1)
    lease.end("b")
    #expect(!take("b") && log.lines == [])
    lease.end("a")
    lease.end("a")
    #expect(log.lines == ["a access-ended"] && take("b"))
    lease.end()
    #expect(take("c") && log.lines == ["a access-ended"])
  }

  /// Who comes back with a number of the process before has heard nothing of this one.
  @Test func afterARestart() async {
    let (before, after) = (LiveFeed(first: 1_000), LiveFeed())
    for _ in 0..<13 { before.send("x", JSONObject()) }
    before.close()
    var last = 0
    for await message in before.listen(after: 0) { last = message.id }
    #expect(last == 1_012)
    for number in 0..<5 { after.send("\(number)", JSONObject()) }
    after.close()
    var (heard, numbers) = ([String](), [Int]())
    for await message in after.listen(after: last) {
      heard.append(message.event)
      numbers.append(message.id)
    }
    #expect(heard == ["0", "1", "2", "3", "4"])
    // Each process begins behind all numbers that the one before has had time for.
    #expect(numbers.first.map { $0 <= WallClock.now && $0 > 1_700_000_000_000 } == true && numbers == numbers.sorted())
  }

  /// Where several processes tell the same things, each says them with nearly the same number: who goes from one to the other loses nothing.
  @Test func betweenProcesses() async {
    let time = Mutex(1_000)
    let feeds = [LiveFeed(first: 1) { time.withLock { $0 } }, LiveFeed(first: 400) { time.withLock { $0 } }]
    for number in 0..<4 {
      time.withLock { $0 = 1_000 + 100 * number }
      for feed in feeds { feed.send("\(number)", JSONObject()) }
    }
    feeds[0].send("at once", JSONObject())
    for feed in feeds { feed.close() }
    var numbers: [[Int]] = []
    for feed in feeds {
      var own: [Int] = []
      for await message in feed.listen(after: 0) { own.append(message.id) }
      numbers.append(own)
    }
    #expect(numbers == [[1_000, 1_100, 1_200, 1_300, 1_301], [1_000, 1_100, 1_200, 1_300]])
  }

  /// The stream that was taken over has what came before, one last message for itself, and its end; the others go on.
  @Test func theLastMessage() async {
    let feed = LiveFeed(first: 1)
    let (old, other) = (feed.listening(), feed.listening())
    feed.send("asked", JSONObject())
    old.end("takeover", JSONObject())
    feed.send("closed", JSONObject())
    #expect(feed.listenerCount == 1)
    feed.close()
    var heard: [[String]] = []
    for listening in [old, other] {
      var lines: [String] = []
      for await message in listening.messages { lines.append("\(message.id) \(message.event) \(message.data)") }
      heard.append(lines)
    }
    #expect(heard == [["1 asked {}", "0 takeover {}"], ["1 asked {}", "2 closed {}"]])
  }
}

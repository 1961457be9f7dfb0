import Testing

@testable import Webhooks

@Suite struct WebhookQueueTests {
  private let start = ContinuousClock.now
  private var queue = WebhookQueue(["a", "b"])

  private func message(_ id: String, _ stream: String = "s", date: Int64 = 0, body: String = "{}") -> WebhookMessage {
    WebhookMessage(id: id, stream: stream, event: .input, date: date, body: body)
  }

  private mutating func next(_ hook: String, _ seconds: Int = 0) -> String {
    switch queue.next(for: hook, at: start + .seconds(seconds)) {
    case .send(let message): message.id
    case .wait(let instant): instant.map { "\(($0 - start).components.seconds)" } ?? "-"
    }
  }

  @Test mutating func order() {
    for id in ["1", "2", "3"] { _ = queue.add(message(id), to: ["a"]) }
    #expect(next("b") == "-")
    var sent: [String] = []
    for _ in 0..<3 {
      sent.append(next("a"))
      // One at a time.
      #expect(next("a") == "-")
      _ = queue.succeed("a")
    }
    #expect(sent == ["1", "2", "3"] && next("a") == "-" && queue.count == 0 && queue.byteCount == 0)
  }

  /// What fails is tried again after one second, two, four and so on, and what comes after it waits.
  @Test mutating func patience() {
    _ = queue.add(message("1"), to: ["a"])
    _ = queue.add(message("2"), to: ["a"])
    var (now, waits): (Int, [Int]) = (0, [])
    for _ in 0..<11 {
      #expect(next("a", now) == "1")
      _ = queue.fail("a", "HTTP 500", wanted: nil, at: start + .seconds(now))
      let due = Int(next("a", now)) ?? 0
      waits.append(due - now)
      now = due
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    #expect(next("a", now) == "1" && queue.succeed("a")?.hadFailed == true && next("a", now) == "2")
  }

  /// The receiver may ask for another delay, but for none longer than the longest.
  @Test(arguments: [(7, 7), (100_000, 300)]) mutating func wantedDelay(wanted: Int, delay: Int) {
    _ = queue.add(message("1"), to: ["a"])
    #expect(next("a") == "1")
    _ = queue.fail("a", "HTTP 429", wanted: .seconds(wanted), at: start)
    #expect(next("a") == "\(delay)")
  }

  /// Neither another stream nor another webhook waits for one that fails.
  @Test mutating func others() {
    for (id, stream) in [("1", "s"), ("2", "t"), ("3", "s"), ("4", "t")] { _ = queue.add(message(id, stream), to: ["a", "b"]) }
    #expect(next("a") == "1")
    _ = queue.fail("a", "HTTP 500", wanted: nil, at: start)
    var sent: [String] = []
    for _ in 0..<2 {
      sent.append(next("a"))
      _ = queue.succeed("a")
    }
    #expect(sent == ["2", "4"] && next("a") == "1")
    for _ in 0..<4 {
      sent.append(next("b"))
      _ = queue.succeed("b")
    }
    #expect(sent == ["2", "4", "1", "2", "3", "4"])
    #expect(queue.waiting.map(\.message.id) == ["1", "3"] && queue.waiting.map(\.hooks) == [["a"], ["a"]])
  }

  @Test mutating func reasons() {
    _ = queue.add(message("1"), to: ["a"])
    var news: [Bool] = []
    for (second, reason) in [(0, "x"), (1, "x"), (3, "y")] {
      #expect(next("a", second) == "1")
      news.append(queue.fail("a", reason, wanted: nil, at: start + .seconds(second)))
    }
    #expect(news == [true, false, true])
  }

  /// A message that was tried for a day is given up, and the next one is tried.
  @Test mutating func expiry() {
    _ = queue.add(message("1", date: 1_000), to: ["a", "b"])
    _ = queue.add(message("2", date: 2_000), to: ["a"])
    #expect(next("a") == "1")
    // What is being sent stays.
    #expect(queue.takeExpired(at: 1_000 + WebhookQueue.life) == [])
    queue.putBack("a")
    #expect(queue.takeExpired(at: 999 + WebhookQueue.life) == [])
    #expect(queue.takeExpired(at: 1_000 + WebhookQueue.life) == [.init(id: "1", hooks: ["a", "b"])])
    #expect(next("a") == "2" && next("b") == "-")
  }

  /// Nothing fills the memory: the oldest messages are left out.
  @Test mutating func limits() {
    queue = WebhookQueue(["a", "b"], limits: (messages: 3, bytes: 10))
    var left: [WebhookQueue.Settled] = []
    for id in ["1", "2", "3"] { left += queue.add(message(id), to: ["a", "b"]) }
    #expect(left == [] && next("a") == "1")
    left += queue.add(message("4"), to: ["b"])
    #expect(left == [.init(id: "2", hooks: ["a", "b"])])
    left = queue.add(message("5", body: "12345678"), to: ["b"])
    #expect(left == [.init(id: "3", hooks: ["a", "b"]), .init(id: "4", hooks: ["b"])] && queue.byteCount == 10)
    #expect(queue.succeed("a")?.settled == .init(id: "1", hooks: ["a"]))
    #expect(queue.waiting.map(\.message.id) == ["1", "5"] && queue.waiting.map(\.hooks) == [["b"], ["b"]])
  }

  /// A webhook that never answers does not keep what another one has taken.
  @Test mutating func memory() {
    _ = queue.add(message("first", "t"), to: ["b"])
    for index in 0..<5_000 {
      _ = queue.add(message("\(index)"), to: ["a"])
      #expect(next("a") == "\(index)")
      _ = queue.succeed("a")
    }
    #expect(queue.count == 1 && queue.byteCount == 2 && queue.waiting.map(\.message.id) == ["first"])
  }

  /// A webhook that is named twice gets each message once, and goes on with the next one.
  @Test mutating func repeated() {
    queue = WebhookQueue(["a", "b", "a"])
    for id in ["1", "2", "3"] { _ = queue.add(message(id), to: ["a", "b", "a"]) }
    #expect(queue.waiting.map(\.hooks) == [["a", "b"], ["a", "b"], ["a", "b"]])
    for hook in ["a", "b"] {
      var sent: [String] = []
      for _ in 0..<3 {
        sent.append(next(hook))
        _ = queue.succeed(hook)
      }
      #expect(sent == ["1", "2", "3"] && next(hook) == "-")
    }
    #expect(queue.count == 0 && queue.byteCount == 0)
    // What is given up is given up once, too.
    _ = queue.add(message("4"), to: ["a", "a"])
    _ = queue.add(message("5", date: 1), to: ["a", "a"])
    #expect(queue.takeExpired(at: WebhookQueue.life) == [.init(id: "4", hooks: ["a"])] && next("a") == "5")
  }

  @Test mutating func unknown() {
    _ = queue.add(message("1"), to: ["c"])
    #expect(queue.count == 0 && next("c") == "-" && queue.succeed("a") == nil)
    _ = queue.add(message("2"), to: ["a"])
    _ = queue.add(message("2"), to: ["a"])
    #expect(queue.count == 1)
  }
}

import Basics
import HTTPTypes
import Testing
import WebSupport

@testable import GameServer

/// Where calls come from, and how often they may.
@Suite struct CallerTests {
  // MARK: Proxies

  private func origin(_ remote: String?, _ forwarded: String?, trusted: [String]) -> [String] {
    let (address, isForwarded) = TrustedProxies(trusted).origin(remote: remote, forwarded: forwarded)
    return [address, isForwarded ? "forwarded" : "direct"]
  }

  /// Nobody but a proxy that is trusted says where a call comes from.
  @Test func nobodyIsTrusted() {
    for forwarded in [nil, "", "9.9.9.9", "127.0.0.1", "9.9.9.9, 127.0.0.1"] {
      #expect(origin("1.2.3.4", forwarded, trusted: []) == ["1.2.3.4", "direct"])
      #expect(origin("1.2.3.4", forwarded, trusted: ["127.0.0.1"]) == ["1.2.3.4", "direct"])
      #expect(origin("::1", forwarded, trusted: ["127.0.0.1"]) == ["::1", "direct"])
      #expect(origin(nil, forwarded, trusted: ["127.0.0.1"]) == ["", "direct"])
    }
  }

  /// Of the addresses that a proxy hands on, the last one counts that is no trusted proxy: those before it may be made up.
  @Test func proxies() {
    let trusted = ["127.0.0.1", "10.0.0.1"]
    let cases: [(String?, [String])] = [
      ("9.9.9.9", ["9.9.9.9", "forwarded"]), (" 9.9.9.9 ", ["9.9.9.9", "forwarded"]), ("6.6.6.6, 9.9.9.9", ["9.9.9.9", "forwarded"]),
      ("6.6.6.6,9.9.9.9,10.0.0.1", ["9.9.9.9", "forwarded"]),
      ("6.6.6.6, 10.0.0.1, 9.9.9.9, 10.0.0.1, 127.0.0.1", ["9.9.9.9", "forwarded"]),
      ("2001:db8::1", ["2001:db8::1", "forwarded"]), (nil, ["127.0.0.1", "direct"]),
      // Where it says nothing of use, the call is the proxy's own.
      ("", ["127.0.0.1", "forwarded"]), (" ", ["127.0.0.1", "forwarded"]), (",", ["127.0.0.1", "forwarded"]),
      ("9.9.9.9, ", ["127.0.0.1", "forwarded"]),
      ("10.0.0.1", ["127.0.0.1", "forwarded"]), (String(repeating: "9", count: 65), ["127.0.0.1", "forwarded"]),
    ]
    for (forwarded, expected) in cases {
      #expect(origin("127.0.0.1", forwarded, trusted: trusted) == expected, "\(forwarded ?? "nothing")")
    }
    // An address of IPv4 in a socket of IPv6 is that address.
    #expect(origin("::ffff:127.0.0.1", "9.9.9.9", trusted: trusted) == ["9.9.9.9", "forwarded"])
    #expect(origin("::ffff:1.2.3.4", "9.9.9.9", trusted: trusted) == ["1.2.3.4", "direct"])
  }

  /// Whole networks of proxies, in any spelling of their addresses.
  @Test func networks() {
    let trusted = ["10.0.0.0/8", "2001:db8::/33", "0:0::1", "192.168.1.128/25"]
    for remote in ["10.255.1.2", "2001:db8:7fff::9", "::1", "::ffff:10.1.1.1", "192.168.1.255", "::ffff:a01:101"] {
      #expect(origin(remote, "9.9.9.9, 10.3.4.5", trusted: trusted) == ["9.9.9.9", "forwarded"], "\(remote)")
    }
    for remote in ["11.0.0.1", "2001:db8:8000::9", "::2", "192.168.1.127", "fe80::1%eth0"] {
      #expect(origin(remote, "9.9.9.9", trusted: trusted) == [remote, "direct"], "\(remote)")
    }
    #expect(origin("1.2.3.4", "9.9.9.9", trusted: ["0.0.0.0/0"]) == ["1.2.3.4", "forwarded"])
    for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "proxy", "", "::1/129", "1.2.3.4/8/8", "/8"] {
      #expect(!TrustedProxies.isAddress(text), "\(text)")
    }
    for text in ["10.0.0.0/0", "10.0.0.1", "::/0", "2001:db8::1/128", "fe80::1%eth0"] { #expect(TrustedProxies.isAddress(text), "\(text)") }
  }

  @Test func addresses() {
    func bytes(_ text: String) -> String? {
      IPAddress(text)?.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let cases = [
      "1.2.3.4": "01020304", "255.255.255.255": "ffffffff", "::": String(repeating: "0", count: 32),
      "2001:DB8:0:0:8:800:200C:417A": "20010db80000000000080800200c417a", "2001:db8::8:800:200c:417a": "20010db80000000000080800200c417a",
      "::13.1.68.3": "0000000000000000000000000d014403", "::ffff:129.144.52.38": "81903426", "1::": "00010000000000000000000000000000",
      "1:2:3:4:5:6:7::": "00010002000300040005000600070000", "fe80::1%eth0": "fe800000000000000000000000000001",
    ]
    for (text, expected) in cases { #expect(bytes(text) == expected, "\(text)") }
    for text in [
      "", ":", ":::", "1", "1.2.3", "1.2.3.256", "1.2.3.4.5", "1..3.4", "+1.2.3.4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
      "12345::",
      "g::", "+1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", ":1:2:3:4:5:6:7", "1.2.3.4::", "localhost",
    ] { #expect(bytes(text) == nil, "\(text)") }
    // One place has many addresses of IPv6.
    #expect(IPAddress.place(of: "2001:db8:1:2:3::4") == IPAddress.place(of: "2001:db8:1:2:ffff::"))
    #expect(IPAddress.place(of: "2001:db8:1:2::") != IPAddress.place(of: "2001:db8:1:3::"))
    #expect(IPAddress.place(of: "1.2.3.4") == "1.2.3.4" && IPAddress.place(of: "unknown") == "unknown")
  }

  /// What a proxy on this machine passes on is not local, whether or not it is trusted.
  @Test func local() throws {
    #expect(GameCall.isLocal(true, HTTPFields()) && !GameCall.isLocal(false, HTTPFields()))
    for name in ["X-Forwarded-For", "forwarded"] {
      var headers = HTTPFields()
      headers[try #require(HTTPField.Name(name))] = ""
      #expect(!GameCall.isLocal(true, headers))
    }
  }

  // MARK: How often

  /// So many at once, each address and each call for itself.
  @Test func bursts() {
    let limits = RateLimits()
    for key in ["join a", "join b", "login a"] {
      for _ in 0..<5 { #expect(limits.take(key, perMinute: 1, burst: 5) == nil) }
      // The next one is due in a minute, less what this test takes.
      let wait = limits.take(key, perMinute: 1, burst: 5)
      #expect(wait.map { (1...60).contains($0) } == true, "\(wait ?? 0) s")
    }
    // Waiting for long is not told in fractions, and never as nothing.
    #expect(limits.take("slow", perMinute: 0.001, burst: 1) == nil)
    let wait = limits.take("slow", perMinute: 0.001, burst: 1)
    #expect(wait.map { (59_000...60_000).contains($0) } == true)
  }

  /// What is left comes back with time, and no more than the burst.
  @Test func comingBack() async throws {
    let limits = RateLimits()
    // A thousand a second.
    for _ in 0..<4 { _ = limits.take("a", perMinute: 60_000, burst: 3) }
    try await until("there is one again") { limits.take("a", perMinute: 60_000, burst: 3) == nil }
    // Many times the burst would have come back by now.
    try await Task.sleep(for: .milliseconds(20))
    #expect(limits.take("a", perMinute: 60_000, burst: 3) == nil)
    var taken = 1
    while limits.take("a", perMinute: 0.001, burst: 3) == nil, taken < 10 { taken += 1 }
    #expect(taken == 3)
  }

  /// Connections are counted for each address.
  @Test func connections() {
    let counts = ConnectionCounts()
    for _ in 0..<ConnectionCounts.most { _ = counts.open("a") }
    #expect(!counts.open("a") && counts.open("b"))
    counts.close("a")
    counts.close("a")
    #expect(counts.open("a") && !counts.open("a"))
    // Of one place all addresses together.
    for number in 0..<ConnectionCounts.most { _ = counts.open("2001:db8::\(String(number, radix: 16))") }
    #expect(!counts.open("2001:db8::ffff:1") && counts.open("2001:db8:0:1::1"))
    // A proxy has those of everybody.
    let behind = ConnectionCounts(TrustedProxies(["10.0.0.0/8"]))
    for _ in 0...ConnectionCounts.most { #expect(behind.open("10.0.0.1")) }
    behind.close("10.0.0.1")
    // Who was never counted takes nothing from others.
    counts.close("c")
    #expect(counts.open("c"))
  }

  // MARK: Bodies

  private func call(_ body: [UInt8], _ endpoint: GameEndpoint = .join) -> GameCall {
    GameCall(endpoint: endpoint, parts: [:], query: [:], headers: HTTPFields(), body: body, address: "", isLocal: false)
  }

  private func problem(_ body: [UInt8]) -> String? {
    do throws(Problem) {
      _ = try call(body).object()
      return nil
    } catch {
      return "\(error.status.code) \(error.kind)"
    }
  }

  @Test func bodies() throws {
    #expect(try call(Array("{\"a\":1}".utf8)).object().text == "{\"a\":1}")
    #expect(problem([]) == "400 invalid" && problem(Array("{".utf8)) == "400 invalid" && problem([0xFF]) == "422 invalid")
    for text in ["[]", "5", "null", "\"x\""] { #expect(problem(Array(text.utf8)) == "422 invalid") }
    // No call reads more than it takes.
    let long = Array("{\"a\":\"\(String(repeating: "x", count: GameEndpoint.join.largestBody))\"}".utf8)
    #expect(problem(long) == "400 invalid")
    #expect(try call(long, .makeGame).object().count == 1)
  }

  // MARK: Names of players

  @Test func playerKeys() {
    let hashes = Set((0..<200).map { PlayerKey.hash("client \($0)") } + [PlayerKey.hash(""), PlayerKey.hash("Client 0")])
    #expect(hashes.count == 202)
    #expect(PlayerKey.hash("client 0") == PlayerKey.hash("client 0"))
    #expect(PlayerKey.text(0) == "0" && PlayerKey.text(35) == "z" && PlayerKey.text(.max) == "3w5e11264sgsf")
  }

  @Test func steadyClock() {
    var last = SteadyClock.now
    for _ in 0..<1_000 {
      let now = SteadyClock.now
      #expect(now >= last)
      last = now
    }
  }

  /// What takes long is done one after the other, and not where too many wait.
  @Test func slowQueue() async throws {
    let queue = SlowQueue()
    let numbers = await withTaskGroup(of: Int?.self, returning: Set<Int>.self) { group in
      for number in 0..<20 { group.addTask { await queue.run { number } } }
      var numbers: Set<Int> = []
      for await number in group { if let number { numbers.insert(number) } }
      return numbers
    }
    #expect(numbers == Set(0..<20))
    let (gate, refused, done) = (Gate(), Log(), Log())
    gate.close()
    let tasks = (0..<40).map { number in
      Task {
        let result = await queue.run { () -> Bool in
          gate.pass()
          return true
        }
        if result == nil { refused.add("\(number)") } else { done.add("\(number)") }
      }
    }
    // 32 of them wait, and the first one is at the door.
    try await until("the others are refused") { refused.lines.count == 8 }
    try await until("the first one is at the door") { gate.waiting == 1 }
    #expect(done.lines == [])
    gate.open()
    for task in tasks { await task.value }
    #expect(refused.lines.count == 8 && done.lines.count == 32)
  }
}

import Basics
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import WebSupport

@testable import WebShell

/// Where calls come from, and how often they may.
@Suite struct WebCallerTests {
  // MARK: Proxies

  private func origin(_ remote: String?, _ forwarded: String?, trusted: [String]) -> String {
    TrustedProxies(trusted).origin(remote: remote, forwarded: forwarded)
  }

  /// Nobody but a proxy that is trusted says where a call comes from.
  @Test func nobodyIsTrusted() {
    for forwarded in [nil, "", "9.9.9.9", "127.0.0.1", "9.9.9.9, 127.0.0.1"] {
      #expect(origin("1.2.3.4", forwarded, trusted: []) == "1.2.3.4")
      #expect(origin("1.2.3.4", forwarded, trusted: ["127.0.0.1"]) == "1.2.3.4")
      #expect(origin("::1", forwarded, trusted: ["127.0.0.1"]) == "::1")
      #expect(origin(nil, forwarded, trusted: ["127.0.0.1"]) == "")
    }
  }

  /// Of the addresses that a proxy hands on, the last one counts that is no trusted proxy: those before it may be made up.
  @Test func proxies() {
    let trusted = ["127.0.0.1", "10.0.0.1"]
    let cases: [(String?, String)] = [
      ("9.9.9.9", "9.9.9.9"), (" 9.9.9.9 ", "9.9.9.9"), ("6.6.6.6, 9.9.9.9", "9.9.9.9"),
      ("6.6.6.6,9.9.9.9,10.0.0.1", "9.9.9.9"),
      ("6.6.6.6, 10.0.0.1, 9.9.9.9, 10.0.0.1, 127.0.0.1", "9.9.9.9"),
      ("2001:db8::1", "2001:db8::1"), (nil, "127.0.0.1"),
      // Some proxies write the port, too: it makes no other caller.
      ("9.9.9.9:1234", "9.9.9.9"), ("[2001:db8::1]:1234", "2001:db8::1"), ("6.6.6.6:1, 9.9.9.9:2,10.0.0.1:3", "9.9.9.9"),
      // Where it says nothing of use, the call is the proxy's own.
      ("", "127.0.0.1"), (" ", "127.0.0.1"), (",", "127.0.0.1"),
      ("9.9.9.9, ", "127.0.0.1"),
      ("10.0.0.1", "127.0.0.1"), (String(repeating: "9", count: 65), "127.0.0.1"),
      ("somebody", "127.0.0.1"), ("9.9.9.9, unknown", "127.0.0.1"), ("9.9.9.9; DROP", "127.0.0.1"),
    ]
    for (forwarded, expected) in cases {
      #expect(origin("127.0.0.1", forwarded, trusted: trusted) == expected, "\(forwarded ?? "nothing")")
    }
    // An address of IPv4 in a socket of IPv6 is that address.
    #expect(origin("::ffff:127.0.0.1", "9.9.9.9", trusted: trusted) == "9.9.9.9")
    #expect(origin("::ffff:1.2.3.4", "9.9.9.9", trusted: trusted) == "1.2.3.4")
  }

  /// Whole networks of proxies, in any spelling of their addresses.
  @Test func networks() {
    let trusted = ["10.0.0.0/8", "2001:db8::/33", "0:0::1", "192.168.1.128/25"]
    for remote in ["10.255.1.2", "2001:db8:7fff::9", "::1", "::ffff:10.1.1.1", "192.168.1.255", "::ffff:a01:101"] {
      #expect(origin(remote, "9.9.9.9, 10.3.4.5", trusted: trusted) == "9.9.9.9", "\(remote)")
    }
    for remote in ["11.0.0.1", "2001:db8:8000::9", "::2", "192.168.1.127", "fe80::1%eth0"] {
      #expect(origin(remote, "9.9.9.9", trusted: trusted) == remote, "\(remote)")
    }
    #expect(origin("1.2.3.4", "9.9.9.9", trusted: ["0.0.0.0/0"]) == "1.2.3.4")
    for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "proxy", "", "::1/129", "1.2.3.4/8/8", "/8", "010.0.0.1"] {
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

  // MARK: This machine

  private func caller(
    _ fields: [String: String] = [:], host: String? = "localhost:8080", remote: String = "127.0.0.1", trusted: [String] = []
  ) throws
    -> Caller
  {
    var headers = HTTPFields()
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    return Caller(headers, host: host, remote: remote, isConnectionLocal: IPAddress.isLoopback(remote), TrustedProxies(trusted))
  }

  /// A program on this machine calls it by a name that only this machine has, and without a proxy.
  @Test func local() throws {
    for host in ["localhost", "localhost:8080", "127.0.0.1:80", "127.1.2.3", "[::1]:8080", nil] {
      #expect(try caller(host: host) == Caller(address: "127.0.0.1", isLocal: true), "\(host ?? "no host")")
    }
    for host in ["show.example", "127.0.0.1.evil.example", "192.0.2.1:8080", "", "0.0.0.0", "[::2]"] {
      #expect(try !caller(host: host).isLocal, "\(host)")
    }
    for field in ["X-Forwarded-For", "forwarded", "X-Real-IP", "Via", "x-forwarded-host", "X-Forwarded-Proto"] {
      #expect(try !caller([field: ""]).isLocal, "\(field)")
    }
    #expect(try !caller(remote: "192.0.2.1").isLocal)
    // What comes from a proxy is never local, even if the proxy says nothing, or lies.
    #expect(try !caller(trusted: ["127.0.0.1"]).isLocal)
    #expect(try caller(["X-Forwarded-For": "127.0.0.1"], trusted: ["127.0.0.1"]) == Caller(address: "127.0.0.1", isLocal: false))
  }

  // MARK: How often

  /// The seconds that somebody is asked to wait; `nil` if the call may be made.
  private func wait(_ limits: RateLimits, _ key: String, perMinute: Double, burst: Double) -> Int? {
    do throws(Problem) {
      try limits.require(CallLimit(perMinute: perMinute, burst: burst), key)
      return nil
    } catch {
      return error.headers.first { $0.0 == .retryAfter }.flatMap { Int($0.1) } ?? 0
    }
  }

  /// So many at once, each address and each call for itself.
  @Test func bursts() {
    let limits = RateLimits()
    for key in ["join a", "join b", "login a"] {
      for _ in 0..<5 { #expect(wait(limits, key, perMinute: 1, burst: 5) == nil) }
      // The next one is due in a minute, less what this test takes.
      let wait = wait(limits, key, perMinute: 1, burst: 5)
      #expect(wait.map { (1...60).contains($0) } == true, "\(wait ?? 0) s")
    }
    // Waiting for long is not told in fractions, and never as nothing.
    #expect(wait(limits, "slow", perMinute: 0.001, burst: 1) == nil)
    let wait = wait(limits, "slow", perMinute: 0.001, burst: 1)
    #expect(wait.map { (59_000...60_000).contains($0) } == true)
  }

  /// Programs on this machine have no limit, and others one for each address.
  @Test func callers() {
    let (limits, limit) = (RateLimits(), CallLimit(perMinute: 0.001, burst: 1))
    func isAllowed(_ address: String, isLocal: Bool = false) -> Bool {
      (try? limits.require(limit, "join", of: Caller(address: address, isLocal: isLocal))) != nil
    }
    #expect((0..<3).map { _ in isAllowed("127.0.0.1", isLocal: true) } == [true, true, true])
    #expect((0..<2).map { _ in isAllowed("192.0.2.1") } == [true, false])
    #expect((0..<2).map { _ in isAllowed("192.0.2.2") } == [true, false])
  }

  /// What is left comes back with time, and no more than the burst.
  @Test func comingBack() {
    let now = Mutex(ContinuousClock.now)
    let limits = RateLimits { now.withLock { $0 } }
    /// How many of ten calls may be made.
    func count() -> Int { (0..<10).count { _ in wait(limits, "a", perMinute: 60, burst: 3) == nil } }
    #expect(count() == 3 && count() == 0)
    for (seconds, calls) in [(1, 1), (2, 2), (100, 3)] {
      now.withLock { $0 += .seconds(seconds) }
      #expect(count() == calls, "after \(seconds) s")
    }
  }
}

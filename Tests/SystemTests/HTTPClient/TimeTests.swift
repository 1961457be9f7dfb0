@testable import HTTPClient
import TestSupport
import Testing

/// How long a server may hold the reader up. Each of these waits for a time that is up, so they run beside each other.
@Suite(.enabled(if: Servers.plain != nil, "python3 is not installed: apt-get install python3"))
struct TimeTests {
  private let server: HostileServer
  private let clock = ContinuousClock()

  init() throws { server = try #require(Servers.plain) }

  private func reason(_ target: String, _ limits: NetworkLimits, isInterrupted: @escaping @Sendable () -> Bool = { false })
    -> NetworkInputError.Reason?
  {
    guard case .failure(let error) = load(server.url(target), nil, limits, isInterrupted: isInterrupted) else { return nil }
    return error.reason
  }

  @Test(arguments: ["?hang=1", "?delay=2", "?drip=2", "?framing=chunked&drip=2", "?framing=none&drip=2"])
  func doesNotWaitForASilentServer(query: String) {
    let limits = NetworkLimits(silence: .milliseconds(200))
    #expect(reason("/bytes/10\(query)", limits) == .timedOut(.bytes))
  }

  @Test(arguments: ["?drip=0.02", "?framing=chunked&drip=0.02&chunk=1", "?framing=none&drip=0.02", "?headers=endless&drip=0.02"])
  func isNotHeldUpByDrips(query: String) {
    let limits = NetworkLimits(time: .milliseconds(400))
    let time = clock.measure { #expect(reason("/bytes/10000\(query)", limits) == .timedOut(.end)) }
    #expect(time < .seconds(3))
  }

  @Test func isNotHeldUpByATLSServerThatIsNone() {
    let limits = NetworkLimits(connecting: .milliseconds(200))
    let url = "https://127.0.0.1:\(server.port)/bytes/1"
    #expect(load(url, nil, limits) == .failure(NetworkInputError(url: url, reason: .timedOut(.connection))))
  }

  @Test func doesNotWaitForTheRestOfARedirection() {
    let limits = NetworkLimits(connecting: .milliseconds(200))
    let answer = "HTTP/1.1%20302%20F%0d%0aLocation:%20/%0d%0aContent-Length:%205%0d%0a%0d%0a"
    #expect(reason("/redirection?hang=1&raw=\(answer)", limits) == .timedOut(.connection))
  }

  /// A stream may go on for a year, but its header may not.
  @Test func doesNotWaitForTheEndOfAHeader() {
    var limits = NetworkLimits(bytes: .max, time: .seconds(31_536_000))
    limits.headTime = .milliseconds(300)
    #expect(reason("/bytes/1?headers=endless&drip=0.02", limits) == .timedOut(.head))
    #expect(reason("/bytes/10?drip=0.05", limits) == nil)
  }

  @Test func redirectsCountTowardsTheWhole() {
    let limits = NetworkLimits(time: .milliseconds(300))
    #expect(reason("/bytes/1?redirect=/bytes/1%3Fdelay=1", limits) == .timedOut(.end))
  }

  @Test(arguments: ["?hang=1", "?drip=0.02", "?endless=1", "?endless=1&framing=chunked&chunk=1&drip=0.01", "?headers=endless&drip=0.02"])
  func stopsWhenInterrupted(query: String) {
    let start = ContinuousClock.now
    let limits = NetworkLimits(bytes: .max)
    let time = clock.measure {
      #expect(reason("/bytes/10000\(query)", limits) { .now - start > .milliseconds(200) } == .interrupted)
    }
    #expect(time < .milliseconds(1200))
  }

  @Test func doesNotBeginWhenInterrupted() {
    #expect(reason("/bytes/1?interrupted", NetworkLimits()) { true } == .interrupted)
  }

  @Test func limitsTheHead() {
    #expect(reason("/bytes/1?headers=endless", NetworkLimits()) == .malformed(.head))
  }
}

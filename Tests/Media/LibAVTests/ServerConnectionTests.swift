import LibAV
import Testing

@Suite struct ServerConnectionTests {
  private func error(
    host: String, port: UInt16 = 9, isInterrupted: Bool = false, until deadline: ContinuousClock.Instant
  ) -> ConnectionError? {
    do throws(ConnectionError) {
      _ = try ServerConnection(host: host, port: port, until: deadline) { isInterrupted }
      return nil
    } catch {
      return error
    }
  }

  @Test func saysThatNobodyListens() throws {
    // Nobody listens on TCP's port multiplexer nowadays.
    let refused = try #require(error(host: "127.0.0.1", port: 1, until: .now + .seconds(5)))
    #expect("\(refused)" == "connecting to 127.0.0.1:1: Connection refused")
  }

  @Test func saysThatThereIsNoSuchHost() throws {
    // An empty part makes it a name that no server need be asked for.
    let unknown = try #require(error(host: "a..b", until: .now + .seconds(5)))
    #expect("\(unknown)" == "connecting to a..b:9: there is no host of this name")
  }

  @Test(arguments: ["127.0.0.1?listen=1", "127.0.0.1:1?listen=1&x=", "a/b", "a b", "a@b", "ä", "a%00"])
  func takesNoOptionsForAHost(host: String) throws {
    let refused = try #require(error(host: host, until: .now + .seconds(5)))
    #expect("\(refused)" == "connecting to \(host):9: Invalid argument")
  }

  @Test func keepsItsPatience() {
    #expect(error(host: "127.0.0.1", isInterrupted: true, until: .now + .seconds(5)) == .interrupted)
    #expect(error(host: "127.0.0.1", until: .now) == .timedOut)
    #expect("\(ConnectionError.interrupted), \(ConnectionError.timedOut)" == "interrupted, timed out")
  }
}

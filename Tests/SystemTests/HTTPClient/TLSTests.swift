@testable import HTTPClient
import TestSupport
import Testing

@Suite(.enabled(if: Servers.secure != nil, "openssl is not installed: apt-get install openssl"))
struct TLSTests {
  private let server: HostileServer
  private let certificate: String

  init() throws {
    server = try #require(Servers.secure)
    certificate = try #require(HostileCertificate.path)
  }

  @Test(arguments: ["length", "chunked", "none"])
  func readsOverTLS(framing: String) {
    let url = server.url("/bytes/300000?framing=\(framing)", host: "localhost")
    let loaded = Loaded(bytes: pattern(300_000), size: framing == "length" ? 300_000 : nil, finalURL: url)
    #expect(load(url, authorities: certificate) == .success(loaded))
  }

  @Test func noticesWhatIsCutOff() {
    let url = server.url("/bytes/2000?framing=chunked&cut=1000")
    let expected = NetworkInputError(url: url, reason: .cutOff(received: 1000, expected: nil))
    #expect(load(url, authorities: certificate) == .failure(expected))
  }

  /// Why a server is not trusted, in libcurl's words.
  private func distrust(_ url: String, _ authorities: String?) -> String? {
    guard case .failure(let error) = load(url, authorities: authorities), case .untrusted(let text) = error.reason else { return nil }
    #expect(!error.isWorthRetrying)
    return text
  }

  @Test func trustsNobodyByDefault() throws {
    let url = server.url("/bytes/1")
    #expect(try #require(distrust(url, nil)).contains("certificate"))
    #expect(try #require(distrust(url, "/nowhere/at-all")).contains("/nowhere/at-all"))
  }

  @Test func trustsOnlyTheAuthoritiesThatAreGiven() throws {
    // What was trusted once over a connection that is kept is not trusted without the authorities.
    let url = server.url("/bytes/1?keep=1")
    #expect(load(url, authorities: certificate) == .success(Loaded(bytes: [0], size: 1, finalURL: url)))
    #expect(try #require(distrust(url, nil)).contains("certificate"))
  }

  @Test func refusesACertificateForAnotherHost() throws {
    // Another name of this machine (RFC 6761, 6.3), which the certificate does not have.
    #expect(try #require(distrust(server.url("/bytes/1", host: "other.localhost"), certificate)).contains("other.localhost"))
  }

  /// What is asked without a check of the certificate is read, and what is asked after it is checked again.
  @Test func withoutACheck() throws {
    let url = server.url("/bytes/3?keep=1", host: "other.localhost")
    var request = WebRequest(url: url)
    request.checksCertificate = false
    #expect(try WebAnswer(to: request, limits: NetworkLimits()).body == pattern(3))
    #expect(try #require(distrust(url, nil)).contains("certificate"))
  }
}

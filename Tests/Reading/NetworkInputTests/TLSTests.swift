import Foundation
import NetworkInput
import Testing

/// A certificate for 127.0.0.1 and `localhost` that nobody vouches for but itself, with its key.
private enum Certificate {
  /// The file of both; `nil` where OpenSSL's command is not there to make it.
  static let path: String? = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cuelight-tls-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: (Certificate.path ?? "/nowhere/at-all") + "/..") }
    let path = folder.appending(path: "both.pem").path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path, "-out", path,
      "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? path : nil
  }()

  static let server = path.flatMap { try? HostileServer(arguments: ["--certificate", $0], isSecure: true) }
}

@Suite(.enabled(if: Certificate.server != nil, "openssl is not installed: apt-get install openssl"))
struct TLSTests {
  private let server: HostileServer
  private let certificate: String

  init() throws {
    server = try #require(Certificate.server)
    certificate = try #require(Certificate.path)
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

  private func untrusted(_ host: String) -> NetworkInputError.Reason {
    .connection("connecting to \(host):\(server.port): there is no host of this name, or its certificate is not valid and trusted")
  }

  @Test func trustsNobodyByDefault() {
    let url = server.url("/bytes/1")
    let reason = untrusted("127.0.0.1")
    #expect(load(url) == .failure(NetworkInputError(url: url, reason: reason)))
    #expect(load(url, authorities: "/nowhere/at-all") == .failure(NetworkInputError(url: url, reason: reason)))
  }

  @Test func refusesACertificateForAnotherHost() {
    // 127.1 is the same address under a name that the certificate does not have.
    let url = server.url("/bytes/1", host: "127.1")
    #expect(load(url, authorities: certificate) == .failure(NetworkInputError(url: url, reason: untrusted("127.1"))))
  }
}

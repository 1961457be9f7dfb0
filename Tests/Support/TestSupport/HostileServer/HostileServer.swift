import Foundation

/// A web server that misbehaves as the query says: `hostile_server.py`, which tells how. It ends with its owner, or with the tests.
package final class HostileServer: Sendable {
  // A class: several tests share a server. Its standard input is closed when it goes, or when the tests end, however they end.
  private let process: ChildProcess
  private let isSecure: Bool
  /// The port at which it listens, of 127.0.0.1.
  package let port: Int

  /// Why a server cannot be started.
  package enum Failure: Error {
    /// The script gave no port.
    case noPort
  }

  /// Whether servers can be started: they need `python3`.
  package static let isAvailable: Bool = {
    // Requests must not go through a proxy. This is set before the first test makes a request.
    _ = unsafe setenv("no_proxy", "*", 1)
    return Programs.run("python3", ["--version"]) != nil
  }()

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - arguments: Those of the script.
  ///   - script: Another server beside this file, such as `trivia_server.py`, the stand-in for Open Trivia DB.
  ///   - isSecure: Whether the URLs are to be those of https, for which the arguments name a certificate.
  package init(_ arguments: String..., script: String = "hostile_server.py", isSecure: Bool = false) throws {
    guard Self.isAvailable else { throw Failure.noPort }
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script).path
    process = try ChildProcess("python3", ["-B", script] + arguments, input: .pipe, output: .pipe, errors: .inherited)
    self.isSecure = isSecure
    let line = String(decoding: process.output?.availableData ?? Data(), as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure.noPort }
    self.port = port
  }

  /// The URL of a target, which begins with a slash.
  package func url(_ target: String, host: String = "127.0.0.1") -> String { "\(isSecure ? "https" : "http")://\(host):\(port)\(target)" }
}

/// A certificate for 127.0.0.1 and `localhost` that nobody vouches for but itself.
package enum HostileCertificate {
  private static let folder = FileManager.default.temporaryDirectory
    .appending(path: "cuelight-tls-\(ProcessInfo.processInfo.processIdentifier)")

  /// The file of the certificate and its key; `nil` where OpenSSL's command is not there to make it.
  package static let path: String? = {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: HostileCertificate.folder) }
    let path = folder.appending(path: "both.pem").path
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path, "-out", path,
      "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    return Programs.run("openssl", arguments) == nil ? nil : path
  }()
}

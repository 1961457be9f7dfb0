import ArgumentParser
import CommandSupport
import Foundation
import HTTPClient
import Terminal
import WebSupport

/// The options of `cuelight-server health`.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server health",
    abstract: "Ask a server on this machine whether it lives: status 0 if it does, and 1 otherwise.",
    discussion: """
      The answer is that of /healthz. Containers run this again and again, and start a server anew that has hung. Several servers may be asked: the \
      addresses here, the one of --config, and those that CUELIGHT_HEALTH has, with spaces between them. Without any, the servers of live (port 8080) \
      and serve (port 8090) are asked. One of them must live.

      A certificate is not checked for the address of --config and for 127.0.0.1, ::1 and localhost, since nobody else can answer there, and since \
      certificates have other names.

      Example:
        cuelight-server health http://127.0.0.1:8090
        cuelight-server health --config /etc/cuelight/cuelight.yaml
      """)

  @Argument(help: "The addresses of servers, such as http://127.0.0.1:8080; one of them must live.")
  var address: [String] = []

  @Option(
    help: ArgumentHelp(
      "The configuration with which a server runs on this machine: it is asked where \"listen\" says, over TLS if it has \"tls\".",
      valueName: "file"))
  var config: String?

  /// A server whose health is checked.
  private struct Target {
    var address: String
    var checksCertificate: Bool
  }

  /// The ports of `live` and `serve`.
  private static let usual = ["http://127.0.0.1:8080", "http://127.0.0.1:8090"]
  private static let limits = NetworkLimits(bytes: 64 << 10, time: .seconds(5), connecting: .seconds(2), redirects: 0)

  func validate() throws {
    for address in address where !address.hasPrefix("http://") && !address.hasPrefix("https://") {
      throw ValidationError("An address begins with http:// or https://, and \(address) does not.")
    }
  }

  /// Asks the servers.
  ///
  /// - Throws: `CommandFailure` if none of them lives.
  func check() throws(CommandFailure) {
    let named = ProcessInfo.processInfo.environment["CUELIGHT_HEALTH"]?.split(separator: " ").map { String($0) } ?? []
    let addresses = address + named
    var problems: [String] = []
    var targets = (addresses.isEmpty && config == nil ? Self.usual : addresses).map {
      Target(address: $0, checksCertificate: !Self.isLoopback($0))
    }
    if let config {
      do throws(CommandFailure) {
        targets.append(try Self.target(ofConfiguration: config))
      } catch {
        guard !targets.isEmpty else { throw error }
        problems.append(error.message ?? "")
      }
    }
    for target in targets {
      guard let problem = try Self.problem(of: target) else { return try StandardOutput.write(["\(target.address) lives"]) }
      problems.append(problem)
    }
    throw CommandFailure(problems.joined(separator: "\n"), status: 1)
  }

  /// Why a server does not live; `nil` if it does.
  ///
  /// - Throws: `CommandFailure` if no server can be asked.
  private static func problem(of target: Target) throws(CommandFailure) -> String? {
    let base = target.address.hasSuffix("/") ? String(target.address.dropLast()) : target.address
    var request = WebRequest(url: "\(base)/healthz")
    request.checksCertificate = target.checksCertificate
    do throws(NetworkInputError) {
      let status = try WebAnswer(to: request, limits: limits) { Interruption.isRequested }.status
      return status == 200 ? nil : "\(target.address): the answer has status \(status)"
    } catch {
      let failure = CommandFailure(error)
      if [CommandFailure.libraryMissing, CommandFailure.interrupted].contains(failure.status) { throw failure }
      return "\(error)"
    }
  }

  /// The server that runs a configuration on this machine. Mistakes in its streams and games do not matter: they do not end a server that runs.
  private static func target(ofConfiguration path: String) throws(CommandFailure) -> Target {
    let process = try LoadedConfiguration.process(path: path)
    guard let place = process.place, place.port != 0 else {
      throw CommandFailure(invalid: "\(path): \"listen\" has port 0, which is any that is free; name the port")
    }
    return Target(address: process.host.connection.reach(place.host, place.port).own, checksCertificate: false)
  }

  /// Whether only this machine can answer at an address.
  private static func isLoopback(_ address: String) -> Bool {
    guard let start = address.range(of: "://")?.upperBound else { return false }
    return APIRequest.isLocalName(String(address[start...].prefix { !"/?#".contains($0) }))
  }
}

import ArgumentParser
import CommandSupport
import Foundation
import HTTPClient
import Terminal

/// The options of `cuelight-server health`.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server health",
    abstract: "Ask a server on this machine whether it lives: status 0 if it does, and 1 otherwise.",
    discussion: """
      The answer is that of /healthz. Containers run this again and again, and start a server anew that has hung. Without an address the servers of \
      live (port 8080) and serve (port 8090) are asked; CUELIGHT_HEALTH may have addresses, too, with spaces between them.

      Example:
        cuelight-server health http://127.0.0.1:8090
      """)

  @Argument(help: "The addresses of servers, such as http://127.0.0.1:8080; one of them must live.")
  var address: [String] = []

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
    let addresses = [address, named, Self.usual].first { !$0.isEmpty } ?? []
    var problems: [String] = []
    for address in addresses {
      let request = WebRequest(url: "\(address.hasSuffix("/") ? String(address.dropLast()) : address)/healthz")
      let status: Int
      do throws(NetworkInputError) {
        status = try WebAnswer(to: request, limits: Self.limits) { Interruption.isRequested }.status
      } catch {
        let failure = CommandFailure(error)
        if [CommandFailure.libraryMissing, CommandFailure.interrupted].contains(failure.status) { throw failure }
        problems.append("\(error)")
        continue
      }
      guard status != 200 else { return try StandardOutput.write(["\(address) lives"]) }
      problems.append("\(address): the answer has status \(status)")
    }
    throw CommandFailure(problems.joined(separator: "\n"), status: 1)
  }
}

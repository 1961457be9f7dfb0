import ArgumentParser

/// A command of a server, which listens on an address.
protocol ListeningCommand {
  /// The address and the port, as the user gave them.
  var listen: String { get }
}

extension ListeningCommand {
  /// The address and the port to listen on.
  var place: (host: String, port: Int)? { ListenAddress.parse(listen) }

  /// - Throws: `ValidationError` if the user gave something else than an address and a port.
  func requirePlace() throws {
    guard place.map({ !$0.host.isEmpty }) ?? false else { throw ValidationError("--listen takes HOST:PORT, not \(listen).") }
  }
}

/// The addresses that servers listen on.
enum ListenAddress {
  /// The addresses by which people reach a server.
  struct Reach: Equatable {
    var host: String
    var port: Int
    var scheme: String
    /// The names in its certificate.
    var names: [String]

    init(host: String, port: Int, scheme: String = "http", names: [String] = []) {
      (self.host, self.port, self.scheme, self.names) = (host, port, scheme, names)
    }

    /// Where the server listens.
    var listening: String { address(of: host) }

    /// The address by which programs on this machine reach it.
    var own: String { address(of: isEverywhere ? (host == "::" ? "::1" : "127.0.0.1") : host) }

    /// Whether it listens on all addresses of the machine.
    var isEverywhere: Bool { ListenAddress.isEverywhere(host) }

    /// Whether only this machine can reach it.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The address for people: one that a phone can open.
    ///
    /// - Parameter machine: The address of this machine in its network.
    func address(machine: String?) -> String {
      if let name = names.first, isEverywhere { return address(of: name) }
      return isEverywhere ? address(of: machine ?? "localhost") : listening
    }

    /// How phones can reach the server if only this machine can; `nil` if they can already.
    func hint(machine: String?) -> String? {
      guard isLoopback else { return nil }
      let example = machine.map { ", as \(address(of: $0))" } ?? ""
      return "only this machine reaches \(listening); phones in the same network get in with --listen 0.0.0.0:\(port)\(example)"
    }

    func address(of host: String) -> String { "\(scheme)://\(ListenAddress.bracketed(host)):\(port)" }
  }

  /// Whether a host stands for all addresses of the machine.
  static func isEverywhere(_ host: String) -> Bool { ["0.0.0.0", "::"].contains(host) }

  /// A host in the form for URLs.
  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  /// The host and the port of a text such as `127.0.0.1:8080` or `[::1]:8080`.
  static func parse(_ text: String) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port) else {
      return nil
    }
    let host = text[..<colon]
    return (host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host), port)
  }
}

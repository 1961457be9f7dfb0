/// Which addresses are those of proxies that are trusted to say where a call comes from.
package struct TrustedProxies: Sendable {
  private let networks: [IPNetwork]

  /// - Parameter texts: Addresses, such as `127.0.0.1`, or networks, such as `10.0.0.0/8`; what is neither is left out.
  package init(_ texts: [String]) { networks = texts.compactMap { IPNetwork($0) } }

  /// Whether a text is an address or a network.
  package static func isAddress(_ text: String) -> Bool { IPNetwork(text) != nil }

  /// Whether an address is that of a proxy.
  func contains(_ address: String) -> Bool {
    guard !networks.isEmpty, let address = IPAddress(address) else { return false }
    return networks.contains { $0.contains(address) }
  }

  /// Where a call comes from: the last address of `X-Forwarded-For` that is no trusted proxy, if the call came through one. If that is no address, the call
  /// is the proxy's own.
  ///
  /// - Parameters:
  ///   - remote: The address of the connection.
  ///   - forwarded: The field `X-Forwarded-For`.
  package func origin(remote: String?, forwarded: String?) -> String {
    let remote = remote.map { $0.hasPrefix("::ffff:") && $0.contains(".") ? String($0.dropFirst(7)) : $0 } ?? ""
    guard contains(remote), let forwarded else { return remote }
    let hops = forwarded.split(separator: ",").map { Self.withoutPort($0.filter { $0 != " " && $0 != "\t" }) }
    guard let origin = hops.last(where: { !contains($0) }), IPAddress(origin) != nil else { return remote }
    return origin
  }

  /// An address without the port that some proxies write: `192.0.2.1:80`, `[2001:db8::1]:80`.
  private static func withoutPort(_ hop: String) -> String {
    if hop.hasPrefix("[") { return String(hop.dropFirst().prefix { $0 != "]" }) }
    let parts = hop.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : hop
  }
}

/// The addresses of the proxies that are trusted to report the origin of a call.
package struct TrustedProxies: Sendable {
  private let networks: [IPNetwork]

  /// - Parameter texts: Addresses, such as `127.0.0.1`, or networks, such as `10.0.0.0/8`; other texts are ignored.
  package init(_ texts: [String]) { networks = texts.compactMap { IPNetwork($0) } }

  /// Whether a text is an address or a network.
  package static func isAddress(_ text: String) -> Bool { IPNetwork(text) != nil }

  /// Whether an address belongs to a proxy.
  func contains(_ address: String) -> Bool {
    guard !networks.isEmpty, let address = IPAddress(address) else { return false }
    return networks.contains { $0.contains(address) }
  }

  /// The origin of a call: the last address in `X-Forwarded-For` that is not a trusted proxy's, if the call came through one. If that is not an
  /// address, the proxy's own address.
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

  /// An address without the port that some proxies append: `192.0.2.1:80`, `[2001:db8::1]:80`.
  private static func withoutPort(_ hop: String) -> String {
    if hop.hasPrefix("[") { return String(hop.dropFirst().prefix { $0 != "]" }) }
    let parts = hop.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[0]) : hop
  }
}

package import HTTPTypes
import WebSupport

/// The origin of a request.
package struct Caller: Equatable, Sendable {
  /// The address, as reported by a trusted proxy if there is one.
  package var address: String
  /// Whether a program on this machine makes the request. A request with a sign of a proxy is not local, even if the proxy runs on this machine.
  package var isLocal: Bool

  package init(address: String, isLocal: Bool) { (self.address, self.isLocal) = (address, isLocal) }

  /// - Parameters:
  ///   - remote: The address of the connection.
  ///   - isConnectionLocal: Whether the connection comes from this machine.
  ///   - host: The requested host.
  package init(_ headers: HTTPFields, host: String?, remote: String?, isConnectionLocal: Bool, _ proxies: TrustedProxies) {
    let forwarded = HTTPField.Name("X-Forwarded-For").flatMap { headers[$0] }
    address = proxies.origin(remote: remote, forwarded: forwarded)
    let isProxied = Self.marks.contains { headers[$0] != nil } || remote.map { proxies.contains($0) } ?? false
    isLocal = isConnectionLocal && !isProxied && host.map { APIRequest.isLocalName($0) } ?? true
  }

  /// The fields that proxies add.
  private static let marks = ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"].compactMap {
    HTTPField.Name($0)
  }
}

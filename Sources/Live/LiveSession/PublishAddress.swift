import HLSPlaylist

/// Where publishers connect: `rtmp://HOST:PORT/APPLICATION`.
package struct PublishAddress: Hashable, Sendable {
  /// A host, by its name or number, and a port.
  package struct Place: Hashable, Sendable {
    package var host: String
    package var port: Int
  }

  /// Where the server listens.
  package var place: Place
  /// The application that publishers name.
  package var application: String

  /// The port of RTMP.
  private static let usualPort = 1_935
  private static let usualApplication = "live"

  /// The address of a URL; `nil` for another scheme, and for a URL with a user, a query or a fragment.
  package init?(_ text: String) {
    let reference = URIReference(text)
    guard reference.scheme?.lowercased() == "rtmp", let authority = reference.authority, reference.query == nil, reference.fragment == nil,
      !authority.utf8.contains(UInt8(ascii: "@"))
    else { return nil }
    let end = authority.last == "]" ? nil : authority.lastIndex(of: ":")
    let host = end.map { authority[..<$0] } ?? authority[...]
    let port = end.map { Int(authority[authority.index(after: $0)...]) } ?? Self.usualPort
    guard !host.isEmpty, let port, (0...65_535).contains(port) else { return nil }
    let isNumber = host.first == "[" && host.last == "]"
    place = Place(host: isNumber ? String(host.dropFirst().dropLast()) : String(host), port: port)
    let parts = reference.path.split(separator: "/")
    application = parts.isEmpty ? Self.usualApplication : parts.joined(separator: "/")
  }

  /// The address in messages.
  package var text: String {
    "rtmp://\(place.host.contains(":") ? "[\(place.host)]" : place.host):\(place.port)/\(application)"
  }
}

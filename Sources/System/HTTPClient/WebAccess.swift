internal import HLSPlaylist

/// Header fields of requests to one origin, such as those that say who asks. No other origin receives them: not after a redirection, and not
/// for resources that a playlist names elsewhere.
package struct WebAccess: Equatable, Sendable {
  private var origin: String?
  private var fields: [WebRequest.Field] = []

  /// No fields.
  package init() {}

  /// Fields for the origin of a URL (RFC 6454, 4): its scheme, server and port.
  package init(_ fields: [WebRequest.Field], for url: String) { (origin, self.fields) = (Self.origin(of: url), fields) }

  /// Whether there are none.
  package var isEmpty: Bool { fields.isEmpty }

  /// The fields of a request for a URL: none if it is of another origin.
  package func fields(for url: String) -> [WebRequest.Field] { origin != nil && Self.origin(of: url) == origin ? fields : [] }

  /// The origin of a URL in lower case and without the usual port; `nil` if it names no server.
  private static func origin(of url: String) -> String? {
    guard let origin = URIReference(url).origin?.lowercased() else { return nil }
    for (scheme, port) in [("http:", ":80"), ("https:", ":443")] where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
      return String(origin.dropLast(port.count))
    }
    return origin
  }
}

import Basics
import HLSPlaylist

/// The address of a live stream: its server, and its name there.
package struct StreamAddress: Equatable, Sendable {
  /// The server's URL, without a slash at its end.
  package let server: String
  /// The stream's name.
  package let name: String

  /// The defaults of a session.
  package static let usual = "http://127.0.0.1:8080"
  private static let usualName = "live"
  private static let streams = "/v1/streams"

  /// Why a text is no stream's address, in words.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// An address from the URL of a server, or from that of a stream, `http://HOST/v1/streams/NAME`, also with a proxy's path in front.
  package init(_ url: String) throws(Mistake) {
    let reference = URIReference(url)
    guard ["http", "https"].contains(reference.scheme?.lowercased()), let authority = reference.authority, !authority.isEmpty else {
      throw Mistake(description: "the server is a URL such as \(Self.usual), not \(url.quotedURL)")
    }
    guard !authority.utf8.contains(UInt8(ascii: "@")), reference.query == nil, reference.fragment == nil else {
      throw Mistake(description: "the server is a URL without a user, ? and #; a token comes from a file or the environment")
    }
    guard Self.hasPort(authority) else {
      throw Mistake(description: "a port is a number from 1 to 65535, and that of \(url.quotedURL) is not")
    }
    var path = reference.path[...]
    while path.last == "/" { path = path.dropLast() }
    if let range = path.firstRange(of: Self.streams), range.upperBound == path.endIndex || path[range.upperBound] == "/" {
      let parts = path[range.upperBound...].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      guard parts.count == 1, let name = parts.first?.removingPercentEncoding, !name.isEmpty else {
        throw Mistake(description: "the URL of a stream ends with \(Self.streams)/NAME, and \(url.quotedURL) does not")
      }
      self.name = name
      path = path[..<range.lowerBound]
    } else {
      name = Self.usualName
    }
    server = "\(reference.scheme ?? "")://\(authority)\(path)"
  }

  /// Whether an authority has a valid port, or none.
  private static func hasPort(_ authority: String) -> Bool {
    // An IPv6 address has colons of its own, in brackets.
    let host = authority.lastIndex(of: "]").map { authority[authority.index(after: $0)...] } ?? authority[...]
    guard let colon = host.lastIndex(of: ":") else { return true }
    let port = host[host.index(after: colon)...]
    return port.isEmpty || (port.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(port).map { (1...65_535).contains($0) } ?? false)
  }

  /// Where pages that play a presentation report what they show.
  ///
  /// - Parameter presentation: The address of a playlist, relative to the server of the page or with a host.
  /// - Returns: `nil` if the address is not one that this project's live server has.
  package static func reports(of presentation: String) -> String? {
    let parts = presentation.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first, let range = path.firstRange(of: "/live/") else { return nil }
    let names = path[range.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(names.count), let name = names.first, !name.isEmpty else { return nil }
    return "\(path[..<range.lowerBound])\(streams)/\(name)/cmcd\(parts.count > 1 ? "?\(parts[1])" : "")"
  }

  /// The URL of a call.
  ///
  /// - Parameters:
  ///   - guid: The event's identifier.
  ///   - waits: Whether the server answers once the event is in the stream.
  package func url(of endpoint: Endpoint, guid: String? = nil, waits: Bool = false) -> String {
    var parts = ["stream": name]
    if let guid { parts["guid"] = guid }
    return server + endpoint.route.path(parts) + (waits ? "?wait=placed" : "")
  }
}

extension String {
  /// The URL without parts that may be secret: the user, the query and the fragment.
  fileprivate var quotedURL: String {
    var reference = URIReference(self)
    (reference.query, reference.fragment) = (nil, nil)
    if let authority = reference.authority, let at = authority.lastIndex(of: "@") {
      reference.authority = String(authority[authority.index(after: at)...])
    }
    return "\"\(reference.text)\""
  }
}

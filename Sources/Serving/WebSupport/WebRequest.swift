import Basics
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// The properties of a request besides its content.
package struct WebContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  package let remoteAddress: SocketAddress?

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    remoteAddress = source.channel.remoteAddress
  }

  /// Whether the request comes from this machine.
  package var isLocal: Bool { remoteAddress?.isLocal ?? true }
}

extension SocketAddress {
  /// Whether it is an address of this machine.
  package var isLocal: Bool {
    guard let address = ipAddress else { return true }
    return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }
}

/// A request, reduced to what the interface uses.
package struct APIRequest: Sendable {
  package var method: String
  package var path: String
  package var query: [String: String] = [:]
  package var token: String?
  /// The value of the header field `metadata-api-key`.
  package var apiKey: String?
  /// The credentials of basic authentication: user, colon and password.
  package var basicCredentials: String?
  package var origin: String?
  package var host: String?
  package var contentType: String?
  package var idempotencyKey: String?
  package var lastEventID: Int?
  /// Whether the request comes from this machine.
  package var isLocal: Bool

  package init(method: String, path: String, isLocal: Bool) { (self.method, self.path, self.isLocal) = (method, path, isLocal) }

  /// Whether a host is a name by which only this machine calls itself: a foreign name may have been pointed to this machine, for a page in a browser.
  package static func isLocalName(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? String(host.prefix { $0 != "]" }) + "]" : String(host.prefix { $0 != ":" })
    let isLoopbackAddress = name.hasPrefix("127.") && name.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    return ["localhost", "[::1]"].contains(name) || isLoopbackAddress
  }
}

extension APIRequest {
  package init(_ request: Request, isLocal: Bool) {
    self.init(method: request.method.rawValue, path: request.uri.path, isLocal: isLocal)
    query = request.queryParts
    if let value = request.headers[.authorization], value.lowercased().hasPrefix("basic ") {
      basicCredentials = Base64.decode(value.dropFirst(6).utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
    apiKey = HTTPField.Name("metadata-api-key").flatMap { request.headers[$0] }
    // Players and EventSource cannot send header fields of their own.
    token = request.headers.bearerToken ?? query["token"]
    origin = request.headers[.origin]
    host = request.host
    contentType = request.headers[.contentType]?.lowercased()
    idempotencyKey = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
    lastEventID = request.headers.lastEventID
  }
}

extension HTTPFields {
  /// The token of a request (RFC 6750, 2.1).
  package var bearerToken: String? {
    guard let value = self[.authorization] else { return nil }
    let bytes = value.utf8
    guard bytes.count > 7, bytes.prefix(7).map(\.asciiLowercased).elementsEqual("bearer ".utf8) else { return nil }
    return String(value.dropFirst(7))
  }
  /// The number of the last message that a listener has received, at most 2^53, which every client can represent. Anything else counts as no number.
  package var lastEventID: Int? {
    HTTPField.Name("Last-Event-ID").flatMap { self[$0] }.flatMap { Int($0, in: .counts) }
  }
}

extension Request {
  /// The parts of the query, decoded, by their names; if a name is repeated, the last one.
  package var queryParts: [String: String] {
    var parts: [String: String] = [:]
    for part in (uri.query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let key = pair.first?.removingPercentEncoding else { continue }
      parts[key] = pair.count > 1 ? pair[1].removingPercentEncoding ?? "" : ""
    }
    return parts
  }

  /// The requested bytes. It is unknown whether the resource is the one from which an earlier part came, so that If-Range asks for all of it.
  package var range: String? { headers[.ifRange] == nil ? headers[.range] : nil }

  /// The requested host, as the client says it.
  package var host: String? { head.authority ?? HTTPField.Name("Host").flatMap { headers[$0] } }

  /// Reads the body of a request.
  ///
  /// - Throws: `Problem` if the body has more bytes than `limit`, or is incomplete.
  package func contents(limit: Int) async throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in body {
        guard bytes.count + part.readableBytes <= limit else { throw Problem.tooLarge(limit) }
        bytes += part.readableBytesView
      }
    } catch let error as Problem {
      throw error
    } catch {
      throw Problem("invalid", .badRequest, "the request ended too early")
    }
    return bytes
  }
}

extension [UInt8] {
  /// The text of a request's body.
  ///
  /// - Throws: `Problem` if the text is not UTF-8.
  package func requestText() throws(Problem) -> String {
    guard let text = String(validating: self, as: UTF8.self) else {
      throw Problem("invalid", .unprocessableContent, "the request is not UTF-8")
    }
    return text
  }
}

/// A request to a web server, with its content (RFC 9110, 9).
package struct WebRequest: Equatable, Sendable {
  /// The method.
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// A header field.
  package struct Field: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// The Authorization field with a bearer token (RFC 6750, 2.1).
    package static func authorization(bearer token: String) -> Field { Field("Authorization", "Bearer \(token)") }

  }

  package var method: Method
  /// A URL of http or https.
  package var url: String
  package var fields: [Field]
  /// The content that `post` and `put` send; the other methods send none.
  package var body: [UInt8]
  /// Further fields, which are sent to one origin alone. The others are sent wherever redirections lead.
  package var access: WebAccess
  /// Whether the certificate of the server is checked: whether an authority vouches for it, and whether it has the host's name. Only a server that
  /// nobody else can stand in for needs no check.
  package var checksCertificate = true

  package init(_ method: Method = .get, url: String, fields: [Field] = [], body: [UInt8] = [], access: WebAccess = WebAccess()) {
    (self.method, self.url, self.fields, self.body, self.access) = (method, url, fields, body, access)
  }

  /// Whether libcurl follows redirections. It would send fields that are for one origin to others too, and no content to the second address.
  var isRedirectedByLibrary: Bool { access.isEmpty && method == .get }
}

/// A complete response, whatever its status.
package struct WebAnswer: Equatable, Sendable {
  private var head: AnswerHead
  /// The content, not decoded.
  package var body: [UInt8]

  /// The status code (RFC 9110, 15).
  package var status: Int { head.status }

  /// The value of the last header field of this name; the name must be in lower case.
  package subscript(name: String) -> String? { head[name] }

  /// Sends a request once, and receives the complete response.
  ///
  /// - Parameters:
  ///   - limits: The limits; `bytes` applies to the content.
  ///   - isInterrupted: Asked ten times a second and more; once it returns `true`, the work ends with `interrupted`.
  /// - Throws: ``NetworkInputError`` if there is no complete response. No status is an error.
  package init(
    to request: WebRequest, limits: NetworkLimits, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(NetworkInputError) {
    self = try NetworkInput.naming(request.url, try Self.receive(request, limits, on: nil, isInterrupted))
  }

  /// Sends a request over a connection that is kept, as ``init(to:limits:isInterrupted:)`` does.
  package init(
    to request: WebRequest, over connection: WebConnection, limits: NetworkLimits,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(NetworkInputError) {
    self = try NetworkInput.naming(request.url, try Self.receive(request, limits, on: connection, isInterrupted))
  }

  private init(head: AnswerHead, body: [UInt8]) { (self.head, self.body) = (head, body) }

  private static func receive(
    _ request: WebRequest, _ limits: NetworkLimits, on connection: WebConnection?, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(NetworkInputError.Reason) -> WebAnswer {
    let multi = if let connection { try connection.multiHandle() } else { try MultiHandle() }
    var transfer = try CurlTransfer(starting: request, limits: limits, on: multi, isInterrupted: isInterrupted)
    try transfer.awaitHead()
    let length = transfer.contentLength
    guard length ?? 0 <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
    var body: [UInt8] = []
    do throws(NetworkInputError.Reason) {
      while try transfer.fill() {
        body += transfer.content
        guard body.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
      }
    } catch {
      // The transfer does not count.
      if case .cutOff = error { throw .cutOff(received: body.count, expected: length) }
      throw error
    }
    return WebAnswer(head: transfer.head, body: body)
  }
}

/// Why a resource could not be read from the network.
package struct NetworkInputError: Error, Equatable, Sendable {
  /// The URL that was requested, before any redirection.
  package var url: String
  /// What was wrong.
  package var reason: Reason

  package init(url: String, reason: Reason) { (self.url, self.reason) = (url, reason) }

  /// What was wrong.
  package enum Reason: Error, Equatable, Sendable {
    /// The URL, or the one that a redirection leads to, is neither http nor https; the scheme is empty if it has none.
    case unsupportedScheme(String)
    /// The URL, or the one that a redirection leads to, names no server, or a user.
    case invalidURL
    /// The header field of this name would have a character that ends it.
    case invalidField(String)
    /// The requested range is empty, or ends beyond what can be counted.
    case invalidRange
    /// The server does not have it: status 404 or 410.
    case notFound(status: Int)
    /// The server refused the request: any other status of 400 to 499.
    case refused(status: Int)
    /// The server failed: a status of 500 to 599.
    case server(status: Int)
    /// The server answered with another status that does not mean success.
    case unexpected(status: Int)
    /// There were more redirections than the limit.
    case tooManyRedirects(limit: Int)
    /// The response violates HTTP.
    case malformed(Fault)
    /// A time limit was exceeded.
    case timedOut(Wait)
    /// The response ended early, or was damaged, after `received` of `expected` bytes, as far as these are known.
    case cutOff(received: Int, expected: Int?)
    /// The resource is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// `isInterrupted` has returned `true`: the user has interrupted.
    case interrupted
    /// The connection was not made, or broke; the text says what failed.
    case connection(String)
    /// The server's certificate is not valid for its name, or not signed by a trusted authority; the text says which.
    case untrusted(String)
    /// libcurl is not available; the text says what is missing and what to do.
    case libraryMissing(String)
  }

  /// What did not arrive in time.
  package enum Wait: String, Sendable {
    /// The connection.
    case connection = "there was no connection in time"
    /// The header of the response.
    case head = "the header of the server's answer did not end in time"
    /// The next bytes.
    case bytes = "the server fell silent"
    /// The end.
    case end = "it took too long as a whole"
  }

  /// How a response violates HTTP, or uses what is not supported.
  package enum Fault: Equatable, Sendable {
    /// It does not begin with an HTTP status line.
    case statusLine
    /// The head is longer than the limit.
    case head
    /// Several lengths, or one that is not a number of bytes.
    case contentLength
    /// Another transfer coding than chunked.
    case transferEncoding
    /// The content is compressed, which was not requested.
    case contentEncoding
    /// Another range of the resource than the requested one.
    case range
    /// A redirection without a destination.
    case location
    /// Anything else, with libcurl's text.
    case other(String)
  }

  /// Whether the server says that the resource does not exist.
  package var isMissing: Bool {
    if case .notFound = reason { true } else { false }
  }

  /// Whether the same request may succeed later.
  package var isWorthRetrying: Bool {
    switch reason {
    case .server, .timedOut, .cutOff, .connection: true
    // The server asks for another try: it waited too long, it is too early, or there were too many requests.
    case .refused(let status): [408, 425, 429].contains(status)
    case .unsupportedScheme, .invalidURL, .invalidField, .invalidRange, .notFound, .unexpected, .tooManyRedirects, .malformed, .tooLarge,
      .interrupted, .untrusted, .libraryMissing:
      false
    }
  }
}

extension NetworkInputError.Reason {
  /// The reason for a status that does not mean success (RFC 9110, 15).
  package init(status: Int) {
    switch status {
    // A redirection with a destination was followed.
    case 301...303, 307...308: self = .malformed(.location)
    case 404, 410: self = .notFound(status: status)
    case 400..<500: self = .refused(status: status)
    case 500..<600: self = .server(status: status)
    default: self = .unexpected(status: status)
    }
  }
}

extension NetworkInputError: CustomStringConvertible {
  /// The error in words, for example `http://example.com/a.ts: the server does not have it (HTTP 404)`.
  package var description: String { reason == .interrupted ? "interrupted" : "\(url): \(reason)" }
}

extension NetworkInputError.Reason: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .unsupportedScheme(""): "is not an http or https URL"
    case .unsupportedScheme(let scheme): "leads to \(scheme):, which is neither http nor https"
    case .invalidURL: "is not the URL of a server (user names and passwords are not supported)"
    case .invalidField(let name): "the header field \(name) has a line break or another character that it cannot have"
    case .invalidRange: "the requested range is empty or too large"
    case .notFound(let status): "the server does not have it (HTTP \(status))"
    case .refused(let status): "the server refuses it (HTTP \(status))"
    case .server(let status): "the server failed (HTTP \(status))"
    case .unexpected(let status): "the server's answer is of no use here (HTTP \(status))"
    case .tooManyRedirects(0): "it is redirected, which is not followed here"
    case .tooManyRedirects(let limit): "it is redirected more than \(limit) times"
    case .malformed(let fault): "the server's answer is not understood: \(fault)"
    case .timedOut(let wait): wait.rawValue
    case .cutOff(let received, let expected?): "the answer was cut off after \(received) of \(expected) bytes"
    case .cutOff(let received, nil): "the answer was cut off after \(received) bytes"
    case .tooLarge(let limit): "it is larger than \(limit) bytes"
    case .interrupted: "interrupted"
    case .connection(let text): text
    case .untrusted(let text): "the server is not trusted: \(text)"
    case .libraryMissing(let text): text
    }
  }
}

extension NetworkInputError.Fault: CustomStringConvertible {
  /// The fault in words.
  package var description: String {
    switch self {
    case .statusLine: "it is not HTTP"
    case .head: "its header does not end"
    case .contentLength: "its length is ambiguous, or not a number"
    case .transferEncoding: "its transfer encoding is unknown"
    case .contentEncoding: "its content is encoded"
    case .range: "it is another range than the requested one"
    case .location: "it redirects to nowhere"
    case .other(let text): text
    }
  }
}

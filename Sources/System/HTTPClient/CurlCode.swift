internal import CCurl

extension NetworkInputError.Reason {
  /// The error for libcurl's code; `nil` for success.
  ///
  /// - Parameters:
  ///   - text: libcurl's error text.
  ///   - destination: The destination of a redirection that was not followed.
  ///   - isAnswered: Whether the head of the response has arrived.
  ///   - redirects: The number of redirections that are allowed.
  init?(_ code: CURLcode, text: String, destination: String?, isAnswered: Bool, redirects: Int) {
    switch code {
    case CURLE_OK:
      return nil
    case CURLE_UNSUPPORTED_PROTOCOL:
      // A response that does not begin with an HTTP status line has the same code.
      self = destination.map { .unsupportedScheme($0.prefix { $0 != ":" }.lowercased()) } ?? .malformed(.statusLine)
    case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED:
      self = .invalidURL
    case CURLE_TOO_MANY_REDIRECTS:
      self = .tooManyRedirects(limit: redirects)
    case CURLE_OPERATION_TIMEDOUT:
      // We set no other time limit of libcurl's.
      self = .timedOut(.connection)
    case CURLE_WEIRD_SERVER_REPLY:
      self = .malformed(.other(text))
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING:
      self = .cutOff(received: 0, expected: nil)
    case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = isAnswered ? .cutOff(received: 0, expected: nil) : .connection(text)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
      self = .untrusted(text)
    default:
      self = .connection(text)
    }
  }
}

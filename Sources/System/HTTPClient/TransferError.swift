internal import CCurl

/// Why a transfer ended early.
public enum TransferError: Error, Equatable, Sendable {
  /// The caller's interrupt check asked for the end.
  case interrupted
  /// The time was up for what was waited for.
  case timedOut(Wait)
  /// The URL, or the one that a redirection leads to, is neither http nor https; the scheme is empty where it has none.
  case unsupportedScheme(String)
  /// The URL, or the one that a redirection leads to, is damaged, or carries a user's name.
  case invalidURL
  /// There were more redirections than allowed.
  case tooManyRedirects
  /// The answer is not HTTP.
  case notHTTP
  /// The answer breaks the rules of HTTP; the text says where.
  case malformed(String)
  /// The answer's header fields are longer than allowed.
  case headTooLong
  /// The content is packed for the transfer, which was not asked for.
  case unknownTransferEncoding
  /// The answer ended early, or broke the rules behind its head.
  case cutOff
  /// The server's certificate is not valid for its name, or nobody who is trusted vouches for it; the text says which.
  case untrusted(String)
  /// The connection was not made, or broke, or libcurl failed; the text says how.
  case failed(String)
  /// There is no libcurl; the text says what is missing and what to do.
  case libraryMissing(String)

  /// What was waited for in vain.
  public enum Wait: Sendable {
    /// The connection.
    case connection
    /// The next bytes.
    case bytes
    /// The end.
    case end
  }
}

extension TransferError {
  /// What libcurl's code means; `nil` for success.
  ///
  /// - Parameters:
  ///   - text: libcurl's words.
  ///   - destination: Where a redirection leads that was not followed.
  ///   - isAnswered: Whether the answer's head has come.
  init?(_ code: CURLcode, text: String, destination: String?, isAnswered: Bool) {
    switch code {
    case CURLE_OK:
      return nil
    case CURLE_UNSUPPORTED_PROTOCOL:
      // An answer that does not begin with a status of HTTP has the same code.
      self = destination.map { .unsupportedScheme($0.prefix { $0 != ":" }.lowercased()) } ?? .notHTTP
    case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED:
      self = .invalidURL
    case CURLE_TOO_MANY_REDIRECTS:
      self = .tooManyRedirects
    case CURLE_OPERATION_TIMEDOUT:
      // No other time than that of connecting is left to libcurl.
      self = .timedOut(.connection)
    case CURLE_WEIRD_SERVER_REPLY:
      self = .malformed(text)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING:
      self = .cutOff
    case CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = isAnswered ? .cutOff : .failed(text)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
      self = .untrusted(text)
    default:
      self = .failed(text)
    }
  }
}

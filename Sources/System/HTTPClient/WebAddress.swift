internal import CCurl

/// An http or https URL as libcurl reads it (RFC 3986, and what is usual on the web).
struct WebAddress: Equatable {
  /// The URL; characters that are not allowed in one are percent-encoded.
  let url: String

  /// Checks a URL.
  ///
  /// - Throws: `unsupportedScheme` or `.invalidURL`.
  init(_ text: String, _ curl: CurlFunctions) throws(NetworkInputError.Reason) {
    // To C, a NUL is the end.
    guard !text.utf8.contains(0), let parts = unsafe curl.curl_url() else { throw .invalidURL }
    defer { unsafe curl.curl_url_cleanup(parts) }
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_DISALLOW_USER)
    // Unsafe: the text is copied.
    switch unsafe curl.curl_url_set(parts, CURLUPART_URL, text, flags) {
    case CURLUE_OK: break
    case CURLUE_BAD_SCHEME: throw .unsupportedScheme("")
    case CURLUE_UNSUPPORTED_SCHEME: throw .unsupportedScheme(text.prefix { $0 != ":" }.lowercased())
    default: throw .invalidURL
    }
    guard let scheme = unsafe Self.part(CURLUPART_SCHEME, of: parts, curl), let url = unsafe Self.part(CURLUPART_URL, of: parts, curl)
    else {
      throw .invalidURL
    }
    guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
    self.url = url
  }

  private static func part(_ part: CURLUPart, of parts: OpaquePointer, _ curl: CurlFunctions) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl.curl_url_get(parts, part, &text, 0) == CURLUE_OK, let found = unsafe text else { return nil }
    // Unsafe: the text is ours, and is freed once it is copied.
    defer { unsafe curl.curl_free(found) }
    return unsafe String(cString: found)
  }
}

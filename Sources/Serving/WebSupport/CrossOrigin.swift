package import HTTPTypes

extension HTTPFields {
  /// Lets pages of an origin read the response, with the header fields that calls of this project answer with (Fetch, section 3.3).
  package mutating func allowOrigin(_ origin: String) {
    self[.accessControlAllowOrigin] = origin
    self[.accessControlExposeHeaders] = "ETag, Location, Retry-After"
    self[.vary] = "Origin"
  }
}

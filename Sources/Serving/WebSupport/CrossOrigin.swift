package import HTTPTypes

extension HTTPFields {
  /// Lets pages of an origin read the response, including the header fields that the calls of this project use (Fetch, section 3.3).
  package mutating func allowOrigin(_ origin: String) {
    self[.accessControlAllowOrigin] = origin
    self[.accessControlExposeHeaders] = "ETag, Location, Retry-After"
    self[.vary] = "Origin"
  }
}

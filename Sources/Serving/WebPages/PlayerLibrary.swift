/// The library that plays HLS in browsers that cannot: hls.js, which is not a part of Cuelight.
package struct PlayerLibrary: Equatable, Sendable {
  /// The place of the library.
  package enum Place: Equatable, Sendable {
    /// This server has the file.
    case file([UInt8])
    /// Another server has the file.
    case address(String)
  }

  package var place: Place
  /// The digest that browsers compare it with, such as `sha384-…`; `nil` for none.
  package var integrity: String?
  /// Compressed forms of the same file.
  package var compressed: [ContentCoding: [UInt8]]

  package init(_ place: Place, integrity: String?, compressed: [ContentCoding: [UInt8]] = [:]) {
    (self.place, self.integrity, self.compressed) = (place, integrity, compressed)
  }

  /// Whether a text is the address of a file on another server, without characters that have another meaning in a page or its policy.
  package static func isAddress(_ text: String) -> Bool {
    text.wholeMatch(of: #/https?://[A-Za-z0-9\-._~:/%@+\[\]]*/#.matchingSemantics(.unicodeScalar)) != nil
  }

  /// Whether a text is an origin: a scheme, a host and perhaps a port.
  package static func isOrigin(_ text: String) -> Bool {
    let origin = #/https?://(?:\*\.)?(?:[A-Za-z0-9\-.]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?/#
    return text.wholeMatch(of: origin.matchingSemantics(.unicodeScalar)) != nil
  }

  /// Whether a text is the digest of a file in the form of Subresource Integrity.
  package static func isIntegrity(_ text: String) -> Bool {
    let hash = #/sha256-[A-Za-z0-9+/=]{44}|sha384-[A-Za-z0-9+/=]{64}|sha512-[A-Za-z0-9+/=]{88}/#
    return text.wholeMatch(of: hash.matchingSemantics(.unicodeScalar)) != nil
  }
}

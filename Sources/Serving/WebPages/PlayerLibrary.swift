import Basics

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
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || "-._~:/%@+[]".utf8.contains($0) }
  }

  /// Whether a text is the digest of a file in the form of Subresource Integrity.
  package static func isIntegrity(_ text: String) -> Bool {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let length = ["sha256": 44, "sha384": 64, "sha512": 88][String(parts[0])] else { return false }
    return parts[1].utf8.count == length && parts[1].utf8.allSatisfy { isAlphanumeric($0) || "+/=".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

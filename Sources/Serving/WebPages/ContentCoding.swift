/// How a file is compressed on its way to a browser (RFC 9110, 8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
  /// Brotli, which makes smaller files: the first coding that a browser accepts is used.
  case brotli = "br"
  case gzip

  /// The ending of the name of a file in this coding.
  package var ending: String {
    switch self {
    case .brotli: ".br"
    case .gzip: ".gz"
    }
  }

  /// Whether a browser accepts the coding, given its field Accept-Encoding.
  package func isAccepted(_ field: String) -> Bool {
    for entry in field.split(separator: ",") {
      let parts = entry.split(separator: ";", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard parts.first == rawValue else { continue }
      // A quality of 0 means that it is not accepted.
      guard parts.count == 2, parts[1].hasPrefix("q=") else { return true }
      return parts[1].dropFirst(2).contains { ("1"..."9").contains($0) }
    }
    return false
  }
}

/// The beginning of a server's answer: its status and the fields that matter here (RFC 9112, 4 and 5).
struct AnswerHead: Equatable {
  /// The part of a resource that an answer brings (RFC 9110, 14.4).
  struct Part: Equatable {
    var first: Int
    var last: Int
  }

  var status: Int
  /// `Content-Length`.
  var contentLength: Int?
  /// Whether the body comes in chunks.
  var isChunked = false
  /// `Content-Range`.
  var part: Part?
  /// Where a redirection leads.
  var location: String?

  /// Where the head of an answer ends: behind its first empty line. `nil` where there is none yet.
  ///
  /// - Parameter start: How many of the first bytes are known not to end it.
  static func end(in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n"), index > 0 {
        if bytes[index - 1] == UInt8(ascii: "\n") { return index + 1 }
        if bytes[index - 1] == UInt8(ascii: "\r"), index > 1, bytes[index - 2] == UInt8(ascii: "\n") { return index + 1 }
      }
      index += 1
    }
    return nil
  }
}

extension AnswerHead {
  /// Reads a head up to its empty line.
  ///
  /// - Throws: `malformed`.
  init(parsing bytes: ArraySlice<UInt8>) throws(NetworkInputError.Reason) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    guard let first = lines.first, let status = Self.status(first) else { throw .malformed(.statusLine) }
    self.init(status: status)
    lines.removeFirst()
    var isEncoded = false
    for line in lines where !line.isEmpty {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
      else { throw .malformed(.field) }
      let value = Self.trimmed(line[(colon + 1)...])
      switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
      case "content-length":
        guard let length = Decimal.integer(value), contentLength ?? length == length else { throw .malformed(.length) }
        contentLength = length
      case "transfer-encoding":
        guard !isChunked, String(decoding: value, as: UTF8.self).lowercased() == "chunked" else { throw .malformed(.transferEncoding) }
        isChunked = true
      case "content-encoding":
        isEncoded = String(decoding: value, as: UTF8.self).lowercased() != "identity"
      case "content-range":
        part = Self.part(value)
      case "location":
        location = String(decoding: value, as: UTF8.self)
      default: break
      }
    }
    // A length does not count beside chunks (RFC 9112, 6.3).
    if isChunked { contentLength = nil }
    // What was not asked for is not understood either. An error's page may be as it likes.
    if isEncoded, (200..<300).contains(status) { throw .malformed(.contentEncoding) }
  }

  /// `HTTP/1.1 200 OK`; the reason may be missing.
  private static func status(_ line: ArraySlice<UInt8>) -> Int? {
    let digits = line.dropFirst(9).prefix(3)
    guard line.starts(with: "HTTP/1.".utf8), line.count >= 12, line.dropFirst(8).first == UInt8(ascii: " "),
      (line.dropFirst(12).first ?? UInt8(ascii: " ")) == UInt8(ascii: " "), let status = Decimal.integer(digits), status >= 100
    else { return nil }
    return status
  }

  /// `bytes 0-99/200`; the size may be `*`, and does not matter.
  private static func part(_ value: ArraySlice<UInt8>) -> Part? {
    guard String(decoding: value.prefix(6), as: UTF8.self).lowercased() == "bytes " else { return nil }
    let bounds = trimmed(value.dropFirst(6).prefix { $0 != UInt8(ascii: "/") }).split(separator: UInt8(ascii: "-")).map(Decimal.integer)
    guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else { return nil }
    return Part(first: first, last: last)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

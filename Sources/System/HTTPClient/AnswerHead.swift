/// The head of a response: its status and its header fields (RFC 9110, 6.2 and 6.3).
struct AnswerHead: Equatable, Sendable {
  /// A header field.
  struct Field: Equatable, Sendable {
    /// Its name, in lower case.
    var name: String
    /// Its value, without the blanks around it.
    var value: String
  }

  /// The status code.
  fileprivate(set) var status = 0
  /// The fields, in order.
  fileprivate(set) var fields: [Field] = []

  /// The destination of a redirection; `nil` for other responses.
  var destination: String? {
    guard (300..<400).contains(status), let location = self["location"], !location.isEmpty else { return nil }
    return location
  }

  /// The value of the last field of this name; the name must be in lower case.
  subscript(name: String) -> String? { fields.last { $0.name == name }?.value }
}

/// Assembles heads from lines: interim responses, redirections and trailers are skipped.
struct HeadReader {
  /// The result of reading a line.
  enum Step: Equatable {
    /// More lines follow.
    case more
    /// The head is that of a redirection; another request follows.
    case redirected
    /// The head is complete.
    case complete
  }

  private(set) var head = AnswerHead()
  private(set) var isComplete = false
  /// The destination of the last redirection.
  private(set) var destination: String?
  private var size = 0
  private let limit: Int
  private let follows: Bool

  /// A reader before the first line.
  ///
  /// - Parameters:
  ///   - limit: How many bytes the lines may have, counted again after each redirection.
  ///   - follows: Whether libcurl follows redirections. Otherwise the head of a redirection is complete.
  init(limit: Int, follows: Bool = true) { (self.limit, self.follows) = (limit, follows) }

  /// Reads a line with its end.
  ///
  /// - Parameter status: The status of the response, if the line is the empty one at the end of the head.
  /// - Throws: `malformed` if the head is too long, the length is ambiguous, or the content has a coding that was not requested.
  mutating func read(_ line: [UInt8], status: Int) throws(NetworkInputError.Reason) -> Step {
    size += line.count
    guard size <= limit else { throw .malformed(.head) }
    // Lines after the head are trailers, which are not used.
    guard !isComplete else { return .more }
    let text = Self.trimmed(line[...])
    if text.isEmpty { return try end(status: status) }
    guard !text.starts(with: "HTTP/".utf8) else {
      head = AnswerHead()
      return .more
    }
    // Lines that are not fields are left to libcurl.
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return .more }
    let field = AnswerHead.Field(
      name: String(decoding: text[..<colon], as: UTF8.self).lowercased(),
      value: String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self))
    // libcurl would decompress any coding that it knows, and a few bytes could become very many.
    if field.name == "transfer-encoding", !["chunked", "identity"].contains(field.value.lowercased()) {
      throw .malformed(.transferEncoding)
    }
    head.fields.append(field)
    return .more
  }

  private mutating func end(status: Int) throws(NetworkInputError.Reason) -> Step {
    head.status = status
    switch status {
    case 100..<200:
      return .more
    // As libcurl does, which follows every status of this kind.
    case 300..<400 where follows && head.destination != nil:
      destination = head["location"]
      head = AnswerHead()
      size = 0
      return .redirected
    default:
      try checkLength()
      isComplete = true
      return .complete
    }
  }

  /// Refuses several lengths, and text that is not a length (RFC 9110, 8.6). libcurl would use the last length, or none.
  private func checkLength() throws(NetworkInputError.Reason) {
    let lengths = head.fields.filter { $0.name == "content-length" }.map { $0.value }
    guard let first = lengths.first else { return }
    let isNumber = !first.isEmpty && first.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(first) != nil
    guard isNumber, lengths.allSatisfy({ $0.utf8.elementsEqual(first.utf8) }) else { throw .malformed(.contentLength) }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}

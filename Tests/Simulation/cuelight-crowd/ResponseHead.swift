import Basics

/// Why bytes are no response that this program understands.
struct ResponseMistake: Error, Equatable, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The status line of a response, and what its fields say of the connection (RFC 9112).
struct ResponseHead: Equatable, Sendable {
  private(set) var status = 0
  /// How many bytes come behind.
  private(set) var bodyLength = 0
  /// Whether the server closes the connection after the response.
  private(set) var closes = false
  /// How many bytes the head itself has, with the empty line.
  private(set) var size = 0

  /// The longest head.
  private static let largest = 16 << 10

  /// Reads a head at the beginning of bytes; `nil` where it is not all there yet.
  ///
  /// - Throws: where it breaks the rules, or does not say how long the response is.
  init?(_ bytes: Span<UInt8>) throws(ResponseMistake) {
    var length: Int?
    var start = 0
    for index in 0..<min(bytes.count, Self.largest) {
      guard bytes[index] == UInt8(ascii: "\n") else { continue }
      guard index > start, bytes[index - 1] == UInt8(ascii: "\r") else { throw ResponseMistake("a line of a head ends with CR LF") }
      let line = bytes.extracting(start..<index - 1)
      if start == 0 {
        status = try Self.status(line)
      } else if line.isEmpty {
        size = index + 1
        // These have no body, and do not say so (RFC 9110, 6.4.1).
        guard let known = length ?? (status == 204 || status == 304 ? 0 : nil) else {
          throw ResponseMistake("a response of status \(status) without Content-Length")
        }
        bodyLength = known
        return
      } else {
        try readField(line, &length)
      }
      start = index + 1
    }
    guard bytes.count < Self.largest else { throw ResponseMistake("a head of more than \(Self.largest) bytes") }
    return nil
  }

  private static func status(_ line: Span<UInt8>) throws(ResponseMistake) -> Int {
    let mistake = ResponseMistake("a response begins with HTTP/1.1 and a status")
    guard line.count >= 12, line.extracting(0..<9).isText("http/1.1 ") else { throw mistake }
    var status = 0
    for index in 9..<12 {
      guard let digit = line[index].decimalDigit else { throw mistake }
      status = status * 10 + Int(digit)
    }
    guard (200...599).contains(status), line.count == 12 || line[12] == UInt8(ascii: " ") else { throw mistake }
    return status
  }

  private mutating func readField(_ line: Span<UInt8>, _ length: inout Int?) throws(ResponseMistake) {
    var colon = 0
    while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon > 0, colon < line.count, line[colon - 1] != UInt8(ascii: " ") else {
      throw ResponseMistake("a field has a name and a colon")
    }
    let name = line.extracting(0..<colon)
    var (first, end) = (colon + 1, line.count)
    while first < end, line[first] == UInt8(ascii: " ") || line[first] == UInt8(ascii: "\t") { first += 1 }
    while end > first, line[end - 1] == UInt8(ascii: " ") || line[end - 1] == UInt8(ascii: "\t") { end -= 1 }
    let value = line.extracting(first..<end)
    if name.isText("content-length") {
      guard length == nil else { throw ResponseMistake("Content-Length twice") }
      length = try Self.length(value)
    } else if name.isText("connection") {
      closes = value.isText("close")
    } else if name.isText("transfer-encoding") {
      throw ResponseMistake("a response in a transfer coding")
    }
  }

  private static func length(_ value: Span<UInt8>) throws(ResponseMistake) -> Int {
    guard (1...12).contains(value.count) else { throw ResponseMistake("Content-Length is a number") }
    var length = 0
    for index in value.indices {
      guard let digit = value[index].decimalDigit else { throw ResponseMistake("Content-Length is a number") }
      length = length * 10 + Int(digit)
    }
    return length
  }
}

extension Span<UInt8> {
  /// Whether the bytes are a text in lower case, whatever case they have themselves.
  fileprivate func isText(_ text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    var index = 0
    for byte in text.utf8 {
      guard self[index].asciiLowercased == byte else { return false }
      index += 1
    }
    return true
  }
}

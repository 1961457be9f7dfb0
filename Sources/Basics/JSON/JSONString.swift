/// Strings (RFC 8259, section 7).
extension JSONParser {
  /// Reads a string, from its opening quote to after its closing one.
  @_lifetime(self: copy self)
  mutating func parseString() throws(ParseError) -> String {
    position += 1
    let start = position
    skipPlainCharacters()
    if try nextByte() == UInt8(ascii: "\"") {
      // Most strings have no escapes and are read in one piece.
      let string = try text(in: start..<position)
      position += 1
      return string
    }
    return try parseStringWithEscapes(from: start)
  }

  @_lifetime(self: copy self)
  private mutating func parseStringWithEscapes(from start: Int) throws(ParseError) -> String {
    unescaped.removeAll(keepingCapacity: true)
    var runStart = start
    while true {
      let byte = try nextByte()
      guard byte >= 0x20 else { throw error(.invalid("a control character stands unescaped in a string")) }
      try requireUTF8(in: runStart..<position)
      for index in runStart..<position { unescaped.append(bytes[index]) }
      guard byte == UInt8(ascii: "\\") else { break }
      try parseEscape()
      runStart = position
      skipPlainCharacters()
    }
    position += 1
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Skips characters that need no escape, up to a quote, a backslash, a control character or the end.
  @_lifetime(self: copy self)
  private mutating func skipPlainCharacters() {
    var index = position
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      index += 1
    }
    position = index
  }

  /// Reads an escape, from its backslash on, into `unescaped`.
  @_lifetime(self: copy self)
  private mutating func parseEscape() throws(ParseError) {
    let start = position
    position += 1
    var byte = try nextByte()
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): break
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "f"): byte = 0x0C
    case UInt8(ascii: "n"): byte = 0x0A
    case UInt8(ascii: "r"): byte = 0x0D
    case UInt8(ascii: "t"): byte = 0x09
    case UInt8(ascii: "u"):
      position += 1
      return append(try parseScalar(escapedAt: start))
    default: throw error(.invalid("no such escape"))
    }
    position += 1
    unescaped.append(byte)
  }

  /// Reads the digits of a `\u` escape that starts at `start`, and the second escape of a surrogate pair.
  @_lifetime(self: copy self)
  private mutating func parseScalar(escapedAt start: Int) throws(ParseError) -> Unicode.Scalar {
    let unpaired = ParseError(.invalid("a surrogate without its partner"), at: start)
    let first = try parseHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00 else { throw unpaired }
    for expected in "\\u".utf8 {
      guard try nextByte() == expected else { throw unpaired }
      position += 1
    }
    let second = try parseHexDigits()
    guard second >= 0xDC00, second <= 0xDFFF,
      let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
    else { throw unpaired }
    return scalar
  }

  @_lifetime(self: copy self)
  private mutating func parseHexDigits() throws(ParseError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = try nextByte().hexadecimalDigit else { throw error(.invalid("a hexadecimal digit is expected here")) }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    unescaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// The bytes of a range as a string.
  func text(in range: Range<Int>) throws(ParseError) -> String {
    try requireUTF8(in: range)
    return String(bytes: bytes.extracting(range))
  }

  private func requireUTF8(in range: Range<Int>) throws(ParseError) {
    guard let offset = bytes.extracting(range).firstIllFormedOffset else { return }
    throw ParseError(.invalid("no UTF-8"), at: range.lowerBound + offset)
  }
}

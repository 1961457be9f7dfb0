extension JSONValue {
  /// Reads one JSON text (RFC 8259), strictly: UTF-8 is checked, no key may occur twice in an object, no byte order mark.
  ///
  /// - Throws: `aboveLimit` at the first byte too many; `truncated` at the end of an incomplete text; `trailingBytes` at
  ///   the first byte after the value; else `invalid` if the text stops being JSON. A repeated key is reported at its
  ///   opening quote, once its object is complete; a surrogate without its partner at its backslash.
  public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(ParseError) {
    guard bytes.count <= limits.bytes else {
      throw ParseError(.aboveLimit(what: "length of a JSON text", limit: limits.bytes), at: max(limits.bytes, 0))
    }
    var parser = JSONParser(bytes, limits: limits)
    self = try parser.parseText()
  }

  /// Reads one JSON text (RFC 8259), strictly.
  ///
  /// - Throws: As `init(parsing:limits:)` for a span does.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(ParseError) {
    try self.init(parsing: bytes.view, limits: limits)
  }

  /// Reads one JSON text (RFC 8259). Offsets are in UTF-8 bytes of `text`.
  ///
  /// - Throws: As `init(parsing:limits:)` for a span does.
  public init(parsing text: String, limits: JSONLimits = .standard) throws(ParseError) {
    let result: Result<JSONValue, ParseError> = text.withBytes { bytes in
      do throws(ParseError) { return .success(try JSONValue(parsing: bytes, limits: limits)) } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

/// A recursive-descent parser over borrowed bytes. The recursion ends at the limit of the depth.
struct JSONParser: ~Escapable, ~Copyable {
  let bytes: Span<UInt8>
  var position = 0
  /// The bytes of a string that has escapes; kept to save allocations.
  var unescaped: [UInt8] = []
  private let depthLimit: Int
  private let memberLimit: Int
  /// Where the keys of the objects being read start: the outermost object's first.
  private var keyOffsets: [Int] = []

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    depthLimit = min(limits.depth, JSONLimits.deepest)
    memberLimit = limits.members
  }

  @_lifetime(self: copy self)
  mutating func parseText() throws(ParseError) -> JSONValue {
    let value = try parseValue(depth: 0)
    skipWhitespace()
    guard position == bytes.count else { throw error(.trailingBytes(bytes.count - position)) }
    return value
  }

  /// Reads a value at nesting level `depth`, and the whitespace before it.
  @_lifetime(self: copy self)
  private mutating func parseValue(depth: Int) throws(ParseError) -> JSONValue {
    switch try nextToken() {
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "{"): return .object(try parseObject(depth: depth))
    case UInt8(ascii: "["): return .array(try parseArray(depth: depth))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
    case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
    case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
    case UInt8(ascii: "n"): return try parseLiteral("null", .null)
    default: throw error(.invalid("a JSON value is expected here"))
    }
  }

  @_lifetime(self: copy self)
  private mutating func parseArray(depth: Int) throws(ParseError) -> [JSONValue] {
    try enter(depth)
    var elements: [JSONValue] = []
    if try nextToken() == UInt8(ascii: "]") {
      position += 1
      return elements
    }
    while true {
      try requireRoom(elements.count)
      elements.append(try parseValue(depth: depth + 1))
      if try endsList(UInt8(ascii: "]")) { return elements }
    }
  }

  @_lifetime(self: copy self)
  private mutating func parseObject(depth: Int) throws(ParseError) -> JSONObject {
    try enter(depth)
    let firstKey = keyOffsets.count
    var members: [JSONObject.Member] = []
    var token = try nextToken()
    if token == UInt8(ascii: "}") {
      position += 1
      return JSONObject()
    }
    // Events are flat objects with many keys; nested values are small.
    if depth == 0 { members.reserveCapacity(24) }
    while true {
      guard token == UInt8(ascii: "\"") else { throw error(.invalid("a key in quotes is expected here")) }
      try requireRoom(members.count)
      keyOffsets.append(position)
      let key = try parseString()
      guard try nextToken() == UInt8(ascii: ":") else { throw error(.invalid("a colon is expected here")) }
      position += 1
      members.append(JSONObject.Member(key: key, value: try parseValue(depth: depth + 1)))
      if try endsList(UInt8(ascii: "}")) { break }
      token = try nextToken()
    }
    if let repeated = JSONObject.indexOfRepeatedKey(in: members) {
      throw ParseError(.invalid("a key occurs twice in one object"), at: keyOffsets[firstKey + repeated])
    }
    keyOffsets.removeSubrange(firstKey...)
    return JSONObject(distinct: members)
  }

  @_lifetime(self: copy self)
  private mutating func parseNumber() throws(ParseError) -> JSONNumber {
    let end = try JSONNumber.end(in: bytes, from: position)
    let number = JSONNumber(checked: try text(in: position..<end))
    position = end
    return number
  }

  @_lifetime(self: copy self)
  private mutating func parseLiteral(_ literal: String, _ value: JSONValue) throws(ParseError) -> JSONValue {
    for byte in literal.utf8 {
      guard try nextByte() == byte else { throw error(.invalid("a JSON value is expected here, such as \(literal)")) }
      position += 1
    }
    return value
  }

  /// Skips the bracket that opens an array or object at nesting level `depth`.
  @_lifetime(self: copy self)
  private mutating func enter(_ depth: Int) throws(ParseError) {
    guard depth < depthLimit else { throw error(.aboveLimit(what: "depth of JSON", limit: depthLimit)) }
    position += 1
  }

  private func requireRoom(_ count: Int) throws(ParseError) {
    guard count < memberLimit else { throw error(.aboveLimit(what: "number of members in JSON", limit: memberLimit)) }
  }

  /// Skips the comma after an element, or `bracket`, which ends the list.
  @_lifetime(self: copy self)
  private mutating func endsList(_ bracket: UInt8) throws(ParseError) -> Bool {
    let token = try nextToken()
    guard token == bracket || token == UInt8(ascii: ",") else {
      throw error(.invalid("a comma or a closing bracket is expected here"))
    }
    position += 1
    return token == bracket
  }

  /// The next byte that is not whitespace; it is not consumed.
  @_lifetime(self: copy self)
  private mutating func nextToken() throws(ParseError) -> UInt8 {
    skipWhitespace()
    return try nextByte()
  }

  @_lifetime(self: copy self)
  private mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// The next byte; it is not consumed.
  func nextByte() throws(ParseError) -> UInt8 {
    guard position < bytes.count else { throw error(.truncated(needed: 1, available: 0)) }
    return bytes[position]
  }

  func error(_ reason: ParseError.Reason) -> ParseError { ParseError(reason, at: position) }
}

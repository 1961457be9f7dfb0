import Basics

/// Takes the attributes of a tag one by one, by name and kind; what is left at the end is unknown and kept.
struct AttributeReader {
  /// The line of the tag.
  let line: Int
  private var left: [PlacedAttribute]
  private let end: Int

  /// Reads the attributes of a line, with the variables in quoted strings and hexadecimal sequences replaced (RFC 8216bis, 4.3).
  init(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    self.line = line.number
    end = line.bytes.count + 1
    left = try PlacedAttribute.parse(line, from: line.valueStart, limit: variables.limits.attributes)
    for index in left.indices {
      let column = left[index].column
      switch left[index].attribute.value {
      case .quoted(let text):
        left[index].attribute.value = .quoted(try variables.substitute(text, line: line.number, column: column + 1))
      case .unquoted(let text):
        left[index].attribute.value = .unquoted(try variables.substitute(text, line: line.number, column: column))
      }
    }
  }

  /// What was not taken.
  var unknown: AttributeList { AttributeList(left.map { $0.attribute }) }

  /// Takes an attribute; `nil` where it is not there.
  mutating func take(_ name: String) -> PlacedAttribute? {
    guard let index = left.firstIndex(where: { $0.attribute.name.hasSameBytes(as: name) }) else { return nil }
    return left.remove(at: index)
  }

  /// A quoted-string.
  mutating func string(_ name: String) throws(PlaylistError) -> String? {
    try take(name, as: "a quoted string") { $0.quotedText }
  }

  /// An enumerated-string.
  mutating func token(_ name: String) throws(PlaylistError) -> String? {
    try take(name, as: "an unquoted value") { $0.unquotedText }
  }

  /// A decimal-integer.
  mutating func integer(_ name: String) throws(PlaylistError) -> UInt64? {
    try take(name, as: "a decimal integer") { $0.integer }
  }

  /// A decimal-floating-point that is not negative.
  mutating func decimal(_ name: String) throws(PlaylistError) -> PlaylistDecimal? {
    try take(name, as: "a decimal number") { $0.decimal.flatMap { $0 < .zero ? nil : $0 } }
  }

  /// A signed-decimal-floating-point.
  mutating func signedDecimal(_ name: String) throws(PlaylistError) -> PlaylistDecimal? {
    try take(name, as: "a decimal number") { $0.decimal }
  }

  /// A hexadecimal-sequence.
  mutating func hexadecimal(_ name: String) throws(PlaylistError) -> [UInt8]? {
    try take(name, as: "a hexadecimal sequence") { $0.hexadecimal }
  }

  /// A decimal-resolution.
  mutating func resolution(_ name: String) throws(PlaylistError) -> Resolution? {
    try take(name, as: "a resolution") { $0.resolution }
  }

  /// `YES` or `NO`; an absent one is `NO`.
  mutating func flag(_ name: String) throws(PlaylistError) -> Bool {
    try take(name, as: "YES or NO") { value in
      guard let text = value.unquotedText else { return nil }
      return text.hasSameBytes(as: "YES") ? true : text.hasSameBytes(as: "NO") ? false : nil
    } ?? false
  }

  /// A date in quotes.
  mutating func date(_ name: String) throws(PlaylistError) -> PlaylistDate? {
    try take(name, as: "a date") { $0.quotedText.flatMap { PlaylistDate($0) } }
  }

  /// A byte range in quotes; without an offset it starts at 0.
  mutating func byteRange(_ name: String) throws(PlaylistError) -> ByteRange? {
    try take(name, as: "a byte range") { $0.quotedText.flatMap { ByteRange(Array($0.utf8)[...], implicitOffset: 0) } }
  }

  /// A group in quotes, or `NONE`.
  mutating func closedCaptions(_ name: String) throws(PlaylistError) -> Variant.ClosedCaptions? {
    try take(name, as: "a quoted string or NONE") { value in
      switch value {
      case .quoted(let group): .group(group)
      case .unquoted(let token): token.hasSameBytes(as: "NONE") ? Variant.ClosedCaptions.none : nil
      }
    }
  }

  /// The attribute's value, which must be there.
  func require<Value>(_ name: String, _ value: Value?) throws(PlaylistError) -> Value {
    guard let value else { throw PlaylistError(.missing(name), line: line, column: end) }
    return value
  }

  private mutating func take<Value>(
    _ name: String, as kind: String, _ convert: (AttributeValue) -> Value?
  ) throws(PlaylistError) -> Value? {
    guard let placed = take(name) else { return nil }
    guard let value = convert(placed.attribute.value) else {
      throw PlaylistError(.invalid("\(name): \(kind) is expected here"), line: line, column: placed.column)
    }
    return value
  }
}

extension AttributeList {
  /// Adds an attribute that is there.
  mutating func add(_ name: String, _ value: AttributeValue?) {
    if let value { attributes.append(Attribute(name, value)) }
  }

  /// Adds a quoted string that is there.
  mutating func add(_ name: String, quoted text: String?) { add(name, text.map { .quoted($0) }) }

  /// Adds `YES` where it is set.
  mutating func add(_ name: String, flag: Bool) { add(name, flag ? .unquoted("YES") : nil) }
}

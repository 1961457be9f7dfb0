import Basics

/// Consumes the attributes of a tag one by one, by name and kind. Those that are left at the end are unknown and kept.
///
/// A value of another kind whose meaning is clear, such as a word in quotes, is a slip. If it is not clear, the attribute is left out, unless the
/// tag is needed to read the segments.
struct AttributeReader {
  /// The line of the tag.
  private let line: PlaylistLine
  /// Whether reading the segments depends on the tag.
  private let isNeeded: Bool
  private var left: [PlacedAttribute]
  private var slips: SlipLog

  /// Reads the attributes of a line, with the variables in quoted strings and hexadecimal sequences replaced (RFC 8216bis, 4.3).
  init(_ line: PlaylistLine, isNeeded: Bool = false, variables: inout VariableScope) throws(PlaylistError) {
    (self.line, self.isNeeded) = (line, isNeeded)
    var slips: SlipLog? = variables.slips
    left = try PlacedAttribute.parse(line, from: line.valueStart, limit: variables.limits.attributes, isNeeded: isNeeded, slips: &slips)
    self.slips = slips ?? variables.slips
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

  /// Adds the slips to `variables`, and returns the attributes that were not consumed.
  func finish(_ variables: inout VariableScope) -> AttributeList {
    variables.slips = slips
    return AttributeList(left.map { $0.attribute })
  }

  /// A quoted-string.
  mutating func string(_ name: String) throws(PlaylistError) -> String? {
    try take(name, as: "a quoted string") { $0.quotedText }
  }

  /// An enumerated-string.
  mutating func token(_ name: String) throws(PlaylistError) -> String? {
    try take(name, as: "an unquoted value") { $0.unquotedText }
  }

  /// A decimal-integer. A number with decimals is rounded.
  mutating func integer(_ name: String) throws(PlaylistError) -> UInt64? {
    try take(name, as: "a decimal integer", { $0.integer }) { $0.decimal.flatMap { $0 < .zero ? nil : $0.rounded } }
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

  /// A section of SCTE 35 as a hexadecimal-sequence. Some write it in quotes, or as base64. What is neither stays among the attributes.
  mutating func section(_ name: String) throws(PlaylistError) -> [UInt8]? {
    let before = left
    let value = try take(name, as: "a hexadecimal sequence", { $0.hexadecimal }) { $0.section }
    if value == nil { left = before }
    return value
  }

  /// A decimal-resolution.
  mutating func resolution(_ name: String) throws(PlaylistError) -> Resolution? {
    try take(name, as: "a resolution", { $0.resolution }) {
      AttributeValue.unquoted($0.text.replacingLetters { $0.asciiLowercased }).resolution
    }
  }

  /// `YES` or `NO`; an absent one is `NO`.
  mutating func flag(_ name: String) throws(PlaylistError) -> Bool {
    func isSet(_ text: String) -> Bool? { text.hasSameBytes(as: "YES") ? true : text.hasSameBytes(as: "NO") ? false : nil }
    return try take(name, as: "YES or NO", { $0.unquotedText.flatMap { isSet($0) } }) { isSet($0.text.replacingLetters { $0 & 0xDF }) }
      ?? false
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
    func captions(_ value: AttributeValue) -> Variant.ClosedCaptions? {
      value.quotedText.map { .group($0) } ?? (value.text.hasSameBytes(as: "NONE") ? Variant.ClosedCaptions.none : nil)
    }
    return try take(name, as: "a quoted string or NONE", captions, lenient: { _ in nil })
  }

  /// The attribute's value, which must be there.
  func require<Value>(_ name: String, _ value: Value?) throws(PlaylistError) -> Value {
    guard let value else { throw missing(name) }
    return value
  }

  /// The attribute's value, which should be there; `other` if it is not.
  mutating func expect<Value>(_ name: String, _ value: Value?, else other: Value) -> Value {
    if value == nil { slips.add(line, missing(name), .missing) }
    return value ?? other
  }

  private func missing(_ name: String) -> PlaylistError { line.error(.missing(name), at: line.bytes.count) }

  /// Consumes an attribute whose value may be unquoted although it should be quoted, or the other way round.
  private mutating func take<Value>(
    _ name: String, as kind: String, _ convert: (AttributeValue) -> Value?
  ) throws(PlaylistError) -> Value? {
    try take(name, as: kind, convert) { value in
      switch value {
      case .quoted(let text): convert(.unquoted(text))
      case .unquoted(let text): convert(.quoted(text))
      }
    }
  }

  /// Consumes an attribute; `nil` if it is absent, or is left out.
  ///
  /// - Parameters:
  ///   - kind: What is expected.
  ///   - convert: Reads a value that is written as it should be.
  ///   - lenient: Reads a value that is written otherwise but is clear.
  private mutating func take<Value>(
    _ name: String, as kind: String, _ convert: (AttributeValue) -> Value?, lenient: (AttributeValue) -> Value?
  ) throws(PlaylistError) -> Value? {
    guard let index = left.firstIndex(where: { $0.attribute.name.hasSameBytes(as: name) }) else { return nil }
    let placed = left.remove(at: index)
    if let value = convert(placed.attribute.value) { return value }
    let error = line.error(.invalid("\(name): \(kind) is expected here"), at: placed.column - 1)
    let value = lenient(placed.attribute.value)
    guard value != nil || !isNeeded else { throw error }
    slips.add(line, error, value == nil ? .attributeIgnored : .read)
    return value
  }
}

extension String {
  /// The text with each ASCII letter changed. Bit 5 distinguishes lower case from upper case.
  func replacingLetters(_ change: (UInt8) -> UInt8) -> String {
    String(decoding: utf8.map { $0.isASCIILetter ? change($0) : $0 }, as: UTF8.self)
  }
}

extension AttributeList {
  /// Adds an attribute, unless its value is `nil`.
  mutating func add(_ name: String, _ value: AttributeValue?) {
    if let value { attributes.append(Attribute(name, value)) }
  }

  /// Adds a quoted string, unless it is `nil`.
  mutating func add(_ name: String, quoted text: String?) { add(name, text.map { .quoted($0) }) }

  /// Adds `YES` if it is set.
  mutating func add(_ name: String, flag: Bool) { add(name, flag ? .unquoted("YES") : nil) }
}

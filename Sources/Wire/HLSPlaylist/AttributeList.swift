import Basics

/// The value of an attribute as it is written (RFC 8216bis, 4.2). What an unquoted one means depends on the attribute.
package enum AttributeValue: Equatable, Sendable {
  /// A quoted-string, without its quotes.
  case quoted(String)
  /// Anything else: an integer, a hexadecimal-sequence, a decimal, an enumerated-string, a resolution.
  case unquoted(String)
}

/// A name and its value.
package struct Attribute: Equatable, Sendable {
  /// The name: `A` to `Z`, `0` to `9` and `-`.
  package var name: String
  /// The value.
  package var value: AttributeValue

  /// An attribute of this name and value.
  package init(_ name: String, _ value: AttributeValue) { (self.name, self.value) = (name, value) }
}

/// Attributes in their order, each name once (RFC 8216bis, 4.2).
package struct AttributeList: Equatable, Sendable {
  /// The attributes in the order they are written in.
  package var attributes: [Attribute]

  /// A list of these attributes.
  package init(_ attributes: [Attribute] = []) { self.attributes = attributes }

  /// The value of the attribute of this name, or `nil`.
  package subscript(name: String) -> AttributeValue? { attributes.first { $0.name.hasSameBytes(as: name) }?.value }

  /// The list as the text of a line.
  ///
  /// - Throws: `PlaylistError` for a name with other characters, a repeated name, a quoted value with `"` or a line break, and
  ///   an unquoted value that is empty or holds `"`, `,`, a space or a control character.
  func text(line: Int) throws(PlaylistError) -> String {
    var text = ""
    for (index, attribute) in attributes.enumerated() {
      let name = attribute.name
      guard !name.isEmpty, name.utf8.allSatisfy(PlacedAttribute.isNameCharacter) else {
        throw PlaylistError(.invalid("an attribute's name is made of A to Z, 0 to 9 and -"), line: line)
      }
      guard !attributes[..<index].contains(where: { $0.name.hasSameBytes(as: name) }) else {
        throw PlaylistError(.repeated(name), line: line)
      }
      if index > 0 { text += "," }
      text += name + "="
      switch attribute.value {
      case .quoted(let value):
        guard !value.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }) else {
          throw PlaylistError(.invalid("\(name): a quoted string cannot hold a quote or a line break"), line: line)
        }
        text += "\"" + value + "\""
      case .unquoted(let value):
        guard !value.isEmpty, value.utf8.allSatisfy(PlacedAttribute.isUnquotedCharacter) else {
          throw PlaylistError(.invalid("\(name): a value with quotes, commas, spaces or nothing in it needs quotes"), line: line)
        }
        text += value
      }
    }
    return text
  }
}

/// An attribute and where its value starts, for errors.
struct PlacedAttribute {
  var attribute: Attribute
  /// The column of the value, from 1.
  var column: Int

  static func isNameCharacter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-")
  }

  /// The attributes that tags need whose meaning depends on all of them.
  private static let neededNames = [
    "METHOD", "URI", "IV", "KEYFORMAT", "KEYFORMATVERSIONS", "BYTERANGE", "NAME", "VALUE", "IMPORT", "QUERYPARAM",
  ]

  /// Whether a character occurs in the names of attributes that others write.
  private static func isLenientNameCharacter(_ byte: UInt8) -> Bool {
    isNameCharacter(byte) || byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }

  static func isUnquotedCharacter(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",") && byte != 0x7F
  }

  /// Reads the list that is the rest of a line. A mistake whose meaning is clear is a slip.
  ///
  /// - Parameters:
  ///   - isNeeded: Whether the tag is needed, so that no attribute may be left out.
  ///   - keepsAnyName: Whether attributes are kept whose names the specification does not allow.
  ///   - slips: Receives the slips; `nil` if they are errors.
  static func parse(
    _ line: PlaylistLine, from start: Int, limit: Int, isNeeded: Bool = false, keepsAnyName: Bool = false, slips: inout SlipLog?
  ) throws(PlaylistError) -> [PlacedAttribute] {
    var list: [PlacedAttribute] = []
    var rest = line.bytes.dropFirst(start)
    // Without attributes, a tag that needs one says which.
    if slips != nil, !isNeeded, rest.isEmpty {
      slips?.add(line, line.error(.missing("an attribute's name"), at: rest.startIndex), .missing)
      return []
    }
    while true {
      guard list.count < limit else { throw line.error(.aboveLimit(what: "number of attributes", limit: limit), at: rest.startIndex) }
      if let attribute = try next(&rest, of: line, isNeeded, keepsAnyName, &slips) {
        if let first = list.first(where: { $0.attribute.name.hasSameBytes(as: attribute.attribute.name) }) {
          let nameStart = attribute.column - 2 - attribute.attribute.name.utf8.count
          let error = line.error(.repeated(attribute.attribute.name), at: nameStart)
          let isSame = first.attribute == attribute.attribute
          try forgive(line, error, isSame ? .read : .attributeIgnored, isNeeded, &slips)
        } else {
          list.append(attribute)
        }
      }
      if slips != nil { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
      if slips != nil, !isNeeded { skipRemains(&rest, of: line, &slips) }
      guard let comma = rest.first else { return list }
      guard comma == UInt8(ascii: ",") else { throw line.error(.missing("a comma between two attributes"), at: rest.startIndex) }
      rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
      // A comma at the end, or two in a row.
      while !list.isEmpty, slips != nil, rest.isEmpty || rest.first == UInt8(ascii: ",") {
        let error = line.error(.invalid("a comma without an attribute after it"), at: rest.startIndex)
        try forgive(line, error, .read, isNeeded, &slips)
        guard !rest.isEmpty else { return list }
        rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
      }
    }
  }

  /// Records an error as a slip, or throws it if slips, or slips of this kind, are not allowed.
  private static func forgive(
    _ line: PlaylistLine, _ error: PlaylistError, _ remedy: PlaylistSlip.Remedy, _ isNeeded: Bool, _ slips: inout SlipLog?
  ) throws(PlaylistError) {
    guard slips != nil, !isNeeded || remedy != .attributeIgnored else { throw error }
    slips?.add(line, error, remedy)
  }

  /// Skips what follows a value up to the next comma, such as the further words of one that should be in quotes.
  private static func skipRemains(_ rest: inout ArraySlice<UInt8>, of line: PlaylistLine, _ slips: inout SlipLog?) {
    guard let first = rest.first, first != UInt8(ascii: ",") else { return }
    slips?.add(line, line.error(.missing("a comma between two attributes"), at: rest.startIndex), .attributeIgnored)
    rest = rest.drop { $0 != UInt8(ascii: ",") }
  }

  /// Skips spaces before or after the `=` of an attribute, which is a slip.
  ///
  /// - Parameter next: The character that must follow them; `nil` for any.
  private static func skipSpaces(
    _ rest: inout ArraySlice<UInt8>, of line: PlaylistLine, before next: Unicode.Scalar?, _ slips: inout SlipLog?
  ) {
    let others = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard others.count < rest.count, let first = others.first, next == nil || first == next.map({ UInt8(ascii: $0) }) else { return }
    slips?.add(line, line.error(.invalid("a space beside the = of an attribute"), at: rest.startIndex), .read)
    rest = others
  }

  /// Reads the next attribute; `nil` for one that is left out, because it has no value, or a name that the specification does not allow.
  private static func next(
    _ rest: inout ArraySlice<UInt8>, of line: PlaylistLine, _ isNeeded: Bool, _ keepsAnyName: Bool, _ slips: inout SlipLog?
  ) throws(PlaylistError) -> PlacedAttribute? {
    let nameStart = rest.startIndex
    let name = rest.prefix(while: slips == nil ? isNameCharacter : isLenientNameCharacter)
    guard !name.isEmpty else { throw line.error(.missing("an attribute's name"), at: rest.startIndex) }
    rest = rest[name.endIndex...]
    if slips != nil { skipSpaces(&rest, of: line, before: "=", &slips) }
    let mayBeNeeded = neededNames.contains { name.elementsEqual($0.utf8) }
    let isNeeded = isNeeded && mayBeNeeded
    // Half an attribute that a tag depends on is the end of a line that is cut off.
    if slips != nil, !mayBeNeeded, rest.first.map({ $0 == UInt8(ascii: ",") }) ?? true {
      slips?.add(line, line.error(.missing("the = after an attribute's name"), at: rest.startIndex), .attributeIgnored)
      return nil
    }
    guard rest.popFirst("=") else { throw line.error(.missing("the = after an attribute's name"), at: rest.startIndex) }
    if slips != nil { skipSpaces(&rest, of: line, before: nil, &slips) }
    let start = rest.startIndex
    let value: AttributeValue
    if rest.popFirst("\"") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { throw line.error(.missing("the closing quote"), at: start) }
      value = .quoted(String(decoding: rest[..<end], as: UTF8.self))
      rest = rest[(end + 1)...]
    } else {
      let characters = rest.prefix(while: isUnquotedCharacter)
      guard !characters.isEmpty else {
        try forgive(line, line.error(.missing("an attribute's value"), at: start), .attributeIgnored, isNeeded, &slips)
        return nil
      }
      value = .unquoted(String(decoding: characters, as: UTF8.self))
      rest = rest[characters.endIndex...]
    }
    guard keepsAnyName || name.allSatisfy(isNameCharacter) else {
      slips?.add(line, line.error(.invalid("an attribute's name is made of A to Z, 0 to 9 and -"), at: nameStart), .attributeIgnored)
      return nil
    }
    return PlacedAttribute(attribute: Attribute(String(decoding: name, as: UTF8.self), value), column: start + 1)
  }
}

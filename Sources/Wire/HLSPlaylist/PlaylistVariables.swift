import Basics

/// A variable that EXT-X-DEFINE defines (RFC 8216bis, 4.4.2.3), with its value.
///
/// The reader replaces `{$name}` by the value (4.3), so the rest of the code never sees references.
package struct PlaylistVariable: Equatable, Sendable {
  /// The name: letters, digits, `-` and `_`.
  package var name: String
  /// The value.
  package var value: String
  /// Where the value comes from.
  package var origin: Origin

  /// Where a value comes from.
  package enum Origin: Equatable, Sendable {
    /// The tag states it.
    case stated
    /// A media playlist imports it from the multivariant playlist (`IMPORT`).
    case multivariantPlaylist
    /// It is in the query of the playlist's address (`QUERYPARAM`).
    case query
  }

  /// A variable.
  package init(_ name: String, value: String, from origin: Origin = .stated) {
    (self.name, self.value, self.origin) = (name, value, origin)
  }

  static func isNameCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// The reference that starts at the first `{$` of the text: its range and the name in it.
  static func firstReference(in text: ArraySlice<UInt8>) -> (range: Range<Int>, name: String)? {
    var rest = text
    while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
      rest = rest[(brace + 1)...]
      guard rest.first == UInt8(ascii: "$") else { continue }
      let name = rest.dropFirst().prefix(while: isNameCharacter)
      if !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: "}") {
        return (brace..<name.endIndex + 1, String(decoding: name, as: UTF8.self))
      }
    }
    return nil
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    switch origin {
    case .stated: AttributeList([Attribute("NAME", .quoted(name)), Attribute("VALUE", .quoted(value))])
    case .multivariantPlaylist: AttributeList([Attribute("IMPORT", .quoted(name))])
    case .query: AttributeList([Attribute("QUERYPARAM", .quoted(name))])
    }
  }
}

/// The variables that are defined so far, while a playlist is read, and the slips that were found.
struct VariableScope {
  let limits: PlaylistLimits
  /// The mistakes that were tolerated.
  var slips = SlipLog()
  /// The query of the playlist's address; `nil` if it has none.
  private let query: String?
  /// What the multivariant playlist defines; `nil` while a multivariant playlist itself is read.
  private let importable: [PlaylistVariable]?
  /// The definitions so far, in their order.
  private(set) var variables: [PlaylistVariable] = []
  /// How many more bytes may be substituted. A value may contain earlier variables, so values can grow with every definition.
  private var bytesLeft: Int

  init(importing importable: [PlaylistVariable]?, query: String?, limits: PlaylistLimits) {
    (self.importable, self.query, self.limits) = (importable, query, limits)
    bytesLeft = limits.bytes
  }

  /// Reads an EXT-X-DEFINE.
  mutating func define(_ line: PlaylistLine) throws(PlaylistError) {
    guard variables.count < limits.variables else {
      throw line.error(.aboveLimit(what: "number of variables", limit: limits.variables))
    }
    var attributes = try AttributeReader(line, isNeeded: true, variables: &self)
    let imported = try attributes.string("IMPORT")
    let name = try attributes.string("NAME")
    let parameter = try attributes.string("QUERYPARAM")
    let variable: PlaylistVariable
    switch (name, imported, parameter) {
    case (let name?, nil, nil):
      try requireName(name, line)
      variable = PlaylistVariable(name, value: try attributes.require("VALUE", try attributes.string("VALUE")))
    case (nil, let imported?, nil):
      guard let importable else { throw line.error(.invalid("IMPORT stands in media playlists only")) }
      guard let found = importable.first(where: { $0.name.hasSameBytes(as: imported) }) else {
        throw line.error(.invalid("the multivariant playlist does not define the variable \(imported)"))
      }
      variable = PlaylistVariable(found.name, value: found.value, from: .multivariantPlaylist)
    case (nil, nil, let parameter?):
      try requireName(parameter, line)
      guard let value = queryValue(parameter) else {
        throw line.error(.invalid("the playlist's address has no value of the parameter \(parameter)"))
      }
      variable = PlaylistVariable(parameter, value: value, from: .query)
    default:
      throw line.error(.invalid("either NAME, IMPORT or QUERYPARAM is expected"))
    }
    _ = attributes.finish(&self)
    guard !variables.contains(where: { $0.name.hasSameBytes(as: variable.name) }) else {
      throw line.error(.repeated("the variable \(variable.name)"))
    }
    variables.append(variable)
  }

  private func requireName(_ name: String, _ line: PlaylistLine) throws(PlaylistError) {
    guard !name.isEmpty, name.utf8.allSatisfy(PlaylistVariable.isNameCharacter) else {
      throw line.error(.invalid("a variable's name is made of letters, digits, - and _"))
    }
  }

  /// The decoded value of a parameter in the query; `nil` if it has none, or one that no quoted string can contain.
  private func queryValue(_ name: String) -> String? {
    for part in Array((query ?? "").utf8).split(separator: UInt8(ascii: "&")) {
      guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = PercentEncoding.decode(part[(sign + 1)...])
      let isPlain = !value.isEmpty && !value.contains { $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
      guard isPlain, value.view.firstIllFormedOffset == nil, PercentEncoding.decode(part[..<sign]) == Array(name.utf8) else { continue }
      return String(decoding: value, as: UTF8.self)
    }
    return nil
  }

  /// The text with each `{$name}` replaced by the variable's value. Inserted text is not searched again.
  mutating func substitute(_ text: String, line: Int, column: Int) throws(PlaylistError) -> String {
    // Most texts contain no brace.
    guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
    let tooLong = PlaylistError(.aboveLimit(what: "length after substitution in bytes", limit: limits.line), line: line, column: column)
    var rest = Array(text.utf8)[...]
    var result: [UInt8] = []
    while let reference = PlaylistVariable.firstReference(in: rest) {
      guard let variable = variables.first(where: { $0.name.hasSameBytes(as: reference.name) }) else {
        throw PlaylistError(
          .invalid("the variable \(reference.name) is not defined"), line: line, column: column + reference.range.lowerBound)
      }
      result += rest[..<reference.range.lowerBound]
      result += variable.value.utf8
      bytesLeft -= variable.value.utf8.count
      guard bytesLeft >= 0, result.count <= limits.line else { throw tooLong }
      rest = rest[reference.range.upperBound...]
    }
    result += rest
    guard result.count <= limits.line else { throw tooLong }
    return String(decoding: result, as: UTF8.self)
  }
}

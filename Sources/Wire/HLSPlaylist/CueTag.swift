import Basics

/// A tag of a segment for a splice: EXT-X-SCTE35 (SCTE 35, 12.2), and the tags of packagers that no standard defines.
package struct CueTag: Equatable, Sendable {
  /// The names of these tags, without `#`.
  package enum Name: String, CaseIterable, Sendable {
    case scte35 = "EXT-X-SCTE35"
    case out = "EXT-X-CUE-OUT"
    case outContinued = "EXT-X-CUE-OUT-CONT"
    case `in` = "EXT-X-CUE-IN"
    case oatcls = "EXT-OATCLS-SCTE35"
    case splicepoint = "EXT-X-SPLICEPOINT-SCTE35"
  }

  /// Its name.
  package var name: Name
  /// Whether a break begins or goes on (`true`), or ends; `nil` if the tag does not say.
  package var isOut: Bool?
  /// How long the break is, if the tag says so.
  package var duration: PlaylistDecimal?
  /// How much of the break has passed, if the tag says so.
  package var elapsed: PlaylistDecimal?
  /// The section of SCTE 35 as it is written, without quotes; `nil` if the tag has none.
  package var section: AttributeValue?
  /// Why the tag's attributes cannot be read; `nil` if they were read.
  package var problem: String?

  /// The maximum number of attributes that are read.
  private static let mostAttributes = 64

  /// Reads a line; `nil` if it is another tag.
  package init?(_ text: String) {
    let line = PlaylistLine(number: 1, bytes: Array(text.utf8))
    guard let name = Self.name(of: line) else { return nil }
    self.name = name
    switch name {
    case .oatcls, .splicepoint: section = .unquoted(Self.unquoted(line.value))
    case .scte35: read(attributesOf: line, from: line.valueStart)
    case .out, .outContinued, .in:
      isOut = name != .in
      readBreak(line)
    }
  }

  /// The name of the tag in a line; `nil` if it is another one.
  static func name(of line: PlaylistLine) -> Name? {
    guard line.bytes.first == UInt8(ascii: "#") else { return nil }
    let name = line.bytes.dropFirst().prefix { $0 != UInt8(ascii: ":") && !PlaylistLine.isBlank($0) }
    return Name.allCases.first { name.elementsEqual($0.rawValue.utf8) }
  }

  /// Reads what a tag says of its break: attributes, after a plain number in some: `30`, or `8/30` with the time that has passed.
  private mutating func readBreak(_ line: PlaylistLine) {
    let plain = line.value.prefix { $0 != UInt8(ascii: ",") }
    guard !plain.contains(UInt8(ascii: "=")) else { return read(attributesOf: line, from: line.valueStart) }
    let numbers = plain.split(separator: UInt8(ascii: "/"), maxSplits: 1).map { PlaylistDecimal(Self.unquoted($0)) }
    if let last = numbers.last { duration = last }
    if numbers.count == 2 { elapsed = numbers[0] }
    if plain.endIndex < line.bytes.endIndex { read(attributesOf: line, from: plain.endIndex + 1) }
  }

  /// Reads the attributes from an index on. Some of these tags have names with small letters.
  private mutating func read(attributesOf line: PlaylistLine, from start: Int) {
    let blanks = line.bytes[start...].prefix(while: PlaylistLine.isBlank).count
    var slips: SlipLog? = SlipLog()
    do throws(PlaylistError) {
      let limit = Self.mostAttributes
      for placed in try PlacedAttribute.parse(line, from: start + blanks, limit: limit, keepsAnyName: true, slips: &slips) {
        take(placed.attribute)
      }
    } catch {
      problem = "\(error.reason)"
    }
  }

  private mutating func take(_ attribute: Attribute) {
    let value = attribute.value.text
    func isNamed(_ names: String...) -> Bool {
      let name = attribute.name.replacingLetters { $0 & 0xDF }
      return names.contains { $0.hasSameBytes(as: name) }
    }
    func isSet(to words: String...) -> Bool {
      let word = value.replacingLetters { $0 & 0xDF }
      return words.contains { $0.hasSameBytes(as: word) }
    }
    if isNamed("CUE", "SCTE35") {
      section = .unquoted(value)
    } else if isNamed("DURATION") {
      duration = PlaylistDecimal(value)
    } else if isNamed("ELAPSED", "ELAPSEDTIME") {
      elapsed = PlaylistDecimal(value)
    } else if isNamed("CUE-OUT"), isSet(to: "YES", "CONT") {
      isOut = true
    } else if isNamed("CUE-IN"), isSet(to: "YES") {
      isOut = false
    }
  }

  /// A value without the blanks and the quotes around it.
  private static func unquoted(_ value: ArraySlice<UInt8>) -> String {
    var value = value.drop(while: PlaylistLine.isBlank)
    while let last = value.last, PlaylistLine.isBlank(last) { value.removeLast() }
    if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") { value = value.dropFirst().dropLast() }
    return String(decoding: value, as: UTF8.self)
  }
}

extension AttributeValue {
  /// The bytes of a section of SCTE 35, with or without quotes: hexadecimal digits, with or without `0x`, or base64; `nil` for anything else.
  ///
  /// A section starts with FC in hexadecimal digits and with `/` in base64, so that the two cannot be confused.
  package var section: [UInt8]? {
    if let bytes = AttributeValue.unquoted(text).hexadecimal { return bytes }
    if text.utf8.count.isMultiple(of: 2), let bytes = AttributeValue.unquoted("0x" + text).hexadecimal, bytes.first == 0xFC { return bytes }
    return text.utf8.isEmpty ? nil : Base64.decode(text.utf8)
  }
}

// Bytes become text: UTF-8 and characters are checked before anything else sees them.

extension String {
  /// The text of a file, without its byte order mark; `name` is its name in messages, such as "the cue sheet".
  ///
  /// - Throws: If the text exceeds the size limit, or with the place of the first byte that is not UTF-8.
  package init(sheet bytes: some Collection<UInt8>, name: String) throws(SheetError) {
    guard bytes.count <= SheetLimits.bytes else {
      throw SheetError(at: .start, "\(name) has \(bytes.count) bytes, above the limit of \(SheetLimits.bytes); split it")
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.dropFirst(0)
    if let file = Self.foreign(Array(content)) { throw SheetError(at: .start, "this is \(file.name), but \(name) is a text in UTF-8") }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw SheetError(at: Self.placeOfInvalidByte(in: content), "this is not UTF-8; save \(name) as UTF-8")
    }
    guard content.count <= SheetLimits.marks || content.count(where: { Self.isMark($0) }) <= SheetLimits.marks else {
      throw SheetError(at: Self.placeOfExcess(in: text), "there are more than \(SheetLimits.marks) values here; split \(name)")
    }
    self = text
  }

  /// What a file is that is no text, unless it is one in UTF-16.
  private static func foreign(_ bytes: [UInt8]) -> ForeignFile? {
    guard ![[0xFF, 0xFE], [0xFE, 0xFF]].contains(where: { bytes.starts(with: $0) }) else { return nil }
    return ForeignFile.office(bytes) ?? ForeignFile(bytes)
  }

  /// Whether a byte may separate two values.
  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "-"), UInt8(ascii: "?"): true
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  /// The place of the first mark above the limit.
  private static func placeOfExcess(in text: String) -> SheetPlace {
    var counter = PlaceCounter()
    var marks = 0
    for scalar in text.unicodeScalars {
      if scalar.isASCII, isMark(UInt8(truncatingIfNeeded: scalar.value)) { marks += 1 }
      if marks > SheetLimits.marks { break }
      counter.advance(past: scalar)
    }
    return counter.place
  }

  private static func placeOfInvalidByte(in bytes: some Sequence<UInt8>) -> SheetPlace {
    var counter = PlaceCounter()
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { counter.advance(past: scalar) }
    return counter.place
  }
}

extension String {
  /// The text with other texts for some of its characters.
  package func replacing(_ texts: [Unicode.Scalar: String]) -> String {
    var output = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = texts[scalar] { output += text.unicodeScalars } else { output.append(scalar) }
    }
    return String(output)
  }
}

/// Counts lines and columns the way the YAML library does.
package struct PlaceCounter {
  /// The place of the next character.
  package private(set) var place = SheetPlace.start
  private var previousIsReturn = false

  /// A counter at the beginning of a text.
  package init() {}

  /// Counts a character.
  package mutating func advance(past scalar: Unicode.Scalar) {
    switch scalar {
    case "\n" where previousIsReturn: break
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": place = SheetPlace(line: place.line + 1, column: 1)
    default: place.column += 1
    }
    previousIsReturn = scalar == "\r"
  }
}

// A cue sheet's bytes become text: UTF-8 and characters are checked before anything else sees them.

extension String {
  /// The text of a cue sheet, without its byte order mark.
  ///
  /// - Throws: the size limit, the first byte that is not UTF-8, or the characters that YAML forbids, each with its place.
  init(cueSheet bytes: some Collection<UInt8>) throws(CueSheetError) {
    guard bytes.count <= CueSheetLimits.bytes else {
      throw CueSheetError(at: .start, "the cue sheet has \(bytes.count) bytes, above the limit of \(CueSheetLimits.bytes); split it")
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.dropFirst(0)
    guard let text = String(validating: content, as: UTF8.self) else {
      throw CueSheetError(at: Self.placeOfInvalidByte(in: content), "this is not UTF-8; save the cue sheet as UTF-8")
    }
    guard content.count <= CueSheetLimits.marks || content.count(where: Self.isMark) <= CueSheetLimits.marks else {
      throw CueSheetError(at: Self.placeOfExcess(in: text), "there are more than \(CueSheetLimits.marks) values here; split the cue sheet")
    }
    self = text
  }

  /// Whether a byte may part two values.
  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "-"), UInt8(ascii: "?"): true
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  /// Where there is one mark too many.
  private static func placeOfExcess(in text: String) -> CuePlace {
    var counter = PlaceCounter()
    var marks = 0
    for scalar in text.unicodeScalars {
      if scalar.isASCII, isMark(UInt8(truncatingIfNeeded: scalar.value)) { marks += 1 }
      if marks > CueSheetLimits.marks { break }
      counter.pass(scalar)
    }
    return counter.place
  }

  /// The characters that YAML 1.2 (section 5.1) does not allow unescaped.
  var forbiddenCharacters: Problems {
    var problems = Problems()
    var counter = PlaceCounter()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x09, 0x0B..<0x0D, 0x0E..<0x20, 0x7F..<0x85, 0x86..<0xA0, 0xFFFE, 0xFFFF:
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - code.utf8.count)) + code
        problems.report(at: counter.place, "the control character U+\(padded) is not allowed here; remove it")
      default: break
      }
      counter.pass(scalar)
    }
    return problems
  }

  private static func placeOfInvalidByte(in bytes: some Sequence<UInt8>) -> CuePlace {
    var counter = PlaceCounter()
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { counter.pass(scalar) }
    return counter.place
  }
}

/// Counts lines and columns the way the YAML library does.
struct PlaceCounter {
  /// The place of the next character.
  private(set) var place = CuePlace.start
  private var previousIsReturn = false

  mutating func pass(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\n" where previousIsReturn: break
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": place = CuePlace(line: place.line + 1, column: 1)
    default: place.column += 1
    }
    previousIsReturn = scalar == "\r"
  }
}

extension CueSheetError {
  /// An error with one mistake.
  init(at place: CuePlace, _ message: String) { self.init([Problem(at: place, message)]) }
}

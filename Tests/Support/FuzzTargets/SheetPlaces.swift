import Sheets

extension FuzzTarget {
  /// Throws unless mistakes have places in a text. Lines end as YAML ends them, which may be more often than in JSON.
  static func require(_ problems: [SheetProblem], lieIn bytes: [UInt8]) throws {
    let (lines, jsonLines) = (lineLengths(bytes, allBreaks: true), lineLengths(bytes, allBreaks: false))
    for problem in problems {
      func lies(in lines: [Int]) -> Bool {
        (1...lines.count).contains(problem.line) && (1...lines[problem.line - 1] + 1).contains(problem.column)
      }
      try require(lies(in: lines) || lies(in: jsonLines), "no place of lines of \(lines): \(problem)")
      try require(!problem.message.isEmpty && !problem.message.utf8.contains(0x0A), "the message of \(problem)")
    }
  }

  /// How many code points each line has.
  private static func lineLengths(_ bytes: [UInt8], allBreaks: Bool) -> [Int] {
    var lengths = [0]
    var last: Unicode.Scalar = " "
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n" where last == "\r": break
      case "\n", "\r": lengths.append(0)
      case "\u{85}" where allBreaks, "\u{2028}" where allBreaks, "\u{2029}" where allBreaks: lengths.append(0)
      default: lengths[lengths.count - 1] += 1
      }
      last = scalar
    }
    return lengths
  }
}

import CueSheet
import EventSchedule
import GameEvents
import MediaTime
import SheetSyntax

extension FuzzTarget {
  /// Cue sheets in YAML and JSON: problems have a place in the text, and what has none makes events that can be sent and read.
  static let cueSheet = FuzzTarget("cue-sheet") { bytes in
    let policy = CopyPolicy()
    let sheet: CueSheet
    do throws(CueSheetError) {
      sheet = try CueSheet.parse(bytes, policy: policy, answers: .open) { MediaTime(seconds: 3_600) }
    } catch {
      try require(!error.problems.isEmpty, "an error without problems")
      let lines = lineLengths(bytes)
      for problem in error.problems {
        try require((1...lines.count).contains(problem.line), "line \(problem.line) of \(lines.count): \(problem)")
        try require(
          (1...lines[problem.line - 1] + 1).contains(problem.column), "column of \(problem) in a line of \(lines[problem.line - 1])")
      }
      return
    }
    try require(sheet.events.count == sheet.places.count, "places of events")
    for planned in sheet.events {
      let tag = try EventCopy(of: planned.event).encodedTag()
      try require(tag.count <= policy.largestTagSize, "a tag of \(tag.count) bytes")
      guard let copy = try? EventCopy(parsing: EventCopy(of: planned.event).text, description: "") else {
        throw Finding("no reader takes \(planned.event)")
      }
      try require(copy.event, equals: planned.event, "event written and read")
    }
  }

  /// How many code points each line has. Lines end as YAML ends them, which may be more often than in JSON.
  private static func lineLengths(_ bytes: [UInt8]) -> [Int] {
    var lengths = [0]
    var last: Unicode.Scalar = " "
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n" where last == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": lengths.append(0)
      default: lengths[lengths.count - 1] += 1
      }
      last = scalar
    }
    return lengths
  }
}

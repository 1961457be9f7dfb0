import Basics
import CueSheet
import EventSchedule
import GameEvents
import Sheets

extension FuzzTarget {
  /// Cue sheets in YAML and JSON: problems have a place in the text, and what has none makes events that can be sent and read.
  static let cueSheet = FuzzTarget("cue-sheet") { bytes in
    let policy = CopyPolicy()
    let sheet: CueSheet
    do throws(CueSheetError) {
      sheet = try CueSheet.parse(bytes, policy: policy, answers: .open) { MediaTime(seconds: 3_600) }
    } catch {
      try require(!error.problems.isEmpty, "an error without problems")
      try require(error.problems, lieIn: bytes)
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
}

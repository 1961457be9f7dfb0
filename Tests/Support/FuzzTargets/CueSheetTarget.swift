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
    try require(sheet.warnings, lieIn: bytes)
    try require(sheet.warnings, equals: sheet.warnings.inOrder, "order of warnings")
    let captions = CueCaptions(sheet.events).captions
    try require(zip(captions, captions.dropFirst()).allSatisfy { $0.end <= $1.start }, "captions that overlap")
    try requireShift(of: sheet, bytes)
    for planned in sheet.events {
      let tag = try EventCopy(of: planned.event).encodedTag()
      try require(tag.count <= policy.largestTagSize, "a tag of \(tag.count) bytes")
      guard let copy = try? EventCopy(parsing: EventCopy(of: planned.event).text, description: "") else {
        throw Finding("no reader takes \(planned.event)")
      }
      try require(copy.event, equals: planned.event, "event written and read")
    }
  }
  /// A sheet that was moved has the same events at other times, or cannot be moved.
  private static func requireShift(of sheet: CueSheet, _ bytes: [UInt8]) throws {
    for duration in [MediaTime(ticks: 112_612), MediaTime(seconds: -2)] {
      guard let moved = try? ShiftedSheet(bytes, by: duration, dropsEarly: true) else { continue }
      let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
      let again = try CueSheet.parse(Array(moved.text.utf8), policy: policy, answers: .open)
      let gone = Set(moved.dropped.map(\.place))
      let kept = zip(sheet.events, sheet.places).filter { !gone.contains($0.1) }.map { $0.0.time + duration }
      try require(again.events.map(\.time), equals: kept, "times that were moved")
      if gone.isEmpty { try require(again.events.map(\.event.guid), equals: sheet.events.map(\.event.guid), "GUIDs that were moved") }
    }
  }
}

public import Basics
import EventSchedule
package import GameEvents
import Sheets

/// When cues happen after a video was cut, or got a new beginning: parts are cut out, and all cues or those of a stretch are moved.
public struct CueShift: Equatable, Sendable {
  /// The parts that are cut out, in the times of the sheet: sorted, apart from each other, and none empty. What follows a part happens earlier.
  public let cuts: [Range<MediaTime>]
  /// How much later the cues of the stretch happen; negative for earlier.
  public let duration: MediaTime
  /// The stretch whose cues are moved, in the times of the sheet; `nil` for all.
  public let stretch: Range<MediaTime>?

  /// A shift.
  ///
  /// - Parameters:
  ///   - duration: How much later the cues of the stretch happen; negative for earlier.
  ///   - stretch: The stretch whose cues are moved, in the times of the sheet; `nil` for all.
  ///   - cuts: The parts that are cut out, in any order. They may overlap.
  public init(by duration: MediaTime = .zero, in stretch: Range<MediaTime>? = nil, cutting cuts: [Range<MediaTime>] = []) {
    (self.duration, self.stretch) = (duration, stretch)
    var apart: [Range<MediaTime>] = []
    for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) where !cut.isEmpty {
      if let last = apart.last, cut.lowerBound <= last.upperBound {
        apart[apart.count - 1] = last.lowerBound..<max(last.upperBound, cut.upperBound)
      } else {
        apart.append(cut)
      }
    }
    self.cuts = apart
  }

  /// The new time of a cue; `nil` if it is in a part that is cut out.
  func time(of time: MediaTime) -> MediaTime? {
    var moved = time
    for cut in cuts {
      if cut.contains(time) { return nil }
      if cut.upperBound <= time { moved = moved - (cut.upperBound - cut.lowerBound) }
    }
    return stretch?.contains(time) == false ? moved : moved + duration
  }
}

// MARK: - Cues that are left out

extension CueShift {
  /// The cues of a sheet that have no place in the new programme, each with the reason.
  struct LeftOut {
    /// Those that would come before the beginning, and what belongs to such questions.
    var early: [SheetProblem] = []
    /// Those in parts that are cut out, and what belongs to such questions.
    var cut: [SheetProblem] = []

    var places: Set<SheetPlace> { Set((early + cut).map(\.place)) }
  }

  func leftOut(of sheet: CueSheet) -> LeftOut {
    var left = LeftOut()
    var (earlyQuestions, cutQuestions): (Set<GUID>, Set<GUID>) = ([], [])
    for (planned, place) in zip(sheet.events, sheet.places) {
      let (name, guid) = (planned.event.type, planned.event.guid)
      let question = planned.event.content.questionGUID
      guard let time = time(of: planned.time) else {
        if name == .askQuestion { cutQuestions.insert(guid) }
        left.cut.report(at: place, "this \(name) is in a part that is cut out")
        continue
      }
      if time < .zero {
        if name == .askQuestion { earlyQuestions.insert(guid) }
        left.early.report(
          at: place, "this \(name) would come \((MediaTime.zero - time).shortestDecimalSeconds) s before the programme begins")
      } else if let question, earlyQuestions.contains(question) {
        left.early.report(at: place, "this \(name) is of a question that would come before the programme begins")
      } else if let question, cutQuestions.contains(question) {
        left.cut.report(at: place, "this \(name) is of a question that is cut out")
      }
    }
    return left
  }
}

extension CueSheet {
  /// Returns the sheet with all cues moved by a duration, and those that have no place in a programme that begins later: cues before its beginning,
  /// and what belongs to such questions. All keep their GUIDs and numbers.
  package func moved(by duration: MediaTime) -> (sheet: CueSheet, early: Set<GUID>) {
    let places = CueShift(by: duration).leftOut(of: self).places
    var moved = self
    var early: Set<GUID> = []
    for (index, place) in self.places.enumerated() {
      moved.events[index].event.at = events[index].time + duration
      if places.contains(place) { early.insert(events[index].event.guid) }
    }
    return (moved, early)
  }
}

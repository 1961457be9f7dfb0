public import Basics
import EventSchedule
import GameEvents
public import Sheets

extension CueSheet {
  /// Reports the questions that take answers while the programme is left for advertisements.
  ///
  /// - Parameter breaks: When the programme is left, in programme time.
  /// - Returns: A warning for each such question, in the order of the events.
  public func warnings(breaks: [Range<MediaTime>]) -> [SheetProblem] {
    zip(events, places).compactMap { planned, place in
      guard case .askQuestion(let content) = planned.event.content else { return nil }
      let end = planned.time + content.allottedTime
      guard let first = breaks.first(where: { $0.meets(from: planned.time, to: end) }) else { return nil }
      return SheetProblem(
        at: place,
        "question \(content.questionNumber), which takes answers from \(planned.time.clockText) to \(end.clockText), meets the ad break from "
          + "\(first.lowerBound.clockText) to \(first.upperBound.clockText); move it")
    }
  }
}

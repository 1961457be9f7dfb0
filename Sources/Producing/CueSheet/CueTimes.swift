import Basics
import GameEvents
import Sheets

/// Finds the times of cues that count their time from other cues.
///
/// Each such cue depends on one other cue, or on two: a question and what has changed its time for answers.
struct CueTimes {
  /// When each cue happens, in the order of the text; `nil` if it is unknown, which was reported.
  private(set) var times: [MediaTime?]
  private(set) var problems: [SheetProblem] = []
  private let cues: [Cue]
  private let offset: MediaTime
  private var states: [State]
  /// The cues that each one counts from.
  private var sources: [[Int]]

  private enum State { case unknown, pending, known }

  /// - Parameters:
  ///   - cues: The cues in the order of the text.
  ///   - offset: How much later each of them happens than the sheet says.
  init(_ cues: [Cue], offset: MediaTime) {
    (self.cues, self.offset) = (cues, offset)
    times = Array(repeating: nil, count: cues.count)
    states = Array(repeating: .unknown, count: cues.count)
    sources = Array(repeating: [], count: cues.count)
  }

  /// The cues that each cue counts its time from.
  static func sources(of cues: [Cue]) -> [[Int]] {
    var times = CueTimes(cues, offset: .zero)
    times.findSources()
    return times.sources
  }

  /// Finds the times of all cues.
  mutating func resolve() {
    guard cues.contains(where: { $0.moment?.value.anchor != nil || $0.moment?.value.isDrop != nil }) || offset != .zero else {
      times = cues.map { $0.moment?.value.distance }
      return
    }
    reportMixedTimecodes()
    findSources()
    for index in cues.indices { follow(index) }
    for index in cues.indices { moveIntoProgramme(index) }
  }

  /// Reports timecodes of both kinds in one sheet, because they count frames differently.
  private mutating func reportMixedTimecodes() {
    var first: (isDrop: Bool, place: SheetPlace)?
    for moment in cues.compactMap(\.moment) {
      guard let isDrop = moment.value.isDrop else { continue }
      guard let known = first else {
        first = (isDrop, moment.place)
        continue
      }
      guard known.isDrop != isDrop else { continue }
      problems.report(
        at: moment.place,
        "this timecode is \(isDrop ? "" : "not ")in drop frame, other than the one in line \(known.place.line); write all of one kind")
    }
  }

  private mutating func findSources() {
    var last: [CueMoment.Anchor: Int] = [:]
    // The last adjustment of the time for answers of the question above, and the number of that question.
    var adjustment: Int?
    var number = 0
    for (index, cue) in cues.enumerated() {
      if let moment = cue.moment, let anchor = moment.value.anchor {
        switch anchor {
        case .previous: sources[index] = index > 0 ? [index - 1] : []
        case .next: sources[index] = index + 1 < cues.count ? [index + 1] : []
        case .start, .question, .result: sources[index] = last[anchor].map { [$0] } ?? []
        case .timeUp: sources[index] = last[.question].map { question in [question] + [adjustment].compactMap(\.self) } ?? []
        }
        if sources[index].isEmpty {
          let side = anchor == .next ? "after" : "before"
          problems.report(at: moment.place, "there is no \(anchor.name) \(side) this cue that its time could count from; write a time")
        }
      }
      switch cue.content {
      case .startGame: last[.start] = index
      case .askQuestion(let question):
        (last[.question], adjustment) = (index, nil)
        number = question.questionNumber?.value ?? number + 1
      case .showResults: last[.result] = index
      case .adjustTime(let change):
        // An adjustment that names another question belongs to that one.
        if last[.question] != nil, change.questionNumber?.value ?? number == number { adjustment = index }
      case .periodicInfo, .endGame, .custom, .id3: break
      }
    }
  }

  /// Finds the time of a cue, after those of the cues that it counts from. A chain may be as long as the sheet, so this is a loop instead of a
  /// recursion.
  private mutating func follow(_ start: Int) {
    var path = [start]
    while let index = path.last {
      guard states[index] != .known else {
        path.removeLast()
        continue
      }
      states[index] = .pending
      if let source = sources[index].first(where: { states[$0] != .known }) {
        if states[source] == .pending {
          if let moment = cues[index].moment {
            problems.report(
              at: moment.place,
              "this time and that of the cue in line \(cues[source].place.line) count from each other; write one as a time")
          }
          // The time stays unknown.
          states[index] = .known
          path.removeLast()
        } else {
          path.append(source)
        }
        continue
      }
      times[index] = time(of: index)
      states[index] = .known
      path.removeLast()
    }
  }

  private func time(of index: Int) -> MediaTime? {
    guard let moment = cues[index].moment?.value else { return nil }
    guard let anchor = moment.anchor else { return moment.distance }
    guard let source = sources[index].first, let time = times[source] else { return nil }
    guard anchor == .timeUp, case .askQuestion(let question) = cues[source].content else { return time + moment.distance }
    guard sources[index].count > 1 else { return time + question.allottedTime + moment.distance }
    let adjusting = sources[index][1]
    guard case .adjustTime(let change) = cues[adjusting].content, let allotted = change.allottedTime, let changedAt = times[adjusting]
    else { return nil }
    return AdjustTime.end(ofQuestionFrom: time, allottedTime: allotted, adjustedAt: changedAt) + moment.distance
  }

  /// Applies the offset, and reports a time outside the valid range.
  private mutating func moveIntoProgramme(_ index: Int) {
    guard let moment = cues[index].moment, let written = times[index] else { return }
    let time = written + offset
    times[index] = time
    guard time < .zero || time > MediaTime(seconds: Int(MediaTime.largestSeconds)) else { return }
    times[index] = nil
    let moved = offset == .zero ? "" : ", with the offset of \(offset.shortestDecimalSeconds) s,"
    guard time < .zero else {
      problems.report(at: moment.place, "this \(cues[index].type) comes\(moved) after more than 31 years; write an earlier time")
      return
    }
    let early = (MediaTime.zero - time).shortestDecimalSeconds
    problems.report(
      at: moment.place, "this \(cues[index].type) comes\(moved) \(early) s before the programme begins; write a later time, or leave it out"
    )
  }
}

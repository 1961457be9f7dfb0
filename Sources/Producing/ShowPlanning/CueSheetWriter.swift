import Basics
import CueSheet
import EventSchedule
public import GameEvents
import Questions
import Seals
import Sheets

extension ShowPlan {
  /// The show as a cue sheet in YAML, for people to edit and for `stamp` to take.
  ///
  /// Points, explanation and link are in the cue of the result: players see everything in the question's cue before they answer.
  ///
  /// - Parameters:
  ///   - comments: Lines for the sheet's head.
  ///   - largestTagSize: The largest accepted tag in bytes.
  /// - Throws: ``PlanningError/sheet(_:)`` if the cue sheet's reader refuses it, such as for a tag above the limit.
  public func cueSheet(comments: [String] = [], largestTagSize: Int = TagLimit.standard) throws(PlanningError) -> String {
    var lines = comments.map { "# \($0.yamlComment)" }
    lines.append("game: \(options.game.yamlScalar)")
    lines.append("title: \(options.title.yamlScalar)")
    lines.append("defaults: { allottedTime: \(options.allottedTime.wholeMilliseconds.shortestDecimalSeconds) }")
    lines.append("cues:")
    var before: PlannedCue?
    for cue in cues {
      lines += self.lines(cue, at: moment(of: cue, after: before))
      before = cue
    }
    let text = lines.joined(separator: "\n") + "\n"
    // Sizes and identifiers do not depend on the key.
    guard let key = SealKey(bytes: [UInt8](repeating: 0, count: SealKey.length)) else { return text }
    do throws(SheetError) {
      _ = try CueSheet.parse(text, policy: CopyPolicy(largestTagSize: largestTagSize), answers: .sealed(key))
    } catch {
      throw .sheet(error)
    }
    return text
  }

  /// When a cue happens, as the sheet says it: a time of the programme, or a distance from the end of the time for answers or from the cue before.
  private func moment(of cue: PlannedCue, after before: PlannedCue?) -> String {
    guard options.hasRelativeTimes, let before else { return cue.time.clockText }
    if case .showResults = cue.content {
      return Self.distance("timeUp", options.resultDelay.wholeMilliseconds)
    }
    return Self.distance("previous", cue.time - before.time)
  }

  private static func distance(_ anchor: String, _ time: MediaTime) -> String {
    time == .zero ? anchor : "\(anchor) + \(time.shortestDecimalSeconds)s"
  }

  private func lines(_ cue: PlannedCue, at time: String) -> [String] {
    var members: [(key: String, value: String?)] = []
    switch cue.content {
    case .startGame(let startsIn):
      let countdown = startsIn.map { ", startsIn: \($0.shortestDecimalSeconds)" } ?? ""
      return ["  - { at: \(time), event: startGame\(countdown) }"]
    case .endGame: return ["  - { at: \(time), event: endGame }"]
    case .periodicInfo(let viewers): return ["  - { at: \(time), event: periodicInfo, viewers: \(viewers) }"]
    case .ask(let question):
      members = [("event", "askQuestion")] + question.taskObject.members.map { ($0.key, $0.value.yaml) }
      members += [
        ("category", question.category?.yamlScalar), ("difficulty", question.difficulty?.rawValue),
        ("allottedTime", ownTime(of: question)?.shortestDecimalSeconds),
      ]
    case .showResults(let question):
      members = [
        ("event", "showResults"), ("points", question.points.map { "[\($0.map(String.init).joined(separator: ", "))]" }),
        ("explanation", question.explanation?.yamlScalar), ("url", question.link?.yamlScalar),
      ]
      // Most results have no other keys.
      if members.dropFirst().allSatisfy({ $0.value == nil }) { return ["  - { at: \(time), event: showResults }"] }
    }
    return ["  - at: \(time)"] + members.compactMap { key, value in value.map { "    \(key): \($0)" } }
  }

  /// The time for answers of a question, if it differs from that of the sheet.
  private func ownTime(of question: Question) -> MediaTime? {
    question.allottedTime.map(\.wholeMilliseconds).flatMap { $0 == options.allottedTime.wholeMilliseconds ? nil : $0 }
  }
}

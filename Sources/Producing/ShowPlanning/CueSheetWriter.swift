import Basics
import CueSheet
import EventSchedule
import Questions
import Seals
import Sheets

extension ShowPlan {
  /// The show as a cue sheet in YAML, for people to edit and for `stamp` to take.
  ///
  /// Points, explanation and link are in the cue of the result: players see everything in the question's cue before they answer.
  ///
  /// - Parameter comments: Lines for the sheet's head.
  /// - Throws: ``PlanningError/sheet(_:)`` if the cue sheet's reader refuses it, such as for a tag above the limit of 1,024 bytes.
  public func cueSheet(comments: [String] = []) throws(PlanningError) -> String {
    var lines = comments.map { "# \($0.yamlComment)" }
    lines.append("game: \(options.game.yamlScalar)")
    lines.append("title: \(options.title.yamlScalar)")
    lines.append("defaults: { allottedTime: \(options.allottedTime.wholeMilliseconds.shortestDecimalSeconds) }")
    lines.append("cues:")
    for cue in cues { lines += self.lines(cue) }
    let text = lines.joined(separator: "\n") + "\n"
    // Sizes and identifiers do not depend on the key.
    guard let key = SealKey(bytes: [UInt8](repeating: 0, count: SealKey.length)) else { return text }
    do throws(SheetError) {
      _ = try CueSheet.parse(text, policy: CopyPolicy(), answers: .sealed(key))
    } catch {
      throw .sheet(error)
    }
    return text
  }

  private func lines(_ cue: PlannedCue) -> [String] {
    var members: [(key: String, value: String?)] = []
    switch cue.content {
    case .startGame(let startsIn):
      let countdown = startsIn.map { ", startsIn: \($0.shortestDecimalSeconds)" } ?? ""
      return ["  - { at: \(cue.time.clockText), event: startGame\(countdown) }"]
    case .endGame: return ["  - { at: \(cue.time.clockText), event: endGame }"]
    case .periodicInfo(let viewers): return ["  - { at: \(cue.time.clockText), event: periodicInfo, viewers: \(viewers) }"]
    case .ask(let question):
      members = [
        ("event", "askQuestion"), ("question", question.text.yamlScalar),
        ("answers", "[\(question.answers.map(\.yamlScalar).joined(separator: ", "))]"), ("correct", question.rightAnswer.yamlScalar),
        ("category", question.category?.yamlScalar), ("difficulty", question.difficulty?.rawValue),
        ("allottedTime", ownTime(of: question)?.shortestDecimalSeconds),
      ]
    case .showPicture(let url, let currentFor):
      // Apps know this event by its type; others pass it on.
      members = [("event", "showPicture"), ("currentFor", currentFor.shortestDecimalSeconds), ("url", url.quotedYAML)]
    case .showResults(let question):
      members = [
        ("event", "showResults"), ("points", question.points.map { "[\($0.map(String.init).joined(separator: ", "))]" }),
        ("explanation", question.explanation?.yamlScalar), ("url", question.link?.yamlScalar),
      ]
      // Most results have no other keys.
      if members.dropFirst().allSatisfy({ $0.value == nil }) { return ["  - { at: \(cue.time.clockText), event: showResults }"] }
    }
    return ["  - at: \(cue.time.clockText)"] + members.compactMap { key, value in value.map { "    \(key): \($0)" } }
  }

  /// The time for answers of a question, if it differs from that of the sheet.
  private func ownTime(of question: Question) -> MediaTime? {
    question.allottedTime.map(\.wholeMilliseconds).flatMap { $0 == options.allottedTime.wholeMilliseconds ? nil : $0 }
  }
}

import Basics
import CueSheet
import EventSchedule
import GameEvents
package import Questions
import Seals
import Sheets

/// Checks whether the events of questions fit into the tags that are written into streams.
package struct TagSizeCheck: Sendable {
  private let limit: Int
  private let game: String

  /// A check for a largest tag in bytes, and for questions of a game.
  package init(largestTagSize: Int, game: String) { (limit, self.game) = (largestTagSize, game) }

  /// Takes out the questions whose events do not fit, each with its mistake.
  package func apply(to reading: inout QuestionBank.Reading) { reading.refuse { fault(of: $0) } }

  /// Why the events of a question do not fit; `nil` if they do.
  func fault(of question: Question) -> String? {
    let size = max(question.askedSize, question.shownSize) + game.utf8.count
    guard size + TagLimit.envelope > limit else { return nil }
    // Where it matters, the events are made and measured.
    var question = question
    question.time = nil
    do throws(PlanningError) {
      _ = try ShowPlan([question], PlanOptions(game: game, title: game)).cueSheet(largestTagSize: limit)
      return nil
    } catch {
      guard case .sheet(let refusal) = error, let problem = refusal.problems.first else { return "\(error)" }
      return problem.message
    }
  }
}

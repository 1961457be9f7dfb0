public import Basics
public import Sheets

/// Why a show cannot be planned.
public enum PlanningError: Error, Equatable, Sendable {
  /// The filters of the selection leave no question of `of`. `categories` has each category once.
  case noQuestions(of: Int, selection: QuestionSelection, categories: [String])
  /// There are fewer questions than requested.
  case tooFewQuestions(wanted: Int, there: Int)
  /// Questions would come faster than their results are shown.
  case intervalTooShort(MediaTime, least: MediaTime)
  /// The programme is too short.
  case doesNotFit(questions: Int, needed: MediaTime, length: MediaTime, fitting: Int)
  /// There are more cues than a cue sheet may have.
  case tooManyCues(limit: Int)
  /// A time of a question or marker cannot be used; the second text says why.
  case time(String, String)
  /// Times are given, but not for this question.
  case noTime(String)
  /// There are fewer markers than requested questions.
  case tooFewMarkers(wanted: Int, there: Int)
  /// This question would be asked before the result of the one before it is shown.
  case questionsOverlap(String, at: MediaTime, result: MediaTime)
  /// The resulting cue sheet is refused.
  case sheet(SheetError)
}

extension PlanningError: CustomStringConvertible {
  /// What is wrong and what to do about it: one line without a full stop.
  public var description: String {
    switch self {
    case .noQuestions(let count, let selection, let categories):
      count == 0
        ? "there is no question"
        : (count == 1 ? "the only question does not have " : "none of the \(count) questions has ")
          + "\(selection.filters.joined(separator: ", "))\(Self.advice(selection, categories))"
    case .tooFewQuestions(let wanted, let there):
      "\(wanted) questions are wanted, and there are \(there) of this kind; ask for fewer, or give more banks"
    case .intervalTooShort(let interval, let least):
      "an interval of \(interval.clockText) is too short: with the time for answers, the delay and the result a question takes "
        + "\(least.clockText); write at least that"
    case .doesNotFit(let questions, let needed, let length, let fitting):
      "\(questions.of("question needs", "questions need")) \(needed.clockText), and the programme has \(length.clockText): "
        + "\((needed - length).clockText) too much; \(fitting == 0 ? "none fits" : fitting.of("fits", "fit"))"
    case .tooManyCues(let limit): "there are more than \(limit) cues; take fewer questions, or send information less often"
    case .time(let text, let fault): "the time \(text.quoted) \(fault)"
    case .noTime(let question): "other questions have a time, and \(question.quoted) has none; give it one, or leave it out"
    case .tooFewMarkers(let wanted, let there):
      "\(wanted) questions are wanted, and there are \(there.of("marker")); ask for fewer, or set more"
    case .questionsOverlap(let question, let time, let result):
      "\(question.quoted) is asked at \(time.clockText), before the result of the question before it at \(result.clockText); "
        + "move it, or take less time with --allotted-time and --result-delay"
    case .sheet(let error): error.problems.first.map { "the planned cue sheet is refused: \($0)" } ?? "the planned cue sheet is refused"
    }
  }

  /// The maximum number of categories that are named.
  private static let namesShown = 10

  private static func advice(_ selection: QuestionSelection, _ categories: [String]) -> String {
    guard !selection.categories.isEmpty else { return "; ask for others" }
    guard !categories.isEmpty else { return "; no question says its category" }
    let names = categories.prefix(namesShown).map(\.quoted).joined(separator: ", ")
    let more = categories.count > namesShown ? " and \(categories.count - namesShown) more" : ""
    return "; the \(categories.count == 1 ? "category is" : "categories are") \(names)\(more)"
  }
}

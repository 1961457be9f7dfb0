/// Finds questions that repeat earlier ones, in one bank or in several.
///
/// Texts are compared without case, spaces and punctuation. Questions are often worded alike ("Which of these is a metal?"), so a question only
/// counts as repeated if the right answer is the same too, or if all answers are the same.
public struct Repetitions: Sendable {
  /// How a question repeats another one.
  public enum Finding: Equatable, Sendable {
    /// It is the same question as the one with this index.
    case same(as: Int)
    /// It has the text and the answers of the one with this index, but another right answer.
    case contradiction(to: Int)

    /// The mistake in words.
    ///
    /// - Parameter place: Where the question of an index stands, such as `line 3`.
    package func mistake(_ place: (Int) -> String) -> String {
      switch self {
      case .same(let index): "this question is already in \(place(index)); remove one of them"
      case .contradiction(let index):
        "this question has the answers of that in \(place(index)), but another right one; correct or remove one of them"
      }
    }
  }

  /// A question's text with its right answer, or with all its answers, sorted.
  private struct Key: Hashable {
    var text: [UInt8]
    var answers: [[UInt8]]
  }

  private var byRightAnswer: [Key: Int] = [:]
  private var byAnswers: [Key: Int] = [:]
  private var count = 0

  /// No question is known yet.
  public init() {}

  /// Adds a question, whose index is the number of those added before; returns whether it repeats one of them.
  public mutating func add(_ question: Question) -> Finding? {
    let text = QuestionText.folded(question.text)
    let answers = question.answers.map { QuestionText.folded($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    let (right, all) = (Key(text: text, answers: [QuestionText.folded(question.rightAnswer)]), Key(text: text, answers: answers))
    // Polls have none, and are the same if their answers are.
    let hasRight = question.right != nil
    let known = hasRight ? byRightAnswer[right] : byAnswers[all]
    let finding = known.map { Finding.same(as: $0) } ?? byAnswers[all].map { Finding.contradiction(to: $0) }
    if hasRight { byRightAnswer[right] = byRightAnswer[right] ?? count }
    byAnswers[all] = byAnswers[all] ?? count
    count += 1
    return finding
  }
}

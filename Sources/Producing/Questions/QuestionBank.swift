public import Basics
import GameEvents
public import Sheets

/// Questions that belong together, each with its place in the text that it was read from.
public struct QuestionBank: Equatable, Sendable {
  /// What identifies the quiz.
  public var id: String?
  /// What the quiz is called.
  public var title: String?
  /// The questions, in order.
  public var questions: [Placed<Question>]

  /// Questions that belong together.
  public init(id: String? = nil, title: String? = nil, questions: [Placed<Question>] = []) {
    self.id = id
    self.title = title
    self.questions = questions
  }

  /// Whether both have the same questions at the same places; texts are compared byte by byte.
  public static func == (left: QuestionBank, right: QuestionBank) -> Bool {
    left.id.hasSameBytes(as: right.id) && left.title.hasSameBytes(as: right.title) && left.questions == right.questions
  }

  /// The result of reading a text: the questions without mistakes, every mistake, and notices about ambiguous parts.
  public struct Reading: Equatable, Sendable {
    /// The questions without mistakes.
    public var bank: QuestionBank
    /// The mistakes, in the order of the text.
    public var problems: [SheetProblem]
    /// What the writer of the text should know: what was guessed, or left out. Mistakes are not included.
    public var notices: [SheetProblem]

    /// The result of reading a text.
    public init(_ bank: QuestionBank, problems: [SheetProblem] = [], notices: [SheetProblem] = []) {
      self.bank = bank
      self.problems = problems.inOrder
      self.notices = notices.inOrder
    }

    /// A text that cannot be read at all.
    public init(_ error: SheetError) { self.init(QuestionBank(), problems: error.problems) }
  }
}

extension [SheetProblem] {
  /// Whether a bank may have a question of this number, from 1; the first one too many is reported.
  mutating func allow(questionNumber number: Int, at place: SheetPlace) -> Bool {
    if number == QuestionLimits.questions + 1 {
      report(at: place, "there are more than \(QuestionLimits.questions) questions; split the file here")
    }
    return number <= QuestionLimits.questions
  }

  /// Reports that no question is left, if all of a file are left out.
  mutating func requireQuestion(in bank: QuestionBank, leftOut notices: [SheetProblem]) {
    guard isEmpty, bank.questions.isEmpty, let first = notices.first else { return }
    report(at: first.place, "no question of this file can be asked: \(first.message)")
  }
}

/// The limits of a question.
///
/// The event that asks it and the one that shows its result fit into tags of 2,048 bytes, the default limit of a stamped stream. Tags are sent
/// repeatedly, and their texts are shown on a screen and read within seconds. Everything else in the events, including a game's name of 100 bytes,
/// takes less than 490 bytes with a question and 560 with a result.
public enum QuestionLimits {
  /// Bytes of a question's text in UTF-8.
  public static let question = 400
  /// Bytes of an answer.
  public static let answer = 120
  /// Bytes of a category, of a quiz's id and of its title.
  public static let name = 100
  /// Bytes of the unit of numbers.
  public static let unit = 40
  /// Bytes of an explanation.
  public static let explanation = 400
  /// Bytes of a link.
  public static let link = 200
  /// How long answers to a question may be accepted.
  public static let allottedTime = MediaTime(seconds: 1)...MediaTime(seconds: 3_600)
  /// Bytes of the time at which a question is asked.
  public static let time = 24
  /// Total bytes of the question, its answers, its unit and its category, as JSON.
  public static let asked = TagLimit.standard - TagLimit.envelope
  /// Total bytes of the explanation and the link, as JSON.
  public static let shown = TagLimit.standard - TagLimit.envelope
  /// The points of an answer. Sums over a show stay far within every client's integers.
  public static let points = -1_000_000...1_000_000
  /// Questions of one bank. Open Trivia DB has some thousands in total.
  public static let questions = 100_000
}

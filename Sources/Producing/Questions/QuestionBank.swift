public import Basics
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

  /// What reading a text gave: the questions that are right, every mistake, and what was understood in one of several ways.
  public struct Reading: Equatable, Sendable {
    /// The questions without mistakes.
    public var bank: QuestionBank
    /// The mistakes, in the order of the text.
    public var problems: [SheetProblem]
    /// What the writer of the text should know: what was guessed, or left out. No mistake is among it.
    public var notices: [SheetProblem]

    /// What reading a text gave.
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
}

/// What a question may have at most.
///
/// The event that asks it and the one that shows its result fit into tags of 1,024 bytes, the default limit of a stamped stream. Tags
/// are sent over and over, and shown on a screen, where they are read within seconds. Whatever else the events hold, a game's name of 100 bytes
/// included, has less than 490 bytes with a question and 560 with a result.
public enum QuestionLimits {
  /// Bytes of a question's text in UTF-8.
  public static let question = 400
  /// Bytes of an answer.
  public static let answer = 120
  /// Bytes of a category, of a quiz's id and of its title.
  public static let name = 100
  /// Bytes of an explanation.
  public static let explanation = 400
  /// Bytes of a link, and of a picture's address.
  public static let link = 200
  /// How long answers to a question may be taken.
  public static let allottedTime = MediaTime(seconds: 1)...MediaTime(seconds: 3_600)
  /// Bytes that the question, its answers and its category have together, as JSON.
  public static let asked = 530
  /// Bytes that the explanation and the link have together, as JSON.
  public static let shown = 460
  /// What an answer may be worth: sums over a show stay far within every client's integers.
  public static let points = -1_000_000...1_000_000
  /// Questions of one bank: Open Trivia DB has some thousands in all.
  public static let questions = 100_000
}

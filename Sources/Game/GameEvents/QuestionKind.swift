import Basics

/// What a question asks for: see "Kinds of questions" in the wire format.
public enum QuestionKind: Equatable, Sendable {
  /// One of the answers; one of them is right.
  case single
  /// One or more of the answers; a set of them is right.
  case multiple
  /// One of the answers; none is right.
  case poll
  /// One of the answers; which one is right is known later than the first result.
  case prediction
  /// A number of a range; a number is right, and other numbers count by their distance.
  case number
  /// The answers in an order; one order is right.
  case order
  /// A text; some spellings are right.
  case text
  /// A kind that this reader does not know: the question is shown and takes no answer.
  case other(String)

  /// The kinds that this reader knows.
  public static let known: [QuestionKind] = [.single, .multiple, .poll, .prediction, .number, .order, .text]

  /// The kind of this name.
  public init(_ text: String) { self = Self.known.first { $0.text.hasSameBytes(as: text) } ?? .other(text) }

  /// Its name on the wire, for example `multiple`.
  public var text: String {
    switch self {
    case .single: "single"
    case .multiple: "multiple"
    case .poll: "poll"
    case .prediction: "prediction"
    case .number: "number"
    case .order: "order"
    case .text: "text"
    case .other(let text): text
    }
  }

  /// Whether this reader knows the kind.
  package var isKnown: Bool { if case .other = self { false } else { true } }

  /// Whether both are equal; names are compared byte by byte.
  public static func == (left: QuestionKind, right: QuestionKind) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// How many answers a question of this kind offers; `nil` where it offers none, or any number.
  public var answerCount: ClosedRange<Int>? {
    switch self {
    case .single, .multiple, .poll, .prediction: AskQuestion.answerCount
    case .order: 3...8
    case .number, .text, .other: nil
    }
  }

  /// Whether a question of this kind has a right answer when it is asked. That of a prediction is known later.
  public var needsRight: Bool {
    switch self {
    case .single, .multiple, .number, .order, .text: true
    case .poll, .prediction, .other: false
    }
  }

  /// Whether exactly one of the answers is right, once that is known.
  package var isOneRight: Bool { self == .single || self == .prediction }
}

package import Basics

/// What a question asks for, and how the answers are graded.
public struct QuestionTask: Equatable, Sendable {
  /// The kind of the question.
  public var kind: QuestionKind
  /// How answers are graded that are neither right nor wrong alone.
  public var grading: Grading
  /// The numbers that a question for a number takes.
  public var scale: NumberScale?
  /// The unit of the numbers, for example `km`.
  public var unit: String?
  /// Whether the counts of a poll are shown while it takes answers.
  public var isLive: Bool
  /// Whether a poll takes texts of its players, and offers no answers.
  public var takesWords: Bool

  /// By default, one of the answers is right.
  public init(
    _ kind: QuestionKind = .single, grading: Grading = Grading(), scale: NumberScale? = nil, unit: String? = nil, isLive: Bool = false,
    takesWords: Bool = false
  ) {
    self.kind = kind
    self.grading = grading
    self.scale = scale
    self.unit = unit
    self.isLive = isLive
    self.takesWords = takesWords
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: QuestionTask, right: QuestionTask) -> Bool {
    left.kind == right.kind && left.grading == right.grading && left.scale == right.scale && left.unit.hasSameBytes(as: right.unit)
      && left.isLive == right.isLive && left.takesWords == right.takesWords
  }

  /// How many answers the question offers; `nil` where it offers none, or any number.
  public var answerCount: ClosedRange<Int>? { takesWords ? nil : kind.answerCount }

  /// Which answers a question takes that offers some to choose from.
  public func form(answerCount: Int) -> AnswerForm {
    switch kind {
    case .single, .prediction: .one(of: answerCount)
    case .poll: takesWords ? .text : .one(of: answerCount)
    case .text: .text
    case .multiple: .several(of: answerCount)
    case .order: .order(of: answerCount)
    case .number: scale.map { .number($0) } ?? .none
    case .other: .none
    }
  }
}

// MARK: - JSON

extension QuestionTask {
  init(_ kind: QuestionKind, from fields: inout EventFields) throws(EventError) {
    self.init(kind, grading: try Grading(of: kind, from: &fields))
    if kind == .number { (scale, unit) = (try fields.scale(), try fields.text("unit")) }
    if kind == .poll { (isLive, takesWords) = (try fields.isTrue("live"), try fields.isTrue("words")) }
  }

  /// Writes the kind, unless it is that of questions without one.
  package func writeKind(to object: inout JSONObject) { if kind != .single { object.append("kind", kind.text) } }

  /// The keys of what is written here, for all kinds.
  package static let keys = ["kind", "least", "most", "step", "unit", "within", "partial", "tolerance", "words", "live"]

  /// Writes what only some kinds of questions have.
  package func writeDetails(to object: inout JSONObject) {
    if let scale {
      object.append("least", scale.least)
      object.append("most", scale.most)
      if scale.step != .one { object.append("step", scale.step) }
    }
    if let unit { object.append("unit", unit) }
    if let within = grading.within { object.append("within", within) }
    if grading.isPartial { object.append("partial", true) }
    if grading.tolerance > 0 { object.append("tolerance", grading.tolerance) }
    if takesWords { object.append("words", true) }
    if isLive { object.append("live", true) }
  }
}

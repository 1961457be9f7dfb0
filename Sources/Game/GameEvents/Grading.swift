public import Basics

/// How answers to a question are graded that are neither right nor wrong alone.
public struct Grading: Equatable, Sendable {
  /// Whether a part of the right answers gives a part of the points (several answers).
  public var isPartial: Bool
  /// The distance from the right number up to which a number is right; `nil` if only the nearest numbers given are.
  public var within: DecimalNumber?

  /// By default only the whole answer counts, and of numbers the nearest ones.
  public init(isPartial: Bool = false, within: DecimalNumber? = nil) { (self.isPartial, self.within) = (isPartial, within) }
}

extension Grading {
  /// Whether an answer is right as a whole; `nil` if that depends on the answers of others: of numbers without a distance the nearest ones are right.
  package func isRight(_ answer: GivenAnswer, _ right: RightAnswer) -> Bool? {
    switch (answer, right) {
    case (.one(let given), .one(let right)): given == right
    case (.several(let given), .several(let right)): given.sorted() == right.sorted()
    case (.order(let given), .order(let right)): given == right
    case (.number(let given), .number(let right)):
      given == right ? true : within.map { given.distance(to: right) <= UInt64($0.millionths.magnitude) }
    case (.one, _), (.several, _), (.order, _), (.number, _): false
    }
  }

  init(of kind: QuestionKind, from fields: inout EventFields) throws(EventError) {
    isPartial = kind == .multiple ? try fields.isTrue("partial") : false
    within = kind == .number ? try fields.decimal("within") : nil
    if let within, within < .zero { throw .invalid(key: "within", expected: "a number from 0") }
  }
}

extension EventFields {
  /// The kind of a question. A value that is no string stays an unknown key, as another system may use that name.
  mutating func kind() -> QuestionKind {
    guard let text = peek("kind")?.string else { return .single }
    _ = removeValue("kind")
    return QuestionKind(text)
  }

  /// The numbers that a question takes.
  mutating func scale() throws(EventError) -> NumberScale {
    let least = try decimal("least") ?? .zero
    let most = try Self.require(try decimal("most"), "most")
    let step = try decimal("step") ?? .one
    guard let scale = NumberScale(least: least, most: most, step: step) else {
      throw .invalid(key: "most", expected: "reached from \"least\" in 1 to \(NumberScale.mostSteps) whole steps")
    }
    return scale
  }
}

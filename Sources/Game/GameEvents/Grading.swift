public import Basics

/// How answers to a question are graded that are neither right nor wrong alone.
public struct Grading: Equatable, Sendable {
  /// Whether a part of the right answers gives a part of the points (several answers).
  public var isPartial: Bool
  /// The distance from the right number up to which a number is right; `nil` if only the nearest numbers given are.
  public var within: DecimalNumber?
  /// How many letters of a text may be missing, added or replaced, so that it still is the right one: 0 to ``largestTolerance``.
  public var tolerance: Int

  /// The largest tolerance.
  public static let largestTolerance = 3

  /// By default only the whole answer counts, and of numbers the nearest ones.
  public init(isPartial: Bool = false, within: DecimalNumber? = nil, tolerance: Int = 0) {
    (self.isPartial, self.within, self.tolerance) = (isPartial, within, tolerance)
  }
}

extension Grading {
  /// Whether an answer is right as a whole; `nil` if that depends on the answers of others: of numbers without a distance the nearest ones are right. A text
  /// is known to be right here if it has the letters of a right one; whether another one counts as the same is for those to say who have Unicode's tables.
  package func isRight(_ answer: GivenAnswer, _ right: RightAnswer) -> Bool? {
    switch (answer, right) {
    case (.one(let given), .one(let right)): given == right
    case (.several(let given), .several(let right)): given.sorted() == right.sorted()
    case (.order(let given), .order(let right)): given == right
    case (.number(let given), .number(let right)):
      given == right ? true : within.map { given.distance(to: right) <= UInt64($0.millionths.magnitude) }
    case (.text(let given), .texts(let right)): right.contains { $0.isSpelled(as: given) } ? true : nil
    case (.one, _), (.several, _), (.order, _), (.number, _), (.text, _): false
    }
  }

  init(of kind: QuestionKind, from fields: inout EventFields) throws(EventError) {
    isPartial = kind == .multiple ? try fields.isTrue("partial") : false
    within = kind == .number ? try fields.decimal("within") : nil
    tolerance = kind == .text ? try fields.integer("tolerance", atLeast: 0) ?? 0 : 0
    if tolerance > Self.largestTolerance { throw .invalid(key: "tolerance", expected: "an integer from 0 to \(Self.largestTolerance)") }
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

  /// The points of a question. A value of another form stays an unknown key, as another system may use that name.
  mutating func worth() -> Int? {
    guard let worth = peek("points")?.int, (0...AskQuestion.largestWorth).contains(worth) else { return nil }
    _ = removeValue("points")
    return worth
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

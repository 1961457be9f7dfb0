public import Basics

/// Which answers a question takes.
///
/// Each possible answer has a number, its code, by which it is stored, compared and counted.
public enum AnswerForm: Equatable, Sendable {
  /// None: the question's kind is unknown.
  case none
  /// One of `count` answers. Its code is its index.
  case one(of: Int)
  /// At least one of `count` answers. Its code has a bit for each, the lowest one for the first answer.
  case several(of: Int)
  /// All of `count` answers in an order. Its code is the order's place among all orders, sorted by their indices.
  case order(of: Int)
  /// A number of a scale. Its code counts the steps from the least one.
  case number(NumberScale)
  /// A text. Its code is given by those who store texts: it depends on the texts that were given before.
  case text

  /// The codes of texts.
  package static let textCodes: Range<UInt32> = 1 << 30..<1 << 31 + 1

  /// How many codes there are. The smallest is 0, except for several answers, where it is 1.
  public var codes: Range<UInt32> {
    switch self {
    case .none: 0..<0
    case .one(let count): 0..<UInt32(clamping: max(count, 0))
    case .several(let count): 1..<max(1, 1 << UInt32(min(max(count, 0), 31)))
    case .order(let count): 0..<UInt32(clamping: Self.factorial(count))
    case .number(let scale): 0..<scale.stepCount + 1
    case .text: Self.textCodes
    }
  }

  /// How many answers a player chooses from; 0 where the answers are no list.
  public var choiceCount: Int {
    switch self {
    case .none, .number, .text: 0
    case .one(let count), .several(let count), .order(let count): count
    }
  }

  /// The code of an answer; `nil` if the question does not take it. For a text it is the lowest code, whatever the text. A list of several answers may also be an order, and an index a number.
  public func code(of answer: GivenAnswer) -> UInt32? {
    let code: UInt32? =
      switch (self, answer) {
      case (.one, .one(let index)): UInt32(exactly: index)
      case (.several(let count), .several(let indices)): Self.bits(indices, of: count)
      case (.order(let count), .order(let indices)), (.order(let count), .several(let indices)): Self.place(of: indices, count)
      case (.number(let scale), .number(let number)): scale.step(of: number)
      case (.number(let scale), .one(let whole)): DecimalNumber(whole).flatMap { scale.step(of: $0) }
      case (.text, .text): codes.lowerBound
      case (.none, _), (.one, _), (.several, _), (.order, _), (.number, _), (.text, _): nil
      }
    return code.flatMap { codes.contains($0) ? $0 : nil }
  }

  /// The code of the right answer, of numbers the nearest one; `nil` if the question does not take it.
  public func code(of right: RightAnswer) -> UInt32? {
    switch (right, self) {
    case (.one(let index), _): code(of: GivenAnswer.one(index))
    case (.several(let indices), _): code(of: GivenAnswer.several(indices))
    case (.order(let indices), _): code(of: GivenAnswer.order(indices))
    case (.number(let number), .number(let scale)): code(of: GivenAnswer.number(scale.nearest(to: number)))
    case (.texts(let texts), .text): texts.isEmpty ? nil : codes.lowerBound
    case (.number, _), (.texts, _): nil
    }
  }

  /// An answer as this form has it, where an index may stand for a number, and a list for an order; `nil` if the question does not take it.
  public func answer(as given: GivenAnswer) -> GivenAnswer? {
    guard let code = code(of: given) else { return nil }
    return self == .text ? given : answer(code)
  }

  /// The answer of a code; `nil` if there is none, and for texts.
  public func answer(_ code: UInt32) -> GivenAnswer? {
    guard codes.contains(code) else { return nil }
    switch self {
    case .none, .text: return nil
    case .one: return .one(Int(code))
    case .several(let count): return .several((0..<count).filter { code & 1 << UInt32($0) != 0 })
    case .order(let count): return .order(Self.order(code, count))
    case .number(let scale): return .number(scale.number(atStep: code))
    }
  }

  /// The bits of different indices below `count`; `nil` if they are not that.
  package static func bits(_ indices: [Int], of count: Int) -> UInt32? {
    var bits: UInt32 = 0
    for index in indices {
      guard (0..<min(count, 31)).contains(index), bits & 1 << UInt32(index) == 0 else { return nil }
      bits |= 1 << UInt32(index)
    }
    return bits
  }

  // MARK: Orders

  /// The largest number whose factorial fits 32 bits.
  private static let largestOrder = 12

  private static func factorial(_ number: Int) -> Int {
    (1..<max(min(number, largestOrder), 0) + 1).reduce(1) { $0 * $1 }
  }

  private static func place(of indices: [Int], _ count: Int) -> UInt32? {
    guard indices.count == count, count <= largestOrder, bits(indices, of: count) != nil else { return nil }
    var place = 0
    for (position, index) in indices.enumerated() {
      let smaller = indices[position...].count { $0 < index }
      place += smaller * factorial(count - 1 - position)
    }
    return UInt32(exactly: place)
  }

  private static func order(_ code: UInt32, _ count: Int) -> [Int] {
    var left = Array(0..<min(count, largestOrder))
    var rest = Int(code)
    var order: [Int] = []
    while !left.isEmpty {
      let (place, remainder) = rest.quotientAndRemainder(dividingBy: factorial(left.count - 1))
      order.append(left.remove(at: min(place, left.count - 1)))
      rest = remainder
    }
    return order
  }
}

/// The numbers that a question takes: from the least to the most, in steps.
public struct NumberScale: Equatable, Sendable {
  /// The least number.
  public let least: DecimalNumber
  /// The largest number.
  public let most: DecimalNumber
  /// The distance of two numbers that follow each other.
  public let step: DecimalNumber
  /// How many steps there are.
  let stepCount: UInt32

  /// How many numbers it has.
  package var numberCount: UInt32 { stepCount + 1 }

  /// The maximum number of steps.
  public static let mostSteps: Int64 = 1_000_000

  /// A scale; `nil` if `most` is not reached from `least` in 1 to ``mostSteps`` whole steps.
  public init?(least: DecimalNumber, most: DecimalNumber, step: DecimalNumber) {
    let (span, overflow) = most.millionths.subtractingReportingOverflow(least.millionths)
    guard !overflow, step.millionths > 0, span > 0, span % step.millionths == 0, span / step.millionths <= Self.mostSteps else {
      return nil
    }
    (self.least, self.most, self.step) = (least, most, step)
    stepCount = UInt32(span / step.millionths)
  }

  /// How many steps a number is above the least one; `nil` for a number that the scale does not have.
  func step(of number: DecimalNumber) -> UInt32? {
    guard number >= least, number <= most else { return nil }
    let (steps, rest) = (number.millionths - least.millionths).quotientAndRemainder(dividingBy: step.millionths)
    return rest == 0 ? UInt32(exactly: steps) : nil
  }

  /// The number that is some steps above the least one.
  package func number(atStep count: UInt32) -> DecimalNumber {
    DecimalNumber(millionths: least.millionths + Int64(min(count, stepCount)) * step.millionths)
  }

  /// The number of the scale that is nearest to a number; of two, the lower one.
  public func nearest(to number: DecimalNumber) -> DecimalNumber {
    guard number > least else { return least }
    guard number < most else { return most }
    let (steps, rest) = (number.millionths - least.millionths).quotientAndRemainder(dividingBy: step.millionths)
    return self.number(atStep: UInt32(clamping: rest > step.millionths / 2 ? steps + 1 : steps))
  }
}

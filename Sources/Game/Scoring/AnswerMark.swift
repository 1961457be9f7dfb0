import Basics
import GameEvents

/// What an answer is worth, apart from the rules of scoring.
struct AnswerMark: Equatable, Sendable {
  /// Whether the answer is right as a whole.
  var isRight: Bool
  /// The part of the points that it gets.
  var share: UInt64
  /// The whole that the part belongs to; not 0.
  var whole: UInt64

  static let right = AnswerMark(isRight: true, share: 1, whole: 1)
  static let wrong = AnswerMark(isRight: false, share: 0, whole: 1)

  private init(isRight: Bool, share: UInt64, whole: UInt64) { (self.isRight, self.share, self.whole) = (isRight, share, whole) }

  /// An answer that has a part of what is right.
  init(share: Int, of whole: Int) {
    let (share, whole) = (UInt64(clamping: max(share, 0)), UInt64(clamping: max(whole, 1)))
    self.init(isRight: share == whole, share: min(share, whole), whole: whole)
  }

  /// The part of some points, rounded towards zero.
  func part(of points: Int) -> Int {
    guard share < whole else { return points }
    let part = whole.dividingFullWidth(UInt64(points.magnitude).multipliedFullWidth(by: share)).quotient
    return points < 0 ? -Int(part) : Int(part)
  }
}

/// Marks the answers to one question.
struct Marking: Sendable {
  let form: AnswerForm
  let grading: Grading
  let right: RightAnswer
  /// The distance of the nearest number that was given, in millionths; `nil` if there is none, or if it does not matter.
  var nearest: UInt64?
  /// The texts that were given.
  let texts: TextTable?

  /// The mark of an answer.
  func mark(_ code: UInt32) -> AnswerMark {
    switch (form, right) {
    case (.one, .one(let index)): return Int(code) == index ? .right : .wrong
    case (.several(let count), .several(let indices)):
      let right = AnswerForm.bits(indices, of: count) ?? 0
      guard code != right else { return .right }
      guard grading.isPartial else { return .wrong }
      // A wrong choice takes away what a right one gives: to choose everything is worth nothing more than to guess.
      return AnswerMark(share: (code & right).nonzeroBitCount - (code & ~right).nonzeroBitCount, of: right.nonzeroBitCount)
    case (.order, .order(let order)):
      guard case .order(let given) = form.answer(code) else { return .wrong }
      return Self.mark(given, order)
    case (.number(let scale), .number(let number)):
      let distance = scale.number(atStep: code).distance(to: number)
      guard let within = grading.within?.millionths.magnitude else { return distance == nearest || distance == 0 ? .right : .wrong }
      guard distance <= within else { return .wrong }
      return AnswerMark(distance: distance, within: within)
    case (.text, .texts): return texts?.isRight(code) == true ? .right : .wrong
    case (.none, _), (.one, _), (.several, _), (.order, _), (.number, _), (.text, _): return .wrong
    }
  }

  /// The part of all pairs of items that are in their right order.
  private static func mark(_ given: [Int], _ right: [Int]) -> AnswerMark {
    guard given.count == right.count, given.count > 1 else { return .wrong }
    var places = [Int](repeating: 0, count: given.count)
    for (place, item) in given.enumerated() { places[item] = place }
    var pairs = 0
    for first in right.indices {
      for second in right[(first + 1)...] where places[right[first]] < places[second] { pairs += 1 }
    }
    return AnswerMark(share: pairs, of: right.count * (right.count - 1) / 2)
  }
}

extension AnswerMark {
  /// A number that is near enough: all points at the right number, evenly fewer up to half of them at the largest distance that is right.
  fileprivate init(distance: UInt64, within: UInt64) {
    let whole = max(2 * within, 1)
    self.init(isRight: true, share: whole - min(distance, whole), whole: whole)
  }
}

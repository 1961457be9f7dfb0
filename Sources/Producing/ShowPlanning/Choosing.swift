import Basics
public import Questions
import Sheets

extension QuestionSelection {
  /// Returns the questions of this selection, and the answers of each, in their order. If there is no number, all questions are returned.
  ///
  /// A question that repeats one before it, or contradicts it, is left out.
  ///
  /// - Throws: If no question is left.
  public func chosen(from questions: [Question]) throws(PlanningError) -> [Question] {
    var repetitions = Repetitions()
    var rest = questions.filter { includes($0) }
    rest = rest.filter { repetitions.add($0) == nil }
    guard !rest.isEmpty else { throw .noQuestions(of: questions.count, selection: self, categories: Self.categories(of: questions)) }
    if let number, number > rest.count { throw .tooFewQuestions(wanted: number, there: rest.count) }
    if order != .asGiven { rest = shuffled(rest, by: seed, Self.orderPurpose) }
    return rest.map { answersShuffled($0) }
  }

  /// The first `count` of the chosen questions, in the order in which they are asked.
  public func asked(_ chosen: [Question], count: Int) -> [Question] {
    let taken = Array(chosen.prefix(count))
    guard order == .easyToHard else { return taken }
    // The position keeps the random order among questions of the same difficulty.
    let sorted = taken.enumerated().sorted { left, right in
      let (easier, harder) = (left.element.difficulty ?? .medium, right.element.difficulty ?? .medium)
      return (easier, left.offset) < (harder, right.offset)
    }
    return sorted.map(\.element)
  }

  /// The filters in words.
  var filters: [String] {
    func words(_ name: String, _ values: [String]) -> String? { values.isEmpty ? nil : "the \(name) \(values.joined(separator: " or "))" }
    return [
      words("category", categories.map(\.quoted)), words("difficulty", difficulties.sorted().map(\.rawValue)),
      words("type", kind.map { [$0.rawValue] } ?? []),
    ].compactMap { $0 }
  }

  /// The categories of questions, each once regardless of case, in their order.
  private static func categories(of questions: [Question]) -> [String] {
    questions.compactMap(\.category).reduce(into: []) { names, name in
      if !names.contains(where: { $0.isSameName(as: name) }) { names.append(name) }
    }
  }

  private static let orderPurpose: UInt64 = 1
  private static let answersPurpose: UInt64 = 2

  private func includes(_ question: Question) -> Bool {
    let isOfCategory = categories.isEmpty || question.category.map { name in categories.contains { name.isSameName(as: $0) } } ?? false
    let isOfDifficulty = difficulties.isEmpty || question.difficulty.map { difficulties.contains($0) } ?? false
    return isOfCategory && isOfDifficulty && (kind == nil || kind == question.type)
  }

  /// Returns the question with its answers in a random order that does not reveal the right one: they are sorted by their bytes before they are
  /// shuffled, because banks often list the right answer first. True stays before False, and numbers and years stay in numeric order.
  private func answersShuffled(_ question: Question) -> Question {
    guard question.type == .multiple, question.takesAnyOrder else { return question }
    if let order = NumericOrder.order(of: question.answers) { return question.reordered(order) }
    let sorted = question.answers.indices.sorted { question.answers[$0].hasSmallerBytes(than: question.answers[$1]) }
    let questionSeed = seed.map { $0 ^ UInt64(CRC32MPEG2.checksum(question.text)) << 16 }
    return question.reordered(shuffled(sorted, by: questionSeed, Self.answersPurpose))
  }

  /// Returns the elements in a random order, by a seed or by the system's random numbers, which cannot be reproduced.
  private func shuffled<Element>(_ elements: [Element], by seed: UInt64?, _ purpose: UInt64) -> [Element] {
    guard let seed else { return elements.shuffled() }
    var numbers = SeededNumbers(seed: seed, purpose: purpose)
    return numbers.shuffled(elements)
  }
}

extension String {
  /// Whether both are equal, ignoring the case of ASCII letters.
  fileprivate func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased } }
}

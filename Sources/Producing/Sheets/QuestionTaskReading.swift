import Basics
package import GameEvents

// What a question asks for, and which answer is right, as sheets and quiz files write it.

extension QuestionTask {
  /// The keys of a question's task whose values are no texts.
  package static let keysWithoutText = ["kind", "least", "most", "step", "within", "partial", "tolerance", "words", "live"]
}

extension QuestionTask {
  /// Why a question that offers no answers must not have any, for ``SheetFields/refuse(_:_:)``.
  package var answersRefusal: String {
    takesWords ? "what a poll with words does not have" : "what a question for a \(kind.text) does not have"
  }
}

extension SheetFields {
  /// What a question asks for.
  package mutating func questionTask() -> QuestionTask {
    var task = QuestionTask(kind())
    switch task.kind {
    case .multiple: task.grading.isPartial = isTrue("partial")
    case .poll: (task.isLive, task.takesWords) = (isTrue("live"), isTrue("words"))
    case .text: task.grading.tolerance = integer("tolerance", in: 0...Grading.largestTolerance) ?? 0
    case .number:
      task.scale = scale()
      task.unit = text("unit")
      let within = decimal("within")
      if let within, within.value < .zero {
        problems.report(at: within.place, "\"within\" is \"\(within.value.text)\"; write a number from 0")
      }
      task.grading.within = within?.value
    case .single, .prediction, .order, .other: break
    }
    return task
  }

  private mutating func kind() -> QuestionKind {
    guard let node = take("kind"), let text = node.text("kind", &problems) else { return .single }
    let kind = QuestionKind(text)
    guard case .other = kind else { return kind }
    let names = QuestionKind.known.map { $0.text }
    let help = text.nearest(of: names, limit: 2).map { "did you mean \($0.quoted)?" } ?? "write one of \(names.joined(separator: ", "))"
    problems.report(at: node.place, "unknown kind of question \(text.quoted); \(help)")
    return .single
  }

  private mutating func scale() -> NumberScale? {
    let (least, most, step) = (decimal("least"), decimal("most", isRequired: true), decimal("step"))
    guard let most else { return nil }
    let scale = NumberScale(least: least?.value ?? .zero, most: most.value, step: step?.value ?? .one)
    if scale == nil {
      problems.report(
        at: step?.place ?? most.place,
        "\"most\" is not reached from \"least\" in 1 to \(NumberScale.mostSteps) whole steps; change most, or step")
    }
    return scale
  }

  /// A number with its place.
  private mutating func decimal(_ key: String, isRequired: Bool = false) -> Placed<DecimalNumber>? {
    take(key, isRequired: isRequired).flatMap { node in node.decimal(key, &problems).map { Placed($0, at: node.place) } }
  }

  /// `true` or `false`; absent is `false`.
  private mutating func isTrue(_ key: String) -> Bool {
    guard let node = take(key), let scalar = node.scalar(key, "true or false", &problems) else { return false }
    switch scalar.text {
    case "true": return true
    case "false": return false
    default:
      problems.report(at: scalar.place, "\(key.quoted) is \(scalar.text.quoted); write true or false")
      return false
    }
  }
}

extension SheetFields {
  /// The points of a question; `nil` if there are none, or if they are a list, which is left.
  package mutating func worth() -> Int? {
    guard let node = rest.first(where: { $0.key.hasSameBytes(as: "points") })?.value else { return nil }
    if case .list = node { return nil }
    return integer("points", in: 0...AskQuestion.largestWorth)
  }

  /// The texts that most players gave.
  package mutating func textCounts() -> TextCounts? {
    guard let node = take("texts") else { return nil }
    let (count, json) = (problems.count, node.json(&problems))
    guard problems.count == count else { return nil }
    if let counts = TextCounts(json: json) { return counts }
    return problems.refuse(
      at: node.place, "\"texts\" is no list of texts with counts; write { most: [{ text: …, count: … }], others: … }")
  }
}

extension SheetFields {
  /// How many players gave which numbers.
  package mutating func histogram() -> Histogram? {
    let message = "write { from: …, width: …, counts: […] }"
    guard let node = take("histogram"),
      var fields = node.fields("this histogram", &problems, else: "\"histogram\" is \(node.kind); \(message)")
    else {
      return nil
    }
    let (from, width) = (fields.decimal("from", isRequired: true), fields.decimal("width", isRequired: true))
    let counts = fields.integers("counts", in: 0...Int.max)
    fields.refuseRest()
    problems += fields.problems
    guard let from, let width, let counts else { return nil }
    guard width.value > .zero, (1...Histogram.mostBars).contains(counts.value.count) else {
      return problems.refuse(at: node.place, "a histogram has a width above 0 and 1 to \(Histogram.mostBars) counts; \(message)")
    }
    return Histogram(from: from.value, width: width.value, counts: counts.value)
  }
}

extension SheetNode {
  /// A number with at most six decimals.
  fileprivate func decimal(_ key: String, _ problems: inout [SheetProblem]) -> DecimalNumber? {
    guard let scalar = scalar(key, "a number", &problems) else { return nil }
    if let number = DecimalNumber(scalar.text) { return number }
    return problems.refuse(at: scalar.place, "\(key.quoted) is \(scalar.text.quoted); write a number with at most six decimals")
  }
}

// MARK: - The right answer

extension SheetFields {
  /// The right answer of a question that is not `single`: `correct` with texts or a number, or the key of the wire format; `nil` if there is none, or
  /// if it is wrong, which is reported.
  ///
  /// - Parameters:
  ///   - task: What the question asks for.
  ///   - answers: The answers to choose from.
  package mutating func right(of task: QuestionTask, among answers: [String]) -> Placed<RightAnswer>? {
    switch task.kind {
    case .single, .prediction: return right("correctAnswer", answers) { $0.count == 1 ? .one($0[0]) : nil }
    case .multiple: return right("correctAnswers", answers) { $0.isEmpty ? nil : .several($0.sorted()) }
    case .order: return right("correctOrder", answers) { $0.count == answers.count ? .order($0) : nil }
    case .number:
      if let number = decimal("correct") { return Placed(.number(number.value), at: number.place) }
      return decimal("correctNumber").map { Placed(.number($0.value), at: $0.place) }
    case .text: return spellings()
    case .poll, .other:
      refuse(["correct"] + RightAnswer.keys, "what a \(task.kind.text) does not have")
      return nil
    }
  }

  private mutating func right(_ key: String, _ answers: [String], _ make: ([Int]) -> RightAnswer?) -> Placed<RightAnswer>? {
    let node: SheetNode
    let indices: [Int]?
    if let texts = take("correct") {
      node = texts
      if let other = take(key) {
        problems.report(at: max(texts.place, other.place), "\"correct\" and \(key.quoted) are both given; remove one of them")
      }
      indices = texts.elements.map { $0.index(among: answers, &problems) }.allPresent
    } else if let numbers = take(key) {
      node = numbers
      indices = numbers.elements.map { $0.integer(key, in: 0...max(answers.count - 1, 0), &problems) }.allPresent
    } else {
      return nil
    }
    guard let indices else { return nil }
    guard Set(indices).count == indices.count, let right = make(indices) else {
      problems.report(at: node.place, "the right answer does not fit the question: \(Self.expected(key, answers.count))")
      return nil
    }
    return Placed(right, at: node.place)
  }

  /// The spellings that are right: one text, or a list of them.
  private mutating func spellings() -> Placed<RightAnswer>? {
    guard let node = take("correct") ?? take("correctTexts") else { return nil }
    let elements = node.elements
    guard (1...AnswerText.mostSpellings).contains(elements.count) else {
      return problems.refuse(
        at: node.place, "a question has 1 to \(AnswerText.mostSpellings) right spellings, this one has \(elements.count)")
    }
    let texts = elements.map { $0.spelling(&problems) }
    let present = texts.compactMap { $0 }
    return present.count == texts.count ? Placed(.texts(present), at: node.place) : nil
  }

  private static func expected(_ key: String, _ count: Int) -> String {
    switch key {
    case "correctAnswers": "write a list of one or more answers, each once"
    case "correctOrder": "write all \(count) answers in their right order"
    default: "write one answer"
    }
  }
}

extension SheetNode {
  /// The elements of a list; a single value is one element.
  fileprivate var elements: [SheetNode] { if case .list(let elements, _) = self { elements } else { [self] } }

  /// A right spelling.
  fileprivate func spelling(_ problems: inout [SheetProblem]) -> AnswerText? {
    guard let scalar = scalar("correct", "a text", &problems) else { return nil }
    if let text = AnswerText(scalar.text) { return text }
    return problems.refuse(
      at: scalar.place,
      "the right text \(scalar.text.quoted) cannot be given as an answer; write 1 to \(AnswerText.largestLength) visible characters")
  }

  fileprivate func index(among answers: [String], _ problems: inout [SheetProblem]) -> Int? {
    guard let text = self.text("correct", &problems) else { return nil }
    if let index = answers.firstIndex(where: { $0.hasSameBytes(as: text) }) { return index }
    let choice = answers.map(\.quoted).joined(separator: ", ")
    return problems.refuse(at: place, "\"correct\" is \(text.quoted), which is none of the answers; write one of \(choice)")
  }
}

extension [Int?] {
  /// The elements, if none is missing.
  fileprivate var allPresent: [Int]? {
    let present = compactMap { $0 }
    return present.count == count ? present : nil
  }
}

import Basics
import GameEvents
import Sheets
import XML

/// Questions in Moodle's XML, as its question banks export them.
///
/// Multiple choice, true-or-false questions, numbers and orders are read. Others cannot be asked, and are named, each with the line that it begins in.
struct MoodleXML {
  private(set) var bank = QuestionBank()
  private(set) var problems: [SheetProblem] = []
  private(set) var notices: [SheetProblem] = []

  /// The names of the elements that are open.
  private var open: [String] = []
  /// The text of the innermost element.
  private var text = ""
  private var question: Written?
  private var category: Placed<String>?
  /// Where the questions begin that are still to come, the next one last.
  private var places: [SheetPlace]
  private var questions = 0

  /// A question as it is written.
  private struct Written {
    var place: SheetPlace
    var type: String
    var category = ""
    var text = ""
    var explanation = ""
    /// Whether one answer is to be chosen: `true` or `false`, or empty.
    var single = ""
    /// The unit of numbers, if there is one.
    var unit: String?
    var answers: [Answer] = []
  }

  private struct Answer {
    var fraction: String
    var text = ""
    var feedback = ""
    /// The distance from a number up to which others are right.
    var tolerance = "0"

    var isRight: Bool { (MediaTime(decimalSeconds: fraction) ?? .zero) > .zero }
    var isPartial: Bool { isRight && MediaTime(decimalSeconds: fraction) != MediaTime(seconds: 100) }
  }

  /// Whether a text is XML with a quiz of Moodle.
  static func isLikely(_ text: String) -> Bool {
    let start = text.utf8.prefix(2_000).drop { $0 <= 0x20 }
    return start.first == UInt8(ascii: "<") && String(decoding: start, as: UTF8.self).contains("<quiz")
  }

  /// Reads a text.
  ///
  /// - Throws: If it is no XML.
  init(_ source: String) throws(SheetError) {
    places = Self.places(in: source).reversed()
    try XMLText.read(Array(source.utf8), failing: Self.error) { (node) throws(SheetError) in take(node) }
    if questions == 0, problems.isEmpty { problems.report(at: .start, "there is no question in this XML of Moodle") }
    problems.requireQuestion(in: bank, leftOut: notices)
  }

  private static func error(_ fault: XMLFault) -> SheetError {
    switch fault {
    case .libraryMissing: SheetError(at: .start, "reading Moodle's XML needs libxml2 (Debian: libxml2); or export the questions as GIFT")
    case .tooLarge, .tooDeep, .tooManyAttributes, .documentType, .damaged:
      SheetError(at: .start, "this XML of Moodle is damaged or cut off; export the questions again, or as GIFT")
    }
  }

  /// Where the elements of questions begin.
  private static func places(in source: String) -> [SheetPlace] {
    var places: [SheetPlace] = []
    var counter = PlaceCounter()
    let name = Array("<question".unicodeScalars)
    var (start, matched) = (SheetPlace.start, 0)
    for scalar in source.unicodeScalars {
      if matched == name.count, scalar.properties.isWhitespace || scalar == ">" || scalar == "/" { places.append(start) }
      if scalar == "<" {
        (start, matched) = (counter.place, 1)
      } else {
        matched = matched > 0 && matched < name.count && scalar == name[matched] ? matched + 1 : 0
      }
      counter.advance(past: scalar)
    }
    return places
  }

  private mutating func take(_ node: XMLNode) {
    switch node {
    case .start(let name, let attributes):
      open.append(name)
      text = ""
      let value: (String) -> String = { key in attributes.first { $0.name == key }?.value ?? "" }
      if name == "question" { question = Written(place: places.popLast() ?? .start, type: value("type")) }
      if name == "answer" { question?.answers.append(Answer(fraction: value("fraction"))) }
    case .text(let part): if text.utf8.count <= SheetLimits.bytes { text += part }
    case .end(let name):
      if name == "text" { keep(of: open.dropLast().last ?? "") }
      keep(element: name)
      if name == "question" { end() }
      _ = open.popLast()
      text = ""
    }
  }

  /// Keeps what elements have as their own text.
  private mutating func keep(element name: String) {
    let text = text.trimmed
    switch name {
    case "single": question?.single = text
    case "tolerance" where open.dropLast().last == "answer": change { $0.tolerance = text }
    case "unit_name" where question?.unit == nil && !text.isEmpty: question?.unit = text
    default: break
    }
  }

  /// Keeps the text of an element.
  private mutating func keep(of parent: String) {
    let text = text
    switch parent {
    case "category": question?.category = text
    case "questiontext": question?.text = text
    case "generalfeedback": question?.explanation = text
    case "answer": change { $0.text = text }
    case "feedback": change { $0.feedback = text }
    default: break
    }
  }

  private mutating func change(_ body: (inout Answer) -> Void) {
    guard var answer = question?.answers.popLast() else { return }
    body(&answer)
    question?.answers.append(answer)
  }

  private mutating func end() {
    guard let written = question else { return }
    question = nil
    guard written.type != "category" else { return category = GIFTText.category(written.category, at: written.place) }
    // A text between questions.
    guard written.type != "description" else { return notices.report(at: written.place, "this description is left out") }
    questions += 1
    guard problems.allow(questionNumber: questions, at: written.place), let read = read(written) else { return }
    bank.questions.append(Placed(read, at: written.place))
  }

  private mutating func read(_ written: Written) -> Question? {
    var draft = QuestionDraft(at: written.place)
    draft.text = Placed(MarkupText.plain(written.text), at: written.place)
    draft.category = category
    let right: [Int]
    switch written.type {
    case "multichoice", "truefalse":
      guard let found = readChoice(written, &draft) else { return nil }
      right = found
    case "numerical":
      guard let index = readNumber(written, &draft) else { return nil }
      right = [index]
    case "shortanswer":
      let whole = written.answers.indices.filter { written.answers[$0].isRight && !written.answers[$0].isPartial }
      // Moodle takes any letters for an asterisk.
      let texts = whole.map { MarkupText.plain(written.answers[$0].text) }.filter { !$0.contains("*") }
      guard let found = RightAnswer.spellings(texts) else {
        notices.report(at: written.place, "a question for such a text cannot be asked, so it is left out")
        return nil
      }
      (draft.task, draft.right, right) = (QuestionTask(.text), found, Array(whole.prefix(1)))
    case "ordering":
      // The items stand in their right order.
      draft.answers = written.answers.map { Placed(MarkupText.plain($0.text), at: written.place) }
      draft.task = QuestionTask(.order)
      (draft.right, right) = (.order(Array(written.answers.indices)), [])
    default:
      let type = written.type.isEmpty ? "without a type" : "of the type \(written.type.quoted)"
      notices.report(at: written.place, "a question \(type) cannot be asked, so it is left out")
      return nil
    }
    let feedback = right.count == 1 ? written.answers[right[0]].feedback : ""
    let explanation = [written.explanation, feedback].map { MarkupText.plain($0) }.first { !$0.isEmpty }
    if let explanation { draft.explanation = Placed(explanation, at: written.place) }
    return draft.checked(&problems)?.hidingOrder()
  }

  /// Reads answers to choose from; gives the indices of the right ones. Mistakes are reported.
  private mutating func readChoice(_ written: Written, _ draft: inout QuestionDraft) -> [Int]? {
    let positive = written.answers.indices.filter { written.answers[$0].isRight }
    let whole = positive.filter { !written.answers[$0].isPartial }
    let takesSeveral = written.single == "false" || written.single == "0"
    let right = takesSeveral || whole.isEmpty ? positive : whole
    guard let first = right.first else {
      return problems.refuse(at: written.place, "no answer is said to be right; one is, or several are")
    }
    if right.count < positive.count { notices.report(at: written.place, GIFTQuestion.partIsLeftOut) }
    guard written.type == "multichoice" else {
      let isTrue = written.answers[first].text.trimmed.lowercased() == "true"
      draft.answers = ["True", "False"].map { Placed($0, at: written.place) }
      draft.correctAnswer = isTrue ? 0 : 1
      return [first]
    }
    draft.answers = written.answers.map { Placed(MarkupText.plain($0.text), at: written.place) }
    guard takesSeveral || right.count > 1 else {
      draft.correctAnswer = first
      return right
    }
    draft.task = QuestionTask(.multiple, grading: Grading(isPartial: right.contains { written.answers[$0].isPartial }))
    draft.right = .several(right)
    return right
  }

  /// Reads a question for a number; gives the index of its answer. One that cannot be asked has a notice.
  private mutating func readNumber(_ written: Written, _ draft: inout QuestionDraft) -> Int? {
    let index = written.answers.indices.first { written.answers[$0].isRight && !written.answers[$0].isPartial }
    guard let index, let number = DecimalNumber(written.answers[index].text.trimmed),
      let within = DecimalNumber(written.answers[index].tolerance.trimmed),
      let task = GuessedScale.task(right: number, within: within, unit: written.unit)
    else {
      notices.report(at: written.place, "a question for such a number cannot be asked, so it is left out")
      return nil
    }
    notices.report(at: written.place, GuessedScale.notice(task))
    (draft.task, draft.right) = (task, .number(number))
    return index
  }
}

extension QuestionBank.Reading {
  /// Reads questions in Moodle's XML.
  ///
  /// - Throws: If the text is no XML.
  init(moodle text: String) throws(SheetError) {
    let read = try MoodleXML(text)
    self.init(read.bank, problems: read.problems, notices: read.notices)
  }
}

import Basics
import GameEvents
import Sheets

/// A row of a table of questions, by the meaning of its cells.
struct TableRow {
  let place: SheetPlace
  /// The right answers among options, if the table has options.
  private(set) var key: AnswerKey?
  private var draft: QuestionDraft
  /// The last cell for a right answer, empty or not.
  private var correct: Placed<String>?
  /// The cells for right answers that are not empty.
  private var rights: [Placed<String>] = []
  /// The wrong answers, or the options.
  private var answers: [Placed<String>] = []
  /// All answers, right and wrong, in the order of the columns.
  private var items: [Placed<String>] = []
  private var points: Placed<String>?
  private var type: Placed<String>?
  /// What only some kinds of questions have.
  private var task: [SheetMember] = []
  /// Cells of columns without names.
  private var strays: [SheetPlace] = []
  private let hasOptions: Bool
  /// Whether the row has nothing but its number, like the empty rows of a form.
  private(set) var isEmpty = true

  init(_ row: [Placed<String>], _ columns: TableColumns) {
    place = row[0].place
    draft = QuestionDraft(at: place)
    hasOptions = columns.hasOptions
    draft.text = Placed("", at: place)
    var places: [Int] = []
    var options = 0
    for (index, cell) in row.enumerated() {
      let column = columns[index]
      if column == .option { options += 1 }
      if column == .question { draft.text = cell }
      if column == .correct || column == .place { correct = cell }
      guard !cell.value.trimmed.isEmpty else { continue }
      isEmpty = isEmpty && (column == .number || column == nil && index < columns.questionIndex)
      if column == .wrong || column == .option { answers.append(cell) }
      if column == .correct || column == .place { rights.append(cell) }
      if column == .correct || column == .wrong { items.append(cell) }
      switch column {
      case .option: places.append(options)
      case .category: draft.category = cell
      case .difficulty: draft.difficulty = Placed(ColumnNames.difficulty(cell.value)?.rawValue ?? cell.value, at: cell.place)
      case .points: points = cell
      case .seconds: draft.seconds = Placed(Self.seconds(cell.value), at: cell.place)
      case .picture: draft.media.picture = cell
      case .pictureText: draft.media.pictureText = cell
      case .pictureSize: draft.media.pictureSize = cell
      case .sound: draft.media.sound = cell
      case .soundText: draft.media.soundText = cell
      case .explanation: draft.explanation = cell
      case .link: draft.link = cell
      case .type: type = cell
      case .question, .correct, .wrong, .place, .answer, .number: break
      case .time: draft.time = Placed(Self.time(cell.value), at: cell.place)
      case .task(let column): task.append(Self.member(column, cell))
      case nil where columns.isIgnored(index): break
      case nil:
        // Forms number their questions in a column before them.
        if index > columns.questionIndex || Int(cell.value.trimmed) == nil { strays.append(cell.place) }
      }
    }
    // Only columns with the texts of right answers may be several.
    if hasOptions || columns.hasPlace { rights = correct.map { $0.value.trimmed.isEmpty ? [] : [$0] } ?? [] }
    guard hasOptions, let correct else { return }
    key = AnswerKey(correct.value, options: answers.map { $0.value }, places: places)
  }

  /// Whether the row says which of its options is right, or of what kind its question is.
  var isQuestion: Bool { key?.isFound == true || statedKind?.isKnown == true }

  /// Whether each of several rows ends with a number or a letter, after at least two answers that are none. Then the columns are not what they seem.
  static func endWithKeys(_ rows: ArraySlice<[Placed<String>]>) -> Bool {
    func isKey(_ text: String) -> Bool { Int(text) != nil || ColumnName.place(text) != nil }
    // The first row may have names that are not known.
    return rows.count > 1
      && rows.dropFirst().allSatisfy { row in
        let cells = row.dropFirst().map { $0.value.trimmed }.filter { !$0.isEmpty }
        return cells.count > 2 && isKey(cells[cells.count - 1]) && cells.count { !isKey($0) } > 1
      }
  }

  /// Returns the question if it has no mistakes. Mistakes are reported, and a question that cannot be asked is left out with a notice.
  func question(_ meaning: AnswerKey.Meaning?, _ problems: inout [SheetProblem], _ notices: inout [SheetProblem]) -> Question? {
    let count = problems.count
    for stray in strays { problems.report(at: stray, "this cell is in a column without a name; remove it or name the column") }
    var (draft, kind) = (draft, statedKind)
    if kind == nil, let type {
      if ColumnNames.isOtherType(type.value) {
        notices.report(at: type.place, "questions of the type \(type.value.quoted) cannot be asked, so this row is left out")
        return nil
      }
      if ColumnNames.isPoll(type.value) { kind = .poll }
      if ColumnNames.isText(type.value) { kind = .text }
      if ColumnNames.isWords(type.value) { kind = rights.isEmpty && answers.isEmpty ? .poll : .text }
    }
    let takesWords = statedKind == nil && kind == .poll && type.map { ColumnNames.isWords($0.value) } ?? false
    guard readAnswers(kind, meaning, &draft, &problems), readTask(kind, takesWords: takesWords, &draft, &problems) else { return nil }
    if let points { Self.read(points, &draft, &problems) }
    let question = draft.checked(&problems)
    return problems.count == count ? question?.hidingOrder() : nil
  }
}

// MARK: - Answers

extension TableRow {
  /// The kind that a cell states.
  private var statedKind: QuestionKind? { task.first { $0.key == ColumnName.TaskColumn.kind.rawValue }.map { Self.kind($0) } }

  /// The kind of a cell, regardless of case.
  static func kind(_ text: String) -> QuestionKind { QuestionKind(ColumnName.reduced(text)) }

  private static func kind(_ member: SheetMember) -> QuestionKind {
    if case .scalar(let scalar) = member.value { QuestionKind(scalar.text) } else { .single }
  }

  /// Reads the answers and which of them is right. Mistakes are reported.
  private func readAnswers(
    _ kind: QuestionKind?, _ meaning: AnswerKey.Meaning?, _ draft: inout QuestionDraft, _ problems: inout [SheetProblem]
  ) -> Bool {
    switch kind {
    case .text: return readSpellings(&draft, &problems)
    case .poll, .prediction:
      draft.answers = answers
      guard let right = rights.first else { return true }
      problems.report(
        at: right.place,
        kind == .poll
          ? "a poll has no right answer; leave this cell empty, and write the answers into the other columns"
          : "the right answer of a prediction is named by the host when it is known; leave this cell empty")
      return false
    case .number:
      guard let answer = answers.first ?? rights.dropFirst().first else { return true }
      problems.report(at: answer.place, "a question for a number has no answers to choose from; leave this cell empty")
      return false
    case .order where !hasOptions || rights.isEmpty:
      draft.answers = hasOptions ? answers : items
      draft.right = .order(Array((draft.answers ?? []).indices))
      return true
    case .single, .multiple, .order, .other, nil: break
    }
    guard !rights.isEmpty else {
      problems.report(
        at: correct?.place ?? place,
        hasOptions
          ? "the right answer is missing; write its number, its letter or its text"
          : "the right answer is missing; write it after the question")
      return false
    }
    draft.answers = hasOptions ? answers : rights + answers
    let isList = kind == .multiple || kind == .order
    let indices =
      hasOptions ? key?.indices(meaning, rights[0], count: answers.count, isList: isList, &problems) : Array(rights.indices)
    guard let indices else { return false }
    if kind == .single, indices.count > 1 {
      problems.report(
        at: rights[0].place,
        "\(indices.count) answers are said to be right; exactly one is: leave out the others, or write multiple as the kind")
      return false
    }
    switch kind {
    case .order: draft.right = .order(indices)
    case .multiple: draft.right = .several(indices.sorted())
    default: draft.right = indices.count > 1 ? .several(indices.sorted()) : .one(indices[0])
    }
    if kind == .order, indices.count != answers.count {
      problems.report(
        at: rights[0].place, "an order names all \(answers.count) answers; or leave this cell empty, and write them in their right order")
      return false
    }
    return true
  }

  /// Reads the right spellings of a text: all cells with answers are. Several may stand in one cell, with semicolons between them.
  private func readSpellings(_ draft: inout QuestionDraft, _ problems: inout [SheetProblem]) -> Bool {
    // Templates have the spellings among the options, and may have the number of the right one.
    let cells = rights.isEmpty || answers.isEmpty ? rights + answers : rights.filter { Int($0.value.trimmed) == nil } + answers
    let words = cells.flatMap { cell in
      cell.value.split(separator: ";").map { Placed(String($0), at: cell.place) }.filter { !$0.value.trimmed.isEmpty }
    }
    if !hasOptions, let answer = answers.first {
      problems.report(at: answer.place, "a question for a text has no wrong answers; leave this cell empty")
      return false
    }
    guard !words.isEmpty else {
      problems.report(at: correct?.place ?? place, "the right text is missing; write it, and other spellings with semicolons between them")
      return false
    }
    var fields = SheetFields(
      [SheetMember(key: "correct", keyPlace: words[0].place, value: .list(words.map { Self.scalar($0) }, words[0].place))], at: place,
      name: "this row")
    draft.right = fields.right(of: QuestionTask(.text), among: [])?.value
    problems += fields.problems
    return draft.right != nil
  }

  /// Reads what is asked, as quiz files say it. Mistakes are reported.
  private func readTask(
    _ kind: QuestionKind?, takesWords: Bool, _ draft: inout QuestionDraft, _ problems: inout [SheetProblem]
  ) -> Bool {
    var members = task
    if takesWords, !members.contains(where: { $0.key == ColumnName.TaskColumn.words.rawValue }) {
      members.append(Self.member(.words, Placed("true", at: place)))
    }
    if statedKind == nil {
      // Where several answers are right, it is clear what is asked.
      let found: QuestionKind? = if case .several = draft.right { .multiple } else { kind }
      if let found { members.append(Self.member(.kind, Placed(found.text, at: place))) }
    }
    if kind == .number, let right = rights.first {
      let number = Placed(Self.decimal(right.value), at: right.place)
      members.append(SheetMember(key: "correct", keyPlace: right.place, value: Self.scalar(number)))
    }
    var fields = SheetFields(members, at: place, name: "this row")
    draft.unitPlace = fields.place(of: "unit")
    draft.task = fields.questionTask()
    if draft.task.kind == .number {
      draft.right = fields.right(of: draft.task, among: [])?.value
      if draft.right == nil, rights.isEmpty {
        fields.problems.report(at: correct?.place ?? place, "the right answer is missing; write the right number")
      }
    }
    fields.refuse(ColumnName.TaskColumn.allCases.map { $0.rawValue }, "nothing that a question of the kind \(draft.task.kind.text) has")
    problems += fields.problems
    return fields.problems.isEmpty
  }
}

// MARK: - Cells

extension TableRow {
  /// A cell as a key of quiz files has it.
  private static func member(_ column: ColumnName.TaskColumn, _ cell: Placed<String>) -> SheetMember {
    let text =
      switch column {
      case .kind: ColumnName.reduced(cell.value)
      case .least, .most, .step, .within, .tolerance: decimal(cell.value)
      case .unit: cell.value.trimmed
      case .partial, .words, .live: flag(cell.value)
      }
    return SheetMember(key: column.rawValue, keyPlace: cell.place, value: scalar(Placed(text, at: cell.place)))
  }

  private static func scalar(_ text: Placed<String>) -> SheetNode {
    .scalar(SheetScalar(text: text.value, isPlain: true, place: text.place))
  }

  /// A number with a decimal point. Three digits after a comma are ambiguous and stay: `1,000` may be one or a thousand.
  private static func decimal(_ text: String) -> String {
    let parts = text.trimmed.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count != 3 else { return text.trimmed }
    return parts.joined(separator: ".")
  }

  /// A word for yes or no as quiz files write it; other texts as they are.
  private static func flag(_ text: String) -> String {
    switch ColumnName.reduced(text) {
    case "true", "yes", "1", "x": "true"
    case "false", "no", "0": "false"
    default: text.trimmed
    }
  }

  /// The points of each answer, or one number for the question.
  private static func read(_ cell: Placed<String>, _ draft: inout QuestionDraft, _ problems: inout [SheetProblem]) {
    var values: [Int] = []
    for word in cell.value.utf8.split(separator: 0x20) {
      let text = String(decoding: word, as: UTF8.self)
      guard let value = Int(text), QuestionLimits.points.contains(value) else {
        return problems.report(
          at: cell.place,
          "\"points\" has \(text.quoted); write integers from \(QuestionLimits.points.lowerBound) to \(QuestionLimits.points.upperBound)")
      }
      values.append(value)
    }
    if values.count == 1, (0...AskQuestion.largestWorth).contains(values[0]) {
      draft.worth = values[0]
    } else {
      draft.points = Placed(values, at: cell.place)
    }
  }

  /// Returns a time as cue sheets write it, with a decimal point.
  private static func time(_ text: String) -> String {
    var text = text.trimmed
    for unit in ["sec", "sek", "s"] where text.lowercased().hasSuffix(unit) { return time(String(text.dropLast(unit.count))) }
    text.replace(",", with: ".")
    return text
  }

  /// Returns seconds as tables write them, with a decimal point: `7,5`, `20 s`, `20 sec`.
  private static func seconds(_ text: String) -> String {
    let number = text.trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    let unit = ColumnName.reduced(String(text.trimmed.dropFirst(number.count)))
    guard unit.isEmpty || ["s", "sek"].contains(unit) || ColumnName(unit) == .seconds else { return text }
    return String(number).replacing(",", with: ".")
  }
}

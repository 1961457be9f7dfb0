import Basics
import GameEvents
import Sheets

/// One question in GIFT: `::title:: text { answers } text`.
struct GIFTQuestion {
  private let characters: [PlacedCharacter]
  private let category: Placed<String>?
  private let place: SheetPlace
  private var format: Format
  /// What is left out or guessed.
  private(set) var notices: [SheetProblem] = []

  /// How the texts are written.
  private enum Format {
    case plain, html
  }

  /// An answer with its sign.
  private struct Answer {
    var isRight: Bool
    /// Whether it is worth only a part of the points.
    var isPartial: Bool
    var text: [PlacedCharacter]
    var feedback: [PlacedCharacter]
    var place: SheetPlace
  }

  init(_ characters: [PlacedCharacter], _ category: Placed<String>?) {
    self.characters = Self.unescaped(characters)
    self.category = category
    place = characters.first { !$0.isSpace }?.place ?? .start
    format = .plain
  }

  /// The question; `nil` if it has mistakes, which are reported, or cannot be asked, of which there is a notice.
  mutating func question(_ problems: inout [SheetProblem]) -> Question? {
    guard let open = characters.firstIndex(where: { $0.isSign("{") }) else {
      return problems.refuse(at: place, "this text has no answers; write them in braces, as in {=Mercury ~Iron}, or remove it")
    }
    guard let close = characters[open...].firstIndex(where: { $0.isSign("}") }) else {
      return problems.refuse(
        at: characters[open].place, "this brace is never closed before the next blank line; add one after the answers")
    }
    let tail = characters[(close + 1)...]
    if let other = tail.first(where: { $0.isSign("{") }) {
      return problems.refuse(at: other.place, "a second brace in one question; part questions by blank lines")
    }
    var stem = Array(withoutTitle(characters[..<open]))
    takeFormat(&stem)
    // Text after the answers continues after a blank.
    let hasTail = tail.contains { !$0.isSpace }
    var draft = QuestionDraft(at: place)
    draft.text = Placed(text(stem) + (hasTail ? " _____ " + text(Array(tail)) : ""), at: place)
    draft.category = category
    let inner = characters[(open + 1)..<close]
    let (body, general) = Self.withoutGeneralFeedback(inner)
    guard readAnswers(body, general, at: characters[open].place, &draft, &problems) else { return nil }
    return draft.checked(&problems)?.hidingOrder()
  }

  /// Reads what is between the braces. Mistakes are reported, and a question that cannot be asked has a notice.
  private mutating func readAnswers(
    _ body: ArraySlice<PlacedCharacter>, _ general: ArraySlice<PlacedCharacter>, at place: SheetPlace, _ draft: inout QuestionDraft,
    _ problems: inout [SheetProblem]
  ) -> Bool {
    func leaveOut(_ kind: String) -> Bool {
      notices.report(at: place, "\(kind) cannot be asked, so it is left out")
      return false
    }
    let first = body.first { !$0.isSpace }
    draft.answersPlace = place
    guard let first else { return leaveOut("an essay") }
    if first.isSign("#") {
      return readNumber(body.drop { $0.isSpace }.dropFirst(), general, &draft) || leaveOut("a question for such a number")
    }
    if first.isSign(">") { return readOrder(body.drop { $0.isSpace }.dropFirst(), general, &draft) }
    if !first.isSign("="), !first.isSign("~") {
      if readTruth(body, general, &draft) { return true }
      problems.report(at: place, "this question has no answers; write the right ones with = and the others with ~, or remove it")
      return false
    }
    let answers = Self.answers(body)
    if answers.contains(where: { answer in zip(answer.text, answer.text.dropFirst()).contains { $0.isSign("-") && $1.isSign(">") } }) {
      return leaveOut("a question of pairs")
    }
    if answers.allSatisfy({ $0.isRight }) { return readText(answers, general, &draft) || leaveOut("a question for such a text") }
    return readChoice(answers, general, &draft, &problems)
  }

  /// Reads answers of which one or several are right, or each is worth a part of the points.
  private mutating func readChoice(
    _ answers: [Answer], _ general: ArraySlice<PlacedCharacter>, _ draft: inout QuestionDraft, _ problems: inout [SheetProblem]
  ) -> Bool {
    let whole = answers.indices.filter { answers[$0].isRight }
    let parts = answers.indices.filter { answers[$0].isPartial && !answers[$0].isRight }
    let right = whole.isEmpty ? parts : whole
    guard let first = right.first else {
      problems.report(at: draft.answersPlace, "no answer is right; write = before the right one")
      return false
    }
    if !whole.isEmpty, let part = parts.first { notices.report(at: answers[part].place, Self.partIsLeftOut) }
    draft.answers = answers.map { answer in
      var characters = answer.text
      takeFormat(&characters)
      return Placed(text(characters), at: answer.place)
    }
    if right.count > 1 {
      draft.task = QuestionTask(.multiple, grading: Grading(isPartial: right.contains { answers[$0].isPartial }))
      draft.right = .several(right)
    } else {
      draft.correctAnswer = first
    }
    explain(&draft, Array(general), or: right.count > 1 ? [] : answers[first].feedback)
    return true
  }

  /// Reads spellings of a right text. `false` if there is none that an answer can have. Those that are worth a part of the points are left out.
  private mutating func readText(_ answers: [Answer], _ general: ArraySlice<PlacedCharacter>, _ draft: inout QuestionDraft) -> Bool {
    let texts = answers.filter { !$0.isPartial }.map { answer in
      var characters = answer.text
      takeFormat(&characters)
      return text(characters)
    }
    guard let right = RightAnswer.spellings(texts), let first = answers.first else { return false }
    if let part = answers.first(where: { $0.isPartial }) {
      notices.report(at: part.place, "a text is worth a part of the points, which is left out")
    }
    (draft.task, draft.right) = (QuestionTask(.text), right)
    explain(&draft, Array(general), or: first.feedback)
    return true
  }

  static let partIsLeftOut = "a wrong answer is worth a part of the points, which is left out"

  /// Reads `42:2` or `40..44`, or the first of several such answers that is worth all points. `false` if no such number can be asked for.
  private mutating func readNumber(
    _ body: ArraySlice<PlacedCharacter>, _ general: ArraySlice<PlacedCharacter>, _ draft: inout QuestionDraft
  ) -> Bool {
    let isList = body.contains { $0.isSign("=") || $0.isSign("~") }
    let answers = isList ? Self.answers(body) : Self.answers([PlacedCharacter(scalar: "=", place: draft.place)] + body)
    let whole = answers.first { $0.isRight && !$0.isPartial }
    guard let answer = whole ?? answers.first(where: { $0.isRight }), let (right, within) = Self.number(answer.text.text),
      let task = GuessedScale.task(right: right, within: within)
    else { return false }
    if let part = answers.first(where: { $0.isPartial && $0.place != answer.place }) { notices.report(at: part.place, Self.partIsLeftOut) }
    notices.report(at: draft.answersPlace, GuessedScale.notice(task))
    (draft.task, draft.right) = (task, .number(right))
    explain(&draft, Array(general), or: answer.feedback)
    return true
  }

  /// The number and the distance of `42`, `42:2` or `40..44`.
  private static func number(_ text: String) -> (DecimalNumber, DecimalNumber)? {
    if let dots = text.firstRange(of: "..") {
      guard let low = DecimalNumber(String(text[..<dots.lowerBound]).trimmed),
        let high = DecimalNumber(String(text[dots.upperBound...]).trimmed)
      else { return nil }
      return GuessedScale.middle(of: low, high)
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
    guard let right = DecimalNumber(parts[0]), let within = parts.count > 1 ? DecimalNumber(parts[1]) : .zero else { return nil }
    return (right, within)
  }

  /// Reads items in their right order, one a line, as Moodle's question type "ordering" writes them. Their number and words such as `ALL` come before.
  private mutating func readOrder(
    _ body: ArraySlice<PlacedCharacter>, _ general: ArraySlice<PlacedCharacter>, _ draft: inout QuestionDraft
  ) -> Bool {
    var lines = body.split { $0.scalar == "\n" }
    if let first = lines.first,
      first.allSatisfy({ $0.isSpace || $0.scalar == "_" || ("A"..."Z").contains($0.scalar) || ("0"..."9").contains($0.scalar) })
    {
      lines.removeFirst()
    }
    draft.task = QuestionTask(.order)
    draft.answers = lines.compactMap { line in
      var characters = Array(line)
      takeFormat(&characters)
      let item = text(characters)
      return item.isEmpty ? nil : Placed(item, at: line.first { !$0.isSpace }?.place ?? draft.place)
    }
    draft.right = .order(Array((draft.answers ?? []).indices))
    explain(&draft, Array(general), or: [])
    return true
  }

  /// Reads `T`, `TRUE`, `F` or `FALSE`, with the feedback for a wrong and a right answer.
  private mutating func readTruth(
    _ body: ArraySlice<PlacedCharacter>, _ general: ArraySlice<PlacedCharacter>, _ draft: inout QuestionDraft
  ) -> Bool {
    let parts = body.split(maxSplits: 2, omittingEmptySubsequences: false) { $0.isSign("#") }
    let isTrue: Bool
    switch text(Array(parts.first ?? [])).uppercased() {
    case "T", "TRUE": isTrue = true
    case "F", "FALSE": isTrue = false
    default: return false
    }
    draft.answers = [Placed("True", at: draft.place), Placed("False", at: draft.place)]
    draft.correctAnswer = isTrue ? 0 : 1
    explain(&draft, Array(general), or: Array(parts.count > 2 ? parts[2] : parts.count > 1 ? parts[1] : []))
    return true
  }

  /// Uses the feedback on the question, or on its right answer, as the explanation.
  private mutating func explain(_ draft: inout QuestionDraft, _ general: [PlacedCharacter], or feedback: [PlacedCharacter]) {
    var characters = general.contains { !$0.isSpace } ? general : feedback
    takeFormat(&characters)
    let explanation = text(characters)
    if let place = characters.first?.place, !explanation.isEmpty { draft.explanation = Placed(explanation, at: place) }
  }

  /// Removes a format such as `[html]` from the beginning of a text, and remembers it.
  private mutating func takeFormat(_ characters: inout [PlacedCharacter]) {
    guard let (name, rest) = Self.prefix(of: characters, from: "[", to: "]"), ["html", "moodle", "plain", "markdown"].contains(name) else {
      return
    }
    format = name == "html" || name == "moodle" ? .html : .plain
    characters = rest
  }

  /// The text between two signs at the beginning, and what follows them.
  private static func prefix(
    of characters: [PlacedCharacter], from first: Unicode.Scalar, to last: Unicode.Scalar
  ) -> (text: String, rest: [PlacedCharacter])? {
    let start = characters.drop { $0.isSpace }
    guard start.first?.isSign(first) == true, let end = start.dropFirst().firstIndex(where: { $0.isSign(last) }) else { return nil }
    return (start[..<end].dropFirst().text, Array(start[(end + 1)...]))
  }

  private func text(_ characters: [PlacedCharacter]) -> String {
    (format == .html ? MarkupText.plain(characters.text) : characters.text).trimmed
  }

  private func withoutTitle(_ characters: ArraySlice<PlacedCharacter>) -> ArraySlice<PlacedCharacter> {
    let rest = characters.drop { $0.isSpace }
    func isMark(_ index: Int) -> Bool { index + 1 < rest.endIndex && rest[index].isSign(":") && rest[index + 1].isSign(":") }
    guard let start = rest.indices.first, isMark(start), let end = (start + 2..<max(start + 2, rest.endIndex)).first(where: isMark) else {
      return rest
    }
    return rest[(end + 2)...]
  }

  /// Splits off the general feedback on the question, which follows `####`.
  private static func withoutGeneralFeedback(
    _ inner: ArraySlice<PlacedCharacter>
  ) -> (body: ArraySlice<PlacedCharacter>, feedback: ArraySlice<PlacedCharacter>) {
    var count = 0
    for index in inner.indices {
      count = inner[index].isSign("#") ? count + 1 : 0
      if count == 4 { return (inner[..<(index - 3)], inner[(index + 1)...]) }
    }
    return (inner, [])
  }

  private static func answers(_ body: ArraySlice<PlacedCharacter>) -> [Answer] {
    var answers: [Answer] = []
    var isFeedback = false
    for character in body {
      if character.isSign("=") || character.isSign("~") {
        answers.append(Answer(isRight: character.scalar == "=", isPartial: false, text: [], feedback: [], place: character.place))
        isFeedback = false
      } else if character.isSign("#"), !isFeedback {
        isFeedback = true
      } else if let last = answers.indices.last {
        if isFeedback { answers[last].feedback.append(character) } else { answers[last].text.append(character) }
      }
    }
    return answers.map { weighed($0) }
  }

  /// The answer without a weight such as `%50%`.
  private static func weighed(_ answer: Answer) -> Answer {
    guard let (text, rest) = prefix(of: answer.text, from: "%", to: "%"), let weight = Double(text) else { return answer }
    var answer = answer
    answer.text = rest
    answer.isPartial = weight > 0 && weight < 100
    answer.isRight = answer.isRight && weight >= 0 || weight >= 100
    return answer
  }

  /// The characters with their escapes resolved: `\n` is a line break, and a sign after a backslash is a plain character.
  private static func unescaped(_ characters: [PlacedCharacter]) -> [PlacedCharacter] {
    var output: [PlacedCharacter] = []
    var index = 0
    while index < characters.count {
      let character = characters[index]
      let next = index + 1 < characters.count ? characters[index + 1] : nil
      if character.scalar == "\\", let next, "~=#{}:\\n".unicodeScalars.contains(next.scalar) {
        output.append(PlacedCharacter(scalar: next.scalar == "n" ? "\n" : next.scalar, place: character.place, isEscaped: true))
        index += 2
      } else {
        output.append(character)
        index += 1
      }
    }
    return output
  }
}

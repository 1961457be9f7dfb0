import Basics
import GameEvents
import Sheets

/// A question as it was written, with its places. The same rules check questions of all formats.
struct QuestionDraft {
  /// Where the question begins.
  var place: SheetPlace
  var text: Placed<String>?
  /// What the question asks for.
  var task = QuestionTask()
  /// Where the unit of its numbers stands.
  var unitPlace: SheetPlace?
  var answers: [Placed<String>]?
  /// Where the list of answers begins.
  var answersPlace: SheetPlace
  /// The right answer; `nil` if there is none, or if it is wrong, which was reported.
  var right: RightAnswer?
  /// The points of the question.
  var worth: Int?
  var points: Placed<[Int]>?
  var category: Placed<String>?
  var difficulty: Placed<String>?
  /// The number of seconds for answers, as it was written.
  var seconds: Placed<String>?
  /// When the question is asked, as it was written.
  var time: Placed<String>?
  var media = MediaDraft()
  var explanation: Placed<String>?
  var link: Placed<String>?

  /// The index of the right answer in `answers`; `nil` if that is missing or wrong, which was reported.
  var correctAnswer: Int? {
    get { right?.index }
    set { right = newValue.map { .one($0) } }
  }

  init(at place: SheetPlace) {
    self.place = place
    answersPlace = place
  }

  /// Returns the question if it has no mistakes. Mistakes are reported.
  func checked(_ problems: inout [SheetProblem]) -> Question? {
    let count = problems.count
    let text = text.map { $0.value.trimmed } ?? ""
    Self.check(self.text, "the question", limit: QuestionLimits.question, mayHaveLines: true, &problems)
    let answers = checkedAnswers(&problems)
    var task = task
    task.unit = task.unit?.trimmed
    Self.check(task.unit.map { Placed($0, at: unitPlace ?? place) }, "the unit", limit: QuestionLimits.unit, &problems)
    Self.check(category, "the category", limit: QuestionLimits.name, &problems)
    Self.check(explanation, "the explanation", limit: QuestionLimits.explanation, mayHaveLines: true, &problems)
    let difficulty = checkedDifficulty(&problems)
    let allottedTime = checkedTime(&problems)
    checkMoment(&problems)
    let media = media.trimmed.checked(&problems)
    Self.checkAddress(link, "the link", &problems)
    if let points, !task.kind.hasPointsOfAnswers || task.takesWords {
      problems.report(
        at: points.place, "\"points\" are for answers to choose from, and a question of the kind \(task.kind.text) has none; remove them")
    } else if let points, let answers = self.answers, points.value.count != answers.count {
      let (numbers, choice) = (points.value.count.of("number"), answers.count.of("answer"))
      problems.report(at: points.place, "\"points\" has \(numbers), but the question has \(choice); write one for each")
    }
    guard problems.count == count, self.text != nil, let answers, right != nil || !task.kind.needsRight else { return nil }
    return Question(
      text: text, task: task, answers: answers, right: right, worth: worth, points: points?.value, category: category?.value.trimmed,
      difficulty: difficulty, allottedTime: allottedTime, time: time?.value.trimmed, media: media,
      explanation: explanation?.value.trimmed, link: link?.value.trimmed)
  }

  private func checkedAnswers(_ problems: inout [SheetProblem]) -> [String]? {
    guard let count = task.answerCount else { return [] }
    guard let answers else { return nil }
    guard count.contains(answers.count) else {
      let (least, most) = (count.lowerBound, count.upperBound)
      return problems.refuse(at: answersPlace, "a question has \(least) to \(most) answers, this one has \(answers.count)")
    }
    let texts = answers.map { $0.value.trimmed }
    let skeletons = texts.map { HiddenCharacters.skeleton(of: $0) }
    for (index, answer) in answers.enumerated() {
      Self.check(answer, "the answer", limit: QuestionLimits.answer, &problems)
      guard !skeletons[index].isEmpty, let first = skeletons[..<index].firstIndex(of: skeletons[index]) else { continue }
      let other = "line \(answers[first].place.line), column \(answers[first].place.column)"
      let isSame = texts[first].hasSameBytes(as: texts[index])
      let text = texts[index].quoted
      problems.report(
        at: answer.place,
        isSame
          ? "the answer \(text) is already in \(other); make all answers different"
          : "the answer \(text) differs from that in \(other) only in case or in characters that do not show; make all answers different")
    }
    return texts
  }

  private func checkedDifficulty(_ problems: inout [SheetProblem]) -> Difficulty? {
    guard let difficulty else { return nil }
    let value = Difficulty(rawValue: difficulty.value.trimmed)
    if value == nil {
      problems.report(at: difficulty.place, "\"difficulty\" is \(difficulty.value.quoted); write easy, medium or hard")
    }
    return value
  }

  private func checkedTime(_ problems: inout [SheetProblem]) -> MediaTime? {
    guard let seconds else { return nil }
    let time = MediaTime(decimalSeconds: seconds.value.trimmed)
    if let time, QuestionLimits.allottedTime.contains(time) { return time }
    let (least, most) = (QuestionLimits.allottedTime.lowerBound, QuestionLimits.allottedTime.upperBound)
    return problems.refuse(
      at: seconds.place,
      "\"seconds\" is \(seconds.value.quoted); write a number from \(least.shortestDecimalSeconds) to \(most.shortestDecimalSeconds)")
  }

  /// Checks the form of the time at which the question is asked. Its value depends on the frame rate, which only a plan knows.
  private func checkMoment(_ problems: inout [SheetProblem]) {
    guard let time else { return }
    let text = time.value.trimmed
    let number = text.utf8.last == UInt8(ascii: "s") ? text.utf8.dropLast() : text.utf8[...]
    let isClock = number.first?.isASCIIDigit == true && number.allSatisfy { $0.isASCIIDigit || ":;.".utf8.contains($0) }
    guard !isClock || text.utf8.count > QuestionLimits.time else { return }
    problems.report(
      at: time.place, "\"at\" is \(time.value.quoted), which is no time; write seconds (12.5), mm:ss, hh:mm:ss or a timecode hh:mm:ss:ff")
  }

  private static func checkAddress(_ address: Placed<String>?, _ name: String, _ problems: inout [SheetProblem]) {
    guard let address else { return }
    check(address, name, limit: QuestionLimits.link, &problems)
    let bytes = Array(address.value.trimmed.utf8)
    let hasScheme = ["http://", "https://"].contains { bytes.count > $0.utf8.count && bytes.starts(with: $0.utf8) }
    if !bytes.isEmpty, !hasScheme || bytes.contains(0x20) {
      problems.report(at: address.place, "\(name) \(address.value.quoted) is no address; write one that begins with https:// or http://")
    }
  }

  /// Reports a text that is empty or looks so, is too long, or has characters that cannot be shown or change the text beside them.
  static func check(_ text: Placed<String>?, _ name: String, limit: Int, mayHaveLines: Bool = false, _ problems: inout [SheetProblem]) {
    guard let text else { return }
    let trimmed = text.value.trimmed
    guard !trimmed.isEmpty else { return problems.report(at: text.place, "\(name) is empty; write a text") }
    let faults = HiddenCharacters.faults(of: trimmed, mayHaveLines: mayHaveLines)
    if trimmed.utf8.count > limit, faults != [.invisible] {
      problems.report(at: text.place, "\(name) has \(trimmed.utf8.count) bytes, above the limit of \(limit); shorten it")
    }
    for fault in faults { problems.report(at: text.place, "\(name) \(fault)") }
  }
}

extension MediaDraft {
  /// The texts without the white space at their ends.
  fileprivate var trimmed: MediaDraft {
    var draft = self
    for part in [\MediaDraft.picture, \.pictureText, \.pictureSize, \.sound, \.soundText] {
      draft[keyPath: part] = self[keyPath: part].map { Placed($0.value.trimmed, at: $0.place) }
    }
    return draft
  }
}

extension String {
  /// The text without the white space of ASCII at its ends.
  var trimmed: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let bytes = utf8.drop(while: isSpace)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(decoding: bytes[...last], as: UTF8.self)
  }
}

extension QuestionKind {
  /// Whether each of the answers may be worth points of its own.
  fileprivate var hasPointsOfAnswers: Bool {
    switch self {
    case .single, .multiple, .poll, .prediction: true
    case .order, .number, .text, .other: false
    }
  }
}

import Basics
import Sheets

/// Questions in Aiken's format: a line or more with the question, a line for each answer with a letter before it, and `ANSWER: B`.
///
/// Letters may be small and followed by a point, a bracket or a colon, and questions may be numbered. A text that has no answers never becomes a part
/// of the next question: it is a heading or a mistake.
struct AikenText {
  private(set) var bank = QuestionBank()
  private(set) var problems: [SheetProblem] = []
  private(set) var notices: [SheetProblem] = []

  private var text: Placed<String>?
  private var answers: [Placed<String>] = []
  /// A line after answers that is no answer: the next question, or a mistake, as the next line says.
  private var pending: Placed<String>?
  /// Whether the question has a mistake that was reported.
  private var isSpoiled = false
  private var followsBlank = false
  private var questions = 0
  /// Whether the question before was numbered.
  private var isNumbered = false

  init(_ source: String) {
    TextLine.each(of: source) { read($0.characters.text, at: $0.place) }
    abandon()
    if questions == 0, problems.isEmpty {
      problems.report(at: .start, "there is no question; write it on a line, then A. and B. with the answers, and ANSWER: A")
    }
  }

  private mutating func read(_ line: String, at place: SheetPlace) {
    let content = line.replacing(["\u{A0}": " ", "\u{FEFF}": ""]).trimmed
    guard !content.isEmpty else {
      followsBlank = true
      return
    }
    defer { followsBlank = false }
    guard problems.count <= Self.mostProblems else { return }
    if AnswerLetter.isInline(content) {
      abandon()
      questions += 1
      problems.report(at: place, "this line has a question and its answers; \(Self.advice)")
    } else if let key = AnswerLetter.key(content, hasAnswers: text == nil || !answers.isEmpty) {
      end(key, at: place)
    } else if let option = AnswerLetter(content, expected: expected), text != nil || option.isExpected {
      add(option, at: place)
    } else {
      addText(content, at: place)
    }
  }

  private static let mostProblems = 1_000
  static let advice = "write the question, each answer (A. and further) and ANSWER: C on lines of their own"

  /// The letter of the next answer; A if a line is pending that may be the next question.
  private var expected: UInt8 { UInt8(ascii: "A") + UInt8(min(pending == nil ? answers.count : 0, 25)) }

  private mutating func add(_ option: AnswerLetter, at place: SheetPlace) {
    if let next = pending, option.isExpected {
      pending = nil
      abandon()
      begin(next)
    } else if let line = pending {
      spoil(at: line.place)
    }
    guard text != nil else {
      problems.report(at: place, "there is no question before this answer; write it above")
      (text, isSpoiled) = (Placed("", at: place), true)
      return
    }
    guard !isSpoiled else { return }
    if option.isMarked {
      spoil(at: place, "the right answer is marked with *; \(Self.advice)")
    } else if !option.isExpected {
      let (letter, expected) = (Character(Unicode.Scalar(option.letter)), Character(Unicode.Scalar(expected)))
      spoil(at: place, "the answer \(letter) comes where \(expected) is expected; letter them from A on")
    }
    answers.append(Placed(option.text, at: place))
  }

  private mutating func addText(_ content: String, at place: SheetPlace) {
    let line = Placed(content, at: place)
    guard let begun = text else { return begin(line) }
    if let line = pending { spoil(at: line.place) }
    guard answers.isEmpty, !isSpoiled else {
      // After a blank line, or with the next number, there is another question.
      if followsBlank || number(of: content) != nil && isNumbered {
        abandon()
        begin(line)
      } else if !isSpoiled {
        pending = line
      }
      return
    }
    if followsBlank || Self.isHeading(begun.value) {
      abandon()
      begin(line)
    } else {
      text?.value = "\(begun.value)\n\(content)"
    }
  }

  /// Begins a question, whose number is not part of its text.
  private mutating func begin(_ line: Placed<String>) {
    (text, answers, pending, isSpoiled) = (line, [], nil, false)
    if let rest = number(of: line.value) {
      text?.value = rest
      isNumbered = true
    } else {
      isNumbered = isNumbered && Self.isHeading(line.value)
    }
  }

  /// The text after a number that counts the questions; `nil` if there is none.
  private func number(of line: String) -> String? {
    let name = line.prefix { $0.isASCII && $0.isLetter }
    let isNamed = ["q", "question", "frage", "pregunta", "domanda", "pergunta", "vraag", "pytanie"].contains(name.lowercased())
    guard name.isEmpty || isNamed else { return nil }
    let rest = line.dropFirst(name.count).drop { $0 == " " }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard (1...5).contains(digits.utf8.count), let number = Int(digits), let sign = rest.dropFirst(digits.count).first else { return nil }
    let text = rest.dropFirst(digits.count + 1)
    guard [".", ")", ":"].contains(sign), text.first == " " || text.first == "\t" else { return nil }
    guard isNamed || number == 1 || number == questions + 1 || isNumbered else { return nil }
    return String(text).trimmed
  }

  /// Ends a question that has no key.
  private mutating func abandon() {
    defer { (text, answers, pending, isSpoiled) = (nil, [], nil, false) }
    guard let text, !isSpoiled else { return }
    if answers.isEmpty, Self.isHeading(text.value) {
      notices.report(at: text.place, "\(text.value.quoted) is taken for a heading and left out")
    } else if answers.isEmpty {
      problems.report(at: text.place, Self.noAnswers)
    } else {
      questions += 1
      problems.report(at: text.place, "this question has no line such as ANSWER: A; add it after the answers")
    }
    if let pending { problems.report(at: pending.place, Self.noAnswers) }
  }

  private static let noAnswers = "this text has no answers; write A. and B. with the answers below it, or remove it"
  private static let noAnswer = "this line is no answer; begin answers with A. or A), and say ANSWER: A before the next question"

  private mutating func spoil(at place: SheetPlace, _ message: String = noAnswer) {
    if !isSpoiled { problems.report(at: place, message) }
    (isSpoiled, pending) = (true, nil)
  }

  private mutating func end(_ key: String, at place: SheetPlace) {
    if let line = pending { spoil(at: line.place) }
    defer { (text, answers, pending, isSpoiled) = (nil, [], nil, false) }
    questions += 1
    guard let text else {
      problems.report(at: place, "there is no question before this line; write it and its answers above")
      return
    }
    guard !isSpoiled, problems.allow(questionNumber: questions, at: text.place) else { return }
    var draft = QuestionDraft(at: text.place)
    (draft.text, draft.answers) = (text, answers)
    let index = answers.firstIndex { $0.value.hasSameBytes(as: key) } ?? AnswerLetter.index(key)
    guard let index, index < answers.count else {
      problems.report(at: place, "\(key.quoted) is none of the answers; write the letter of the right one")
      return
    }
    draft.correctAnswer = index
    if let question = draft.checked(&problems) { bank.questions.append(Placed(question, at: text.place)) }
  }

  /// Whether a text is the heading of a round, and no question: `Round 2`, `# Science`, `--- Music ---`.
  private static func isHeading(_ text: String) -> Bool {
    guard !text.utf8.contains(UInt8(ascii: "?")), let first = text.utf8.first, text.utf8.count < 80 else { return false }
    if "#=-*_[".utf8.contains(first) { return true }
    let words = text.split { $0 == " " || $0 == ":" }.map { $0.lowercased() }
    let names = [
      "round", "part", "section", "chapter", "quiz", "category", "topic", "runde", "teil", "abschnitt", "kapitel", "kategorie", "thema",
      "partie", "manche", "categorie", "catégorie", "ronda", "parte", "categoría", "turno", "ronde", "deel", "runda",
    ]
    return words.first.map { names.contains($0) } == true && words.count <= 6 && !text.utf8.contains(0x0A)
  }
}

extension AikenText {
  /// Whether a text looks like this format: it has a line for an answer and one that names the right answer.
  static func isLikely(_ text: String) -> Bool {
    var hasOption = false
    for line in text.split(whereSeparator: \.isNewline) {
      let content = String(line).replacing(["\u{A0}": " "]).trimmed
      if AnswerLetter(content, expected: UInt8(ascii: "A"))?.hasSpace == true { hasOption = true }
      if hasOption, let key = AnswerLetter.key(content, hasAnswers: true), AnswerLetter.index(key) != nil { return true }
    }
    return false
  }
}

extension QuestionBank.Reading {
  /// Reads questions in Aiken's format.
  init(aiken text: String) {
    let read = AikenText(text)
    self.init(read.bank, problems: read.problems, notices: read.notices)
  }
}

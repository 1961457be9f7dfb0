import Basics
import Sheets

/// Questions in Aiken's format: a line or more with the question, a line for each answer with a capital letter before it, and `ANSWER: B`.
struct AikenText {
  private(set) var bank = QuestionBank()
  private(set) var problems: [SheetProblem] = []

  private var text: Placed<String>?
  private var answers: [Placed<String>] = []
  private var questions = 0

  /// Whether a text looks like this format: it has a line for an answer and one that names the right answer.
  static func isLikely(_ text: String) -> Bool {
    var hasOption = false
    for line in text.split(whereSeparator: \.isNewline) {
      if option(line) != nil { hasOption = true }
      if hasOption, key(line) != nil { return true }
    }
    return false
  }

  init(_ source: String) {
    TextLine.each(of: source) { read($0.characters.text, at: $0.place) }
    if let text { problems.report(at: text.place, "this question has no line such as ANSWER: A; add it behind the answers") }
    if questions == 0, problems.isEmpty {
      problems.report(at: .start, "there is no question; write it on a line, then A. and B. with the answers, and ANSWER: A")
    }
  }

  private mutating func read(_ line: String, at place: SheetPlace) {
    let content = line.trimmed
    guard !content.isEmpty, problems.count <= Self.mostProblems else { return }
    if let key = Self.key(content[...]) {
      end(key, at: place)
    } else if text != nil, let (letter, answer) = Self.option(content[...]) {
      let expected = UInt8(ascii: "A") + UInt8(min(answers.count, 25))
      if letter != expected {
        problems.report(
          at: place,
          "the answer \(Character(Unicode.Scalar(letter))) comes where \(Character(Unicode.Scalar(expected))) is expected; letter them from A on"
        )
      }
      answers.append(Placed(answer, at: place))
    } else if let begun = text {
      if answers.isEmpty {
        text?.value = "\(begun.value)\n\(content)"
      } else {
        problems.report(at: place, "this line is no answer; begin answers with A. or A), and say ANSWER: A before the next question")
      }
    } else {
      text = Placed(content, at: place)
    }
  }

  private static let mostProblems = 1_000

  private mutating func end(_ key: Substring, at place: SheetPlace) {
    defer { (text, answers) = (nil, []) }
    questions += 1
    guard let text else {
      problems.report(at: place, "there is no question before this line; write it and its answers above")
      return
    }
    guard problems.allow(questionNumber: questions, at: text.place) else { return }
    var draft = QuestionDraft(at: text.place)
    (draft.text, draft.answers) = (text, answers)
    guard key.utf8.count == 1, let letter = key.utf8.first, letter.asciiLowercased >= UInt8(ascii: "a"),
      Int(letter.asciiLowercased - UInt8(ascii: "a")) < answers.count
    else {
      problems.report(at: place, "\(String(key).quoted) is none of the answers; write the letter of the right one")
      return
    }
    draft.correctAnswer = Int(letter.asciiLowercased - UInt8(ascii: "a"))
    if let question = draft.checked(&problems) { bank.questions.append(Placed(question, at: text.place)) }
  }

  /// The letter and the text of a line such as `A. Mars` or `A) Mars`.
  private static func option(_ line: Substring) -> (letter: UInt8, text: String)? {
    let bytes = Array(line.utf8.prefix(3))
    guard bytes.count > 1, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[0]),
      [UInt8(ascii: "."), UInt8(ascii: ")")].contains(bytes[1]),
      bytes.count == 2 || bytes[2] == 0x20 || bytes[2] == 0x09
    else { return nil }
    return (bytes[0], String(line.dropFirst(2)).trimmed)
  }

  /// The value of a line such as `ANSWER: A`.
  private static func key(_ line: Substring) -> Substring? {
    let name = "ANSWER:"
    guard line.utf8.count >= name.utf8.count, zip(line.utf8, name.utf8).allSatisfy({ $0 == $1 }) else { return nil }
    return Substring(String(line.dropFirst(name.count)).trimmed)
  }
}

extension QuestionBank.Reading {
  /// Reads questions in Aiken's format.
  init(aiken text: String) {
    let read = AikenText(text)
    self.init(read.bank, problems: read.problems)
  }
}

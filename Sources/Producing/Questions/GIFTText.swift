import Basics
import Sheets

/// Questions in GIFT, Moodle's format for questions as text: blank lines between questions, the answers in braces.
///
/// Questions with right answers to choose, true-or-false questions, numbers and orders are read. Others cannot be asked, and are named with their place.
struct GIFTText {
  private(set) var bank = QuestionBank()
  private(set) var problems: [SheetProblem] = []
  private(set) var notices: [SheetProblem] = []

  /// The maximum number of characters of a question, far more than fits into an event.
  private static let longest = 65_536

  private var block: [PlacedCharacter] = []
  private var category: Placed<String>?
  private var questions = 0

  /// Whether a text looks like this format: braces with answers in them.
  static func isLikely(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }), first != "{", first != "[" else { return false }
    var isOpen = false
    for character in text.unicodeScalars {
      if isOpen, character == "=" || character == "~" { return true }
      if isOpen, ["T", "F"].contains(character) { return text.contains(/\{\s*(T|F|TRUE|FALSE)\s*[#}]/) }
      if !character.properties.isWhitespace { isOpen = character == "{" }
    }
    return false
  }

  init(_ source: String) {
    TextLine.each(of: source) { read($0) }
    endBlock()
    if questions == 0, problems.isEmpty {
      problems.report(
        at: .start, "there is no question; write one with its answers in braces, as in Which metal is liquid? {=Mercury ~Iron}")
    }
    problems.requireQuestion(in: bank, leftOut: notices)
  }

  private mutating func read(_ line: TextLine) {
    if line.isBlank { return endBlock() }
    if line.begins("//") { return }
    if line.begins("$CATEGORY:") {
      endBlock()
      category = Self.category(line.characters.drop { $0.scalar != ":" }.dropFirst())
      return
    }
    guard block.count <= Self.longest else { return }
    block += line.characters
    block.append(PlacedCharacter(scalar: "\n", place: line.characters.last?.place ?? line.place))
  }

  /// The last part of a path such as `$course$/top/Science`.
  static func category(_ path: String, at place: SheetPlace) -> Placed<String>? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self).trimmed } ?? ""
    return ["", "top", "$course$", "$system$", "$module$"].contains(name) ? nil : Placed(name, at: place)
  }

  private static func category(_ path: ArraySlice<PlacedCharacter>) -> Placed<String>? {
    let part = path.split { $0.scalar == "/" }.last ?? []
    return part.first.flatMap { category(part.text, at: $0.place) }
  }

  private mutating func endBlock() {
    defer { block = [] }
    guard let first = block.first(where: { !$0.isSpace }) else { return }
    questions += 1
    guard problems.allow(questionNumber: questions, at: first.place) else { return }
    guard block.count <= Self.longest else {
      problems.report(
        at: first.place, "this question has more than \(Self.longest) characters; shorten it, or part it from the next by a blank line")
      return
    }
    var parser = GIFTQuestion(block, category)
    let question = parser.question(&problems)
    notices += parser.notices
    if let question { bank.questions.append(Placed(question, at: first.place)) }
  }
}

extension QuestionBank.Reading {
  /// Reads questions in GIFT.
  init(gift text: String) {
    let read = GIFTText(text)
    self.init(read.bank, problems: read.problems, notices: read.notices)
  }
}

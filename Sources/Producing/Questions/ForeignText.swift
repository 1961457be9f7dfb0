import Basics
import Sheets

/// Texts that people take for questions and that cannot be read as such.
enum ForeignText {
  /// What a text is that is in no format that is read; `nil` if it may be in one.
  ///
  /// - Parameter mayBeList: Whether it may be a list of a word processor. A text in a format may have lines that look like one.
  static func find(in text: String, mayBeList: Bool) -> ForeignFile? {
    let start = text.utf8.prefix(2_000).drop { $0 <= 0x20 }
    let lower = String(decoding: start, as: UTF8.self).lowercased()
    if lower.hasPrefix("<") { return markup(lower) }
    if lower.hasPrefix("[internetshortcut]") { return link }
    if lower.hasPrefix("{"), lower.contains("\"doc_id\"") { return link }
    if lower.hasPrefix("\\documentclass") || lower.hasPrefix("\\begin{") {
      return ForeignFile("a text in LaTeX", way: "\(AikenText.advice), or make a table (.xlsx, .csv)")
    }
    if lower.hasPrefix("#separator:") {
      return ForeignFile("a text with cards of Anki", way: "make a table of them: question,correct,wrong,wrong (.xlsx or .csv)")
    }
    return openTriviaQA(text) ?? (mayBeList ? WordList.find(in: text) : nil)
  }

  private static let link = ForeignFile(
    "a link, not what it leads to", way: "open it, and save the questions as .xlsx or .csv (in Google Sheets: File, Download)")

  /// What a page or XML is, by its beginning in lower case.
  private static func markup(_ lower: String) -> ForeignFile {
    if lower.contains("<plist") { return link }
    if lower.contains("google"), lower.contains("<html") {
      return ForeignFile(
        "a web page of Google, not the spreadsheet", way: "choose File, Download in Google Sheets, and name the .xlsx or .csv")
    }
    let isPage = lower.hasPrefix("<!doctype html") || lower.contains("<html") || lower.contains("<body") || lower.contains("<table")
    if isPage || lower.contains("urn:schemas-microsoft-com:office:spreadsheet") {
      return ForeignFile("a web page or XML, whatever its name says", way: "open it in a spreadsheet program and save it as .xlsx or .csv")
    }
    return ForeignFile("XML, which is not read", way: "make a table (.csv, .xlsx), GIFT or Aiken of it")
  }

  /// A text of the collection OpenTriviaQA: `#Q` before questions, `^` before right answers.
  private static func openTriviaQA(_ text: String) -> ForeignFile? {
    var question: SheetPlace?
    var found: SheetPlace?
    TextLine.each(of: String(text.prefix(20_000))) { line in
      if line.begins("#Q ") { question = question ?? line.place }
      if line.begins("^ "), let question { found = found ?? question }
    }
    return found.map {
      ForeignFile(
        at: $0, "in the format of OpenTriviaQA, which is not read",
        way: "take away #Q, and write the line with ^ as ANSWER: and the letter after the answers; that is Aiken's format")
    }
  }
}

/// A list of questions as a word processor has it: numbers before questions, and letters, numbers or bullets before answers. Which answer is right is
/// to be seen at its bold letters, which a plain text does not have, at a star, or in a list at the end.
enum WordList {
  /// The list in a text; `nil` if there is none.
  static func find(in text: String) -> ForeignFile? {
    var lines = Lines()
    TextLine.each(of: String(text.prefix(20_000))) { line in lines.read(line.characters.text.trimmed, at: line.place) }
    return lines.found.map {
      let table = "question,option,option,option,number"
      return ForeignFile(
        at: $0, "a list as a word processor has it",
        way: "bold letters and colours are no part of a text: \(AikenText.advice), or make a table (.xlsx, .csv): \(table)")
    }
  }

  private struct Lines {
    /// The first line that only a list has.
    private var sure: SheetPlace?
    private var numbered: [SheetPlace] = []
    private var bullets: [SheetPlace] = []
    /// The line of an answer A, if the line before is one.
    private var first: SheetPlace?
    /// Whether a line begins with a key of cue sheets or quiz files.
    private var isSheet = false

    var found: SheetPlace? {
      if isSheet { return nil }
      if let sure { return sure }
      if numbered.count > 1 { return numbered.first }
      return bullets.count > 1 ? bullets.first : nil
    }

    mutating func read(_ line: String, at place: SheetPlace) {
      guard !line.isEmpty else { return }
      if ["questions:", "cues:", "game:"].contains(where: { line.utf8.starts(with: $0.utf8) }) { isSheet = true }
      let isBullet = ["•", "◦", "▪", "–", "☐", "□", "✓", "✔", "○", "●"].contains { line.hasPrefix($0) }
      if isBullet { bullets.append(place) }
      let plain = String(line.drop { "*_•◦▪–☐□✓✔○● ".contains($0) })
      let isMarked = AnswerLetter(line, expected: 0)?.isMarked == true
      if sure == nil, isMarked || AnswerLetter.isInline(plain) { sure = place }
      let letter = AnswerLetter(plain, expected: UInt8(ascii: "A"))
      if let first, AnswerLetter(plain, expected: UInt8(ascii: "B"))?.isExpected == true { sure = sure ?? first }
      first = letter?.isExpected == true ? place : nil
      if WordList.isNumbered(plain) { numbered.append(place) }
    }
  }

  /// Whether a line begins with a number, a sign and a space, as `12. ` or `Question 3: `.
  private static func isNumbered(_ line: String) -> Bool {
    let word = line.prefix { $0.isLetter }
    let rest = line.dropFirst(word.count).drop { $0 == " " }
    guard word.isEmpty || ColumnName(String(word)) == .question || word.count == 1 else { return false }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let end = rest.dropFirst(digits.count)
    guard (1...3).contains(digits.count), let sign = end.first, ".):".contains(sign), let next = end.dropFirst().first else { return false }
    return next.isWhitespace && end.dropFirst(2).contains { $0.isLetter }
  }
}

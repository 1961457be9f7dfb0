import Basics
import Sheets

/// Files that people take for questions and that cannot be read as such: each message says what to do instead.
enum ForeignText {
  /// The way for a file that is no text, by its first bytes; `nil` for a text.
  static func fault(of bytes: [UInt8]) -> SheetError? {
    let head = bytes.prefix(4_096)
    if head.starts(with: "%PDF".utf8) {
      return SheetError(at: .start, "this is a PDF; copy its questions into a spreadsheet or a text, such as one in Aiken's format")
    }
    if head.starts(with: "{\\rtf".utf8) {
      return SheetError(at: .start, "this is a text with formats (RTF); save it as plain text in UTF-8")
    }
    // Tab, line ends, form feed and escape are the only control characters of texts.
    let controls = head.count { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1A && $0 != 0x1B && $0 != 0 }
    let zeros = head.count { $0 == 0 }
    guard controls > 8 && controls > head.count / 50 || zeros > 0 && controls > 2 else { return nil }
    return SheetError(
      at: .start,
      "this is no text: it has control characters; open it in the program that made it, and save it as .xlsx, .csv or plain text")
  }

  /// The way for a text in a format that is not read; `nil` if it may be one that is.
  static func fault(of text: String) -> SheetError? {
    let start = text.utf8.prefix(2_000).drop { $0 <= 0x20 }
    let lower = String(decoding: start, as: UTF8.self).lowercased()
    if lower.hasPrefix("<") {
      if lower.contains("<quiz") {
        return SheetError(at: .start, "this is XML of Moodle, which is not read; export the questions from Moodle as GIFT")
      }
      if lower.contains("urn:schemas-microsoft-com:office:spreadsheet") || lower.contains("<table") || lower.hasPrefix("<html") {
        return SheetError(
          at: .start, "this is a web page or XML, whatever its name says; open it in a spreadsheet program and save it as .xlsx or .csv")
      }
      return SheetError(at: .start, "this is XML, which is not read; make a table (.csv, .xlsx), GIFT or Aiken of it")
    }
    return openTriviaQA(text) ?? list(text)
  }

  /// A text of the collection OpenTriviaQA: `#Q` before questions, `^` before right answers.
  private static func openTriviaQA(_ text: String) -> SheetError? {
    var question: SheetPlace?
    var found: SheetPlace?
    TextLine.each(of: String(text.prefix(20_000))) { line in
      if line.begins("#Q ") { question = question ?? line.place }
      if line.begins("^ "), let question { found = found ?? question }
    }
    return found.map {
      SheetError(
        at: $0,
        "this is in the format of OpenTriviaQA, which is not read: take away #Q, and write the line with ^ as ANSWER: and the letter "
          + "after the answers; that is Aiken's format")
    }
  }

  /// A list of a word processor: a question and its answers in one line, or a star before the right answer.
  private static func list(_ text: String) -> SheetError? {
    var found: SheetPlace?
    TextLine.each(of: String(text.prefix(20_000))) { line in
      let content = line.characters.text.trimmed
      let isMarked = AnswerLetter(content, expected: 0)?.isMarked == true
      if found == nil, isMarked || AnswerLetter.isInline(content) { found = line.place }
    }
    return found.map {
      let table = "question,option,option,option,number"
      return SheetError(at: $0, "this is a list as a word processor has it; \(AikenText.advice), or make a table: \(table)")
    }
  }
}

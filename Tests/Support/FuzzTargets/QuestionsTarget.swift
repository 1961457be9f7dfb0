import Basics
import GameEvents
import Questions
import Sheets
import Spreadsheets
import TestSupport

extension FuzzTarget {
  /// Files of questions: mistakes have places, and the questions without one are written and read again equal in every format. The first byte says
  /// what the file's name says, and how the texts of an answer of Open Trivia DB are written.
  static let questions = FuzzTarget("questions") { bytes in
    var input = FuzzInput(bytes)
    let choice = Int(input.next())
    let content = Array(input.rest)
    let formats: [BankFormat?] = [nil, .yaml, .json, .csv, .gift, .aiken, .xlsx, .ods]
    // Bits 0, 1 and 5.
    let format = formats[choice & 3 | choice >> 3 & 4]
    let encoding = [nil, .html, .url3986, .urlLegacy, OpenTriviaEncoding.base64][min(choice >> 2 & 7, 4)]
    let reading = QuizFile.read(content, format: format, encoding: encoding)
    // In spreadsheets the places are those of cells, in encodings of two bytes those of characters.
    if String(validating: content, as: UTF8.self) != nil, !content.contains(0), !Spreadsheet.isSpreadsheet(content) {
      try require(reading.problems, lieIn: content)
    }
    try require(reading.problems, equals: reading.problems.inOrder, "order of mistakes")
    let questions = reading.bank.questions.map { $0.value }
    guard !questions.isEmpty else { return }
    for format in QuizFormat.allCases {
      let text = QuizFile.text(reading.bank, format: format)
      let again = QuizFile.read(Array(text.utf8), format: BankFormat("\(format)"))
      try require(again.problems, equals: [], "mistakes in what was written: \(text)")
      // A table of questions with one right answer has that first.
      let isRightFirst = format == .csv && questions.allSatisfy { $0.task.kind == .single }
      let expected = questions.map { question in
        guard isRightFirst else { return question }
        return question.reordered(
          (question.correctAnswer.map { [$0] } ?? []) + question.answers.indices.filter { $0 != question.correctAnswer })
      }
      try require(again.bank.questions.map { $0.value }, equals: expected, "written and read again")
      let isSameQuiz = again.bank.id.hasSameBytes(as: reading.bank.id) && again.bank.title.hasSameBytes(as: reading.bank.title)
      try require(format == .csv || isSameQuiz, "id and title in \(text)")
    }
    var repetitions = Repetitions()
    for question in questions { _ = repetitions.add(question) }
  }

  /// Spreadsheets: the files within one, with NUL between them. Whatever they say, there are cells in order or a reason, and questions as of any file.
  static let spreadsheets = FuzzTarget("spreadsheets") { bytes in
    var input = FuzzInput(bytes)
    let isOpenDocument = input.next() & 1 == 1
    let parts = Array(input.rest).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    func part(_ index: Int) -> String { index < parts.count ? parts[index] : "" }
    let file =
      isOpenDocument ? SampleWorkbook.ods(content: part(0)) : SampleWorkbook.xlsx(sheet: part(0), strings: part(1), styles: part(2))
    if let sheet = try? Spreadsheet(file) {
      for (row, next) in zip(sheet.rows, sheet.rows.dropFirst()) { try require(row.number < next.number, "rows in order") }
      for row in sheet.rows {
        try require(!row.cells.isEmpty && zip(row.cells, row.cells.dropFirst()).allSatisfy { $0.column < $1.column }, "cells in order")
      }
    }
    try questions.run([0x22] + file)
  }

  /// Texts as Open Trivia DB writes them: any is decoded, and what was encoded is what it was.
  static let encodings = FuzzTarget("encodings") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let utf8 = Array(text.utf8)
    for encoding in OpenTriviaEncoding.allCases { _ = encoding.decode(text) }
    let digits = Array("0123456789aBcDeF")
    let percent = utf8.map { "%\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    let html = text.unicodeScalars.map { $0 == "&" ? "&amp;" : String($0) }.joined()
    // Numbers stand for other characters where HTML has none or Windows has some.
    let isPlain = text.unicodeScalars.allSatisfy { $0.value != 0 && !(0x80...0x9F).contains($0.value) }
    let numbers = text.unicodeScalars.map { "&#x\(String($0.value, radix: 16));" }.joined()
    let written: [(OpenTriviaEncoding, String)] = [
      (.url3986, percent), (.urlLegacy, percent), (.html, html), (.base64, Base64.encode(utf8)), (.html, isPlain ? numbers : html),
    ]
    for (encoding, text) in written {
      try require(encoding.decode(text).map { Array($0.utf8) }, equals: utf8, "encoded in \(encoding) and decoded")
    }
  }
}

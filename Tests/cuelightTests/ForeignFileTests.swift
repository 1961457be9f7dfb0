import Foundation
import Spreadsheets
import TestSupport
import Testing

/// What users name in place of questions and cue sheets: one line says what the file is, and what to do.
@Suite struct ForeignFileTests {
  /// A file of another kind, and how the message about it begins for banks, and for cue sheets where that differs.
  struct Foreign: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var message: String
    var sheetMessage: String?
    var isZip = false

    var testDescription: String { name }

    init(_ name: String, _ text: String, _ message: String) { self.init(name, Array(text.utf8), message) }

    init(_ name: String, _ bytes: [UInt8], _ message: String, sheet: String? = nil, isZip: Bool = false) {
      (self.name, self.bytes, self.message, sheetMessage, self.isZip) = (name, bytes, message, sheet, isZip)
    }

    /// A zip file with these files.
    static func zip(_ name: String, _ files: [String], _ message: String) -> Foreign {
      let bytes = SampleWorkbook.zip(files.map { ($0, "<a/>") })
      return Foreign(name, bytes, message, sheet: "this is a spreadsheet, a document or another zip file", isZip: true)
    }

    /// A compound file of Office before 2007 with a stream of this name.
    static func old(_ name: String, _ stream: String, _ message: String) -> Foreign {
      let head: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 1_016)
      let entry: [UInt8] = stream.utf8.flatMap { [$0, 0] }
      return Foreign(name, head + entry + [UInt8](repeating: 0, count: 512), message, sheet: "this is a file of Office before 2007")
    }
  }

  static let files: [Foreign] = [
    .zip("quiz.docx", ["[Content_Types].xml", "word/document.xml"], "this is a document of a word processor (.docx); save it as"),
    .zip("quiz.pptx", ["ppt/presentation.xml"], "this is a presentation (.pptx); put its questions into a table"),
    .zip("quiz.numbers", ["Index/Document.iwa", "Metadata/Properties.plist"], "this is a file of Numbers, Pages or Keynote; export it"),
    .zip("quiz.xlsb", ["xl/workbook.bin"], "this is a binary workbook of Excel (.xlsb); save it as .xlsx or .csv"),
    .zip("deck.apkg", ["collection.anki2", "media"], "these are cards of Anki; make a table of them"),
    .zip("quiz.zip", ["folder/quiz.csv"], "this zip file is no spreadsheet; unpack it, and name quiz.csv"),
    .old("quiz.xls", "Workbook", "this is a spreadsheet of Excel before 2007 (.xls); save it as .xlsx"),
    .old("quiz.doc", "WordDocument", "this is a document of Word (.doc); save it as plain text"),
    .old("secret.xlsx", "EncryptedPackage", "this file has a password; save it as .xlsx without one"),
    Foreign("quiz.pdf", "%PDF-1.7\n%\u{e2}\n1 0 obj", "this is a PDF"),
    Foreign("quiz.rtf", "{\\rtf1\\ansi Hello}", "this is a text with formats"),
    Foreign("photo.png", [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 1, 2, 3], "this is a picture (PNG)"),
    Foreign("show.mp4", [0, 0, 0, 24] + Array("ftypisom".utf8) + [0, 0, 2, 0], "this is a video or a file of sound"),
    Foreign(
      "quiz.gz", [0x1F, 0x8B, 8, 0, 1, 2, 3, 4], "this is a packed file (gzip); unpack it",
      sheet: "this is a packed file (gzip), and no cue sheet"),
    Foreign("page.html", "<!DOCTYPE html>\n<html><head><title>Quiz</title></head></html>", "this is a web page"),
    Foreign("sheet.csv", "<!DOCTYPE html><html><title>Google Sheets: Sign-in</title></html>", "this is a web page of Google"),
    Foreign("export.xlsx", "<html><body><table><tr><td>Question</td></tr></table></body></html>", "this is a web page or XML"),
    Foreign("quiz.gsheet", "{\"\":\"WARNING!\",\"doc_id\":\"abc\",\"email\":\"a@b\"}", "this is a link, not what it leads to"),
    Foreign(
      "quiz.url", "[InternetShortcut]\nURL=https://docs.google.com/spreadsheets/d/abc/edit\n", "this is a link, not what it leads to"),
    Foreign("quiz.tex", "\\documentclass{exam}\n\\begin{document}\n", "this is a text in LaTeX"),
    Foreign("letters.txt", "1. Which metal is liquid?\na) Iron\nb) Mercury\n\n2. Who?\na) Ada\nb) Bob\n", list),
    Foreign("numbers.txt", "1. Which metal is liquid?\n1) Iron\n2) Mercury\n\n2. Who?\n1) Ada\n2) Bob\n", list),
    Foreign("bullets.txt", "Which metal is liquid?\n• Iron\n• Mercury\n\nWho?\n• Ada\n• Bob\n", list),
    Foreign("bold.txt", "1. Which metal is liquid?\nA. Iron\n**B. Mercury**\n\n2. Who?\n**A. Ada**\nB. Bob\n", list),
    Foreign("colons.txt", "Question 1: Which?\nA: Iron\nB: Mercury\n", list),
    Foreign(
      "trivia.txt", "#Q Which metal is liquid?\n^ Mercury\nA Iron\nB Mercury\n\n#Q Who?\n^ Ada\nA Ada\nB Bob\n",
      "this is in the format of OpenTriviaQA"),
  ]
  private static let list = "this is a list as a word processor has it"

  @Test(arguments: files) func oneLineSaysTheWay(file: Foreign) throws {
    if file.isZip, (try? Spreadsheet.requireLibraries()) == nil { return }
    let scratch = try Scratch()
    try Data(file.bytes).write(to: scratch[file.name])
    func run(_ arguments: String...) throws -> Command.Outcome { try Command.run(Command.executable, arguments, in: scratch.folder) }
    func expectLine(_ text: String, _ begins: String) {
      let lines = text.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].contains(": \(begins)") || lines.first?.contains(begins) == true && lines.count == 1, "\(text)")
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
    }
    let plan = try run("plan", file.name, "-o", "-")
    #expect(plan.status == 65 && plan.output == "")
    expectLine(plan.errors, file.message)
    let questions = try run("questions", "lint", file.name)
    #expect(questions.status == 1 && questions.errors == "" && questions.lines.last == "0 questions in 1 bank, 1 mistake")
    expectLine(questions.lines.dropLast().joined(separator: "\n"), file.message)
    let lint = try run("lint", file.name)
    #expect(lint.status == 1 && lint.errors == "" && lint.lines.last == "\(file.name): 1 mistake, no warning")
    expectLine(lint.lines.dropLast().joined(separator: "\n"), file.sheetMessage ?? file.message)
    #expect(lint.output.contains("cuelight plan"))
  }

  /// Questions in place of a cue sheet, in any format.
  @Test(arguments: [
    ("quiz.csv", "question,correct,wrong\nWho?,Ada,Bob\n"), ("quiz.txt", "Who?\nA. Ada\nB. Bob\nANSWER: A\n"),
    ("quiz.gift", "Who? {=Ada ~Bob}\n"),
    (
      "results.json",
      "[{\"type\":\"boolean\",\"difficulty\":\"easy\",\"category\":\"c\",\"question\":\"q\",\"correct_answer\":\"True\",\"incorrect_answers\":[\"False\"]}]"
    ),
  ]) func questionsAreNoCueSheet(name: String, text: String) throws {
    let scratch = try Scratch()
    _ = try scratch.write(text, to: name)
    let lint = try Command.run(Command.executable, ["lint", name], in: scratch.folder)
    #expect(
      lint
        == Command.Outcome(
          status: 1,
          output: "\(name):1:1: these are questions: make a cue sheet of them with cuelight plan\n\(name): 1 mistake, no warning\n",
          errors: ""))
    #expect(try Command.run(Command.executable, ["plan", name, "-o", "-"], in: scratch.folder).status == 0)
  }

  @Test(arguments: [
    ("https://docs.google.com/spreadsheets/d/abc/edit#gid=0", "choose File, Download in Google Sheets, and name the .xlsx or .csv"),
    ("http://127.0.0.1:9/quiz.csv", "load it first with curl -o NAME 'http://127.0.0.1:9/quiz.csv'"),
  ]) func addresses(address: String, way: String) throws {
    let message = "cuelight: \(address): this is an address, and only files are read here; \(way)\n"
    for arguments in [["plan", address, "-o", "-"], ["questions", "lint", address], ["lint", address]] {
      #expect(try Command.run(Command.executable, arguments) == Command.Outcome(status: 66, output: "", errors: message))
    }
  }

  /// Alike mistakes of a cue sheet are counted, and control characters in it are named.
  @Test func alikeMistakes() throws {
    let scratch = try Scratch()
    let cues = (1...600).map { "  - { at: \($0), event: poll, options: [\"\u{1b}[31m\($0)\", b], level: 3 }\n" }.joined()
    _ = try scratch.write("game: g\ncues:\n\(cues)", to: "show.yaml")
    let lint = try Command.run(Command.executable, ["lint", "show.yaml"], in: scratch.folder)
    #expect(lint.status == 1 && lint.lines.count < 4 && !lint.output.contains("\u{1b}"), "\(lint.output.prefix(2_000))")
    #expect(lint.lines.first?.hasSuffix("(first: line 3)") == true, "\(lint.lines.first ?? "")")
    #expect(lint.lines.last == "show.yaml: 600 mistakes, no warning", "\(lint.lines.last ?? "")")
  }
}

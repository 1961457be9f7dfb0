import Foundation
import Sheets
import TestSupport
import Testing

@testable import Questions

/// The shared answers of Open Trivia DB, read by Python's standard library as well: text by text the same.
@Suite(.enabled(if: SharedAnswers.folder != nil && Witness.isAvailable, "CUELIGHT_STREAMS names the answers, python3 reads them"))
struct WitnessTests {
  @Test(arguments: [
    ("opentdb-html-10q-general-new-order.json", "html"), ("opentdb-url3986-5q.json", "url3986"),
    ("opentdb-base64-5q-old-order.json", "base64"),
  ])
  func everyTextIsTheSame(name: String, encoding: String) throws {
    let folder = try #require(SharedAnswers.folder)
    let expected = try Witness.read("\(folder)/\(name)", encoding)
    let told = try OpenTriviaAnswer(parsing: try sharedAnswer(name), encoding: OpenTriviaEncoding(rawValue: encoding)).questions
    let found = try OpenTriviaAnswer(parsing: try sharedAnswer(name)).questions
    #expect(told == found && told.problems == [] && !told.bank.questions.isEmpty)
    let lines = told.bank.questions.map { question in
      let question = question.value
      let wrong = question.answers.filter { $0 != question.rightAnswer }
      return
        ([question.category ?? "", question.type.rawValue, question.difficulty?.rawValue ?? "", question.text, question.rightAnswer] + wrong)
        .joined(separator: "\t")
    }
    #expect(lines == expected)
  }
}

enum Witness {
  static let isAvailable = Programs.run("python3", ["--version"]) != nil

  /// Each question of a file on one line: category, type, difficulty, question, right and wrong answers.
  static func read(_ path: String, _ encoding: String) throws -> [String] {
    let script = """
      import base64, html, json, sys, urllib.parse
      decode = {"html": html.unescape, "url3986": urllib.parse.unquote, "base64": lambda text: base64.b64decode(text).decode()}[sys.argv[2]]
      keys = ["category", "type", "difficulty", "question", "correct_answer"]
      for question in json.load(open(sys.argv[1], encoding="utf-8"))["results"]:
          texts = [question[key] for key in keys] + question["incorrect_answers"]
          sys.stdout.buffer.write(("\\t".join(decode(text).strip() for text in texts) + "\\n").encode())
      """
    return try #require(Programs.run("python3", ["-B", "-c", script, path, encoding])).split(separator: "\n").map(String.init)
  }
}

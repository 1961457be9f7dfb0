import Basics
import Foundation
import Sheets
import Testing

@testable import Questions

extension SheetPlace {
  init(_ line: Int, _ column: Int) { self.init(line: line, column: column) }
}

/// One of the answers of Open Trivia DB that lie where the environment says.
func sharedAnswer(_ name: String) throws -> String {
  let folder = try #require(SharedAnswers.folder)
  return String(decoding: try Data(contentsOf: URL(filePath: folder).appending(path: name)), as: UTF8.self)
}

enum SharedAnswers {
  static let folder = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]
}

/// An answer of Open Trivia DB with one question, in the order of keys in which the service wrote them first.
func answer(
  type: String = "multiple", difficulty: String = "easy", category: String = "Art", question: String = "Who?", correct: String = "A",
  incorrect: [String] = ["B", "C", "D"]
) -> String {
  let wrong = incorrect.map { "\"\($0)\"" }.joined(separator: ",")
  return """
    {"response_code":0,"results":[
    {"category":"\(category)","type":"\(type)","difficulty":"\(difficulty)","question":"\(question)",
    "correct_answer":"\(correct)","incorrect_answers":[\(wrong)]}]}
    """
}

/// The mistakes of a quiz file in JSON, each as `line:column: message`.
func quizProblems(_ json: String) -> [String] { quiz(json).problems.map(\.description) }

func quiz(_ json: String) -> QuestionBank.Reading {
  guard let (root, problems) = JSONSheet.parse(json) else { return QuestionBank.Reading(SheetError(at: .start, "no JSON")) }
  var reading = QuestionBank.Reading(quiz: root, problems: problems)
  reading.refuseLargeQuestions()
  return reading
}

/// The mistakes of a question.
func questionProblems(_ members: String) -> [String] { quizProblems("{\"questions\":[\n{\(members)}]}") }

/// Damages a text: characters replaced, put in, taken out or repeated.
func damaged(_ text: String, _ random: inout SeededNumbers) -> String {
  let ink = Array("{}[]:,\"'\\%+&;#=\n\r\t 0aZé\u{0}".unicodeScalars)
  var scalars = Array(text.unicodeScalars)
  for _ in 0..<Int.random(in: 1...4, using: &random) where !scalars.isEmpty {
    let place = Int.random(in: scalars.indices, using: &random)
    let drop = ink.randomElement(using: &random) ?? " "
    switch Int.random(in: 0..<4, using: &random) {
    case 0: scalars[place] = drop
    case 1: scalars.insert(drop, at: place)
    case 2: scalars.remove(at: place)
    default: scalars.replaceSubrange(place..<min(place + 30, scalars.count), with: scalars.suffix(Int.random(in: 0..<40, using: &random)))
    }
  }
  return String(String.UnicodeScalarView(scalars))
}

/// Base64 as the service writes it.
enum Base64Text {
  static func encode(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

import Basics
import Sheets

// Questions become text: quiz files in YAML and JSON, and tables.

extension QuestionBank {
  /// The bank as a quiz file in YAML, which reads back as the same questions.
  public var yaml: String {
    var lines: [String] = []
    if let id { lines.append("id: \(id.yamlScalar)") }
    if let title { lines.append("title: \(title.yamlScalar)") }
    lines.append(questions.isEmpty ? "questions: []" : "questions:")
    for question in questions {
      for (index, member) in question.value.members.enumerated() {
        lines.append("  \(index == 0 ? "-" : " ") \(member.key): \(member.value.yaml)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The bank as a quiz file in JSON, one question a line, which reads back as the same questions.
  public var json: String {
    var head = JSONWriter()
    head.beginObject()
    if let id {
      head.key("id")
      head.string(id)
    }
    if let title {
      head.key("title")
      head.string(title)
    }
    head.key("questions")
    let rows = questions.map { question in
      var writer = JSONWriter()
      writer.beginObject()
      for member in question.value.members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.endObject()
      return writer.text
    }
    return "\(head.text)[\n\(rows.joined(separator: ",\n"))\n]}\n"
  }

  /// The bank as comma-separated values with named columns, the right answer before the wrong ones. It has no place for id and title, and
  /// none for the order of the answers.
  public var csv: String {
    let all = questions.map { $0.value }
    let wrongCount = (all.map { $0.answers.count }.max() ?? 2) - 1
    var optional: [(name: String, value: (Question) -> String?)] = [
      ("category", { $0.category }), ("difficulty", { $0.difficulty?.rawValue }),
      ("points", { $0.points?.map { String($0) }.joined(separator: " ") }), ("explanation", { $0.explanation }), ("link", { $0.link }),
    ]
    optional = optional.filter { column in all.contains { column.value($0) != nil } }
    let header = ["question", "correct"] + [String](repeating: "wrong", count: wrongCount) + optional.map { $0.name }
    let rows = all.map { question in
      let order = [question.correctAnswer] + question.answers.indices.filter { $0 != question.correctAnswer }
      let ordered = question.reordered(order)
      let padding = [String](repeating: "", count: max(0, wrongCount + 1 - ordered.answers.count))
      return [ordered.text] + ordered.answers + padding + optional.map { $0.value(ordered) ?? "" }
    }
    return ([header] + rows).map { $0.map { Self.csvCell($0) }.joined(separator: ",") + "\n" }.joined()
  }

  /// A cell of RFC 4180: in quotation marks where it has to be.
  private static func csvCell(_ text: String) -> String {
    let needsMarks = text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D].contains($0) }
    guard needsMarks else { return text }
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\"" { output.append(scalar) }
      output.append(scalar)
    }
    return "\"\(String(output))\""
  }
}

/// A value of a question in a quiz file.
private enum QuizValue {
  case text(String)
  case texts([String])
  case numbers([Int])

  var yaml: String {
    switch self {
    case .text(let text): text.yamlScalar
    case .texts(let texts): "[\(texts.map { $0.yamlScalar }.joined(separator: ", "))]"
    case .numbers(let numbers): "[\(numbers.map { String($0) }.joined(separator: ", "))]"
    }
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .text(let text): writer.string(text)
    case .texts(let texts):
      writer.beginArray()
      for text in texts { writer.string(text) }
      writer.endArray()
    case .numbers(let numbers):
      writer.beginArray()
      for number in numbers { writer.number(number) }
      writer.endArray()
    }
  }
}

extension Question {
  /// The keys and values of the question in a quiz file.
  fileprivate var members: [(key: String, value: QuizValue)] {
    var members: [(key: String, value: QuizValue)] = [
      ("question", .text(text)), ("answers", .texts(answers)), ("correct", .text(rightAnswer)),
    ]
    if let points { members.append(("points", .numbers(points))) }
    if let category { members.append(("category", .text(category))) }
    if let difficulty { members.append(("difficulty", .text(difficulty.rawValue))) }
    if let explanation { members.append(("explanation", .text(explanation))) }
    if let link { members.append(("link", .text(link))) }
    return members
  }
}

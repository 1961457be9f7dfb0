package import Basics
import GameEvents
import Sheets

// Questions become text: quiz files in YAML and JSON.

extension QuestionBank {
  /// The bank as a quiz file in YAML, which reads back as the same questions.
  public var yaml: String {
    var lines: [String] = []
    if let id { lines.append("id: \(id.yamlScalar)") }
    if let title { lines.append("title: \(title.yamlScalar)") }
    lines.append(questions.isEmpty ? "questions: []" : "questions:")
    for question in questions {
      for (index, member) in question.value.object.members.enumerated() {
        lines.append("  \(index == 0 ? "-" : " ") \(member.key): \(member.value.yaml)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The bank as a quiz file in JSON, one question a line, which reads back as the same questions.
  public var json: String {
    let head = JSONObject().with("id", id).with("title", title)
    let rows = questions.map { $0.value.object.text }
    return "\(head.text.dropLast())\(head.isEmpty ? "" : ",")\"questions\":[\n\(rows.joined(separator: ",\n"))\n]}\n"
  }
}

extension JSONValue {
  /// The value as YAML on one line.
  package var yaml: String {
    switch self {
    case .string(let text): text.yamlScalar
    case .array(let values): "[\(values.map { $0.yaml }.joined(separator: ", "))]"
    case .number, .bool, .null, .object: text
    }
  }
}

extension Question {
  /// The question's text, and the keys that say what is asked and what is right, as quiz files and cue sheets have them.
  package var taskObject: JSONObject {
    var object = JSONObject(fields: ["question": text])
    task.writeKind(to: &object)
    if !answers.isEmpty { object.append("answers", answers) }
    switch right {
    case .one: object.append("correct", rightAnswer)
    case .several(let indices), .order(let indices): object.append("correct", indices.map { answers[$0] })
    case .number(let number): object.append("correct", number)
    case .texts(let texts): object.append("correct", texts.map { $0.text })
    case nil: break
    }
    task.writeDetails(to: &object)
    media.write(to: &object)
    if let worth { object.append("points", worth) }
    return object
  }

  /// The keys and values of the question in a quiz file.
  package var object: JSONObject {
    taskObject
      .with("points", worth == nil ? points : nil).with("category", category).with("difficulty", difficulty?.rawValue)
      .with("seconds", allottedTime).with("at", time).with("explanation", explanation).with("link", link)
  }
}

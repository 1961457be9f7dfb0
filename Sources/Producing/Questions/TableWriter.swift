import Basics
import GameEvents
import Sheets

// Questions become tables.

extension QuestionBank {
  /// The bank as comma-separated values with named columns. They cannot contain id and title.
  ///
  /// If all questions have one right answer, it stands before the wrong ones, and the order of the answers is lost. Otherwise there are a column
  /// `kind`, the options in their order, those of an order in the right one, and the numbers of the right options.
  public var csv: String {
    let all = questions.map { $0.value }
    let hasKinds = all.contains { $0.task.kind != .single }
    let rows = all.map { hasKinds ? $0.inRightOrder : $0.rightFirst }
    var columns = hasKinds ? Self.kindColumns(rows) : Self.plainColumns(rows)
    let further: [Column] = [
      ("category", { $0.category }), ("difficulty", { $0.difficulty?.rawValue }),
      ("points", { question in question.worth.map { "\($0)" } ?? question.points?.map { String($0) }.joined(separator: " ") }),
      ("seconds", { $0.allottedTime?.shortestDecimalSeconds }),
      ("at", { $0.time }), ("picture", { $0.media.picture?.address.text }),
      ("pictureText", { $0.media.picture?.text }), ("pictureSize", { $0.media.picture?.size.map { "\($0.width)x\($0.height)" } }),
      ("sound", { $0.media.sound?.address.text }), ("soundText", { $0.media.sound?.text }), ("explanation", { $0.explanation }),
      ("link", { $0.link }),
    ]
    columns += further.filter { column in rows.contains { column.value($0) != nil } }
    let lines = [columns.map { $0.name }] + rows.map { row in columns.map { $0.value(row) ?? "" } }
    return lines.map { $0.map(\.csvCell).joined(separator: ",") + "\n" }.joined()
  }

  private typealias Column = (name: String, value: (Question) -> String?)

  private static func answer(_ index: Int) -> (Question) -> String? {
    { $0.answers.indices.contains(index) ? $0.answers[index] : nil }
  }

  private static func plainColumns(_ rows: [Question]) -> [Column] {
    let count = rows.map { $0.answers.count }.max() ?? 2
    return [("question", { $0.text }), ("correct", answer(0))] + (1..<max(count, 1)).map { ("wrong", answer($0)) }
  }

  private static func kindColumns(_ rows: [Question]) -> [Column] {
    let count = max(rows.map { $0.answers.count }.max() ?? 2, 2)
    let options: [Column] = (0..<count).map { ("option \($0 + 1)", answer($0)) }
    let details: [Column] = [
      ("least", { $0.task.scale?.least.text }), ("most", { $0.task.scale?.most.text }), ("step", { $0.task.scale?.step.text }),
      ("unit", { $0.task.unit }), ("within", { $0.task.grading.within?.text }),
      ("partial", { $0.task.grading.isPartial ? "true" : nil }),
      ("tolerance", { $0.task.grading.tolerance > 0 ? "\($0.task.grading.tolerance)" : nil }),
      ("words", { $0.task.takesWords ? "true" : nil }), ("live", { $0.task.isLive ? "true" : nil }),
    ]
    return [("question", { $0.text }), ("kind", { $0.task.kind.text })] + options + [("right number", { $0.rightPlaces })]
      + details.filter { column in rows.contains { column.value($0) != nil } }
  }
}

extension Question {
  /// The question with its right answer before the others.
  fileprivate var rightFirst: Question {
    guard let correctAnswer else { return self }
    return reordered([correctAnswer] + answers.indices.filter { $0 != correctAnswer })
  }

  /// The question with its items in their right order; other questions as they are.
  fileprivate var inRightOrder: Question { if case .order(let order) = right { reordered(order) } else { self } }

  /// The right number, or the numbers of the right options, from 1; `nil` if there is none, or if the options are in their right order.
  fileprivate var rightPlaces: String? {
    switch right {
    case .one(let index): "\(index + 1)"
    case .several(let indices): indices.map { "\($0 + 1)" }.joined(separator: ";")
    case .number(let number): number.text
    case .texts(let texts): texts.map { $0.text }.joined(separator: ";")
    case .order, nil: nil
    }
  }
}

import Basics

/// The two answers that a crowd gives to a question, as JSON: each player has one of them, and who changes it takes the other one.
struct AnswerPair: Equatable, Sendable {
  let texts: [String]

  /// Two answers by their indices, which questions with one answer take.
  static let indices = AnswerPair(texts: ["0", "1"])

  private init(texts: [String]) { self.texts = texts }

  /// The answers to a question of any kind; those by index to one that is not known.
  ///
  /// - Parameter content: The question as the server tells it its hosts.
  init(_ content: JSONObject) {
    let count = content["answers"]?.array?.count ?? 0
    switch content["kind"]?.string {
    case "multiple": self.init(texts: ["[0]", "[0,1]"])
    case "order":
      self.init(texts: [Array(0..<count), Array((0..<count).reversed())].map { "[\($0.map { "\($0)" }.joined(separator: ","))]" })
    case "text": self.init(texts: [#""yes""#, #""no""#])
    case "poll" where content["words"]?.bool == true: self.init(texts: [#""yes""#, #""no""#])
    case "number": self.init(texts: [content["least"]?.number?.text ?? "0", content["most"]?.number?.text ?? "1"])
    default: self = .indices
    }
  }

  /// Which of the two a value of the record is.
  func index(of value: JSONValue) -> Int? { texts.firstIndex(of: value.text) }
}

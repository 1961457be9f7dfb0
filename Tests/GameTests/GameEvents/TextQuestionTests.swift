import Basics
import GameEvents
import Testing

/// Texts as answers, on the wire.
@Suite struct TextQuestionTests {
  @Test func whatIsAnAnswer() {
    let long = String(repeating: "ä", count: 64)
    #expect(["a", " a b ", long, "東京"].map { AnswerText($0)?.text } == ["a", "a b", long, "東京"])
    for text in ["", "   ", long + "ä", "a\nb", "a\u{200B}b", "\u{202E}abc", "a\u{3000}b"] { #expect(AnswerText(text) == nil, "\(text)") }
    // Texts with the same letters, but other bytes, are two.
    #expect(AnswerText("\u{E9}") != AnswerText("e\u{301}"))
  }

  private static func content(_ keys: String) throws -> EventContent {
    try EventCopy(
      parsing: #"{"eventType":"askQuestion","guid":"g","question":"?","questionNumber":1,"allottedTime":10,\#(keys)}"#, description: ""
    )
    .event.content
  }

  /// A question's points are read and written; what is none stays a key of somebody else.
  @Test func points() throws {
    let answers = #""answers":["a","b"]"#
    for (points, expected) in [("0", 0), ("10000", 10_000), ("10001", nil), ("-1", nil), ("[1,2]", nil), ("1.5", nil)] as [(String, Int?)] {
      guard case .askQuestion(let question) = try Self.content(#"\#(answers),"points":\#(points)"#) else { return #expect(Bool(false)) }
      #expect(question.worth == expected, "\(points)")
      let copy = try EventCopy(
        parsing:
          #"{"eventType":"askQuestion","guid":"g","question":"?","questionNumber":1,"allottedTime":10,\#(answers),"points":\#(points)}"#,
        description: "")
      #expect(copy.event.unknownKeys.isEmpty == (expected != nil), "\(points)")
      #expect(EventContent.askQuestion(question).object["points"]?.int == expected)
    }
  }

  @Test(arguments: [#""tolerance":4"#, #""tolerance":-1"#, #""correctTexts":[]"#, #""correctTexts":["a",1]"#, #""correctTexts":[""]"#])
  func mistakes(keys: String) {
    #expect(throws: EventError.self, "\(keys)") { try Self.content(#""kind":"text",\#(keys)"#) }
  }

  @Test func resultsOfTexts() throws {
    let texts = #"{"most":[{"text":"Mars","count":3,"right":true},{"text":"Pluto","count":1}],"others":2}"#
    let copy = try EventCopy(
      parsing: #"{"eventType":"showResults","guid":"r","questionGuid":"g","questionNumber":1,"correctTexts":["Mars"],"texts":\#(texts)}"#,
      description: "")
    guard case .showResults(let result) = copy.event.content, let mars = AnswerText("Mars"), let pluto = AnswerText("Pluto") else {
      return #expect(Bool(false))
    }
    let counts = TextCounts([.init(mars, count: 3, isRight: true), .init(pluto, count: 1)], others: 2)
    #expect(result.texts == counts && result.right == .texts([mars]))
    #expect(EventContent.showResults(result).object["texts"]?.text == texts)
    #expect(counts.shortened(to: 1) == TextCounts([.init(mars, count: 3, isRight: true)], others: 3))
    #expect(RightAnswer.texts([mars, pluto]).sealedText == "Mars\nPluto")
  }
}

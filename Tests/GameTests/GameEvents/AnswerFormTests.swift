import Basics
import GameEvents
import Testing

/// Codes of answers.
@Suite struct AnswerFormTests {
  private static func scale(_ least: String, _ most: String, _ step: String) -> AnswerForm {
    guard let least = DecimalNumber(least), let most = DecimalNumber(most), let step = DecimalNumber(step),
      let scale = NumberScale(least: least, most: most, step: step)
    else { preconditionFailure("no scale") }
    return .number(scale)
  }

  private static let forms: [AnswerForm] =
    [.none] + (0...12).map { .one(of: $0) } + (0...12).map { .several(of: $0) } + (1...8).map { .order(of: $0) } + [
      scale("0", "1", "1"), scale("-2.5", "2.5", "0.25"), scale("0", "1000000", "1"), scale("-0.000005", "0", "0.000001"),
    ]

  /// Each code stands for another answer, whose code it is.
  @Test func eachCodeIsThatOfItsAnswer() {
    for form in Self.forms {
      var seen: Set<String> = []
      for code in form.codes.prefix(50_000) {
        guard let answer = form.answer(code) else { return #expect(Bool(false), "\(form) has no answer \(code)") }
        guard form.code(of: answer) == code, seen.insert(answer.json.text).inserted else {
          return #expect(Bool(false), "\(answer) of \(form) is not \(code)")
        }
        // What is written is read as the same answer.
        guard let read = GivenAnswer(json: answer.json) else { return #expect(Bool(false), "\(answer) is not read") }
        #expect(form.code(of: read) == code)
      }
      #expect(form.answer(form.codes.upperBound) == nil)
      #expect(form.answer(.max) == nil)
    }
  }

  @Test func howManyCodes() {
    #expect(Self.forms.filter { $0 == .none }.map(\.codes) == [0..<0])
    #expect((0...3).map { AnswerForm.one(of: $0).codes } == [0..<0, 0..<1, 0..<2, 0..<3])
    #expect((0...3).map { AnswerForm.several(of: $0).codes } == [1..<1, 1..<2, 1..<4, 1..<8])
    #expect((1...4).map { AnswerForm.order(of: $0).codes } == [0..<1, 0..<2, 0..<6, 0..<24])
    #expect(Self.scale("-2.5", "2.5", "0.25").codes == 0..<21)
  }

  @Test(arguments: [
    (AnswerForm.none, GivenAnswer.one(0)), (.one(of: 3), .one(3)), (.one(of: 3), .one(-1)), (.one(of: 3), .one(.max)),
    (.one(of: 3), .several([1])), (.several(of: 3), .one(1)), (.several(of: 3), .several([])), (.several(of: 3), .several([1, 1])),
    (.several(of: 3), .several([3])), (.several(of: 3), .several([-1])), (.several(of: 3), .order([0, 1, 2])),
    (.order(of: 3), .order([0, 1])), (.order(of: 3), .order([0, 1, 1])), (.order(of: 3), .order([0, 1, 3])),
    (.order(of: 3), .order([0, 1, 2, 3])), (.order(of: 3), .one(0)), (.order(of: 20), .order(Array(0..<20))),
  ]) func whatAQuestionDoesNotTake(form: AnswerForm, answer: GivenAnswer) { #expect(form.code(of: answer) == nil) }

  @Test func numbersBesideTheScale() {
    let form = Self.scale("-2.5", "2.5", "0.25")
    func code(_ text: String) -> UInt32? { DecimalNumber(text).flatMap { form.code(of: GivenAnswer.number($0)) } }
    #expect(["-2.5", "-2.25", "0", "2.5", "2.4", "2.75", "-2.75", "0.1"].map(code) == [0, 1, 10, 20, nil, nil, nil, nil])
    #expect(form.code(of: GivenAnswer.one(2)) == 18)
  }

  @Test func theCodeOfWhatIsRight() throws {
    let form = Self.scale("0", "10", "2")
    func code(_ text: String) throws -> UInt32? { form.code(of: RightAnswer.number(try #require(DecimalNumber(text)))) }
    #expect(try ["0", "0.9", "1", "1.1", "9.5", "100", "-100"].map(code) == [0, 0, 0, 1, 5, 5, 0])
    #expect(AnswerForm.several(of: 4).code(of: RightAnswer.several([0, 3])) == 9)
    #expect(AnswerForm.order(of: 3).code(of: RightAnswer.order([2, 1, 0])) == 5)
    #expect(AnswerForm.one(of: 3).code(of: RightAnswer.several([1])) == nil)
  }

  @Test func scalesThatAreNone() {
    func scale(_ least: Int64, _ most: Int64, _ step: Int64) -> NumberScale? {
      NumberScale(
        least: DecimalNumber(millionths: least), most: DecimalNumber(millionths: most), step: DecimalNumber(millionths: step))
    }
    #expect(scale(0, 1, 1) != nil)
    #expect(scale(0, NumberScale.mostSteps, 1) != nil)
    for (least, most, step) in [
      (0, 0, 1), (1, 0, 1), (0, 10, 3), (0, 10, 0), (0, 10, -1), (0, NumberScale.mostSteps + 1, 1), (.min, .max, 1), (.min, 0, 1),
      (0, .max, .max - 1),
    ] as [(Int64, Int64, Int64)] {
      #expect(scale(least, most, step) == nil, "\(least) to \(most) in steps of \(step)")
    }
  }

  @Test func answersThatAreNone() throws {
    for text in [
      #""""#, "-1.0000001", "[]", #"["a"]"#, "[0.5]", "null", "true", "{}", "1e30",
      "[\(Array(repeating: "0", count: 32).joined(separator: ","))]",
    ] {
      #expect(GivenAnswer(json: try JSONValue(parsing: text)) == nil, "\(text)")
    }
    #expect(GivenAnswer(json: try JSONValue(parsing: "-1")) == .number(DecimalNumber(millionths: -1_000_000)))
    #expect(GivenAnswer(json: try JSONValue(parsing: "2.0")) == .one(2))
    #expect(GivenAnswer(json: try JSONValue(parsing: "[2,0]")) == .several([2, 0]))
  }
}

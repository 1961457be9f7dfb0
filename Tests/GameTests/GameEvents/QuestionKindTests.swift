import Basics
import GameEvents
import Testing

/// Kinds of questions on the wire.
@Suite struct QuestionKindTests {
  private static let head = #""eventType":"askQuestion","guid":"g","question":"?""#
  private static let tail = #""questionNumber":1,"allottedTime":10"#

  private static func question(_ keys: String) throws -> (content: AskQuestion?, unknown: JSONObject, written: String) {
    let copy = try EventCopy(parsing: "{\(head),\(keys),\(tail)}", description: "")
    guard case .askQuestion(let content) = copy.event.content else { return (nil, JSONObject(), "") }
    return (content, copy.event.unknownKeys, EventContent.askQuestion(content).object.text)
  }

  private static func error(_ keys: String) -> EventError? {
    do {
      _ = try question(keys)
      return nil
    } catch {
      return error as? EventError
    }
  }

  private static func number(_ text: String) -> DecimalNumber { DecimalNumber(text) ?? .zero }

  private static func expected(_ task: QuestionTask, _ answers: [String], _ right: RightAnswer?) -> AskQuestion {
    AskQuestion(question: "?", task: task, answers: answers, questionNumber: 1, allottedTime: .seconds(10), right: right)
  }

  /// What is written is read as the same.
  @Test func eachKind() throws {
    let abc = #""answers":["A","B","C"]"#
    let scale = try #require(NumberScale(least: Self.number("-1.5"), most: Self.number("3"), step: Self.number("0.5")))
    let cases: [(keys: String, expected: AskQuestion)] = [
      (abc, Self.expected(QuestionTask(), ["A", "B", "C"], nil)),
      (#"\#(abc),"correctAnswer":2"#, Self.expected(QuestionTask(), ["A", "B", "C"], .one(2))),
      (#""kind":"single",\#(abc),"correctAnswer":2"#, Self.expected(QuestionTask(), ["A", "B", "C"], .one(2))),
      (
        #""kind":"multiple",\#(abc),"partial":true,"correctAnswers":[2,0]"#,
        Self.expected(QuestionTask(.multiple, grading: Grading(isPartial: true)), ["A", "B", "C"], .several([0, 2]))
      ),
      (#""kind":"poll",\#(abc),"live":true"#, Self.expected(QuestionTask(.poll, isLive: true), ["A", "B", "C"], nil)),
      (#""kind":"prediction",\#(abc)"#, Self.expected(QuestionTask(.prediction), ["A", "B", "C"], nil)),
      (#""kind":"order",\#(abc),"correctOrder":[2,0,1]"#, Self.expected(QuestionTask(.order), ["A", "B", "C"], .order([2, 0, 1]))),
      (
        #""kind":"number","least":-1.5,"most":3,"step":0.5,"unit":"km","within":1.25,"correctNumber":0.75"#,
        Self.expected(
          QuestionTask(.number, grading: Grading(within: Self.number("1.25")), scale: scale, unit: "km"), [],
          .number(Self.number("0.75")))
      ),
      (
        #""kind":"number","most":10"#,
        Self.expected(QuestionTask(.number, scale: NumberScale(least: .zero, most: Self.number("10"), step: .one)), [], nil)
      ),
      (
        #""kind":"text","tolerance":2,"correctTexts":["Zürich","Zurich"]"#,
        Self.expected(QuestionTask(.text, grading: Grading(tolerance: 2)), [], .texts(["Zürich", "Zurich"].compactMap { AnswerText($0) }))
      ),
      (#""kind":"poll","words":true,"live":true"#, Self.expected(QuestionTask(.poll, isLive: true, takesWords: true), [], nil)),
    ]
    for (keys, expected) in cases {
      let (content, unknown, written) = try Self.question(keys)
      #expect(content == expected, "\(keys)")
      #expect(unknown.isEmpty, "\(keys)")
      let again = try EventCopy(parsing: "{\"eventType\":\"askQuestion\",\"guid\":\"g\",\(written.dropFirst())", description: "")
      #expect(again.event.content == .askQuestion(expected), "\(keys)")
    }
  }

  /// Streams from before there were kinds have these keys for other purposes.
  @Test func keysOfOthersStayUnknown() throws {
    let (content, unknown, _) = try Self.question(#""answers":["A","B"],"kind":7,"partial":1,"least":"x","live":null,"correctAnswers":{}"#)
    #expect(content == Self.expected(QuestionTask(), ["A", "B"], nil))
    #expect(unknown.text == #"{"kind":7,"partial":1,"least":"x","live":null,"correctAnswers":{}}"#)
  }

  /// A kind of a later version is shown and takes no answer.
  @Test func anUnknownKind() throws {
    let (content, unknown, _) = try Self.question(#""kind":"map","answers":["A"],"correctAnswer":"here""#)
    #expect(content == Self.expected(QuestionTask(.other("map")), ["A"], nil))
    #expect(content?.form == AnswerForm.none)
    #expect(unknown.text == #"{"correctAnswer":"here"}"#)
    let (without, rest, _) = try Self.question(#""kind":"map","answers":{"x":1}"#)
    #expect(without == Self.expected(QuestionTask(.other("map")), [], nil))
    #expect(rest.text == #"{"answers":{"x":1}}"#)
  }

  @Test(arguments: [
    (#""kind":"multiple""#, EventError.missing(key: "answers")),
    (#""kind":"multiple","answers":["A"]"#, .invalid(key: "answers", expected: "a list of 2 to 12 different strings")),
    (#""kind":"order","answers":["A","B"]"#, .invalid(key: "answers", expected: "a list of 3 to 8 different strings")),
    (#""kind":"multiple","answers":["A","B"],"partial":1"#, .invalid(key: "partial", expected: "true or false")),
    (
      #""kind":"multiple","answers":["A","B"],"correctAnswers":[2]"#,
      .invalid(key: "correctAnswers", expected: "a list of indices of answers")
    ),
    (
      #""kind":"multiple","answers":["A","B"],"correctAnswers":[1,1]"#,
      .invalid(key: "correctAnswers", expected: "a list of indices of answers")
    ),
    (
      #""kind":"order","answers":["A","B","C"],"correctOrder":[0,1]"#,
      .invalid(key: "correctOrder", expected: "a list of all indices of answers")
    ),
    (#""kind":"number""#, .missing(key: "most")),
    (#""kind":"number","most":"10""#, .invalid(key: "most", expected: "a number with at most six decimals")),
    (#""kind":"number","most":10.0000001"#, .invalid(key: "most", expected: "a number with at most six decimals")),
    (
      #""kind":"number","most":10,"step":3"#,
      .invalid(key: "most", expected: "reached from \"least\" in 1 to 1000000 whole steps")
    ),
    (#""kind":"number","most":10,"within":-1"#, .invalid(key: "within", expected: "a number from 0")),
    (#""kind":"poll","answers":["A","B"],"live":"yes""#, .invalid(key: "live", expected: "true or false")),
  ]) func mistakes(keys: String, error: EventError) { #expect(Self.error(keys) == error) }

  @Test func results() throws {
    for (keys, right) in [
      (#""correctAnswer":1"#, RightAnswer.one(1)), (#""correctAnswers":[0,2]"#, .several([0, 2])),
      (#""correctOrder":[1,0,2]"#, .order([1, 0, 2])), (#""correctNumber":2.5"#, .number(Self.number("2.5"))),
    ] {
      let copy = try EventCopy(
        parsing: #"{"eventType":"showResults","guid":"g","questionGuid":"q","questionNumber":1,\#(keys)}"#, description: "")
      let expected = ShowResults(questionGuid: .of("q"), questionNumber: 1, right: right)
      #expect(copy.event.content == .showResults(expected))
      #expect(EventContent.showResults(expected).object.text == #"{"questionGuid":"q","questionNumber":1,\#(keys)}"#)
    }
  }

  @Test func histograms() throws {
    func result(_ histogram: String) throws -> ShowResults? {
      let copy = try EventCopy(
        parsing: #"{"eventType":"showResults","guid":"g","questionGuid":"q","questionNumber":1,"histogram":\#(histogram)}"#, description: ""
      )
      if case .showResults(let content) = copy.event.content { return content }
      return nil
    }
    let text = #"{"from":-2.5,"width":5,"counts":[0,3,1]}"#
    let histogram = try result(text)?.histogram
    #expect(histogram == Histogram(from: Self.number("-2.5"), width: Self.number("5"), counts: [0, 3, 1]))
    #expect(histogram?.object.text == text)
    for wrong in [
      "[]", #"{"from":0,"width":0,"counts":[1]}"#, #"{"from":0,"width":1,"counts":[]}"#, #"{"from":0,"width":1,"counts":[-1]}"#,
      #"{"from":0,"width":1,"counts":[\#((0...20).map { "\($0)" }.joined(separator: ","))]}"#, #"{"width":1,"counts":[1]}"#,
    ] {
      #expect(throws: EventError.self, "\(wrong)") { try result(wrong) }
    }
  }

  /// Every number of a scale is in the bar that it belongs to, and there are never more than twenty bars.
  @Test func barsOfScales() throws {
    for steps in [1, 2, 18, 19, 20, 21, 39, 40, 41, 999, 1_000_000] as [Int64] {
      let scale = try #require(NumberScale(least: .zero, most: DecimalNumber(millionths: steps * 500_000), step: Self.number("0.5")))
      var histogram = Histogram(of: scale)
      #expect((1...Histogram.mostBars).contains(histogram.counts.count))
      for step in stride(from: 0, through: steps, by: max(1, Int(steps / 1_000))) {
        let before = histogram.counts
        histogram.count(step: UInt32(step), of: scale)
        let bar = zip(before, histogram.counts).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(bar == Int(step * 500_000 / histogram.width.millionths), "\(step) of \(steps)")
      }
    }
  }

  @Test func wordsOfRightAnswers() {
    let task = QuestionTask(.number, unit: "km")
    let number = AskQuestion(question: "?", task: task, answers: [], questionNumber: 1, allottedTime: .zero)
    let choice = AskQuestion(question: "?", task: QuestionTask(), answers: ["A", "B"], questionNumber: 1, allottedTime: .zero)
    #expect(RightAnswer.number(Self.number("2.50")).words(of: number) == "2.5 km")
    #expect(RightAnswer.one(1).words(of: choice) == "B")
    #expect(RightAnswer.several([0, 1]).words(of: choice) == "A, B")
    #expect(RightAnswer.order([1, 0]).words(of: choice) == "B → A")
    #expect(RightAnswer.one(4).words(of: choice) == "[5]")
    #expect(RightAnswer.several([0, 2]).words(of: nil) == "[1], [3]")
  }
}

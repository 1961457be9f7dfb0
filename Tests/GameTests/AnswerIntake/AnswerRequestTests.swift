import AnswerIntake
import Basics
import GameEvents
import Testing

/// Answers as players send them.
@Suite struct AnswerRequestTests {
  private func list(_ text: String) throws(AnswerRequest.Mistake) -> [AnswerRequest] { try AnswerRequest.list(Array(text.utf8)) }

  private func request(_ question: String, _ answer: Int, _ ticks: Int64) -> AnswerRequest {
    AnswerRequest(question: .of(question), answer: .one(answer), time: MediaTime(ticks: ticks))
  }

  private static let one = #"{"question":"q","answer":1,"at":12.345}"#

  @Test func requests() throws {
    #expect(try list("{\"answers\":[\(Self.one)]}") == [request("q", 1, 1_111_050)])
    // In the order in which they are sent, also the same twice; spaces and further keys say nothing.
    let text = #" { "answers" : [ {"at":-1,"answer":0,"question":"é \"","x":"y"} , {"question":"q","answer":2.0,"at":1e1} ], "later": 5 } "#
    #expect(try list(text) == [request("\u{E9} \"", 0, -90_000), request("q", 2, 900_000)])
    #expect(try list("{\"answers\":[\(Self.one),\(Self.one)]}").count == 2)
    // Any number of an answer that can be: the question knows which it has.
    #expect(try list(#"{"answers":[{"question":"q","answer":9223372036854775807,"at":0}]}"#) == [request("q", .max, 0)])
  }

  @Test func howMany() throws {
    for count in [0, 1, 2, AnswerRequest.most, AnswerRequest.most + 1, 40] {
      let text = "{\"answers\":[\([String](repeating: Self.one, count: count).joined(separator: ","))]}"
      if (1...AnswerRequest.most).contains(count) {
        #expect(try list(text).count == count)
      } else {
        #expect(throws: AnswerRequest.Mistake.invalid("/answers", "write a list of 1 to 16 answers")) { try list(text) }
      }
    }
    #expect(AnswerRequest.most == 16)
  }

  @Test func mistakes() {
    let (question, answer) = (
      "write the question's guid", "write the index of an answer, from 0, a list of indices, a number, or a text of 1 to 64 characters"
    )
    let at = "write the seconds of the programme at your position"
    let cases: [(String, String, String)] = [
      (#"{}"#, "/answers", "write a list of 1 to 16 answers"), (#"[]"#, "/answers", "write a list of 1 to 16 answers"),
      (#"5"#, "/answers", "write a list of 1 to 16 answers"), (#"{"answers":{}}"#, "/answers", "write a list of 1 to 16 answers"),
      (#"{"answers":null}"#, "/answers", "write a list of 1 to 16 answers"),
      (#"{"answers":[5]}"#, "/answers/0", "an object is expected here"),
      (#"{"answers":[{"answer":1,"at":1}]}"#, "/answers/0/question", question),
      (#"{"answers":[{"question":"","answer":1,"at":1}]}"#, "/answers/0/question", question),
      (#"{"answers":[{"question":5,"answer":1,"at":1}]}"#, "/answers/0/question", question),
      ("{\"answers\":[{\"question\":\"\(String(repeating: "q", count: 129))\",\"answer\":1,\"at\":1}]}", "/answers/0/question", question),
      (#"{"answers":[{"question":"q","at":1}]}"#, "/answers/0/answer", answer),
      (#"{"answers":[{"question":"q","answer":[],"at":1}]}"#, "/answers/0/answer", answer),
      (#"{"answers":[{"question":"q","answer":[0.5],"at":1}]}"#, "/answers/0/answer", answer),
      (#"{"answers":[{"question":"q","answer":"","at":1}]}"#, "/answers/0/answer", answer),
      (#"{"answers":[{"question":"q","answer":1}]}"#, "/answers/0/at", at),
      (#"{"answers":[{"question":"q","answer":1,"at":"1"}]}"#, "/answers/0/at", at),
      (#"{"answers":[{"question":"q","answer":1,"at":1e300}]}"#, "/answers/0/at", at),
      // The first one that is wrong.
      ("{\"answers\":[\(Self.one),{\"question\":\"q\",\"answer\":1},{}]}", "/answers/1/at", at),
    ]
    for (text, pointer, message) in cases {
      #expect(throws: AnswerRequest.Mistake.invalid(pointer, message), "\(text)") { try list(text) }
    }
  }

  /// What is no JSON, and what is deeper or larger than any request.
  @Test func noJSON() {
    let deep = "{\"answers\":[{\"question\":\"q\",\"answer\":1,\"at\":1,\"x\":[[[]]]}]}"
    let long = "{\"answers\":[\(Self.one)],\"x\":\"\(String(repeating: "x", count: 4_096))\"}"
    let twice = "{\"answers\":[{\"question\":\"q\",\"question\":\"q\",\"answer\":1,\"at\":1}]}"
    for text in ["", " ", "{", "{\"answers\":[\(Self.one)]}x", "answers", "{\"answers\":[\(Self.one),]}", deep, long, twice] {
      let mistake = #expect(throws: AnswerRequest.Mistake.self) { try list(text) }
      guard case .notJSON? = mistake else { return #expect(Bool(false), "\(text)") }
    }
  }

  @Test func cutAtEveryLength() {
    let text = Array("{\"answers\":[\(Self.one),{\"question\":\"\u{E9}\",\"answer\":0,\"at\":1e1}]}".utf8)
    for count in text.indices {
      let mistake = #expect(throws: AnswerRequest.Mistake.self) { try AnswerRequest.list(Array(text[..<count])) }
      guard case .notJSON? = mistake else { return #expect(Bool(false), "\(count) bytes") }
    }
  }

  /// Whatever is read can be sent again, and is then the same.
  @Test(arguments: 0..<UInt64(6)) func anythingElse(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let text = Array("{\"answers\":[\(Self.one),{\"question\":\"r\",\"answer\":0,\"at\":-3}]}".utf8)
    let letters = Array("{}[]:,\"\\0129.-eE qtnul\u{E9}".utf8)
    var read = 0
    for _ in 0..<1_500 {
      var changed = text
      for _ in 0...numbers.below(3) where !changed.isEmpty {
        let place = numbers.below(changed.count)
        switch numbers.below(3) {
        case 0: changed[place] = letters[numbers.below(letters.count)]
        case 1: changed.insert(letters[numbers.below(letters.count)], at: place)
        default: changed.remove(at: place)
        }
      }
      guard let requests = try? AnswerRequest.list(changed) else { continue }
      read += 1
      let objects = requests.map { request in
        var object = JSONObject()
        object.append("question", request.question.text)
        object.append("answer", request.answer)
        object.append("at", request.time)
        return object
      }
      var again = JSONObject()
      again.append("answers", objects)
      let result = try? list(JSONValue.object(again).text)
      #expect(result == requests, "\(String(decoding: changed, as: UTF8.self))")
    }
    #expect(read > 10)
  }
}

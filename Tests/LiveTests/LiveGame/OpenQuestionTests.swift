import Basics
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// Questions without a right answer: polls, and those whose answer is known later.
@Suite struct OpenQuestionTests {
  private func content(_ json: String, _ game: inout LiveGame) throws -> EventContent {
    let request = try LiveRequest(json: json)
    let change = try game.accept(request, newGUID: SampleGame.guid(String(json.utf8.count)), now: LiveSample.now(1)).1
    return try #require(change.arrivals.first).planned.event.content
  }

  private let poll = #"{"event":"askQuestion","question":"Tea or coffee?","answers":["Tea","Coffee"]}"#

  @Test(
    arguments: [
      (#","counts":[3,9]"#, nil), (#","correct":"Coffee""#, 1), (#","correctAnswer":0"#, 0),
    ] as [(String, Int?)])
  func results(keys: String, right: Int?) throws {
    var game = LiveGame(LiveSample.settings)
    guard case .askQuestion(let question) = try content(poll, &game) else { return #expect(Bool(false)) }
    #expect(question.seal == nil && question.correctAnswer == nil && question.questionNumber == 1)
    guard case .showResults(let results) = try content("{\"event\":\"showResults\"\(keys)}", &game) else { return #expect(Bool(false)) }
    #expect(results.correctAnswer == right && results.salt == nil)
    let text = EventCopy(of: GameEvent(guid: SampleGame.guid("r"), content: .showResults(results))).text
    #expect(try EventCopy(parsing: text, description: "showResults").event.content == .showResults(results))
    #expect(text.contains("correctAnswer") == (right != nil))
  }

  /// It is also taken as another injector's event, and at a later time.
  @Test func otherInterfaces() throws {
    var game = LiveGame(LiveSample.settings)
    let data = try #require(JSONValue(parsing: #"{"question":"?","answers":["A","B"],"allottedTime":5}"#).object)
    let request = try ForeignEvent(name: "askQuestion", data: data).request(SampleGame.guid("f"))
    #expect(try game.accept(request, newGUID: SampleGame.guid("x"), now: LiveSample.now(1)).0.isNew)
    let later = try LiveRequest(json: #"{"event":"askQuestion","question":"?","answers":["A","B"],"in":30}"#)
    #expect(try game.accept(later, newGUID: SampleGame.guid("y"), now: LiveSample.now(1)).0.status.state == .scheduled)
  }

  /// A right answer is said once, and is one of the answers.
  @Test func mistakes() throws {
    var game = LiveGame(LiveSample.settings)
    _ = try content(poll, &game)
    for keys in [#","correct":"Milk""#, #","correctAnswer":2"#, #","correct":"Tea","correctAnswer":0"#] {
      #expect(throws: LiveProblem.self) { try content("{\"event\":\"showResults\"\(keys)}", &game) }
    }
    _ = try content(#"{"event":"askQuestion","question":"2 + 2?","answers":["3","4"],"correct":"4"}"#, &game)
    #expect(throws: LiveProblem.self) { try content(#"{"event":"showResults","correct":"4"}"#, &game) }
  }
}

import Foundation
import GameEvents
import MediaTime
import Testing

@testable import Scoring

/// The article says what is: its examples compile, and do what it says.
@Suite struct DocumentationTests {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test func theExamplesOfTheArticleCompile() throws {
    let article = try String(
      contentsOf: Self.here.appending(path: "../../../Sources/Reading/CuelightReader/CuelightReader.docc/Scoring.md"), encoding: .utf8)
    let compiled = try String(contentsOf: Self.here.appending(path: "DocumentedExamples.swift"), encoding: .utf8)
    let examples = article.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    #expect(examples.count == 2)
    for example in examples { #expect(compiled.contains(example.replacing("import CuelightReader\n\n", with: ""))) }
  }

  @Test func theExamplesRun() throws {
    try scoreAnAudience()
    var server = GameServer()
    #expect(server.join("Ann", at: .zero) == "welcome")
    #expect(server.join("ann", at: .zero) == "the nickname ann is taken by Ann; choose another")
    let guid = Sample.guid("q")
    let ask = AskQuestion(question: "?", answers: ["a", "b"], questionNumber: 1, allottedTime: MediaTime(seconds: 5), seal: "s")
    let show = ShowResults(questionGuid: guid, questionNumber: 1, correctAnswer: 0)
    for (sequence, event) in [(guid, 1, EventContent.askQuestion(ask)), (Sample.guid("r"), 10, .showResults(show))].enumerated() {
      let (guid, second, content) = event
      let time = MediaTime(seconds: second)
      let event = GameEvent(guid: guid, game: "g", sequence: sequence + 1, at: time, content: content)
      server.receive(EventCopy(of: event, copy: 1, copies: 1), at: time)
    }
    #expect(server.scores.questions.map { $0.correctAnswer } == [0])
  }
}

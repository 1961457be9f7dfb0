import Foundation
import Scoring
import Testing

@testable import cuelight

/// Answers wait in memory until their questions come, so there is a limit to them.
@Suite struct AnswerFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func moreAnswersThanTheLimitAreRefused() throws {
    let line = #"{"player":"ann","question":1,"answer":0,"time":1}"#
    _ = try scratch.write([line, line, line, line].joined(separator: "\n"), to: "answers.ndjson")
    let path = scratch.folder.appending(path: "answers.ndjson").path
    var game = ScoredGame()
    let file = try AnswerFile(path: path, joining: &game, limit: 4)
    #expect(file.answers.values.map(\.count) == [4])
    #expect {
      var game = ScoredGame()
      _ = try AnswerFile(path: path, joining: &game, limit: 2)
    } throws: { error in
      (error as? CommandFailure)?.message == "\(path):3: there are more than 2 answers; split the game"
    }
  }
}

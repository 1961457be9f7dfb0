import Basics
import TestSupport
import Testing

@testable import GameServer

/// Quiz files that are read, checked and written for whoever makes a quiz.
@Suite struct QuizFileAPITests {
  private func games(_ body: (ServedGames) async throws -> Void) async throws {
    let games = try ServedGames(folder: try Workshop.newFolder())
    try await body(games)
    games.end()
  }

  /// Without a token; nothing is kept.
  @Test func read() async throws {
    try await games { games in
      let reply = await games.call("POST", "/v1/quiz-files?format=csv", "question,correct,wrong\nWhich is red?,Mars,Venus\n")
      #expect(reply.status == 200)
      #expect(
        reply.text
          == #"{"quiz":{"questions":[{"question":"Which is red?","answers":["Mars","Venus"],"correct":"Mars"}]},"unit":"row","mistakes":[],"notices":[]}"#
          + "\n"
      )
      #expect(games.inMemory.isEmpty)
    }
  }

  /// Mistakes are named with their lines: one question a line is how the page sends them.
  @Test func mistakes() async throws {
    try await games { games in
      let good = #"{"question":"A?","answers":["x","y"],"correct":"x"}"#
      let text = "{\"title\":\"T\",\"questions\":[\n" + [good, #"{"question":"","answers":["x"]}"#, good].joined(separator: ",\n") + "\n]}"
      let object = await games.call("POST", "/v1/quiz-files?format=json", text).object
      let mistakes = object["mistakes"]?.array?.compactMap(\.object) ?? []
      #expect(Set(mistakes.compactMap { $0["line"]?.int }) == [3, 4])
      #expect(mistakes.last?["what"]?.string == "this question is already in line 2; remove one of them")
      #expect(object["quiz"]?.object?["questions"]?.array?.count == 2)
    }
  }

  /// What is no quiz at all has mistakes as well, and never more than some.
  @Test(arguments: ["", "\u{0}", "{", "[[[[", "PK\u{3}\u{4}", "=cmd|' /C calc'!A0", String(repeating: "a:\n", count: 10_000)])
  func foreign(_ text: String) async throws {
    try await games { games in
      let reply = await games.call("POST", "/v1/quiz-files", text)
      #expect(reply.status == 200)
      #expect((1...200).contains(reply.object["mistakes"]?.array?.count ?? 0))
    }
  }

  @Test func written() async throws {
    try await games { games in
      let quiz = #"{"title":"T","questions":[{"question":"=1+1?","answers":["x","y"],"correct":"y"}]}"#
      #expect(await games.call("POST", "/v1/quiz-files/csv", quiz).text == "question,correct,wrong\n'=1+1?,y,x\n")
      let yaml = await games.call("POST", "/v1/quiz-files/yaml", quiz).text
      #expect(yaml == "title: T\nquestions:\n  - question: \"=1+1?\"\n    answers: [x, \"y\"]\n    correct: \"y\"\n")
      #expect(await games.call("POST", "/v1/quiz-files?format=yaml", yaml).object["quiz"]?.text == quiz)
      #expect(await games.call("POST", "/v1/quiz-files/exe", quiz).status == 404)
      #expect(await games.call("POST", "/v1/quiz-files/csv", "{}").kind == "invalid")
    }
  }
}

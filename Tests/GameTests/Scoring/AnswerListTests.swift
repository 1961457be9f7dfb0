import Scoring
import Testing

/// Answers wait in memory until their questions come, so there is a limit to them.
@Suite struct AnswerListTests {
  private static let line = #"{"player":"ann","question":1,"answer":0,"time":1}"#

  @Test func moreAnswersThanTheLimitAreRefused() {
    let text = Array([Self.line, Self.line, Self.line, Self.line].joined(separator: "\n").utf8)
    var game = ScoredGame()
    var whole = AnswerList(limit: 4)
    let goesOn = whole.push(text.span, joining: &game)
    let messages = whole.finish(joining: &game)
    #expect(goesOn && messages == [] && whole.problems == [])
    #expect(whole.leftover == [" 4 answers to question 1, which the stream does not have"])
    game = ScoredGame()
    var refused = AnswerList(limit: 2)
    let isRefused = !refused.push(text.span, joining: &game)
    #expect(isRefused && refused.problems == ["3: there are more than 2 answers; split the game"])
  }

  /// What never ends a line, such as a device, is read no further than a mebibyte.
  @Test func aLineWithoutEndEndsTheReading() {
    let piece = [UInt8](repeating: 0, count: 1 << 16)
    var game = ScoredGame()
    var list = AnswerList()
    var pieces = 0
    while pieces < 100, list.push(piece.span, joining: &game) { pieces += 1 }
    let messages = list.finish(joining: &game)
    #expect(pieces == 16 && messages == [])
    #expect(list.problems == ["1: the line has more than 4096 bytes; write one answer a line"])
  }

  @Test func linesMayComeInPiecesOfAnySize() {
    let text = Array(
      ([#"{"player":"Ben"}"#, "", Self.line, "no record", #"{"player":"ann ","question":"q","answer":1,"time":2}"#].joined(separator: "\n"))
        .utf8)
    func read(_ size: Int) -> [[String]] {
      var game = ScoredGame()
      var list = AnswerList()
      for start in stride(from: 0, to: text.count, by: size) {
        _ = list.push(text.span.extracting(start..<min(start + size, text.count)), joining: &game)
      }
      return [list.problems, list.finish(joining: &game) + list.leftover]
    }
    let expected = read(text.count)
    #expect(expected[0].count == 1 && expected[0][0].hasPrefix("4: this is no JSON: "))
    #expect(
      expected[1] == [
        " 1 answer to question 1, which the stream does not have", " 1 answer to the question q, which the stream does not have",
      ])
    for size in 1..<text.count { #expect(read(size) == expected) }
  }
}

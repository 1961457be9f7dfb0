@testable import Terminal
import Basics
import CommandSupport
import Files
import GameEvents
import Scoring
import TestSupport
import Testing

@testable import cuelight

/// What a terminal shows.
@Suite struct PlayScreenTests {
  private static func text(
    _ game: SoloGame, at second: Double, columns: Int = 61, rows: Int = 20, style: PlayScreen.Style = .init(),
    message: String? = nil, isOver: Bool = false
  ) -> String {
    let situation = PlayScreen.Situation(now: MediaTime(seconds: second), message: message, isOver: isOver)
    return PlayScreen.lines(game, situation, size: TerminalSize(columns: columns, rows: rows), style: style).map { $0.text }
      .joined(separator: "\n")
  }

  @Test func beforeTheStream() {
    let lines = PlayScreen.lines(SoloGame(rules: nil), .init(), size: TerminalSize(columns: 80, rows: 24), style: .init())
    #expect(lines.map { $0.text } == ["Waiting for the stream", "", "q leaves"])
  }

  @Test func aStreamWithoutAGame() {
    let situation = PlayScreen.Situation(now: .zero, isOver: true, absence: "no game events found; the stream has no program map")
    let lines = PlayScreen.lines(SoloGame(rules: nil), situation, size: TerminalSize(columns: 80, rows: 24), style: .init())
    #expect(
      lines.map { $0.text } == [
        "There is no game: no game events found; the stream has no program map", "", "Press any key to leave.",
      ])
  }

  @Test func theLobbyCountsDown() {
    let expected = "Quick Quiz\n\nThe game starts in 1:05\n\nq leaves"
    #expect(Self.text(PlaySample.game(to: 6), at: 6) == expected)
  }

  @Test func aQuestionIsOpen() {
    let expected = """
      Quick Quiz                                    Question 1 of 2

      Which metal is liquid?

        1  Iron
      > 2  Mercury   your answer
        3  Gold

      █████████████████████████░░░░░░░░░░░░░░░░░░░░░░░░░  10 s

      Your answer is 2 (Mercury). You can change it until the time
      is up.

      1 to 3 answer, q leaves
      """
    let game = PlaySample.game(keys: [(81, 2)], to: 90)
    #expect(Self.text(game, at: 90, columns: 62) == expected)
  }

  @Test func theEssentialsFitATinyTerminal() {
    let game = PlaySample.game(keys: [(81, 2)], to: 90)
    #expect(
      Self.text(game, at: 90, columns: 30, rows: 5)
        == "Which metal is liquid?\n  1  Iron\n> 2  Mercury   your answer\n  3  Gold\n############-----------  10 s"
        .replacing("#", with: "█").replacing("-", with: "░"))
    #expect(
      Self.text(game, at: 90, columns: 40, rows: 3)
        == "Which metal is liquid?\n1 Iron, >2 Mercury, 3 Gold\n█████████████████░░░░░░░░░░░░░░░░  10 s")
    #expect(Self.text(game, at: 90, columns: 40, rows: 1) == "1 Iron, >2 Mercury, 3 Gold")
  }

  @Test func rightAndWrongHaveSignsAndColours() {
    let game = PlaySample.game(keys: [(81, 3)], to: 110)
    let style = PlayScreen.Style(usesColour: true, usesUnicode: false)
    let lines = PlayScreen.lines(game, .init(now: MediaTime(seconds: 110)), size: TerminalSize(columns: 70, rows: 20), style: style)
    let expected: [PlayScreen.Line] = [
      .init(text: "Quick Quiz                              Question 1 of 2, 0 of 1 right"), .init(text: ""),
      .init(text: "Which metal is liquid?", look: .strong), .init(text: ""), .init(text: "  1  Iron   31"),
      .init(text: "  2  Mercury   + right, 402", look: .right), .init(text: "> 3  Gold   x wrong, your answer, 67", look: .wrong),
      .init(text: ""), .init(text: "x Wrong: the right answer is 2 (Mercury).", look: .wrong), .init(text: ""),
      .init(text: "It melts at -39 degrees."), .init(text: ""), .init(text: "q leaves"),
    ]
    #expect(lines == expected)
  }

  @Test func theRightAnswerIsSeenInASmallWindow() {
    func text(_ key: Int?, rows: Int = 5) -> String {
      Self.text(PlaySample.game(keys: key.map { [(second: 81, number: $0)] } ?? [], to: 110), at: 110, columns: 20, rows: rows)
    }
    #expect(text(3) == "Which metal is\n  1  Iron   31\n✓ 2  Mercury\n✗ 3  Gold\n✗ 2 is right")
    #expect(text(2) == "Which metal is\n  1  Iron   31\n✓ 2  Mercury\n  3  Gold   67\n✓ Right: 2")
    #expect(text(nil, rows: 4) == "Which metal is\n1 Iron, ✓2 Mercury,\n3 Gold\n2 is right")
    #expect(text(3, rows: 2) == "1 Iron, ✓2 Mercury,\n✗3 Gold")
  }

  @Test func theLinkIsShownBelowTheExplanation() {
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(url: "https://example.com/hg")]
    #expect(
      Self.text(PlaySample.game(copies, to: 110), at: 110).hasSuffix(
        "\n\nIt melts at -39 degrees.\nhttps://example.com/hg\n\nq leaves"))
    let missed = [PlaySample.start, PlaySample.show(explanation: nil, url: "https://example.com/hg")]
    #expect(Self.text(PlaySample.game(missed, to: 110), at: 110).contains("https://example.com/hg\n"))
  }

  @Test func whoIsOutIsNotAskedToAnswer() throws {
    let rules = try #require(try? ScoringRules(parsing: "elimination"))
    let game = PlaySample.game(keys: [(81, 3)], to: 121, rules: rules)
    #expect(game.score.outAt == 1)
    #expect(Self.text(game, at: 121).hasSuffix("You are out of the game, q leaves"))
    let closed = PlaySample.game(keys: [(81, 3)], to: 126, rules: rules)
    #expect(Self.text(closed, at: 126).hasSuffix("Time is up. You are out of the game.\n\nq leaves"))
  }

  @Test func aBrokenSealMakesNothingRight() {
    let text = Self.text(PlaySample.game(keys: [(121, 1)], to: 131), at: 131)
    #expect(text.contains("The result does not fit the question's seal, so it does not"))
    #expect(!text.contains("✓") && !text.contains("✗"))
  }

  @Test func theResultOfAllIsShown() {
    let expected = """
      Quick Quiz                                       1 of 1 right

      The game is over.

      Your result: 1 of 2.

      The winner is Ada.

      a segment is missing
      Press any key to leave.
      """
    #expect(
      Self.text(PlaySample.game(keys: [(81, 2)], to: 150), at: 150, columns: 62, message: "a segment is missing", isOver: true) == expected)
  }

  @Test func nothingIsTooLargeForAnyTerminal() {
    var random = SeededNumbers(seed: 11)
    let alphabet: [Character] = ["a", "b", " ", " ", "水", "🧪", "e\u{301}", "\u{1B}", "\n", "\u{202E}", "\u{200B}", "👩‍👩‍👧", "\u{9B}", "\u{7F}"]
    for _ in 0..<400 {
      func words(_ count: Int) -> String { String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "a" }) }
      let answers = (0..<Int.random(in: 2...9, using: &random)).map { "\($0)" + words(Int.random(in: 0..<30, using: &random)) }
      let copies = [PlaySample.start, PlaySample.ask(words(90), answers: answers), PlaySample.show(explanation: words(120))]
      let second: Double = [0.5, 5, 75, 85, 101, 110].randomElement(using: &random) ?? 0
      let game = PlaySample.game(copies, keys: [(82, 1), (84, 2)], to: second)
      let size = TerminalSize(columns: Int.random(in: 1...90, using: &random), rows: Int.random(in: 1...30, using: &random))
      let style = PlayScreen.Style(usesColour: true, usesUnicode: Bool.random(using: &random))
      let lines = PlayScreen.lines(game, .init(now: MediaTime(seconds: second), message: words(50)), size: size, style: style)
      #expect(lines.count <= size.rows)
      #expect(lines.allSatisfy { TerminalText.columns($0.text) <= max(size.columns - 1, 1) }, "\(size)")
      #expect(lines.allSatisfy { $0.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" } })
      if !style.usesUnicode { #expect(lines.allSatisfy { $0.text.utf8.allSatisfy { $0 < 0x80 } }) }
    }
  }

  @Test func onlyWhatIsNewIsSent() {
    var frame = PlayFrame(usesColour: true)
    let size = TerminalSize(columns: 20, rows: 5)
    let (a, b) = (PlayScreen.Line(text: "a"), PlayScreen.Line(text: "b", look: .wrong))
    #expect(frame.update([a, b], size: size, anew: true) == "\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1H\u{1B}[1;31mb\u{1B}[0m\u{1B}[K")
    #expect(frame.update([a, b], size: size, anew: false) == "")
    #expect(frame.update([a], size: size, anew: false) == "\u{1B}[2;1H\u{1B}[K")
    #expect(frame.update([a], size: TerminalSize(columns: 9, rows: 5), anew: false) == "\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K")
    var plain = PlayFrame(usesColour: false)
    #expect(plain.update([b], size: size, anew: true) == "\u{1B}[2J\u{1B}[1;1Hb\u{1B}[K")
  }

  @Test func theEnvironmentSaysWhatATerminalCan() {
    let cases: [([String: String], Bool, Bool)] = [
      ([:], true, false), (["LANG": "de_DE.UTF-8"], true, true), (["LANG": "C.utf8", "NO_COLOR": "1"], false, true),
      (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], true, false), (["LANG": "C", "LC_CTYPE": "en_GB.UTF-8", "NO_COLOR": ""], true, true),
    ]
    for (environment, colour, unicode) in cases {
      #expect(Play.style(environment) == .init(usesColour: colour, usesUnicode: unicode), "\(environment)")
    }
  }
}

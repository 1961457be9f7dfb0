import Basics
import Foundation
import GameEvents
import Scoring
import StateMachine
import TestSupport
import Testing

@testable import cuelight

/// The game in sentences.
@Suite struct PlayNarratorTests {
  @Test func aGameIsTold() {
    var game = SoloGame(rules: nil)
    var narrator = PlayNarrator()
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(), PlaySample.askSealed, PlaySample.showBroken, PlaySample.end]
    var lines: [String] = []
    for second in 0...150 {
      let due = copies.filter { $0.programmeTime == MediaTime(seconds: second) }
      let keys = second == 82 ? [(82.0, 2)] : []
      for moment in PlaySample.moments(of: &game, due, keys: keys, to: Double(second)) { lines += narrator.lines(moment) }
      if let line = narrator.line(game.state, at: MediaTime(seconds: second)) { lines.append(line) }
    }
    let expected = [
      "Quick Quiz starts in 70 seconds.", "You may enter now.", "35 seconds left.", "10 seconds left.", "5 seconds left.",
      "3 seconds left.",
      "2 seconds left.", "1 second left.", "Quick Quiz begins. It has 2 questions.",
      "Question 1 of 2: Which metal is liquid? Answer 1: Iron. Answer 2: Mercury. Answer 3: Gold. You have 20 seconds.",
      "10 seconds left.", "5 seconds left.", "3 seconds left.", "2 seconds left.", "1 second left.",
      "Time is up. Your answer is 2 (Mercury). Right: the answer is 2 (Mercury).",
      "It melts at -39 degrees. So far: 1 of 1 right.",
      "Question 2 of 2: Which? Answer 1: A. Answer 2: B. You have 5 seconds.", "3 seconds left.", "2 seconds left.", "1 second left.",
      "Time is up. You gave no answer.", "The result does not fit the question's seal, so it does not count. So far: 1 of 1 right.",
      "The game is over. Your result: 1 of 2. The winner is Ada.",
    ]
    #expect(lines == expected)
  }

  @Test func whoIsOutIsNotSaidToHaveGivenNoAnswer() throws {
    let ask = PlaySample.copy(
      "ask-3", 4, at: 120,
      .askQuestion(
        AskQuestion(question: "Which?", answers: ["A", "B"], questionNumber: 2, allottedTime: MediaTime(seconds: 5), correctAnswer: 0)))
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(explanation: nil), ask]
    func told(_ keys: [(second: Double, number: Int)]) throws -> [String] {
      var game = SoloGame(rules: try ScoringRules(parsing: "elimination"))
      let moments = PlaySample.moments(of: &game, copies, keys: keys, to: 126)
      return moments.filter { $0.transition.kind == .questionClosed }.flatMap { PlayNarrator().lines($0) }
    }
    let out = "Time is up. You are out of the game. The right answer is 1 (A)."
    #expect(try told([(81, 1)]) == ["Time is up. Your answer is 1 (Iron). Wrong: the right answer is 2 (Mercury).", out])
    // The first question is the one that puts the person out, and there was time for an answer.
    #expect(try told([]) == ["Time is up. You gave no answer. The right answer is 2 (Mercury).", out])
    #expect(
      try told([(81, 2)]).last == "Time is up. You gave no answer. The right answer is 1 (A).")
  }

  @Test func theLinkHasItsOwnLine() {
    var game = SoloGame(rules: nil)
    let copies = [PlaySample.start, PlaySample.ask(), PlaySample.show(url: "https://example.com/hg")]
    let lines = PlaySample.moments(of: &game, copies, to: 110).flatMap { PlayNarrator().lines($0) }
    #expect(lines.suffix(2) == ["It melts at -39 degrees. So far: 0 of 1 right.", "More: https://example.com/hg"])
  }

  @Test func whereMuchTimePassesTheLatestMomentIsTold() {
    let game = PlaySample.game(to: 85)
    var narrator = PlayNarrator()
    let told = [81.0, 85, 96.5, 96.6, 99.5].map { narrator.line(game.state, at: MediaTime(seconds: $0)) }
    #expect(told == [nil, nil, "4 seconds left.", nil, "1 second left."])
  }
}

/// `play` where there is no terminal.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct PlayTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch.withStampedBroadcast() }

  private static let told = """
    Playing out.ts. Type the number of your answer and press Enter, or q and Enter to leave.
    Test begins. It has 1 question.
    Question 1 of 1: One or two? Answer 1: One. Answer 2: Two. You have 2 seconds.
    Time is up. You gave no answer.
    The answer to question 1 is 2 (Two). So far: 0 of 1 right.
    The game is over. Your result: 0 of 1. The winner is Ada.

    """

  @Test func withoutATerminalTheGameIsToldInLines() throws {
    let played = try Command.cuelight("play", "--speed", "1000", "out.ts", in: scratch.folder)
    #expect(played == Command.Outcome(status: 0, output: Self.told, errors: ""))
  }

  @Test func theStreamMayComeThroughAPipe() throws {
    let played = try Command.shell("cat out.ts | cuelight play --plain --speed 1000 -", in: scratch.folder)
    #expect(played == Command.Outcome(status: 0, output: Self.told.replacing("out.ts", with: "standard input"), errors: ""))
  }

  @Test func leavingSaysTheResult() throws {
    let played = try Command.cuelight("play", "out.ts", input: Data("9\nq\n".utf8), in: scratch.folder)
    #expect(played.status == 0)
    #expect(played.lines.last == "Your result so far: 0 of 0.")
  }

  @Test func aStreamWithoutEventsIsSaid() throws {
    let clip = try Command.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["ffmpeg", "-v", "error", "-i", Broadcast.path, "-c", "copy", "-f", "mpegts", scratch["bare.ts"].path])
    #expect(clip.status == 0)
    let start = ContinuousClock.now
    let played = try Command.cuelight("play", "--speed", "0.1", "bare.ts", in: scratch.folder)
    let contents = "the stream has H.264 video on PID 256, AAC audio on PID 257"
    #expect(played == Command.Outcome(status: 0, output: "", errors: "bare.ts: no game events found; \(contents)\n"))
    let late = try Command.cuelight("play", "--speed", "0.1", "--from", "1.5", "bare.ts", in: scratch.folder)
    #expect(late == Command.Outcome(status: 0, output: "", errors: "bare.ts: no game events found from 00:01.500 on; \(contents)\n"))
    // The programme would take a minute, and three quarters of one.
    #expect(.now - start < .seconds(40))
  }

  @Test(arguments: [["--speed", "0"], ["--speed", "x"], ["--scoring", "luck"], ["--from", "never"]])
  func wrongOptionsAreRefused(options: [String]) throws {
    #expect(try Command.run(Command.executable, ["play", "out.ts"] + options, in: scratch.folder).status == 64)
  }

  @Test func aMissingSegmentIsSaidAndTheGameGoesOn() throws {
    _ = try Command.cuelight(
      "stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "hls/index.m3u8", "--segment-duration", "1", in: scratch.folder)
    try FileManager.default.removeItem(at: scratch["hls/index-segment-00003.ts"])
    let played = try Command.cuelight("play", "--speed", "100", "hls/index.m3u8", in: scratch.folder)
    #expect(played.status == 74)
    #expect(played.errors.contains("index-segment-00003.ts"))
    #expect(played.lines.last == "The game is over. Your result: 0 of 1. The winner is Ada.")
  }
}

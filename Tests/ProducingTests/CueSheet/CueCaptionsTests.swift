import Basics
import CueSheet
import EventSchedule
import Foundation
import Sheets
import TestSupport
import Testing

/// Cue sheets as captions.
@Suite struct CueCaptionsTests {
  private static let text = """
    game: g
    title: A & B <i>C</i>
    cues:
      - { at: 1, event: startGame, startsIn: 2 }
      - { at: 3.0005, event: askQuestion, question: "1 < 2 --> true?\\n\\n00:00:01,000 --> 00:00:02,000", answers: ["{\\\\an8}a", "b &amp; c"], correctAnswer: 1, allottedTime: 4 }
      - { at: 5, event: adjustTime, allottedTime: 6 }
      - { at: 6, event: periodicInfo, viewers: 7, players: 3 }
      - { at: 10, event: showResults, counts: [1, 2], explanation: "So\\u202E it is." }
      - { at: 12, event: poll, options: [a], currentFor: 1 }
      - { at: 15, event: endGame, winners: [Ada, Bob] }
    """

  private func captions(_ text: String) throws -> CueCaptions { CueCaptions(try parse(text).events) }

  @Test func webVTT() throws {
    #expect(
      try captions(Self.text).webVTT == """
        WEBVTT

        00:00:01.000 --> 00:00:03.000
        A &amp; B &lt;i&gt;C&lt;/i&gt;
        1 question
        Starts in 2 s

        00:00:03.001 --> 00:00:06.000
        Question 1 of 1
        1 &lt; 2 --&gt; true?
        00:00:01,000 --&gt; 00:00:02,000
        [1] {\\an8}a
        [2] b &amp;amp; c

        00:00:06.000 --> 00:00:09.001
        Question 1 of 1
        1 &lt; 2 --&gt; true?
        00:00:01,000 --&gt; 00:00:02,000
        [1] {\\an8}a
        [2] b &amp;amp; c
        7 viewers, 3 players

        00:00:09.001 --> 00:00:10.000
        7 viewers, 3 players

        00:00:10.000 --> 00:00:11.000
        7 viewers, 3 players
        Answer to question 1: b &amp;amp; c
        1 · 2
        So  it is.

        00:00:11.000 --> 00:00:12.000
        Answer to question 1: b &amp;amp; c
        1 · 2
        So  it is.

        00:00:12.000 --> 00:00:13.000
        Answer to question 1: b &amp;amp; c
        1 · 2
        So  it is.
        poll {"options":["a"]}

        00:00:13.000 --> 00:00:15.000
        Answer to question 1: b &amp;amp; c
        1 · 2
        So  it is.

        00:00:15.000 --> 00:00:25.000
        The game is over
        Winners: Ada, Bob

        """)
  }

  @Test func subRip() throws {
    let joiner = "\u{2060}"
    let text = try captions(Self.text).subRip
    #expect(
      text.hasPrefix(
        """
        1
        00:00:01,000 --> 00:00:03,000
        A & B <\(joiner)i>C<\(joiner)/i>
        1 question
        Starts in 2 s

        2
        00:00:03,001 --> 00:00:06,000
        Question 1 of 1
        1 <\(joiner) 2 --\(joiner)> true?
        00:00:01,000 --\(joiner)> 00:00:02,000
        [1] ｛\\\(joiner)an8｝a
        [2] b &amp; c

        """))
    #expect(text.hasSuffix("\n\n9\n00:00:15,000 --> 00:00:25,000\nThe game is over\nWinners: Ada, Bob\n"))
  }

  /// Nothing overlaps, nothing is empty, and a question's answers are there for exactly its time, however short that is.
  @Test func captionsAreInOrder() throws {
    let cues = (0..<300).flatMap { index -> [String] in
      let at = Double(index) * 0.7
      return [
        "at: \(at), event: askQuestion, question: Q\(index), answers: [A, B], correct: A, allottedTime: \(index % 7 == 0 ? "0.00002" : "0.5")",
        "at: \(at + 0.6), event: showResults, questionNumber: \(index + 1)", "at: \(at), event: poll, currentFor: 30",
      ]
    }
    let found = try captions("game: g\ncues:\n" + cues.map { "- { \($0) }\n" }.joined()).captions
    #expect(found.allSatisfy { $0.start < $0.end && !$0.lines.isEmpty && $0.lines.allSatisfy { !$0.isEmpty } && $0.lines.count < 40 })
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.end <= $1.start })
    for index in 0..<300 { #expect(found.contains { $0.lines.contains("Q\(index)") }) }
    #expect(
      try captions("game: g\ncues: [{ at: 1, event: startGame, title: \"\\t\" }]").captions == [
        .init(start: 1_000, end: 6_000, lines: ["0 questions"])
      ])
  }

  /// FFmpeg reads both files: the same times, and the texts without tags, arrows or the end of a caption in them.
  @Test(.enabled(if: Programs.hasFFmpeg, "ffmpeg reads the captions"), arguments: ["vtt", "srt"]) func ffmpegReadsThem(format: String)
    throws
  {
    let captions = try captions(Self.text)
    let path = Workshop.path("captions.\(format)")
    _ = try Workshop.write(Array((format == "vtt" ? captions.webVTT : captions.subRip).utf8), to: path)
    let read = try #require(
      Programs.run("ffprobe", ["-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0", path]))
    let times = captions.captions.map { caption in
      [caption.start, caption.end - caption.start].map { MediaTime(ticks: $0 * 90).decimalSeconds }.joined(separator: ",")
    }
    #expect(read.split(separator: "\n").map { $0.trimmingCharacters(in: [","]) } == times)
    // As plain text, without the marks that hide signs.
    let text = try #require(Programs.run("ffmpeg", ["-v", "error", "-i", path, "-f", "ass", "-"]))
    let lines = text.split { $0.isNewline }.filter { $0.hasPrefix("Dialogue:") }.map { line in
      line.split(separator: ",", maxSplits: 9, omittingEmptySubsequences: false).last.map { $0.replacing("\u{2060}", with: "") } ?? ""
    }
    // ASS has its own signs for line breaks, braces and backslashes.
    let expected = captions.captions.map { caption in
      let text = caption.lines.joined(separator: "\\N")
      return format == "vtt" ? text : text.replacing("{", with: "｛").replacing("}", with: "｝")
    }
    #expect(lines.count == expected.count)
    for (line, wanted) in zip(lines, expected) {
      #expect(line.replacing("\\{", with: "{").replacing("\\}", with: "}") == wanted)
    }
  }
}

import Foundation
import TestSupport
import Testing

/// Commands about cue sheets alone, and what `stamp` says of a sheet.
@Suite struct SheetCommandTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "clean.yaml")
    _ = try scratch.write(Self.odd, to: "odd.yaml")
    _ = try scratch.write(
      "game: g\ncues:\n- {at: 1, event: askQestion, question: Q, answers: [A, B], correct: A}\n- {at: 1x, event: reveal}\n",
      to: "wrong.yaml")
  }

  static let odd = """
    game: g
    title: T
    cues:
      - { at: 0.5, event: startGame }
      - { at: 1, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 2 }
      - at: 2.5s
        event: showResults
        explanation: It was #2
      - { at: 3, event: reveal }

    """
  static let warnings = """
    odd.yaml:6:5: warning: the result of question 1 comes before its time is up at 00:03.000; move it, or shorten allottedTime
    odd.yaml:6:5: warning: the game has no endGame; add one after this showResults
    odd.yaml:8:25: warning: the text ends before this sign, so that it is "It was": after a blank, # begins a comment; write the text in quotation marks
    odd.yaml:9:21: warning: "reveal" is an event of your own, which apps that do not know it pass over; did you mean "showResults"?

    """

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  @Test func lint() throws {
    #expect(
      try run("lint clean.yaml")
        == Command.Outcome(status: 0, output: "clean.yaml: 5 events until 00:05.000, no mistake, no warning\n", errors: ""))
    let odd = try run("lint odd.yaml")
    #expect(
      odd == Command.Outcome(status: 1, output: Self.warnings + "odd.yaml: 4 events until 00:03.000, no mistake, 4 warnings\n", errors: ""))
    let both = try run("lint wrong.yaml clean.yaml")
    #expect(
      both
        == Command.Outcome(
          status: 1,
          output: """
            wrong.yaml:3:18: unknown event "askQestion"; did you mean "askQuestion"?
            wrong.yaml:4:8: "at" is "1x", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm
            wrong.yaml:4:19: warning: "reveal" is an event of your own, which apps that do not know it pass over; did you mean "showResults"?
            wrong.yaml: 2 mistakes, 1 warning
            clean.yaml: 5 events until 00:05.000, no mistake, no warning

            """, errors: ""))
    let fromInput = try Command.cuelight("lint", "-", input: Data("game: g".utf8))
    #expect(
      fromInput.status == 1
        && fromInput.output == "standard input:1:1: \"cues\" is missing in the cue sheet; add it\nstandard input: 1 mistake, no warning\n")
    #expect(try run("lint none.yaml") == Command.Outcome(status: 66, output: "", errors: "cuelight: none.yaml: no such file\n"))
    #expect(try run("lint - -").status == 64)
    let json = try run("lint --json wrong.yaml")
    #expect(
      json.lines.dropFirst() == [
        #"{"type":"problem","sheet":"wrong.yaml","line":4,"column":8,"severity":"mistake","what":"\"at\" is \"1x\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"}"#,
        #"{"type":"problem","sheet":"wrong.yaml","line":4,"column":19,"severity":"warning","what":"\"reveal\" is an event of your own, which apps that do not know it pass over; did you mean \"showResults\"?"}"#,
        #"{"type":"summary","sheet":"wrong.yaml","events":null,"mistakes":2,"warnings":1}"#,
      ])
  }

  /// What `plan` writes has no warnings.
  @Test func plansAreClean() throws {
    _ = try scratch.write(PlanTests.bank, to: "bank.yaml")
    for options in ["", "--interval 14 --start 3", "--info-interval 5 --avoid 0:15-0:40"] {
      #expect(try run("plan bank.yaml \(options) -o plan.yaml --force").status == 0)
      let checked = try run("lint plan.yaml")
      #expect(checked.status == 0 && checked.output.hasSuffix("no mistake, no warning\n"), "\(checked.output)")
    }
  }

  @Test func shift() throws {
    let later = try run("shift clean.yaml --by 1:00.5 -o later.yaml")
    #expect(later == Command.Outcome(status: 0, output: "later.yaml: 5 cues, 60.5 s later\n", errors: ""))
    #expect(try run("shift later.yaml --by -60.5 -o -").output == Broadcast.cues.replacingOccurrences(of: "00:04,", with: "00:04.0,"))
    let early = try run("shift clean.yaml --by -2 -o early.yaml")
    #expect(
      early
        == Command.Outcome(
          status: 65, output: "",
          errors: """
            cuelight: clean.yaml:4:5: this startGame would come 1.5 s before the programme begins
            cuelight: clean.yaml:5:5: this askQuestion would come 1 s before the programme begins
            cuelight: clean.yaml:6:5: this showResults is of a question that would come before the programme begins

            """))
    let dropped = try run("shift clean.yaml --by -2 -o early.yaml --drop-early")
    #expect(dropped.status == 0 && dropped.output == "early.yaml: 2 cues, 2 s earlier\n")
    #expect(dropped.errors.hasPrefix("clean.yaml:4:5: this startGame would come 1.5 s before the programme begins: left out\n"))
    let text = try String(contentsOf: scratch["early.yaml"], encoding: .utf8)
    #expect(
      text.hasSuffix(
        "cues:\n  - { sequence: 4, at: 2.5, event: poll, options: [a, b], currentFor: 1 }\n"
          + "  - { totalQuestions: 1, at: 00:00:03.000, event: endGame, winners: [Ada] }"))
    #expect(try run("shift clean.yaml --by 1 -o early.yaml").status == 73)
    #expect(try run("shift clean.yaml --by 1 -o clean.yaml --force").status == 73)
    #expect(try run("shift clean.yaml --by one -o x.yaml").status == 64)
    #expect(try run("shift wrong.yaml --by 1 -o x.yaml").status == 65 && !scratch.names.contains("x.yaml"))
  }

  @Test func captions() throws {
    #expect(
      try run("captions clean.yaml -o clean.vtt")
        == Command.Outcome(status: 0, output: "clean.vtt: 6 captions of 5 events\n", errors: ""))
    #expect(
      try String(contentsOf: scratch["clean.vtt"], encoding: .utf8).hasPrefix(
        "WEBVTT\n\n00:00:00.500 --> 00:00:01.000\nTest\n1 question\n\n"))
    #expect(try run("captions clean.yaml -o clean.srt --offset 1").status == 0)
    #expect(
      try String(contentsOf: scratch["clean.srt"], encoding: .utf8).hasPrefix("1\n00:00:01,500 --> 00:00:02,000\nTest\n1 question\n\n2\n"))
    #expect(try run("captions clean.yaml -o clean.txt").status == 64)
    #expect(try run("captions clean.yaml -o clean.vtt").status == 73)
    #expect(try run("captions wrong.yaml -o wrong.vtt").status == 65)
  }

  @Test(.enabled(if: Broadcast.isAvailable)) func stampTellsAndRefusesWarnings() throws {
    let stamped = try run("stamp '\(Broadcast.path)' --cues odd.yaml -o odd.ts")
    #expect(stamped.status == 0 && stamped.errors == Self.warnings && scratch.names.contains("odd.ts"))
    let refused = try run("stamp '\(Broadcast.path)' --cues odd.yaml -o strict.ts --strict")
    #expect(refused.status == 65 && refused.output == "" && !scratch.names.contains("strict.ts"))
    #expect(refused.errors == Self.warnings.split(separator: "\n").map { "cuelight: \($0)\n" }.joined())
    #expect(try run("stamp '\(Broadcast.path)' --cues clean.yaml -o strict.ts --strict").errors == "")
  }

  @Test(.enabled(if: Broadcast.isAvailable)) func stampMovesAllCues() throws {
    for (offset, output) in [("0.5", "later.ts"), ("-0.5", "earlier.ts"), ("-0:00.5", "hls/index.m3u8")] {
      let stamped = try run("stamp '\(Broadcast.path)' --cues clean.yaml --offset \(offset) -o \(output)")
      #expect(stamped.status == 0 && stamped.errors == "")
      #expect(try run("verify \(output) --cues clean.yaml --offset \(offset)").status == 0)
      #expect(try run("verify \(output) --cues clean.yaml").status == 1)
    }
    let early = try run("stamp '\(Broadcast.path)' --cues clean.yaml --offset -1 -o early.ts")
    #expect(early.status == 65 && !scratch.names.contains("early.ts"))
    #expect(
      early.errors
        == "cuelight: clean.yaml:4:11: this startGame comes, with the offset of -1 s, 0.5 s before the programme begins; write a later time, or leave it out\n"
    )
    let late = try run("stamp '\(Broadcast.path)' --cues clean.yaml --offset 2 -o late.ts")
    #expect(
      late.status == 65
        && late.errors.hasPrefix("cuelight: clean.yaml:6:5: the showResults at 00:06.000 is outside the programme, which ends at "),
      "\(late.errors)")
    #expect(try run("stamp '\(Broadcast.path)' --cues clean.yaml --offset soon -o late.ts").status == 64)
  }

  /// A playlist is there with all its date ranges before the first question is asked.
  @Test(.enabled(if: Broadcast.isAvailable)) func dateRangesTellNoResult() throws {
    let line = "stamp '\(Broadcast.path)' --cues clean.yaml --daterange --program-date-time 2026-11-20T20:00:00+01:00"
    #expect(try run("\(line) -o sealed/index.m3u8").status == 0)
    #expect(try run("\(line) -o open/index.m3u8 --open-answers").status == 0)
    for (folder, expected) in [("sealed", 4), ("open", 5)] {
      let playlist = try String(contentsOf: scratch["\(folder)/index-media.m3u8"], encoding: .utf8)
      #expect(playlist.components(separatedBy: "#EXT-X-DATERANGE").count - 1 == expected)
      // "salt" in hexadecimal.
      #expect(!playlist.uppercased().contains("73616C74"))
      #expect(try run("verify \(folder)/index.m3u8 --cues clean.yaml").status == 0)
      #expect(try run("doctor \(folder)/index.m3u8").status == 0)
    }
  }

  @Test(arguments: ["2026-11-20T20:00:00", "2026-11-20T20:00:00.5"]) func datesHaveZones(date: String) throws {
    let outcome = try run("stamp a.mp4 --cues clean.yaml -o a.m3u8 --program-date-time \(date)")
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "Error: --program-date-time takes a zone, too: write \(date)Z for UTC, or \(date)+01:00 where clocks are an hour ahead of it.\n"))
    for zone in ["Z", "z", "-0330", "+01", "+01:00"] {
      #expect(try run("stamp a.mp4 --cues clean.yaml -o a.m3u8 --program-date-time \(date)\(zone)").status == 66)
    }
  }
}

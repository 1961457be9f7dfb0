import Foundation
import Testing

/// Whole games with players, as processes. The game is a single question, `One` or `Two`, from 1 s to 3 s; `Two` is right.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct AudienceTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch.withStampedBroadcast() }

  static let answers = """
    {"player":"Ann"}
    {"player":"Émile","question":1,"answer":1,"time":2.9}
    {"player":"ann","question":1,"answer":1,"time":1.5}

    {"player":"ann","question":1,"answer":0,"time":1.25}
    {"player":"ben","question":1,"answer":1,"time":3}
    {"player":"ben","question":1,"answer":0,"time":0.5}
    {"player":"cat","question":1,"answer":0,"time":2}
    {"player":"dan","joinedAt":5}
    """

  private func replay(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["replay"] + arguments, in: scratch.folder)
  }

  @Test func answersAreScored() throws {
    _ = try scratch.write(Self.answers, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "--top", "4", "--scoring", "speed:100:0:exact+right", "out.ts")
    let expected = """
      00:00.500  Test   1 question
      00:01.000  Question 1 of 1   One or two?   [1] One  [2] Two   2 s
      00:03.000  Time is up
      00:04.000  Answer: Two   1 · 2
                 Question 1: 1 · 2 of 4 players, 1 too late, 1 too early
                 1  Ann    76   1 right of 1 answered
                 2  Émile   6   1 right of 1 answered
                 3  ben     0   0 right of 0 answered
                 3  cat     0   0 right of 1 answered
      00:04.500  poll   {"options":["a","b"]}
      00:05.000  The game is over   Winner: Ada
                 Winner: Ann
                 1  Ann    76   1 right of 1 answered
                 2  Émile   6   1 right of 1 answered
                 3  ben     0   0 right of 0 answered
                 3  cat     0   0 right of 1 answered
                 and 1 more; --top all shows them
      5 events seen, 14 repeats passed over

      """
    let spelling = "answers.ndjson:3: ann is the same player as Ann\n"
    #expect(replayed == Command.Outcome(status: 0, output: expected, errors: spelling))
  }

  @Test func whoIsOutIsTold() throws {
    _ = try scratch.write(Self.answers, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "--scoring", "elimination", "out.ts")
    #expect(replayed.lines[4] == "           Question 1: 1 · 2 of 4 players, 2 left, 1 too late, 1 too early")
    #expect(replayed.lines[5...8].filter { $0.hasSuffix("out at question 1") }.count == 2)
    // Dan came after the question, and neither has missed nor won anything.
    #expect(replayed.lines.contains("           2 winners: Ann, Émile"))
    #expect(replayed.lines.contains("           3  dan    0   0 right of 0 answered"))
  }

  @Test func scoreboardsAreObjectsToo() throws {
    _ = try scratch.write(Self.answers, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "--top", "1", "--json", "out.ts")
    let lines = replayed.lines.filter { !$0.hasPrefix(#"{"type":"transition""#) }
    let guid = try #require(lines.first?.split(separator: "\"").first { $0.utf8.count == 36 })
    #expect(
      lines.prefix(6) == [
        #"{"type":"scoreboard","time":4,"game":"test","question":"\#(guid)","number":1,"correctAnswer":1,"counts":[1,2],"taken":3,"#
          + #""tooLate":1,"tooEarly":1,"otherwiseRefused":0,"scored":true,"players":4,"playersLeft":4,"#
          + #""leaders":[{"rank":1,"player":"Ann","score":1,"right":1,"answered":1,"outAt":null}]}"#,
        #"{"type":"winner","game":"test","rank":1,"player":"Ann","score":1,"right":1,"answered":1,"outAt":null}"#,
        #"{"type":"winner","game":"test","rank":1,"player":"Émile","score":1,"right":1,"answered":1,"outAt":null}"#,
        #"{"type":"player","game":"test","rank":1,"player":"Ann","score":1,"right":1,"answered":1,"outAt":null}"#,
        #"{"type":"player","game":"test","rank":1,"player":"Émile","score":1,"right":1,"answered":1,"outAt":null}"#,
        #"{"type":"player","game":"test","rank":3,"player":"ben","score":0,"right":0,"answered":0,"outAt":null}"#,
      ])
  }

  @Test func aRecordScoresTheSame() throws {
    let bots = ["--bots", "random:30,perfect:2,late:3,sleepy:9", "--seed", "7", "--json", "--top", "all"]
    let played = try Command.run(Command.executable, ["replay", "--record-answers", "a.ndjson", "out.ts"] + bots, in: scratch.folder)
    #expect(played.status == 0 && played.lines.count { $0.hasPrefix(#"{"type":"player""#) } == 44)
    #expect(try replay("--answers", "a.ndjson", "--json", "--top", "all", "out.ts") == played)
    let piped = try Command.cuelight(
      "replay", "--answers", "-", "--json", "--top", "all", "out.ts", input: Data(contentsOf: scratch["a.ndjson"]), in: scratch.folder)
    #expect(piped == played)
    let existing = try replay("--bots", "random:1", "--record-answers", "a.ndjson", "out.ts")
    #expect(existing.status == 73 && existing.errors == "cuelight: a.ndjson: exists already; add --force to replace it\n")
  }

  @Test func emittedResultsCanBeStamped() throws {
    let emitted = try replay("--bots", "random:40,perfect:2", "--emit-results", "real.yaml", "--top", "3", "out.ts")
    #expect(emitted.status == 0 && emitted.errors == "")
    let stamped = try Command.cuelight("stamp", Broadcast.path, "--cues", "real.yaml", "-o", "real.ts", in: scratch.folder)
    #expect(stamped.status == 0)
    let counts = try #require(emitted.lines.first { $0.contains("Question 1: ") }).split(separator: " ")[2...4].joined(separator: " ")
    let replayed = try replay("real.ts")
    #expect(replayed.lines[3].hasPrefix("00:04.000  Answer: Two   \(counts)   perfect-1 1, perfect-2 1, "))
    #expect(replayed.lines.contains { $0.hasPrefix("00:05.000  The game is over   Winners: perfect-1, perfect-2, random-") })
    #expect(replayed.lines[4] == #"00:04.500  poll   {"options":["a","b"]}"#)
    // The audience scores the same in the stamped stream.
    let again = try replay("--bots", "random:40,perfect:2", "--top", "3", "real.ts")
    #expect(again.lines.filter { $0.hasPrefix(" ") } == emitted.lines.filter { $0.hasPrefix(" ") })
  }

  @Test func whatDoesNotFitATagIsSaid() throws {
    let emitted = try replay("--bots", "perfect:200", "--emit-results", "real.yaml", "--top", "2", "out.ts")
    #expect(emitted.status == 0)
    #expect(emitted.lines.contains { $0.hasPrefix("           200 winners: perfect-1, perfect-10, ") && $0.hasSuffix(", perfect-99") })
    let words = emitted.errors.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
    #expect(
      words == "real.yaml: to fit into tags of bytes, the end names of winners\n")
    // What is printed changes nothing of what is written.
    let all = try replay("--bots", "perfect:200", "--emit-results", "all.yaml", "--top", "all", "out.ts")
    #expect(all.status == 0 && all.lines.contains { $0.hasPrefix("           200 winners: ") && $0.hasSuffix(", perfect-99") })
    let sheets = try ["real.yaml", "all.yaml"].map { try String(contentsOf: scratch[$0], encoding: .utf8) }
    #expect(sheets[0] == sheets[1] && sheets[0].contains("perfect-10"))
    let none = try replay("--bots", "perfect:200", "--top", "0", "out.ts")
    #expect(none.lines.contains { $0.hasPrefix("           200 winners: ") })
    let many = try replay("--bots", "perfect:1010", "--top", "1", "out.ts")
    #expect(
      many.lines.contains {
        $0.hasPrefix("           1010 winners: perfect-1, ") && $0.hasSuffix(" and 10 more; --json names all")
          && $0.split(separator: ",").count == 1_000
      })
    #expect(try Command.cuelight("stamp", Broadcast.path, "--cues", "real.yaml", "-o", "real.ts", in: scratch.folder).status == 0)
  }

  @Test func aQuestionWithoutResultStaysPending() throws {
    let cues = Broadcast.cues.split(separator: "\n").filter { !$0.contains("showResults") }.joined(separator: "\n")
    _ = try scratch.write(cues, to: "lost.yaml")
    _ = try Command.cuelight("stamp", Broadcast.path, "--cues", "lost.yaml", "-o", "lost.ts", in: scratch.folder)
    _ = try scratch.write(Self.answers + "\n" + #"{"player":"ann","question":2,"answer":1,"time":1.5}"#, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "--top", "0", "lost.ts")
    #expect(
      replayed.lines.filter { $0.hasPrefix(" ") } == [
        "           Question 1: 1 · 2 of 5 players, 1 too late, 1 too early; no result has come, so nobody gets points for it",
        "           Nobody has won", "           and 5 more; --top all shows them",
      ])
    #expect(replayed.errors.hasSuffix("\nanswers.ndjson: 1 answer to question 2, which the stream does not have\n"))
    let emitted = try replay("--answers", "answers.ndjson", "--emit-results", "real.yaml", "lost.ts")
    #expect(emitted.status == 65)
    #expect(emitted.errors.hasSuffix("question 1 has no result in the stream, so its right answer is not known; nothing was written\n"))
    #expect(!scratch.names.contains("real.yaml"))
  }

  @Test func answersThatAQuestionDoesNotHaveAreTold() throws {
    let text = #"""
      {"player":"ann","question":1,"answer":1,"time":1.5}
      {"player":"ben","question":1,"answer":2,"time":1.5}
      {"player":"cat","question":1,"answer":300,"time":9}
      """#
    _ = try scratch.write(text, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "out.ts")
    #expect(replayed.status == 0)
    #expect(
      replayed.errors == """
        answers.ndjson:2: answer 2 to question 1, which has answers 0 to 1
        answers.ndjson:3: answer 300 to question 1, which has answers 0 to 1

        """)
    let many = (0..<25).map { _ in #"{"player":"ann","question":1,"answer":2,"time":1.5}"# }.joined(separator: "\n")
    _ = try scratch.write(many, to: "many.ndjson")
    let lines = try replay("--answers", "many.ndjson", "out.ts").errors.split(separator: "\n")
    #expect(lines.count == 21 && lines.last == "many.ndjson: 5 more of the answers to question 1 are none of those that it has")
  }

  /// Of 22 players with an answer more than is kept, twenty are named.
  @Test func answersBeyondWhatIsKeptAreTold() throws {
    func lines(_ player: String, _ count: Int) -> [String] {
      (0..<count).map { #"{"player":"\#(player)","question":1,"answer":\#($0 % 2),"time":\#(1 + Double($0) / 1_000)}"# }
    }
    _ = try scratch.write(lines("fid", 1_031).joined(separator: "\n"), to: "fid.ndjson")
    let replayed = try replay("--answers", "fid.ndjson", "out.ts")
    #expect(replayed.status == 0)
    #expect(replayed.errors == "fid.ndjson: 7 answers of fid to question 1 are beyond the 1024 that are kept\n")
    // The last one that is kept is the 1,024th.
    #expect(replayed.lines[4] == "           Question 1: 0 · 1 of 1 player, 7 refused")
    let many = (1...22).flatMap { lines("fid-\($0)", 1_025) }
    _ = try scratch.write(many.joined(separator: "\n"), to: "many.ndjson")
    let errors = try replay("--answers", "many.ndjson", "out.ts").errors.split(separator: "\n")
    #expect(errors.count == 21)
    #expect(errors.first == "many.ndjson: 1 answer of fid-1 to question 1 is beyond the 1024 that are kept")
    #expect(errors.last == "many.ndjson: 2 more players gave more answers to question 1 than are kept")
  }

  @Test func anotherSpellingIsToldOnceForAPlayer() throws {
    let names = ["Ann", "ann", " ANN ", "Ben", " Ben"] + (1...20).flatMap { ["p\($0)", "P\($0)"] }
    let text = names.map { #"{"player":"\#($0)","question":1,"answer":1,"time":1.5}"# }.joined(separator: "\n")
    _ = try scratch.write(text, to: "answers.ndjson")
    let errors = try replay("--answers", "answers.ndjson", "out.ts").errors.split(separator: "\n")
    #expect(errors.count == 21)
    #expect(errors.first == "answers.ndjson:2: ann is the same player as Ann")
    #expect(errors.last == "answers.ndjson: 1 more player is written in several ways")
  }

  /// The question is over at 3 s, its result comes at 4 s.
  @Test func scoreboardsNameWhoHasJoined() throws {
    let text = """
      {"player":"ann","question":1,"answer":1,"time":1.5}
      {"player":"ben","joinedAt":4.25}
      {"player":"zed","joinedAt":30}
      """
    _ = try scratch.write(text, to: "answers.ndjson")
    let replayed = try replay(
      "--answers", "answers.ndjson", "--scoring", "elimination", "--emit-results", "real.yaml", "out.ts")
    #expect(
      replayed.lines.filter { $0.hasPrefix(" ") } == [
        "           Question 1: 0 · 1 of 1 player", "           1  ann  1   1 right of 1 answered", "           Winner: ann",
        "           1  ann  1   1 right of 1 answered", "           2  ben  0   0 right of 0 answered",
      ])
    let sheet = try String(contentsOf: scratch["real.yaml"], encoding: .utf8)
    let results = sheet.split(separator: "showResults").last?.split(separator: "endGame").first
    #expect(results?.contains("ann") == true && results?.contains("ben") == false)
    #expect(sheet.contains("ben") && !sheet.contains("zed"))
  }

  @Test func mistakesInAnAnswerFileAreToldWithTheirLines() throws {
    let text = """
      {"player":"ann"}
      {"player":"ben","question":1}

      {"player":"ANN"}
      {"player":"","joinedAt":1}
      nothing
      """
    _ = try scratch.write(text, to: "answers.ndjson")
    let replayed = try replay("--answers", "answers.ndjson", "out.ts")
    #expect(
      replayed
        == Command.Outcome(
          status: 65, output: "",
          errors: """
            cuelight: answers.ndjson:2: "answer" is missing or wrong; write the index of an answer, from 0, a list of indices, a number, or a text of 1 to 64 characters
            cuelight: answers.ndjson:4: the nickname ANN is taken by ann; choose another
            cuelight: answers.ndjson:5: the nickname is empty; write at least one character that is no space
            cuelight: answers.ndjson:6: this is no JSON: a JSON value is expected here, such as null (at byte 1)

            """))
  }

  /// Two outputs under one name, also where the file is there already or the name is written in another way.
  @Test(arguments: [
    ["--emit-results", "x", "--record-answers", "x"], ["--emit-results", "x", "--record", "./x"],
    ["--record", "x", "--record-answers", "x"],
    ["--emit-results", "answers.ndjson", "--record-answers", "./answers.ndjson", "--force"],
  ])
  func outputsAreDifferentFiles(arguments: [String]) throws {
    _ = try scratch.write(Self.answers, to: "answers.ndjson")
    let names = scratch.names
    let outcome = try Command.run(Command.executable, ["replay", "--bots", "random:1"] + arguments + ["out.ts"], in: scratch.folder)
    #expect(outcome.status == 73 && outcome.output == "")
    #expect(outcome.errors.contains(": is another output too; choose different names for the outputs\n"))
    #expect(scratch.names == names)
  }

  @Test(arguments: ["--emit-results", "--record-answers", "--record"])
  func anOutputThatExistsIsSaidBeforeTheReplay(option: String) throws {
    _ = try scratch.write("precious", to: "x")
    let outcome = try replay("--bots", "random:1", option, "x", "out.ts")
    #expect(outcome == Command.Outcome(status: 73, output: "", errors: "cuelight: x: exists already; add --force to replace it\n"))
    let compared = try replay("--bots", "random:1", "--compare", "x", "--record-answers", "x", "--force", "out.ts")
    #expect(compared.status == 73 && compared.errors.contains("x: is an input too"))
  }

  @Test func wrongUsage() throws {
    _ = try scratch.write(#"{"player":"Random-1"}"#, to: "answers.ndjson")
    _ = try scratch.write(#"{"player":"Random-1","question":1,"answer":1,"time":3}"#, to: "person.ndjson")
    let cases: [([String], Int32, String)] = [
      (["--answers", "person.ndjson", "--bots", "random:2"], 65, "--bots: the nickname random-1 is taken by Random-1"),
      (["--seed", "5"], 64, "--seed is for bots"), (["--answers", "answers.ndjson", "--seed", "5"], 64, "--seed is for bots"),
      (["--bots", "random"], 64, "\"random\" lacks its number of bots"), (["--scoring", "right"], 64, "--scoring takes players"),
      (["--bots", "random:1", "--scoring", "left"], 64, "\"left\" is no rule"), (["--bots", "random:1", "--top", "-1"], 64, "--top"),
      (["--emit-results", "x.yaml"], 64, "--emit-results takes players"),
      (["--top", "3"], 64, "--top takes players"), (["--answers", "missing.ndjson"], 66, "missing.ndjson"),
      (["--answers", "answers.ndjson", "--bots", "random:1"], 65, "--bots: the nickname random-1 is taken by Random-1"),
      (["--bots", "random:1", "--emit-results", "out.ts"], 73, "out.ts: is an input too"), (["--force"], 64, "--force is for"),
      (["--bots", "random:1", "--emit-results", "-"], 64, "not standard output"),
      (["--bots", "random:1", "--record-answers", "-"], 64, "not standard output"), (["--record", "-"], 64, "not standard output"),
      (["--bots", "random:1", "--emit-results", "x.yaml", "--from", "2"], 64, "--emit-results takes the whole stream"),
    ]
    for (arguments, status, message) in cases {
      let outcome = try Command.run(Command.executable, ["replay"] + arguments + ["out.ts"], in: scratch.folder)
      #expect(outcome.status == status)
      #expect(outcome.errors.contains(message))
    }
    let both = try replay("--answers", "-", "-")
    #expect(both.status == 64 && both.errors.contains("Only one of the stream and the answers can come on standard input."))
  }
}

import Foundation
import Testing

@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct RoundTripTests {
  let scratch: Scratch

  init() throws { scratch = try .withStampedBroadcast() }

  @Test func stampSaysWhatItDid() throws {
    let scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    let stamped = try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "out.ts", in: scratch.folder)
    let expected = "out.ts: 5 events in 19 copies over 00:06.000\nSee the game: cuelight replay out.ts\n"
    #expect(stamped == Command.Outcome(status: 0, output: expected, errors: ""))
    #expect(scratch.names == ["cues.yaml", "out.ts"])
  }

  @Test func replayTellsTheGame() throws {
    let replayed = try Command.cuelight("replay", "out.ts", in: scratch.folder)
    let expected = """
      00:00.500  Test   1 question
      00:01.000  Question 1 of 1   One or two?   [1] One  [2] Two   2 s
      00:03.000  Time is up
      00:04.000  Answer: Two   1 · 2
      00:04.500  poll   {"options":["a","b"]}
      00:05.000  The game is over   Winner: Ada
      5 events seen, 14 repeats passed over

      """
    #expect(replayed == Command.Outcome(status: 0, output: expected, errors: ""))
    let piped = try Command.cuelight("replay", "-", input: Data(contentsOf: scratch["out.ts"]))
    #expect(piped == replayed)
  }

  @Test func joiningLateShowsWhatIsCurrent() throws {
    let replayed = try Command.cuelight("replay", "--from", "1.5", "out.ts", in: scratch.folder)
    #expect(
      replayed.lines.prefix(4) == [
        "00:02.000  Joined test after its beginning", "00:02.000  Test   1 question",
        "00:02.120  Question 1 of 1   One or two?   [1] One  [2] Two   2 s", "00:03.000  Time is up",
      ])
    #expect(replayed.status == 0)
  }

  @Test func inspectListsEveryCopy() throws {
    let inspected = try Command.cuelight("inspect", "out.ts", in: scratch.folder)
    #expect(inspected.status == 0)
    #expect(inspected.lines.count == 20)
    #expect(inspected.lines.last == "5 events in 19 copies, 0 other tags, 0 damaged places")
    #expect(inspected.lines.filter { $0.hasSuffix("  new") }.count == 5)
  }

  @Test func inspectPrintsOneObjectALine() throws {
    let inspected = try Command.cuelight("inspect", "--json", "out.ts", in: scratch.folder)
    let objects = try inspected.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: any Sendable] }
    #expect(objects.count == 19)
    let first = try #require(objects.first ?? nil)
    #expect(first["type"] as? String == "copy" && first["eventType"] as? String == "startGame" && first["carriage"] as? String == "ts")
    #expect(first["time"] as? Double == 0.5 && first["pts"] as? Int == 945_000 && first["pid"] as? Int == 258)
    #expect(first["verified"] as? Bool == true && first["duplicate"] as? Bool == false && first["sequence"] as? Int == 1)
  }

  @Test func replayPrintsOneObjectALine() throws {
    let replayed = try Command.cuelight("replay", "--json", "out.ts", in: scratch.folder)
    let objects = try replayed.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: any Sendable] ?? [:] }
    #expect(
      objects.compactMap { $0["transition"] as? String }
        == ["gameStarted", "questionAsked", "questionClosed", "resultsShown", "customEvent", "gameEnded"])
    let summary = #"{"type":"summary","events":5,"copies":19,"duplicates":14,"damaged":0,"lost":0,"conflicts":0,"phase":"ended"}"#
    #expect(replayed.lines.last == summary)
  }

  @Test func verifyPassesAndFails() throws {
    let passed = try Command.cuelight("verify", "out.ts", "--cues", "cues.yaml", in: scratch.folder)
    let expected = "out.ts: every event exactly once: 5 events in 19 copies, each exactly at its cue\n"
    #expect(passed == Command.Outcome(status: 0, output: expected, errors: ""))
    _ = try scratch.write(
      Broadcast.cues.replacingOccurrences(of: "counts: [1, 2]", with: "counts: [1, 3], guid: results"), to: "other.yaml")
    let failed = try Command.cuelight("verify", "out.ts", "--cues", "other.yaml", in: scratch.folder)
    #expect(failed.status == 1)
    #expect(failed.lines.first == "out.ts: showResults 3 at 00:04.000 (results): \"counts\" is [1,2] instead of [1,3]")
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "at: 00:04,", with: "at: 4.0004,"), to: "off.yaml")
    let off = try Command.cuelight("verify", "out.ts", "--cues", "off.yaml", in: scratch.folder)
    #expect(off.status == 1 && off.lines.count == 2)
    #expect(off.lines.last == "out.ts: 1 difference: 5 events in 19 copies, none more than 0.000400 s off its cue")
  }

  /// A test of client code in one line: what changed in the game is recorded, and compared with what changes later.
  @Test func aJournalTellsWhereAnotherRunDiffers() throws {
    let recorded = try Command.cuelight("replay", "--record", "journal.ndjson", "out.ts", in: scratch.folder)
    #expect(recorded.status == 0 && recorded.errors == "")
    let journal = try String(contentsOf: scratch["journal.ndjson"], encoding: .utf8)
    let replayed = try Command.cuelight("replay", "--json", "out.ts", in: scratch.folder)
    #expect(journal == replayed.lines.dropLast().map { $0 + "\n" }.joined())
    let again = try Command.cuelight("replay", "--record", "journal.ndjson", "out.ts", in: scratch.folder)
    #expect(again.status == 73 && again.errors == "cuelight: journal.ndjson: exists already; add --force to replace it\n")
    let same = try Command.cuelight("replay", "--compare", "journal.ndjson", "out.ts", in: scratch.folder)
    #expect(same.status == 0 && same.errors == "" && same.output == recorded.output)
    let changed = journal.replacingOccurrences(of: #""phase":"ended""#, with: #""phase":"asking""#)
    try changed.write(to: scratch["other.ndjson"], atomically: true, encoding: .utf8)
    let differing = try Command.cuelight("replay", "--compare", "other.ndjson", "out.ts", in: scratch.folder)
    #expect(differing.status == 1 && differing.errors == "other.ndjson: line 6: state.phase is \"ended\" instead of \"asking\"\n")
    _ = try scratch.write("{}\nnonsense\n", to: "broken.ndjson")
    let broken = try Command.cuelight("replay", "--compare", "broken.ndjson", "out.ts", in: scratch.folder)
    #expect(broken.status == 65 && broken.errors.hasPrefix("cuelight: broken.ndjson:2: no journal: "))
  }

  @Test func reportsNeverReplaceWhatIsRead() throws {
    let before = try Data(contentsOf: scratch["out.ts"])
    for arguments in [
      ["verify", "out.ts", "--cues", "cues.yaml", "--junit", "out.ts"], ["replay", "out.ts", "--record", "out.ts", "--force"],
    ] {
      let refused = try Command.run(Command.executable, arguments, in: scratch.folder)
      #expect(refused.status == 73 && refused.errors == "cuelight: out.ts: is an input too; choose another name for the output\n")
    }
    #expect(try Data(contentsOf: scratch["out.ts"]) == before)
  }

  @Test func realtimeTakesAsLongAsTheProgramme() throws {
    let start = ContinuousClock.now
    let replayed = try Command.cuelight("replay", "--realtime", "--from", "4.2", "out.ts", in: scratch.folder)
    #expect(ContinuousClock.now - start > .seconds(1))
    #expect(replayed.lines.contains("00:05.000  The game is over   Winner: Ada"))
  }

  /// On a terminal the question is drawn in place, with a countdown, and nothing of it stays behind.
  @Test func realtimeShowsACountdownOnATerminal() throws {
    let line = "script -qec \"'\(Command.executable.path)' replay --realtime --from 0.9 out.ts\" /dev/null"
    let played = try Command.shell(line, in: scratch.folder)
    #expect(played.status == 0)
    #expect(played.output.contains("One or two?"))
    for seconds in ["2 s", "1 s"] { #expect(played.output.contains("- \(seconds)") || played.output.contains("# \(seconds)")) }
    #expect(played.output.contains("\u{1B}[4A\u{1B}[J"))
  }

  @Test func aClosedPipeIsNoError() throws {
    // A pipe whose reader is gone before anything is written.
    let line = "mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; cuelight replay --json out.ts >&4; echo $?"
    let piped = try Command.shell(line, in: scratch.folder)
    #expect(piped == .init(status: 0, output: "0\n", errors: ""))
  }

  /// Only `--reproducible` gives the same seals in another run; a question that comes again shows nothing of the last time.
  @Test func theSameKeyGivesTheSameBytesIfAsked() throws {
    _ = try scratch.write(Self.goodKey, to: "key", permissions: 0o600)
    for (name, options) in [("a.ts", ["--reproducible"]), ("b.ts", ["--reproducible"]), ("c.ts", []), ("d.ts", [])] {
      let stamped = try Command.run(
        Command.executable, ["stamp", Broadcast.path, "--cues", "cues.yaml", "--seal-key", "key", "-o", name] + options, in: scratch.folder)
      #expect(stamped.status == 0 && stamped.errors == "")
    }
    let streams = try ["a.ts", "b.ts", "c.ts", "d.ts", "out.ts"].map { try Data(contentsOf: scratch[$0]) }
    #expect(streams[0] == streams[1] && Set(streams).count == 4 && Set(streams.map(\.count)).count == 1)
    for name in ["a.ts", "c.ts"] {
      let replayed = try Command.cuelight("replay", name, in: scratch.folder)
      #expect(replayed.status == 0 && !replayed.output.contains("seal"))
    }
    let keyless = try Command.cuelight(
      "stamp", Broadcast.path, "--cues", "cues.yaml", "--reproducible", "-o", "e.ts", in: scratch.folder)
    #expect(
      keyless
        == Command.Outcome(
          status: 64, output: "", errors: "cuelight: --reproducible takes a seal key: give --seal-key, or CUELIGHT_SEAL_KEY\n"))
  }

  private static let goodKey = "9f3c51e07ab846d21f0c7785e6a94b30d58e12f7630b9ac4417de2588b06fd93"

  @Test func keysThatAreNoSecretsGetAWarning() throws {
    _ = try scratch.write(String(repeating: "0f1e", count: 16), to: "pattern", permissions: 0o600)
    _ = try scratch.write(Self.goodKey, to: "open", permissions: 0o640)
    for (key, warning) in [
      ("pattern", "pattern: this seal key is easy to guess; take 32 random bytes, such as those of openssl rand -hex 32\n"),
      ("open", "open: others may read this seal key; keep it to yourself with chmod 600\n"),
    ] {
      let stamped = try Command.cuelight(
        "stamp", Broadcast.path, "--cues", "cues.yaml", "--seal-key", key, "-o", "\(key).ts", in: scratch.folder)
      #expect(stamped.status == 0 && stamped.errors == warning)
    }
  }

  @Test func openAnswersAreInTheClear() throws {
    let stamped = try Command.cuelight(
      "stamp", Broadcast.path, "--cues", "cues.yaml", "--open-answers", "-o", "open.ts", in: scratch.folder)
    #expect(stamped.status == 0)
    let replayed = try Command.cuelight("replay", "open.ts", in: scratch.folder)
    #expect(replayed.lines.contains("00:03.000  Time is up   Answer: Two"))
    #expect(try Command.cuelight("verify", "open.ts", "--cues", "cues.yaml", in: scratch.folder).status == 0)
  }

  @Test func aStreamIsNotStampedTwiceWithOneGame() throws {
    let again = try Command.cuelight("stamp", "out.ts", "--cues", "cues.yaml", "-o", "twice.ts", in: scratch.folder)
    #expect(again.status == 65 && again.output == "")
    #expect(again.errors.hasPrefix("cuelight: out.ts: at byte ") && again.errors.contains("an event of the game test already"))
    #expect(scratch.names == ["cues.yaml", "out.ts"])
    let onto = try Command.cuelight("stamp", "out.ts", "--cues", "cues.yaml", "-o", "./out.ts", "--force", in: scratch.folder)
    #expect(onto.status == 73 && onto.errors == "cuelight: ./out.ts: is an input too; choose another name for the output\n")
  }

  @Test func damageIsSaidInTheVerdict() throws {
    var stream = try Data(contentsOf: scratch["out.ts"])
    stream.append(Data(repeating: 1, count: 92))
    let verified = try Command.cuelight("verify", "-", "--cues", "cues.yaml", input: stream, in: scratch.folder)
    #expect(verified.status == 0)
    #expect(verified.output.hasPrefix("standard input: every event exactly once") && verified.output.hasSuffix(", 1 damaged place\n"))
  }

  @Test func aTransportStreamPassesThroughAndKeepsItsEvents() throws {
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "game: test", with: "game: second"), to: "second.yaml")
    let input = try Data(contentsOf: scratch["out.ts"])
    let again = try Command.cuelight("stamp", "-", "--cues", "second.yaml", "-o", "both.ts", input: input, in: scratch.folder)
    #expect(again.status == 0)
    for cues in ["cues.yaml", "second.yaml"] {
      let verified = try Command.cuelight("verify", "both.ts", "--cues", cues, in: scratch.folder)
      #expect(verified.status == 0)
      #expect(verified.output.contains("5 events of other games"))
    }
  }
}

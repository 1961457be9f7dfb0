import Foundation
import Seals
import TestSupport
import Testing

/// What goes wrong gives one clear line, the right status, and no half-written output.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct FailureTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    _ = try scratch.write("", to: "empty")
    _ = try scratch.write(String(repeating: "no stream, just text\n", count: 20_000), to: "text")
    var state: UInt32 = 1
    let noise = (0..<100_000).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    try Data(noise).write(to: scratch["random"])
  }

  static let inputs: [(name: String, status: Int32, message: String)] = [
    ("missing", 66, "cuelight: missing: no such file\n"),
    ("empty", 65, "cuelight: empty: the input is empty\n"),
    ("text", 65, "cuelight: text: no MPEG transport stream: this looks like text\n"),
    ("random", 65, "cuelight: random: no MPEG transport stream: no packets with a program association table were found\n"),
    (".", 65, "cuelight: .: is a folder, not a file\n"),
  ]

  @Test(arguments: inputs, [["inspect"], ["replay"], ["play"], ["verify", "--cues", "cues.yaml"]])
  func readersRefuse(input: (name: String, status: Int32, message: String), command: [String]) throws {
    let outcome = try Command.run(Command.executable, [command[0], input.name] + command.dropFirst(), in: scratch.folder)
    // A machine that takes seconds to find out, as under a sanitizer, has its player wait first.
    let output = command == ["play"] && outcome.output == "Waiting for the stream.\n" ? outcome.output : ""
    #expect(outcome == Command.Outcome(status: input.status, output: output, errors: input.message))
  }

  @Test(arguments: ["missing", "empty", "text", "random", "."]) func stampRefuses(input: String) throws {
    let before = scratch.names
    let outcome = try Command.cuelight("stamp", input, "--cues", "cues.yaml", "-o", "out.ts", in: scratch.folder)
    #expect(outcome.status == (input == "missing" ? 66 : 65))
    #expect(outcome.errors.hasPrefix("cuelight: \(input): ") && outcome.errors.split(separator: "\n").count == 1)
    #expect(scratch.names == before)
  }

  @Test func mistakesOfACueSheetHaveTheirPlaces() throws {
    let cues = try scratch.write(
      "game: g\ncues:\n  - { at: 1, event: startGame, titel: x }\n  - { at: 99, event: endGame }\n", to: "wrong.yaml")
    let wrong = try Command.cuelight("stamp", Broadcast.path, "--cues", "wrong.yaml", "-o", "out.ts", in: scratch.folder)
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("wrong.yaml:3:32: ") && wrong.errors.contains("title"))
    _ = cues
    #expect(wrong.errors.contains("wrong.yaml:4:5: the endGame at 01:39.000 is outside the programme, which ends at 00:06.000"))
    _ = try scratch.write("game: g\ntitle: t\ncues:\n  - { at: 1, event: startGame }\n  - { at: 99, event: endGame }\n", to: "late.yaml")
    let late = try Command.cuelight("stamp", Broadcast.path, "--cues", "late.yaml", "-o", "out.ts", in: scratch.folder)
    #expect(late.status == 65)
    #expect(late.errors.contains("late.yaml:5:5: the endGame at 01:39.000 is outside the programme, which ends at 00:06.000"))
    #expect(!scratch.names.contains("out.ts"))
  }

  @Test func outputsAreNotReplacedUnasked() throws {
    _ = try scratch.write("precious", to: "out.ts")
    let refused = try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "out.ts", in: scratch.folder)
    #expect(refused == .init(status: 73, output: "", errors: "cuelight: out.ts: exists already; add --force to replace it\n"))
    #expect(try String(contentsOf: scratch["out.ts"], encoding: .utf8) == "precious")
    #expect(try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "out.ts", "--force", in: scratch.folder).status == 0)
  }

  @Test func unwritableAndFullOutputsAreSaid() throws {
    let missing = try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "no/out.ts", in: scratch.folder)
    #expect(missing.status == 73)
    try FileManager.default.createSymbolicLink(atPath: scratch["full.ts"].path, withDestinationPath: "/dev/full")
    let full = try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "full.ts", "--force", in: scratch.folder)
    #expect(full == .init(status: 74, output: "", errors: "cuelight: full.ts: cannot be written: No space left on device\n"))
  }

  @Test(arguments: [
    ["stamp"], ["nonsense"], ["stamp", "a.mp4", "--cues", "cues.yaml", "-o", "out.mkv"],
    ["stamp", "a.mp4", "--cues", "cues.yaml", "-o", "out.ts", "--copies", "0"],
    ["stamp", "a.mp4", "--cues", "cues.yaml", "-o", "out.ts", "--refresh", "soon"],
    ["stamp", "a.mp4", "--cues", "cues.yaml", "-o", "out.ts", "--max-tag-size", "70000"],
    ["stamp", "a.mp4", "--cues", "cues.yaml", "-o", "out.ts", "--open-answers", "--seal-key", "key"],
    ["replay", "a.ts", "--from", "never"], ["verify", "a.ts"], ["verify", "a.ts", "--cues", "cues.yaml", "--tolerance", "x"],
  ])
  func wrongUsageIs64(arguments: [String]) throws {
    let outcome = try Command.run(Command.executable, arguments, in: scratch.folder)
    #expect(outcome.status == 64)
    #expect(outcome.output == "" && outcome.errors.hasPrefix("Error: "))
  }

  @Test(arguments: ["stamp", "inspect", "replay", "verify"]) func everySubcommandHasHelpWithAnExample(command: String) throws {
    let help = try Command.cuelight(command, "--help")
    #expect(help.status == 0 && help.output.contains("Example:\n  cuelight \(command) "))
  }

  @Test func standardInputThatIsAFileOrClosed() throws {
    let outcome = try Command.shell("(cuelight inspect -; wc -c) < cues.yaml; cuelight inspect - <&-; echo $?", in: scratch.folder)
    #expect(outcome.lines == ["0", "74"])
    #expect(outcome.errors.hasSuffix("cuelight: standard input: Bad file descriptor\n"))
  }

  /// Four pictures, each of which stands for 15 s: in fragmented MP4 they have durations, in a transport stream the clock seems to jump.
  @Test func picturesFarApartAreNoTransportStream() throws {
    let slides = Workshop.file(
      "slides.mp4", "-f lavfi -i testsrc2=size=160x90:rate=1/15 -t 60 -c:v libx264 -g 1 -pix_fmt yuv420p -video_track_timescale 90000")
    for output in ["out.ts", "out.m3u8"] {
      let refused = try Command.cuelight("stamp", slides, "--cues", "cues.yaml", "-o", output, in: scratch.folder)
      let reason =
        "no frame follows that at 00:00.000 for 15 s, and MPEG-TS allows 10 s: readers would take that for a jump of the clock; "
        + "write HLS with fragmented MP4, or encode it with more frames"
      #expect(refused == .init(status: 65, output: "", errors: "cuelight: \(slides): \(reason)\n"))
    }
    #expect(!scratch.names.contains { $0.hasPrefix("out") })
    let line = "cuelight stamp '\(slides)' --cues cues.yaml --segment-type fmp4 -o out.m3u8 && cuelight verify out.m3u8 --cues cues.yaml"
    #expect(try Command.shell(line, in: scratch.folder).status == 0)
  }

  @Test func notAllOfManyMistakesAreTold() throws {
    let cues = (1...250).map { "  - { at: \(1_000 + $0), event: poll }\n" }.joined()
    _ = try scratch.write("game: g\ntitle: T\ncues:\n" + cues, to: "wrong.yaml")
    let outcome = try Command.cuelight("stamp", Broadcast.path, "--cues", "wrong.yaml", "-o", "out.ts", in: scratch.folder)
    let errors = outcome.errors.split(separator: "\n")
    #expect(outcome.status == 65 && errors.count == 101)
    #expect(errors.last == "cuelight: wrong.yaml: 150 more mistakes")
    // Alike mistakes are told once.
    let alike = (1...250).map { "  - { at: \($0), evnt: x }\n" }.joined()
    _ = try scratch.write("game: g\ntitle: T\ncues:\n" + alike, to: "alike.yaml")
    let counted = try Command.cuelight("stamp", Broadcast.path, "--cues", "alike.yaml", "-o", "out.ts", in: scratch.folder)
    let line = #"cuelight: alike.yaml:4:5: 250 lines: "event" is missing in this cue; add it (first: line 4)"# + "\n"
    #expect(counted == .init(status: 65, output: "", errors: line))
  }

  /// Interrupted while the input is still coming (the shell keeps the pipe open): status 130, and the folder is as it was.
  ///
  /// A shell without job control lets its background jobs ignore SIGINT, so SIGTERM stands for Control-C; both are handled alike.
  @Test func interruptingLeavesNothingBehind() throws {
    let stream = try Command.cuelight("stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "source.ts", in: scratch.folder)
    #expect(stream.status == 0)
    let before = scratch.names
    let line = """
      mkfifo pipe; exec 3<>pipe; cat source.ts >&3 & writer=$!
      '\(Command.executable.path)' stamp - --cues cues.yaml -o out.ts < pipe & stamper=$!
      until ls -A | grep -q '^\\.cuelight' || ! kill -0 $stamper; do :; done
      kill -TERM $stamper; wait $stamper; echo $?
      kill -KILL $writer 2> /dev/null; rm pipe
      """
    let outcome = try Command.shell(line, in: scratch.folder)
    #expect(outcome.lines.first == "130")
    #expect(outcome.errors.contains("cuelight: interrupted; nothing was written"))
    #expect(scratch.names == before)
  }

  @Test func badSealKeysAreRefusedWithoutPrintingThem() throws {
    _ = try scratch.write("too short a secret", to: "key")
    let outcome = try Command.cuelight(
      "stamp", Broadcast.path, "--cues", "cues.yaml", "-o", "out.ts", "--seal-key", "key", in: scratch.folder)
    #expect(outcome.status == 65 && outcome.errors.hasPrefix("cuelight: key: ") && !outcome.errors.contains("secret a"))
    #expect(!outcome.errors.contains("too short a secret"))
  }
}

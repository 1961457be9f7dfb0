import Foundation
import Testing

/// What a new user does wrong is said, with what to do instead.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct AdviceTests {
  private let scratch: Scratch
  private static let quiz = "id: quiz\nquestions:\n  - { question: Which?, answers: [A, B], correct: A }\n"

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    _ = try scratch.write(Self.quiz, to: "quiz.yaml")
    try FileManager.default.copyItem(atPath: Broadcast.path, toPath: scratch["show.mp4"].path)
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  private func ffmpeg(_ line: String) throws {
    let outcome = try Command.shell("ffmpeg -v error \(line)", in: scratch.folder)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// Cues that were stamped later, as those of a file whose edit list hides its start.
  @Test func theOffsetOfTheCues() throws {
    for (options, output) in [("", "later.ts"), ("--segment-type fmp4", "later/index.m3u8")] {
      #expect(try run("stamp show.mp4 --cues cues.yaml --offset 0.48 \(options) -o \(output)").status == 0)
      let verified = try run("verify \(output) --cues cues.yaml")
      #expect(verified.status == 1)
      #expect(verified.lines.first == "\(output): all events are 0.480 s late")
      #expect(verified.lines.contains("\(output): if the stream is meant to be so, verify it with --offset +0.48"))
      #expect(try run("verify \(output) --cues cues.yaml --offset 0.48").status == 0)
    }
  }

  /// The second frame of sound is presented before the first one.
  @Test func theFirstFrameIsNotPresentedFirst() throws {
    try ffmpeg("-i show.mp4 -map 0:a -c copy -use_editlist 0 plain.m4a")
    try Data(Self.delayingFirstSample([UInt8](Data(contentsOf: scratch["plain.m4a"])))).write(to: scratch["sound.m4a"])
    for (options, output) in [("", "sound.ts"), ("--segment-type fmp4", "sound/index.m3u8"), ("", "ts/index.m3u8")] {
      #expect(try run("stamp sound.m4a --cues cues.yaml \(options) -o \(output)").status == 0)
      let verified = try run("verify \(output) --cues cues.yaml")
      #expect(verified.status == 0, "\(verified.output)")
    }
  }

  /// A movie whose `moov` is its last box, with a composition offset of three frames of AAC for the first sample alone.
  private static func delayingFirstSample(_ bytes: [UInt8]) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    var output: [UInt8] = []
    var position = 0
    while position + 8 <= bytes.count {
      let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
      guard size >= 8, position + size <= bytes.count else { break }
      var content = Array(bytes[position + 8..<position + size])
      let hasTable = type == "stbl"
      if hasTable || ["moov", "trak", "mdia", "minf"].contains(type) { content = delayingFirstSample(content) }
      if hasTable {
        content += number(32)
        content += Array("ctts".utf8)
        for value: Int in [0, 2, 1, 3_072, 0x7FFF_FFFF, 0] { content += number(value) }
      }
      output += number(content.count + 8)
      output += Array(type.utf8)
      output += content
      position += size
    }
    return output
  }

  @Test func aStreamWithoutTimedID3() throws {
    try ffmpeg("-i show.mp4 -c copy plain.ts")
    let doctor = try run("doctor plain.ts")
    #expect(doctor.status == 1 && doctor.errors == "")
    #expect(doctor.lines.prefix(2) == ["This is MPEG-TS, without timed ID3.", "No player sees an event: there is none."])
    let finding = doctor.lines.first { $0.hasPrefix("error    ") }
    #expect(finding?.hasPrefix("error    EVENT-NO-TAGS  plain.ts: no timed ID3; the stream has ") == true)
    #expect(finding?.contains("FFmpeg 6.1 or newer copy all streams (`-map 0 -c copy`)") == true && finding?.contains("on PID 256") == true)
    #expect(doctor.lines.last == "plain.ts: 1 error, 0 warnings, 0 notes; no timed ID3")
    let verified = try run("verify plain.ts --cues cues.yaml")
    #expect(verified.status == 1 && verified.errors.hasPrefix("plain.ts: no timed ID3 found; the stream has "))
    #expect(verified.lines.first == "plain.ts: all 5 events are missing")
    // Without an event there is nothing to read: the status says so too.
    #expect(try run("inspect plain.ts") == .init(status: 1, output: "", errors: verified.errors))
    #expect(try run("inspect --json plain.ts") == .init(status: 1, output: "", errors: verified.errors))
    #expect(try run("inspect --no-game plain.ts") == .init(status: 0, output: "", errors: verified.errors))
    let healthy = try run("doctor --no-game plain.ts")
    #expect(healthy.status == 0 && healthy.lines.last == "plain.ts: 0 errors, 0 warnings, 0 notes; no timed ID3")
    let said = verified.errors.replacingOccurrences(of: "no timed ID3 found", with: "no game events found")
    #expect(try run("replay plain.ts") == .init(status: 1, output: "", errors: said))
    let replayed = try run("replay --json plain.ts")
    #expect(replayed.status == 1 && replayed.errors == said && replayed.lines.count == 1)
  }

  @Test(arguments: [
    ("--program 1", "so there is no program to choose; leave --program out"),
    ("--constant-rate", "so there is no constant rate to keep; leave --constant-rate out"),
    ("--remux", "and is muxed anew in any case; leave --remux out"),
  ]) func choicesThatDoNotApply(option: String, reason: String) throws {
    let before = scratch.names
    let outcome = try run("stamp show.mp4 --cues cues.yaml -o out.ts \(option)")
    #expect(outcome == .init(status: 64, output: "", errors: "cuelight: show.mp4: is no transport stream, \(reason)\n"))
    #expect(scratch.names == before)
  }

  /// Where the beginning was cut, one line says by how much.
  @Test func aCutBeginning() throws {
    #expect(try run("stamp show.mp4 --cues cues.yaml -o out.ts").status == 0)
    let bytes = try Data(contentsOf: scratch["out.ts"])
    // Behind the first key frame, and before the second.
    try bytes.dropFirst(188 * 40).write(to: scratch["cut.ts"])
    let outcome = try run("verify cut.ts --cues cues.yaml")
    #expect(outcome.status == 1)
    #expect(
      outcome.lines[0].hasPrefix("cut.ts: all ") && outcome.lines[0].hasSuffix(" s early: was the beginning cut?"), "\(outcome.output)")
    #expect(!outcome.output.contains("too early"))
  }

  /// Sound without a container is named for what it is.
  @Test(arguments: [("aac", "AAC without a container"), ("ac3", "AC-3 without a container"), ("eac3", "E-AC-3 without a container")])
  func rawSound(codec: String, name: String) throws {
    try ffmpeg("-i show.mp4 -vn -c:a \(codec) sound.\(codec)")
    let outcome = try run("inspect sound.\(codec)")
    #expect(
      outcome.status == 65 && outcome.errors.hasPrefix("cuelight: sound.\(codec): no MPEG transport stream: this looks like \(name); "))
  }

  @Test func anotherGame() throws {
    #expect(try run("stamp show.mp4 --cues cues.yaml -o out.ts").status == 0)
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "game: test", with: "game: fast"), to: "fast.yaml")
    let outcome = try run("verify out.ts --cues fast.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.lines.first == #"out.ts: the stream carries the game "test", the cue sheet is for "fast""#)
  }

  @Test func muchDamageIsSummedUp() throws {
    #expect(try run("stamp show.mp4 --cues cues.yaml -o out.ts").status == 0)
    // As FFmpeg before 6.1 does: the first five bytes of each tag are missing, here by an identifier that is none.
    var bytes = [UInt8](try Data(contentsOf: scratch["out.ts"]))
    var count = 0
    for start in bytes.indices.dropLast(5) where Array(bytes[start..<start + 4]) == [0x49, 0x44, 0x33, 4] {
      bytes[start] = 0x58
      count += 1
    }
    try Data(bytes).write(to: scratch["cut.ts"])
    let outcome = try run("verify cut.ts --cues cues.yaml")
    let errors = outcome.errors.split(separator: "\n").map(String.init)
    #expect(outcome.status == 1 && count > 6)
    #expect(errors.count == 7 && errors[0].hasSuffix(": no ID3 tag where one should start"))
    #expect(errors[5] == "cut.ts: \(count - 5) more places like this: no ID3 tag where one should start")
    #expect(errors[6].hasPrefix("cut.ts: no timed ID3 found; the stream has "))
    // The other commands name as many places.
    let inspected = try run("inspect cut.ts")
    #expect(inspected.status == 0 && inspected.errors == errors[...5].map { $0 + "\n" }.joined())
    #expect(inspected.output == "0 events in 0 copies, 0 other tags, \(count) damaged places\n")
    let replayed = try run("replay cut.ts")
    let said = errors[6].replacingOccurrences(of: "no timed ID3 found", with: "no game events found")
    #expect(replayed.status == 1 && replayed.errors.split(separator: "\n").map(String.init) == errors[...5] + [said])
  }

  @Test(arguments: [("missing.ts", "cues.yaml", 66), ("show.mp4", "cues.yaml", 65), ("missing.ts", "quiz.yaml", 65)])
  func reportsOfWhatCouldNotBeChecked(input: String, cues: String, status: Int32) throws {
    _ = try scratch.write("old and green", to: "report.xml")
    #expect(try run("verify \(input) --cues \(cues) --junit report.xml --force").status == status)
    let xml = try String(contentsOf: scratch["report.xml"], encoding: .utf8)
    #expect(xml.contains(#"tests="1" failures="0" errors="1""#) && xml.contains(#"<error type="status \#(status)" message=""#))
  }

  @Test func filesOfTheOtherKind() throws {
    let sheet = try run("stamp show.mp4 --cues quiz.yaml -o out.ts")
    let message = "quiz.yaml:2:1: this is a quiz file: make a cue sheet of it with cuelight plan\n"
    #expect(sheet == .init(status: 65, output: "", errors: "cuelight: \(message)"))
    let bank = try run("plan cues.yaml -o planned.yaml")
    #expect(bank.status == 65 && bank.errors.contains("this is a cue sheet, not a quiz file: it is complete, and cuelight stamp takes it"))
    let video = try run("replay show.mp4")
    #expect(video.status == 65 && video.errors.hasSuffix("; stamp it first: cuelight stamp show.mp4 --cues CUES -o OUTPUT.ts\n"))
  }

  /// Outputs that cannot be, one input that is read twice, and inputs of another kind.
  @Test(arguments: [
    ("stamp show.mp4 --cues cues.yaml -o none/out.ts", 73, "cuelight: none/out.ts: there is no folder none; make it first"),
    ("plan quiz.yaml -o none/deep/show.yaml", 73, "cuelight: none/deep/show.yaml: there is no folder none/deep; make it first"),
    ("plan quiz.yaml -o folder", 73, "cuelight: folder: is a folder; name a file in it"),
    ("verify - --cues - < cues.yaml", 64, "Error: Standard input (-) can be read once."),
    ("stamp - --cues - -o out.ts < cues.yaml", 64, "Error: Standard input (-) can be read once."),
    ("plan quiz.yaml --fit cues.yaml -o -", 65, "cuelight: cues.yaml: FFmpeg reads no video in it; --fit takes the video of the show"),
    (
      "stamp - --cues cues.yaml -o out.ts < show.mp4", 65,
      "cuelight: standard input is no transport stream; other formats are read from files only"
    ),
    ("shift quiz.yaml --by 1 -o -", 65, "cuelight: quiz.yaml:2:1: this is a quiz file: make a cue sheet of it with cuelight plan"),
  ]) func whatCannotBe(line: String, status: Int32, message: String) throws {
    try FileManager.default.createDirectory(at: scratch["folder"], withIntermediateDirectories: true)
    let before = scratch.names
    let outcome = try run(line)
    #expect(
      outcome.status == status && outcome.output == "" && outcome.errors.split(separator: "\n").first.map(String.init) == message,
      "\(outcome)")
    #expect(scratch.names == before)
  }

  @Test func captionsOnStandardOutput() throws {
    let captions = try run("captions cues.yaml -o -")
    #expect(captions.status == 0 && captions.output.hasPrefix("WEBVTT\n") && captions.errors == "")
  }

  @Test(arguments: ["0", "-1", "3601"]) func secondsOfBench(seconds: String) throws {
    let executable = Command.executable.deletingLastPathComponent().appendingPathComponent("cuelight-bench")
    let outcome = try Command.run(executable, ["--seconds", seconds])
    #expect(outcome.status == 64 && outcome.errors.contains("--seconds takes a number above 0, and 3600 at most, not \(seconds)"))
  }

  @Test func helpSaysEveryStatus() throws {
    let help = try run("--help").output
    for status in ["0", "1", "64", "65", "66", "69", "73", "74", "130"] { #expect(help.contains("\(status) ")) }
    #expect(try run("verify --help").output.contains("--force"))
  }

  /// Examples can be copied as they stand: none is wrapped in its middle.
  @Test(arguments: [
    "questions", "questions fetch", "questions lint", "plan", "lint", "shift", "captions", "stamp", "extract", "strip", "repair", "inspect",
    "replay", "play", "verify", "doctor",
  ]) func examplesFit(command: String) throws {
    let help = try run("\(command) --help").output.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(help.firstIndex { $0.hasPrefix("Example") })
    let examples = help[(start + 1)...].prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    var goesOn = false
    for line in examples {
      #expect(line.count <= 78 && line.hasPrefix(goesOn ? "    " : "  cuelight "), "\(line)")
      goesOn = line.hasSuffix("\\")
    }
  }
}

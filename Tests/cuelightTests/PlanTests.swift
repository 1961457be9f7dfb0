import Foundation
import Testing

/// `cuelight plan`: from questions to a cue sheet that stamps.
@Suite struct PlanTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Self.bank, to: "bank.yaml")
  }

  static let bank = """
    id: friday
    title: Friday Night
    questions:
      - { question: One?, answers: [a, b, c], correct: b, category: Art, difficulty: easy, points: [1, 2, 3] }
      - { question: Two?, answers: [True, False], correct: True, category: Maths, difficulty: hard }
      - { question: Three?, answers: [x, y], correct: y, category: Art, explanation: So it is., link: "https://example.com" }

    """

  private func plan(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["plan", "bank.yaml"] + arguments, in: scratch.folder)
  }

  @Test func aPlan() throws {
    let outcome = try plan("-o", "show.yaml", "--seed", "2", "--order", "easy-to-hard", "--info-interval", "40", "--viewers", "12")
    #expect(
      outcome
        == Command.Outcome(
          status: 0,
          output: """
            show.yaml: 3 questions, one every 00:30.000, 9 events until 01:29.000
            Stamp it: cuelight stamp VIDEO --cues show.yaml -o show.ts

            """, errors: ""))
    let text = try String(contentsOf: scratch["show.yaml"], encoding: .utf8)
    #expect(
      text.hasPrefix(
        """
        # Made by cuelight plan: 3 of 3 questions of bank.yaml
        # (order easy-to-hard, seed 2, a question every 30 s).
        # Change what you like; cuelight stamp takes it as it is.
        game: friday
        title: Friday Night
        defaults: { allottedTime: 10 }
        cues:
          - { at: 00:00.000, event: startGame, startsIn: 10 }

        """))
    #expect(text.contains("  - { at: 00:50.000, event: periodicInfo, viewers: 12 }\n") && text.contains("url: \"https://example.com\"\n"))
    // The head names files, not folders, which say something of one machine alone.
    _ = try scratch.write("question,correct,wrong\nQ,a,b\n", to: "one.csv")
    let one = try Command.cuelight("plan", scratch["one.csv"].path, "-o", "-", in: scratch.folder)
    #expect(
      one.output.hasPrefix("# Made by cuelight plan: 1 of 1 question of one.csv\n# (order as-given, a question every 30 s).\n# Change "))
    let again = try plan("-o", "-", "--seed", "2", "--order", "easy-to-hard", "--info-interval", "40", "--viewers", "12")
    #expect(again.output == text && again.errors.isEmpty)
  }

  @Test func refusals() throws {
    let cases: [([String], Int32, String)] = [
      (["--number", "4"], 65, "cuelight: 4 questions are wanted, and there are 3 of this kind; ask for fewer, or give more banks\n"),
      (
        ["--category", "Poetry"], 65,
        "cuelight: none of the 3 questions has the category \"Poetry\"; the categories are \"Art\", \"Maths\"\n"
      ),
      (
        ["--interval", "5"], 65,
        "cuelight: an interval of 00:05.000 is too short: with the time for answers, the delay and the result a question takes 00:14.000; "
          + "write at least that\n"
      ),
    ]
    for (arguments, status, message) in cases {
      let outcome = try Command.run(Command.executable, ["plan", "bank.yaml", "-o", "out.yaml"] + arguments, in: scratch.folder)
      #expect(outcome == Command.Outcome(status: status, output: "", errors: message))
    }
    for arguments in [
      ["--avoid", "5"], ["--avoid", "9-8"], ["--number", "0"], ["--order", "x"], ["--start", "x"], ["--interval", "0"],
      ["--viewers", "-1", "--info-interval", "5"], ["--viewers", "5"],
      ["--type", "x"], ["--difficulty", "x"], ["--start", "999999999"],
    ] {
      #expect(
        try Command.run(Command.executable, ["plan", "bank.yaml", "-o", "out.yaml"] + arguments, in: scratch.folder).status == 64,
        "\(arguments)")
    }
    let json = try plan("-o", "out.json")
    #expect(json.status == 64 && json.errors.contains("name that ends in .yaml, which out.json does not"))
    let twice = try Command.cuelight("plan", "bank.yaml", "bank.yaml", "-o", "twice.yaml", in: scratch.folder)
    #expect(twice.output.hasPrefix("twice.yaml: 3 questions, "))
    #expect(twice.errors == "3 questions are there twice and left out once; cuelight questions lint says where\n")
    #expect(try plan("-o", "bank.yaml", "--force").status == 73 && !scratch.names.contains("out.yaml"))
    #expect(
      try plan("-o", "out.yaml", "--fit", "missing.mp4")
        == Command.Outcome(status: 66, output: "", errors: "cuelight: missing.mp4: no such file\n"))
    _ = try scratch.write("question,correct,wrong\nQ,a\n", to: "wrong.csv")
    let wrong = try Command.cuelight("plan", "bank.yaml", "wrong.csv", "-o", "out.yaml", in: scratch.folder)
    #expect(
      wrong == Command.Outcome(status: 65, output: "", errors: "cuelight: wrong.csv:2:1: a question has 2 to 12 answers, this one has 1\n"))
  }

  /// Control-C ends it, also while FFmpeg waits for the video: the pipe is open, and nothing comes.
  @Test(.enabled(if: Broadcast.isAvailable, "ffmpeg reads the video")) func interrupted() throws {
    let line = """
      mkfifo video; '\(Command.executable.path)' plan bank.yaml --fit video -o out.yaml & plan=$!
      exec 3>video; kill -TERM $plan; wait $plan; echo $?; rm video
      """
    let outcome = try Command.shell(line, in: scratch.folder)
    #expect(outcome == .init(status: 0, output: "130\n", errors: "cuelight: interrupted\n"))
  }

  @Test(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) func fitsAVideoAndStamps() throws {
    let times = ["--allotted-time", "1", "--result-delay", "0.5", "--start", "0"]
    func planned(_ arguments: [String]) throws -> Command.Outcome {
      try Command.run(
        Command.executable, ["plan", "bank.yaml", "-o", "out.yaml", "--force", "--fit", Broadcast.path] + times + arguments,
        in: scratch.folder)
    }
    // Six seconds hold no question and the five seconds of its result.
    let refused = try planned(["--number", "1"])
    #expect(refused.status == 65 && !scratch.names.contains("out.yaml"))
    #expect(
      refused.errors.hasPrefix("cuelight: \(Broadcast.path): 1 question needs 00:09.500, and the programme has 00:06.0")
        && refused.errors.hasSuffix(" too much; none fits\n"))
    _ = try scratch.write("", to: "empty.txt")
    #expect(try Command.shell("cuelight plan bank.yaml -o out.yaml --fit empty.txt", in: scratch.folder).status == 65)
    // A video of 18 seconds holds three.
    let video = "ffmpeg -v error -f lavfi -i testsrc2=size=160x90:rate=25 -t 18 -c:v libx264 -g 25 long.mp4"
    #expect(try Command.shell(video, in: scratch.folder).status == 0)
    let line =
      "cuelight plan bank.yaml --fit long.mp4 \(times.joined(separator: " ")) -o show.yaml && cuelight stamp long.mp4 --cues show.yaml -o show.ts"
    let stamped = try Command.shell(line, in: scratch.folder)
    #expect(stamped.status == 0 && stamped.output.hasPrefix("show.yaml: 1 of 3 questions, one every "))
    #expect(stamped.output.contains("\n2 do not fit; 3 fit at an interval of 3.5 s: write --interval 3.5\nStamp it: "))
    let spread = line.replacing("--fit", with: "--number 3 --force --fit").replacing("-o show.ts", with: "-o three.ts")
    let three = try Command.shell("\(spread) && cuelight verify three.ts --cues show.yaml", in: scratch.folder)
    #expect(three.status == 0 && three.output.hasPrefix("show.yaml: 3 questions, one every 00:04.000, 8 events until 00:16.500\n"))
  }
}

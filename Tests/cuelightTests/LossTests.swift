import Foundation
import Testing

/// `verify` through losses, its reports and its sweeps.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct LossTests {
  let scratch: Scratch

  init() throws {
    scratch = try .withStampedBroadcast()
  }

  @discardableResult private func run(_ line: String) throws -> Command.Outcome {
    try Command.shell("cuelight \(line) --cues cues.yaml", in: scratch.folder)
  }

  @Test func theSameSeedLosesTheSame() throws {
    let first = try run("verify out.ts --drop-packets 20% --seed 7 --json")
    #expect(first == (try run("verify out.ts --drop-packets 0.2 --seed 7 --json")))
    #expect(first != (try run("verify out.ts --drop-packets 0.2 --seed 8 --json")))
    #expect(first.lines.last?.hasPrefix(#"{"type":"summary","passed":"#) == true)
  }

  @Test func severalSeeds() throws {
    let few = try run("verify out.ts --drop-packets 0.5% --runs 30")
    #expect(few.status == 0 && few.errors == "" && few.lines.count == 1)
    #expect(few.output.hasPrefix("out.ts: no event lost in 30 runs: known after 0.000 s (half), "))
    let many = try run("verify out.ts --drop-burst 40:0.6 --runs 10 --seed 3")
    #expect(many.status == 1 && many.errors == "")
    #expect(many.lines.dropLast().allSatisfy { $0.hasPrefix("out.ts (seed ") } && many.lines.count > 1)
    #expect(many.lines.last?.contains(" of 50 events lost") == true)
  }

  @Test func aRangeThatHoldsAnEvent() throws {
    let lost = try run("verify out.ts --drop-range 3.9s..5s --table")
    #expect(lost.status == 1)
    #expect(lost.lines.first?.contains("showResults 3 at 00:04.000") == true && lost.lines.first?.contains("is missing") == true)
    #expect(lost.lines.contains { $0.hasPrefix("showResults 3") && $0.hasSuffix("missing") })
    #expect(try run("verify out.ts --drop-range 1s..1.9s").status == 0)
  }

  @Test func otherDamage() throws {
    #expect(try run("verify out.ts --duplicate").status == 0)
    #expect(try run("verify out.ts --reorder --flip-bits 0.0000001 --runs 5").status == 0)
    #expect(try run("verify out.ts --flip-bits 0.01").status == 1)
  }

  /// A whole game within one of six segments: any two neighbours may be lost.
  @Test(arguments: ["ts", "fmp4"]) func anyTwoNeighbours(type: String) throws {
    let cues = """
      game: test
      title: Test
      cues:
        - { at: 1.2, event: startGame }
        - { at: 1.3, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 0.2 }
        - { at: 1.4, event: periodicInfo, viewers: 1 }
        - { at: 1.5, event: periodicInfo, viewers: 2 }
        - { at: 1.6, event: showResults, counts: [1, 2] }
        - { at: 1.9, event: endGame, winners: [Ada] }
      """
    _ = try scratch.write(cues, to: "cues.yaml")
    #expect(try run("stamp '\(Broadcast.path)' -o hls/index.m3u8 --segment-duration 1 --segment-type \(type)").status == 0)
    for (series, runs) in [("all", 6), ("pairs", 5)] {
      let lost = try run("verify hls/index.m3u8 --drop-segment \(series)")
      #expect(lost.status == 0 && lost.errors == "" && lost.output.hasPrefix("hls/index.m3u8: no event lost in \(runs) runs: "))
    }
    _ = try run("verify hls/index.m3u8 --drop-segment pairs --junit report.xml")
    #expect(try String(contentsOf: scratch["report.xml"], encoding: .utf8).contains(#"name="without segments 4 and 5""#))
    #expect(try run("verify hls/index.m3u8 --copies \(type == "ts" ? 3 : 1) --refresh 2").status == 0)
    // A question that the viewer learns of after its time is not asked.
    let joined = try Command.cuelight("replay", "--json", "--from", "2", "hls/index.m3u8", in: scratch.folder)
    #expect(joined.status == 0 && !joined.output.contains("questionAsked"))
    #expect(joined.lines.last?.contains(#""events":6,"#) == true)
    // The doctor, too, does not take an event for active that is over and of which it sees only the refreshes.
    var lines = try String(contentsOf: scratch["hls/index-media.m3u8"], encoding: .utf8).components(separatedBy: "\n")
    for name in ["segment-00000", "segment-00001"] {
      let index = try #require(lines.firstIndex { $0.contains(name) })
      lines.removeSubrange(index - 1...index)
    }
    _ = try scratch.write(lines.joined(separator: "\n"), to: "hls/cut.m3u8")
    for name in ["index", "cut"] {
      let checked = try Command.cuelight("doctor", "hls/\(name).m3u8", in: scratch.folder)
      #expect(checked.status == 0 && !checked.output.contains("HLS-REFRESH"), "\(name)")
    }
  }

  @Test(arguments: ["ts", "fmp4"]) func anyOneSegment(type: String) throws {
    // Everything is current over a boundary of segments, and a whole segment follows endGame.
    let cues = """
      game: test
      title: Test
      cues:
        - { at: 0.5, event: startGame }
        - { at: 1s, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 2 }
        - { at: 2.5, event: periodicInfo, viewers: 1 }
        - { at: 00:03, event: showResults, counts: [1, 2] }
        - { at: 4.9, event: endGame, winners: [Ada] }
      """
    _ = try scratch.write(cues, to: "cues.yaml")
    #expect(try run("stamp '\(Broadcast.path)' -o hls/index.m3u8 --segment-duration 1 --segment-type \(type)").status == 0)
    let lost = try run("verify hls/index.m3u8 --drop-segment all")
    #expect(lost.status == 0 && lost.errors == "")
    #expect(lost.output.hasPrefix("hls/index.m3u8: no event lost in 6 runs: "))
    let two = try run("verify hls/index.m3u8 --drop-segment 0 --drop-segment 2 --junit report.xml")
    #expect(two.status == 0)
    let most = try run("verify hls/index.m3u8 --drop-segment 4 --drop-segment 5 --junit report.xml --json --force")
    #expect(most.status == 1 && most.lines.first?.contains(#""kind":"missing""#) == true)
    let xml = try String(contentsOf: scratch["report.xml"], encoding: .utf8)
    #expect(xml.contains(#"<testsuite name="hls/index.m3u8" tests="1" failures="1""#) && xml.contains(#"type="missing""#))
    let unknown = try run("verify hls/index.m3u8 --drop-segment 9")
    #expect(unknown.status == 64 && unknown.errors == "cuelight: hls/index.m3u8: no segment 9: its segments are 0 to 5\n")
    let packets = try run("verify hls/index.m3u8 --drop-packets 0.001")
    #expect(packets.status == (type == "ts" ? 0 : 64))
    #expect(try run("verify hls/index.m3u8 --flip-bits 0.0000001").status == 0)
  }

  @Test func copiesAgainstTheirPlan() throws {
    #expect(try run("verify out.ts --copies 3 --refresh 2").status == 0)
    let wrong = try run("verify out.ts --copies 2 --refresh off")
    #expect(wrong.status == 1 && wrong.lines.first?.hasSuffix("its burst has 3 copies instead of 2") == true)
  }

  @Test func reportsForContinuousIntegration() throws {
    let passed = try run("verify out.ts --junit report.xml --table")
    #expect(passed.status == 0 && passed.lines.count == 7)
    #expect(passed.lines[1].hasPrefix("startGame 1    00:00.500       3 "))
    var xml = try String(contentsOf: scratch["report.xml"], encoding: .utf8)
    #expect(xml.contains(#"<testsuite name="out.ts" tests="7" failures="0""#))
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "[1, 2]", with: "[1, 3], guid: results"), to: "cues.yaml")
    let refused = try run("verify out.ts --junit report.xml")
    #expect(refused == .init(status: 73, output: "", errors: "cuelight: report.xml: exists already; add --force to replace it\n"))
    #expect(try String(contentsOf: scratch["report.xml"], encoding: .utf8) == xml)
    #expect(try run("verify out.ts --junit report.xml --force").status == 1)
    xml = try String(contentsOf: scratch["report.xml"], encoding: .utf8)
    #expect(xml.contains(#"failures="1""#) && xml.contains("&quot;counts&quot; is [1,2] instead of [1,3]"))
    #expect(try run("verify out.ts --junit no/report.xml").status == 73)
  }

  @Test func sweeps() throws {
    let losses = "--drop-packets 1%,10% --drop-burst 50:5% --runs 20"
    let line = "verify '\(Broadcast.path)' --sweep --copies 1,3 --refresh off,1 \(losses) --csv sweep.csv --svg sweep.svg"
    let swept = try run(line)
    #expect(swept.status == 0 && swept.errors == "" && swept.lines.count == 13)
    #expect(swept.lines[0].hasPrefix("loss") && swept.lines[1].hasPrefix("1 % "))
    #expect(try String(contentsOf: scratch["sweep.csv"], encoding: .utf8).components(separatedBy: "\r\n").count == 14)
    let picture = try String(contentsOf: scratch["sweep.svg"], encoding: .utf8)
    #expect(picture.hasPrefix("<?xml ") && picture.contains(">3 copies, refreshed every 1 s ("))
    #expect(try run(line).status == 73)
    #expect(try run(line + " --force") == swept)
    let stamped = try run("verify out.ts --sweep")
    let message = "cuelight: out.ts: carries events of the game test already; --sweep takes the video as it is before stamping\n"
    #expect(stamped == .init(status: 64, output: "", errors: message))
  }

  /// What is for presentations is refused on a stream that is none, always with the same status.
  @Test(arguments: [
    ("verify out.ts --cues cues.yaml --rendition 99", "no presentation, so there is no rendition to choose"),
    ("inspect out.ts --rendition 1", "no presentation, so there is no rendition to choose"),
    ("replay out.ts --duration 2", "no presentation, so it is read to its end; leave the duration out"),
    ("doctor out.ts --rendition 1", "no presentation, so there is no rendition to choose"),
    ("verify out.ts --cues cues.yaml --all-renditions", "no multivariant playlist, so there are no renditions"),
    ("verify out.ts --cues cues.yaml --drop-segment all", "no presentation, so there are no segments to lose"),
  ])
  func choicesOfPresentations(line: String, message: String) throws {
    let outcome = try Command.shell("cuelight \(line)", in: scratch.folder)
    #expect(outcome == .init(status: 64, output: "", errors: "cuelight: out.ts: \(message)\n"))
  }

  @Test(arguments: [
    "--drop-packets 2", "--drop-packets x", "--drop-packets 1%,2%", "--drop-burst 50", "--drop-burst 1:0.9", "--drop-range 5..4",
    "--drop-range 5", "--drop-segment x", "--drop-segment all --runs 2", "--drop-segment pairs --drop-segment 1",
    "--drop-segment pairs --runs 2", "--drop-segment all --drop-segment 1", "--runs 0", "--copies 0",
    "--copies 1,2", "--refresh soon", "--csv x.csv", "--svg x.svg", "--json --table", "--force",
    "--runs 4", "--runs 1", "--sweep --drop-segment 1", "--sweep --json", "--sweep --junit x.xml",
    "--drop-packets 0.1 --drop-segment 1",
  ])
  func wrongUsage(options: String) throws {
    let outcome = try run("verify out.ts \(options)")
    #expect(outcome.status == 64 && outcome.output == "")
  }

  @Test func standardInputIsReadOnce() throws {
    let stream = try Data(contentsOf: scratch["out.ts"])
    let arguments = ["verify", "-", "--cues", "cues.yaml", "--drop-packets", "0.001"]
    #expect(try Command.run(Command.executable, arguments, input: stream, in: scratch.folder).status == 0)
    #expect(try Command.run(Command.executable, arguments + ["--runs", "2"], input: stream, in: scratch.folder).status == 64)
  }
}

import Basics
import Foundation
import TestSupport
import Testing

/// Stamped streams are edited: sheets come out again, events go, and tags are made whole.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct EditCommandTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch.withStampedBroadcast() }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight " + line, in: scratch.folder) }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: scratch[name]) }

  private func verify(_ stream: String, _ sheet: String = "cues.yaml") throws -> Bool {
    try run("verify \(stream) --cues \(sheet)").status == 0
  }

  // MARK: extract

  @Test(arguments: ["ts", "fmp4"]) func aSheetComesOutOfAStream(type: String) throws {
    #expect(try run("extract out.ts -o sheet.yaml").status == 0)
    #expect(try verify("out.ts", "sheet.yaml"))
    #expect(try run("stamp '\(Broadcast.path)' --cues sheet.yaml --segment-type \(type) -o hls/index.m3u8").status == 0)
    let piped = try run("extract hls/index.m3u8 > piped.yaml")
    #expect(piped.status == 0 && piped.errors.hasSuffix("add currentFor: to their cues\n"))
    #expect(try bytes("piped.yaml") == bytes("sheet.yaml"))
    #expect(try run("extract - < out.ts").output == String(decoding: bytes("sheet.yaml"), as: UTF8.self))
    let again = try run("extract out.ts -o sheet.yaml")
    #expect(again.status == 73 && again.errors == "cuelight: sheet.yaml: exists already; add --force to replace it\n")
    #expect(try run("extract out.ts -o out.ts --force").status == 73)
  }

  @Test func whatTheStreamDoesNotSayIsTold() throws {
    _ = try scratch.write(
      Broadcast.cues.split(separator: "\n").filter { !$0.contains("showResults") }.joined(separator: "\n"), to: "open.yaml")
    #expect(try run("stamp '\(Broadcast.path)' --cues open.yaml -o sealed.ts").status == 0)
    let sealed = try run("extract sealed.ts")
    #expect(sealed.status == 1 && sealed.output.contains("question: \"One or two?\""))
    let missing = "sealed.ts: question 1 is sealed, and its result is not in the stream: add correct: to its cue, which is at 00:01.000\n"
    #expect(sealed.errors.hasPrefix(missing))
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "game: test", with: "game: second"), to: "second.yaml")
    #expect(try run("stamp out.ts --cues second.yaml -o both.ts").status == 0)
    let both = try run("extract both.ts")
    #expect(both.status == 65 && both.errors == "cuelight: both.ts: events of 2 games; choose one with --game: second, test\n")
    #expect(try run("extract both.ts --game second -o chosen.yaml").status == 0)
    #expect(try verify("both.ts", "chosen.yaml"))
    #expect(try run("extract both.ts --game third").status == 65)
  }

  /// Where a long part was cut out, such as advertisements, the events after it state times that are far away.
  @Test func aLongPartIsCutOut() throws {
    let sheet = """
      game: long
      title: Long
      cues:
        - { at: 1, event: startGame }
        - { at: 2, event: askQuestion, question: Who?, answers: [Ada, Bob], correct: Ada, allottedTime: 2 }
        - { at: 32, event: showResults }
        - { at: 35, event: endGame }
      """
    _ = try scratch.write(sheet, to: "long.yaml")
    let made = try Command.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x36:rate=25 -t 40 -c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p long.mp4
      cuelight stamp long.mp4 --cues long.yaml -o long.ts
      ffmpeg -v error -i long.ts -map 0 -copy_unknown -c copy -t 4 1.ts; ffmpeg -v error -ss 30 -i long.ts -map 0 -copy_unknown -c copy 2.ts
      printf 'file 1.ts\\nfile 2.ts\\n' > list; ffmpeg -v error -f concat -i list -map 0 -copy_unknown -c copy joined.ts
      """, in: scratch.folder)
    #expect(made.status == 0, "\(made.errors)")
    let verified = try run("verify joined.ts --cues long.yaml")
    #expect(verified.status == 1 && verified.output.contains(" early") && !verified.output.contains("is missing"), "\(verified.output)")
    #expect(try run("repair joined.ts -o whole.ts").status == 0)
    let extracted = try run("extract whole.ts --as-presented -o presented.yaml")
    #expect(extracted.status == 0, "\(extracted.errors)")
    let text = String(decoding: try bytes("presented.yaml"), as: UTF8.self)
    #expect(text.matches(of: /event: "(\w+)"/).map { String($0.output.1) } == ["startGame", "askQuestion", "showResults", "endGame"])
    let times = text.matches(of: /at: ([0-9.]+)/).compactMap { Double($0.output.1) }
    #expect(zip(times, [1, 2, 6, 9]).allSatisfy { abs($0 - $1) < 0.2 } && times.count == 4, "\(times)")
    #expect(try run("stamp whole.ts --replace --cues presented.yaml -o again.ts").status == 0)
    #expect(try verify("again.ts", "presented.yaml"))
  }

  // MARK: strip

  @Test func stampingAndStrippingChangesNothing() throws {
    #expect(Programs.ffmpeg(["-i", Broadcast.path, "-map", "0", "-c", "copy", scratch["plain.ts"].path]))
    #expect(try run("stamp plain.ts --cues cues.yaml -o stamped.ts").status == 0)
    let stripped = try run("strip stamped.ts -o clean.ts")
    #expect(stripped.status == 0 && stripped.output.hasPrefix("clean.ts: 5 events in ") && stripped.errors == "")
    #expect(try bytes("clean.ts") == bytes("plain.ts"))
    let piped = try run("strip - -o - < stamped.ts > piped.ts")
    #expect(piped.output == "" && piped.errors.hasPrefix("standard output: 5 events in "))
    #expect(try run("inspect piped.ts").output == "")
    // In a plain MP4 nobody looks for events.
    let movie = try run("strip '\(Broadcast.path)' -o a.mp4")
    #expect(movie.status == 65 && movie.errors.contains("this is a plain MP4 or MOV file"))
    #expect(try run("strip plain.ts -o same.ts").output == "same.ts: no events were found; everything is as it was\n")
    #expect(try bytes("same.ts") == bytes("plain.ts"))
  }

  @Test(arguments: ["ts", "fmp4"]) func presentationsAreStripped(type: String) throws {
    let options = "--segment-type \(type) --program-date-time 2026-11-20T20:00:00Z --daterange"
    #expect(try run("stamp '\(Broadcast.path)' --cues cues.yaml \(options) -o hls/index.m3u8").status == 0)
    let stripped = try run("strip hls/index.m3u8 -o clean/index.m3u8")
    #expect(
      stripped.status == 0 && stripped.output.hasPrefix("clean/index.m3u8: 5 events in ") && stripped.output.contains(", 4 date ranges"))
    let inspected = try run("inspect clean/index.m3u8")
    #expect(inspected.status == 1 && inspected.output == "" && inspected.errors.hasPrefix("clean/index.m3u8: no timed ID3 found"))
    let onto = try run("strip hls/index.m3u8 -o hls/index.m3u8 --force")
    #expect(onto.status == 73 && onto.errors.contains("is an input too"))
    #expect(try verify("hls/index.m3u8"))
  }

  @Test(arguments: [
    ("strip out.ts -o a.m3u8", 64), ("strip a.m3u8 -o a.ts", 64), ("strip missing.ts -o a.ts", 66), ("strip cues.yaml -o a.ts", 65),
    ("strip out.ts -o cues.yaml", 73), ("repair out.ts -o a.m3u8", 64), ("repair a.m3u8 -o a.ts", 64), ("repair a.m3u8 -o b/a.m3u8", 66),
    ("repair out.ts -o a.ts > /dev/full", 74),
    ("strip out.ts -o - > /dev/full", 74), ("stamp - --cues cues.yaml -o - < out.ts | true", 0),
  ]) func whatGoesWrong(line: String, status: Int32) throws { #expect(try run(line).status == status) }

  // MARK: stamp

  /// No stream gets a game twice, and none loses one, unless that is asked for.
  @Test func oneRuleForStampingAgain() throws {
    let way = "add --replace to take out all events that it has, or take them out with cuelight strip\n"
    for line in [
      "stamp out.ts --cues cues.yaml -o new.ts", "stamp out.ts --cues cues.yaml -o new.ts --remux",
      "stamp out.ts --cues cues.yaml -o hls/a.m3u8",
    ] {
      let refused = try run(line)
      #expect(refused.status == 65 && refused.errors.contains("an event of the game test already: \(way)"), "\(line)")
    }
    #expect(scratch.names == ["cues.yaml", "out.ts"])
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "One or two?", with: "Two or one?"), to: "fixed.yaml")
    for output in ["new.ts", "hls/a.m3u8"] {
      #expect(try run("stamp out.ts --cues fixed.yaml --replace -o \(output)").status == 0)
      #expect(try verify(output, "fixed.yaml"))
    }
    #expect(try run("stamp - --cues fixed.yaml --replace -o - < out.ts > piped.ts").status == 0)
    #expect(try verify("piped.ts", "fixed.yaml"))
  }

  @Test func fromPipeToPipe() throws {
    #expect(Programs.ffmpeg(["-i", Broadcast.path, "-map", "0", "-c", "copy", scratch["plain.ts"].path]))
    let stamped = try run("stamp - --cues cues.yaml -o - < plain.ts > stamped.ts")
    #expect(stamped.status == 0 && stamped.output == "" && stamped.errors.hasPrefix("standard output: 5 events in "))
    #expect(try verify("stamped.ts"))
    let closed = try run("stamp - --cues cues.yaml -o - < plain.ts | head -c 10; echo \"${PIPESTATUS[0]}\" >&2")
    #expect(closed.errors.hasSuffix("0\n") && !closed.errors.contains("cuelight:"))
    let refused = try run("stamp - --cues cues.yaml -o - < cues.yaml")
    #expect(refused.status == 65 && refused.output == "")
  }

  // MARK: repair

  /// Whatever this FFmpeg does to tags, they can be read and written whole.
  @Test func copiedByFFmpeg() throws {
    #expect(Programs.ffmpeg(["-i", scratch["out.ts"].path, "-map", "0", "-c", "copy", scratch["copied.ts"].path]))
    #expect(try verify("copied.ts"))
    #expect(try run("repair copied.ts -o whole.ts").status == 0)
    #expect(try verify("whole.ts"))
    #expect(try !run("inspect --json whole.ts").output.contains("repaired"))
  }

  @Test func cutTagsAreReadByEveryCommand() throws {
    let whole = [UInt8](try bytes("out.ts"))
    try Data(cutTags(whole)).write(to: scratch["cut.ts"])
    let note = "repaired while reading: FFmpeg before 6.1 has cut the first five bytes"
    for line in ["verify cut.ts --cues cues.yaml", "replay cut.ts", "inspect cut.ts", "extract cut.ts"] {
      let outcome = try run(line)
      #expect(outcome.status == 0 && outcome.errors.contains(note), "\(line)")
    }
    #expect(try run("replay cut.ts").output == run("replay out.ts").output)
    let doctor = try run("doctor cut.ts")
    #expect(doctor.status == 1 && doctor.output.contains("TAG-CUT-BY-FFMPEG") && doctor.output.contains("Cuelight reads cut ones"))
    let repaired = try run("repair - -o - < cut.ts > repaired.ts")
    #expect(repaired.status == 0 && repaired.errors.hasSuffix(" tags made whole\n"))
    #expect([UInt8](try bytes("repaired.ts")) == whole)
    #expect(try run("repair out.ts -o same.ts").output == "same.ts: no cut tags were found; everything is as it was\n")
  }

  /// A presentation becomes one in another folder, and never takes the place of anything unasked.
  @Test(arguments: ["ts", "fmp4"]) func presentationsAreRepaired(type: String) throws {
    #expect(try run("stamp '\(Broadcast.path)' --cues cues.yaml --segment-type \(type) -o hls/index.m3u8").status == 0)
    let repaired = try run("repair hls/index.m3u8 -o whole/index.m3u8 && diff -r hls whole")
    #expect(
      repaired.status == 0 && repaired.output == "whole/index.m3u8: no cut tags were found; everything is as it was\n"
        && repaired.errors == "")
    let again = try run("repair hls/index.m3u8 -o whole/index.m3u8")
    #expect(again.status == 73 && again.errors == "cuelight: whole/index.m3u8: exists already; add --force to replace it\n")
    #expect(try run("repair hls/index.m3u8 -o hls/index.m3u8 --force").status == 73)
    #expect(try run("repair hls/index.m3u8 -o whole/index.m3u8 --force && diff -r hls whole").status == 0)
  }
}

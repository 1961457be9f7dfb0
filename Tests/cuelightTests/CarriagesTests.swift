import Foundation
import Testing

/// `verify --carriages`.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct CarriagesTests {
  let scratch: Scratch

  init() throws {
    scratch = try .withStampedBroadcast()
    for (options, output) in [
      ("--segment-type fmp4", "cmaf"), ("--segment-duration 2", "ts"),
    ] {
      let stamped = try run(
        "stamp '\(Broadcast.path)' --cues cues.yaml \(options) --program-date-time 2026-11-20T20:00:00Z --daterange -o \(output)/index.m3u8"
      )
      try #require(stamped.status == 0, "\(stamped.errors)")
    }
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  @Test(arguments: ["cmaf", "ts"]) func theyAgree(folder: String) throws {
    let outcome = try run("verify \(folder)/index.m3u8 --carriages")
    let first = folder == "ts" ? "ts" : "emsg"
    #expect(outcome.status == 0 && outcome.errors == "" && outcome.lines.count == 1, "\(outcome)")
    #expect(outcome.output.hasPrefix("\(folder)/index.m3u8: the carriages agree: "), "\(outcome)")
    for name in [first, "daterange"] { #expect(outcome.output.contains("\(name) ("), "\(outcome)") }
    let both = try run("verify \(folder)/index.m3u8 --carriages --cues cues.yaml")
    #expect(both.status == 0 && both.lines.count == 2, "\(both)")
  }

  @Test func aRangeIsMissing() throws {
    let changed = try Command.shell("sed -i '0,/EXT-X-DATERANGE/{/EXT-X-DATERANGE/d}' ts/*.m3u8", in: scratch.folder)
    try #require(changed.status == 0, "\(changed.errors)")
    let outcome = try run("verify ts/index.m3u8 --carriages --json")
    #expect(outcome.status == 1 && outcome.lines.count == 2, "\(outcome)")
    #expect(outcome.lines.first?.hasPrefix(#"{"type":"disagreement","kind":"missing","what":"# + "\"") == true, "\(outcome)")
    #expect(outcome.lines.last?.hasPrefix(#"{"type":"agreement","passed":false,"#) == true, "\(outcome)")
  }

  @Test func oneCarriage() throws {
    let outcome = try run("verify out.ts --carriages")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output == "out.ts: all events are in one carriage alone, ts, and nothing can be compared\n", "\(outcome)")
  }
}

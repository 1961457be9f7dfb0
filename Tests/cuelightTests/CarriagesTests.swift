import Foundation
import Testing

/// `verify --carriages`.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct CarriagesTests {
  let scratch: Scratch

  init() throws {
    scratch = try .withStampedBroadcast()
    for (options, output) in [
      ("--segment-type fmp4 --dash", "cmaf"), ("--segment-duration 2", "ts"),
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

  /// The event messages of the segments, each once, as an EventStream in the MPD.
  ///
  /// - Parameter shift: By how many ticks the MPD's first event is later.
  private func listEvents(shift: UInt64) throws {
    let folder = scratch.folder.appendingPathComponent("cmaf")
    let manifest = folder.appendingPathComponent("index.mpd")
    var mpd = String(decoding: try Data(contentsOf: manifest), as: UTF8.self)
    let offset = try #require(mpd.firstMatch(of: /presentationTimeOffset="(\d+)"/)).1
    let scale = try #require(mpd.firstMatch(of: /timescale="(\d+)"/)).1
    let origin = try #require(UInt64(offset)) * 90_000 / (try #require(UInt64(scale)))
    var events = ""
    var ids: Set<[UInt8]> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".m4s") {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
      let scheme = Array("https://aomedia.org/emsg/ID3\0".utf8)
      for start in bytes.indices.dropLast(8) where Array(bytes[start..<start + 4]) == Array("emsg".utf8) {
        // Size, type, version and flags, timescale, time, duration, id, scheme, value, tag.
        let end = start - 4 + bytes[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
        let time = bytes[start + 12..<start + 20].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let id = Array(bytes[start + 24..<start + 28])
        guard bytes[(start + 28)...].starts(with: scheme), ids.insert(id).inserted else { continue }
        let tag = Data(bytes[start + 28 + scheme.count + 1..<end]).base64EncodedString()
        let listed = time - origin + (events.isEmpty ? shift : 0)
        events += "<Event presentationTime=\"\(listed)\" contentEncoding=\"base64\">\(tag)</Event>"
      }
    }
    let stream = "<EventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"\" timescale=\"90000\">\(events)</EventStream>"
    let place = try #require(mpd.range(of: "<AdaptationSet"))
    mpd.insert(contentsOf: stream, at: place.lowerBound)
    try Data(mpd.utf8).write(to: manifest)
  }

  /// The events of an MPD are those of the segments, to the tick.
  @Test func theManifest() throws {
    try listEvents(shift: 0)
    let agreed = try run("verify cmaf/index.mpd --carriages --tolerance 0")
    #expect(agreed.status == 0 && agreed.errors == "" && agreed.output.contains("emsg (") && agreed.output.contains("mpd ("), "\(agreed)")
  }

  @Test func theManifestIsATickLate() throws {
    try listEvents(shift: 1)
    let apart = try run("verify cmaf/index.mpd --carriages --tolerance 0")
    #expect(apart.status == 1 && apart.lines.count == 2 && apart.lines.first?.contains(" s later in mpd than in emsg") == true, "\(apart)")
  }
}

import Foundation
import Testing

/// `doctor` as its users run it.
@Suite(.enabled(if: Broadcast.isAvailable)) struct DoctorTests {
  private let scratch: Scratch
  private let cues: String

  init() throws {
    scratch = try Scratch()
    cues = try scratch.write(Broadcast.cues, to: "show.yaml")
  }

  private func stamp(_ output: String, _ options: String...) throws -> String {
    let path = scratch[output].path
    let arguments = ["stamp", Broadcast.path, "--cues", cues, "-o", path, "--force"] + options
    let outcome = try Command.run(Command.executable, arguments)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return path
  }

  private func objects(_ outcome: Command.Outcome) throws -> [[String: Any]] {
    try outcome.lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// Each rule is a case of the report for continuous integration: errors fail, and what is less is a note.
  @Test func aReportForContinuousIntegration() throws {
    let path = try stamp("ts/index.m3u8")
    let report = scratch["report.xml"].path
    #expect(try Command.cuelight("doctor", path, "--junit", report).status == 0)
    let right = try String(contentsOfFile: report, encoding: .utf8)
    #expect(right.contains("<testsuites name=\"cuelight doctor\" ") && right.contains(" failures=\"0\" errors=\"0\""))
    #expect(right.contains("name=\"TS-TABLE-CRC: "))
    let again = try Command.cuelight("doctor", path, "--junit", report)
    #expect(again.status == 73)
    try FileManager.default.removeItem(at: scratch["ts/index-segment-00000.ts"])
    #expect(try Command.cuelight("doctor", path, "--junit", report, "--force").status == 74)
    let wrong = try String(contentsOfFile: report, encoding: .utf8)
    #expect(wrong.contains("<failure type=\"HLS-MISSING\" message=\"index-segment-00000.ts"))
    let none = try Command.cuelight("doctor", scratch["none.ts"].path, "--junit", report, "--force")
    let missing = try String(contentsOfFile: report, encoding: .utf8)
    #expect(none.status == 66 && missing.contains("name=\"doctor\" time=\"0\"") && missing.contains("<error type=\"status 66\""))
    for arguments in [["--rules", "--junit", report], [path, "--force"]] {
      #expect(try Command.run(Command.executable, ["doctor"] + arguments).status == 64)
    }
  }

  /// The range of brightness of transport streams is in the video's parameter sets.
  @Test(arguments: [("smpte2084", "PQ"), ("arib-std-b67", "HLG")]) func brightTransportStreams(transfer: String, range: String) throws {
    let made = try Command.shell(
      "ffmpeg -v error -i '\(Broadcast.path)' -c:a copy -c:v libx264 -color_primaries bt2020 -color_trc \(transfer) -colorspace bt2020nc hdr.mp4",
      in: scratch.folder)
    try #require(made.status == 0, "\(made.errors)")
    let stamped = try Command.shell("cuelight stamp hdr.mp4 --cues show.yaml -o hdr/index.m3u8", in: scratch.folder)
    try #require(stamped.status == 0, "\(stamped.errors)")
    func rules() throws -> [String] {
      try objects(Command.cuelight("doctor", "--json", scratch["hdr/index.m3u8"].path)).compactMap { $0["rule"] as? String }
    }
    #expect(try !rules().contains("HLS-VIDEO-RANGE"))
    let text = try String(contentsOf: scratch["hdr/index.m3u8"], encoding: .utf8)
    try #require(text.contains(",VIDEO-RANGE=\(range)"))
    _ = try scratch.write(text.replacingOccurrences(of: ",VIDEO-RANGE=\(range)", with: ""), to: "hdr/index.m3u8")
    #expect(try rules().contains("HLS-VIDEO-RANGE"))
  }

  /// Behind a splice of a stream with itself every event is where the clock says, for both.
  @Test func doctorAndVerifyAgreeBehindASplice() throws {
    let stream = try Data(contentsOf: URL(filePath: stamp("show.ts")))
    let path = scratch["twice.ts"].path
    try (stream + stream + stream).write(to: scratch["twice.ts"])
    let verified = try Command.cuelight("verify", path, "--cues", cues)
    #expect(verified.status == 0, "\(verified.output)")
    let rules = try objects(Command.cuelight("doctor", "--json", path)).compactMap { $0["rule"] as? String }
    #expect(rules.contains("TS-PTS-ORDER") && !rules.contains("EVENT-TIME"), "\(rules)")
  }

  /// Everything that `stamp` writes keeps to all rules, and what players show of it is told.
  @Test(arguments: [
    ["show.ts"], ["ts/index.m3u8"], ["fmp4/index.m3u8", "--segment-type", "fmp4"],
    ["dates/index.m3u8", "--segment-type", "fmp4", "--program-date-time", "2026-11-20T20:00:00Z", "--daterange"],
    ["tsdates/index.m3u8", Broadcast.path, "--program-date-time", "2026-11-20T20:00:00Z", "--daterange", "--segment-duration", "2"],
  ])
  func ownOutputsAreRight(_ arguments: [String]) throws {
    let path = scratch[arguments[0]].path
    let options = ["stamp", Broadcast.path, "--cues", cues, "-o", path] + arguments.dropFirst()
    let stamped = try Command.run(Command.executable, options)
    try #require(stamped.status == 0, "\(stamped.errors)")
    let outcome = try Command.cuelight("doctor", "--json", path)
    #expect(outcome.status == 0 && outcome.errors == "")
    let lines = try objects(outcome)
    let severities = lines.compactMap { $0["severity"] as? String }
    #expect(severities == [], "\(outcome.output)")
    let summary = try #require(lines.last)
    #expect(summary["type"] as? String == "summary" && summary["events"] as? Int == 5)
    #expect(summary["errors"] as? Int == 0 && summary["warnings"] as? Int == 0)
    let hls = try #require(lines.first { $0["player"] as? String == "hls.js" })
    #expect(hls["events"] as? Int == 5 && hls["checked"] as? String == "scripts/check-players")
    #expect(lines.filter { $0["type"] as? String == "player" }.count == 7)
  }

  /// Sound alone: MP3 has several names, and its packets as many frames as they like.
  @Test(arguments: ["ts", "fmp4"]) func soundAloneIsRight(_ type: String) throws {
    let song = scratch["song.mp3"].path
    let made = try Command.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine", "-t", "13", "-c:a", "libmp3lame", song])
    try #require(made.status == 0, "\(made.errors)")
    let path = scratch["index.m3u8"].path
    let stamped = try Command.cuelight("stamp", song, "--cues", cues, "-o", path, "--segment-type", type)
    try #require(stamped.status == 0, "\(stamped.errors)")
    let outcome = try Command.cuelight("doctor", path)
    #expect(outcome.status == 0 && outcome.lines.last?.contains("index.m3u8: 0 errors, 0 warnings, ") == true, "\(outcome.output)")
  }

  @Test func aFaultIsAnErrorWithItsPlace() throws {
    let path = try stamp("show.ts")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let offset = try #require(
      stride(from: 0, to: bytes.count, by: 188).first { offset in
        // The first PES packet of private_stream_1, behind its adaptation field.
        let start = offset + 4 + (bytes[offset + 3] & 0x20 != 0 ? 1 + Int(bytes[offset + 4]) : 0)
        guard bytes[offset + 1] & 0x40 != 0, start + 4 < offset + 188, Array(bytes[start..<start + 4]) == [0, 0, 1, 0xBD] else {
          return false
        }
        bytes[start + 6] &= ~0x04
        return true
      })
    try Data(bytes).write(to: scratch["faulty.ts"])
    let outcome = try Command.cuelight("doctor", "faulty.ts", in: scratch.folder)
    let tags = try #require(try objects(try Command.cuelight("doctor", "--json", path)).last?["tags"] as? Int)
    #expect(outcome.status == 1 && outcome.errors == "")
    #expect(
      outcome.lines.prefix(3) == [
        "This is MPEG-TS, with 5 events in \(tags) tags.",
        "hls.js, video.js, video.js 8, Shaka Player, media3 and AVFoundation see all 5 events; dash.js none (it reads event messages only).",
        "Mend first: TS-PES-ALIGNMENT. Set the bit: media3 drops the packet silently.",
      ], "\(outcome.output)")
    #expect(
      outcome.lines.dropFirst(3).first?.hasPrefix(
        "error    TS-PES-ALIGNMENT  faulty.ts byte \(offset): data_alignment_indicator 0; expected ") == true)
    #expect(outcome.lines.contains { $0.hasPrefix("media3 1.x          5 of 5 events") })
    #expect(outcome.lines.last?.hasPrefix("faulty.ts: 1 error, 0 warnings, ") == true)
    // The same from standard input.
    let piped = try Command.cuelight("doctor", "--json", "-", input: Data(bytes))
    let finding = try #require(try objects(piped).first)
    #expect(piped.status == 1 && finding["rule"] as? String == "TS-PES-ALIGNMENT" && finding["count"] as? Int == 1)
    let place = try #require((finding["places"] as? [[String: Any]])?.first)
    #expect(place["resource"] as? String == "standard input" && place["offset"] as? Int == offset)
  }

  @Test func whatCannotBeLoadedIsSaid() throws {
    let path = try stamp("ts/index.m3u8", "--segment-duration", "2")
    try FileManager.default.removeItem(at: scratch["ts/index-segment-00001.ts"])
    let outcome = try Command.cuelight("doctor", path)
    #expect(outcome.status == 74 && outcome.errors.contains("index-segment-00001.ts"))
    #expect(outcome.lines.contains { $0.hasPrefix("error    HLS-MISSING  index-segment-00001.ts: no such file; expected ") })
    #expect(outcome.lines.last?.contains("1 error, 0 warnings") == true, "\(outcome.output)")
  }

  @Test func aMissingPlaylistLeavesTheOtherRenditions() throws {
    let path = try stamp("multi/index.m3u8", Broadcast.path, "--segment-duration", "2")
    try FileManager.default.removeItem(at: scratch["multi/index-media-1.m3u8"])
    let outcome = try Command.cuelight("doctor", path)
    #expect(outcome.status == 74 && outcome.errors.contains("index-media-1.m3u8"))
    #expect(outcome.lines.contains { $0.hasPrefix("error    HLS-MISSING  index-media-1.m3u8: ") })
    #expect(outcome.lines.last?.contains("1 error, 0 warnings") == true && outcome.lines.last?.contains("5 events in ") == true)
  }

  @Test func rulesAreListed() throws {
    let outcome = try Command.cuelight("doctor", "--rules")
    #expect(outcome.status == 0 && outcome.lines.count > 60)
    #expect(outcome.lines.contains { $0.hasPrefix("error    TS-PES-LENGTH") })
    let rules = try objects(try Command.cuelight("doctor", "--rules", "--json"))
    #expect(rules.count == outcome.lines.count && rules.allSatisfy { $0["type"] as? String == "rule" && $0["advice"] is String })
  }

  @Test func eitherAnInputOrTheRules() throws {
    #expect(try Command.cuelight("doctor").status == 64)
    #expect(try Command.cuelight("doctor", "show.ts", "--rules").status == 64)
    #expect(try Command.cuelight("doctor", "missing.ts").status == 66)
  }
}

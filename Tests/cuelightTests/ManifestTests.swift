import Foundation
import TestSupport
import Testing

/// MPDs as inputs: from a folder and from a server.
@Suite(.enabled(if: Broadcast.isAvailable && HostileServer.isAvailable, "ffmpeg makes the broadcasts, python3 serves them"))
struct ManifestCommandTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    let stamped = try run(
      "stamp '\(Broadcast.path)' --cues cues.yaml --segment-type fmp4 --segment-duration 1 --dash -o hls/index.m3u8")
    try #require(stamped.status == 0, "\(stamped.errors)")
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  private func change(_ from: String, to: String, in name: String = "hls/changed.mpd") throws {
    let text = try String(contentsOf: scratch["hls/index.mpd"], encoding: .utf8)
    try #require(text.contains(from))
    _ = try scratch.write(text.replacingOccurrences(of: from, with: to), to: name)
  }

  /// The events are those of the playlist, wherever the MPD is.
  @Test func theSameEventsAsInThePlaylist() throws {
    let server = try HostileServer("--folder", scratch["hls"].path)
    func copies(_ input: String) throws -> [String] {
      let outcome = try run("inspect --json \(input)")
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
      return outcome.lines
    }
    let expected = try copies("hls/index.m3u8")
    #expect(expected.count >= 12)
    for input in ["hls/index.mpd", server.url("/index.mpd"), server.url("/index.mpd?redirect=/index.mpd")] {
      #expect(try copies(input) == expected)
      let verified = try run("verify '\(input)' --cues cues.yaml")
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }
    // Without its name it is known by its content.
    try FileManager.default.copyItem(at: scratch["hls/index.mpd"], to: scratch["hls/manifest"])
    #expect(try copies("hls/manifest") == expected)
    #expect(try copies(server.url("/manifest")) == expected)
  }

  @Test func theDoctorReadsThem() throws {
    let server = try HostileServer("--folder", scratch["hls"].path)
    let right = try run("doctor hls/index.mpd")
    #expect(right.status == 0, "\(right.output)")
    #expect(right.lines.first?.hasPrefix("This is MPEG-DASH of fragmented MP4 with ") == true)
    #expect(try !run("doctor '\(server.url("/index.mpd"))'").output.contains("error  "))
    for (from, to, rule) in [
      ("<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"\"/>", "", "DASH-INBAND"),
      (
        "<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"\"",
        "<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"9\"",
        "DASH-INBAND-VALUE"
      ),
    ] {
      try change(from, to: to)
      let outcome = try run("doctor --json hls/changed.mpd")
      #expect(outcome.status == 1)
      #expect(
        outcome.lines.filter { $0.contains(#""type":"finding""#) }.map { $0.contains("\"\(rule)\"") }.contains(true), "\(outcome.output)")
    }
  }

  @Test func damage() throws {
    _ = try scratch.write("<?xml version=\"1.0\"?><MPD><Period></MPD>", to: "damaged.mpd")
    let damaged = try run("doctor damaged.mpd")
    #expect(damaged.status == 65 && damaged.errors == "cuelight: damaged.mpd: the MPD is damaged: it is not well-formed XML\n")
    let missing = try run("inspect none.mpd")
    #expect(missing.status == 66)
    for command in ["stamp hls/index.mpd --cues cues.yaml -o out.ts", "strip hls/index.mpd -o out.ts", "repair hls/index.mpd -o out.ts"] {
      let outcome = try run(command)
      #expect(outcome.status == 64 && outcome.errors.contains("hls/index.mpd is an MPD, and this command reads videos and HLS"))
    }
  }

  /// Addresses that commands of files do not take.
  @Test func addresses() throws {
    for (input, advice) in [("http://a.example/show.mp4", "curl -o video"), ("https://a.example/i.m3u8?x", "ffmpeg -i")] {
      let outcome = try run("stamp '\(input)' --cues cues.yaml -o out.ts")
      #expect(outcome.status == 64 && outcome.errors.contains("is an address") && outcome.errors.contains(advice), "\(outcome.errors)")
    }
  }
}

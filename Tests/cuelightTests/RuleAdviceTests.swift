import Foundation
import ID3
import StreamDoctor
import TestSupport
import Testing
import TransportStream

/// What the doctor advises is tried: whoever follows the advice does not find the fault any more.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct RuleAdviceTests {
  /// What following the advice of a rule means.
  enum Way: Sendable {
    /// The commands that make a faulty input, those that mend it, and the two inputs; with options of `doctor`.
    case commands(make: String, mend: String, faulty: String, mended: String, options: String = "")
    /// The program that writes the stream, the playlist or the MPD has to be changed; no command of ours does that. The tests of the doctor follow
    /// such advice.
    case changeTheWriter
    /// The server has to be changed.
    case changeTheServer
    /// There is nothing to do, or it depends on the viewers.
    case nothing
  }

  private static let ways: [(rules: [String], way: Way)] = [
    (
      ["TS-PMT-POINTER", "TS-PMT-METADATA"], .commands(make: "", mend: "cuelight repair tags.ts -o m.ts", faulty: "tags.ts", mended: "m.ts")
    ),
    (
      ["TAG-CUT-BY-FFMPEG"],
      .commands(make: "", mend: "cuelight repair cut.ts -o m.ts", faulty: "cut.ts", mended: "m.ts")
    ),
    (
      ["EVENT-NO-TAGS"],
      .commands(
        make: "ffmpeg -v error -i video.mp4 -c copy plain.ts", mend: "cuelight stamp plain.ts --cues cues.yaml -o m.ts", faulty: "plain.ts",
        mended: "m.ts")
    ),
    (["EVENT-NONE"], .commands(make: "", mend: "cuelight stamp tags.ts --cues short.yaml -o m.ts", faulty: "tags.ts", mended: "m.ts")),
    (
      ["EVENT-UNSEEN"],
      .commands(
        make: """
          ffmpeg -v error -i video.mp4 -an -c copy v.mp4; ffmpeg -v error -i video.mp4 -vn -c copy a.m4a
          mkdir u; ffmpeg -v error -i v.mp4 -c copy -f hls -hls_list_size 0 u/v.m3u8; cuelight stamp a.m4a --cues cues.yaml -o u/a.m3u8
          printf '#EXTM3U\\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="n",URI="a-media.m3u8"\\n' > u/index.m3u8
          printf '#EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="avc1.42C00A,mp4a.40.2",AUDIO="g"\\nv.m3u8\\n' >> u/index.m3u8
          """,
        mend: "cuelight stamp v.mp4 a.m4a --cues cues.yaml -o m/index.m3u8", faulty: "u/index.m3u8", mended: "m/index.m3u8")
    ),
    (
      ["EVENT-SIGNATURE"],
      .commands(
        make: "openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem; chmod 600 key.pem",
        mend: "cuelight stamp show.ts --replace --cues cues.yaml --sign key.pem -o m.ts", faulty: "show.ts", mended: "m.ts",
        options: "--require-signature public.pem")
    ),
    (
      ["EVENT-INTERLEAVED"],
      .commands(
        make: "cuelight stamp video.mp4 --cues two.yaml -o two.ts",
        mend: "cuelight stamp two.ts --replace --cues two.yaml --copies 1 --refresh off -o m.ts", faulty: "two.ts", mended: "m.ts")
    ),
    (
      ["HLS-REFRESH"],
      .commands(
        make: "cuelight stamp video.mp4 --cues cues.yaml --refresh off --segment-duration 1 -o r/index.m3u8",
        mend: "cuelight stamp video.mp4 --cues cues.yaml --segment-duration 1 -o m/index.m3u8", faulty: "r/index.m3u8",
        mended: "m/index.m3u8")
    ),
    (
      ["HLS-RENDITION-EVENTS"],
      .commands(
        make: """
          cp video.mp4 other.mp4; cuelight stamp video.mp4 --cues cues.yaml -o d/a.m3u8; cuelight stamp other.mp4 --cues short.yaml -o d/b.m3u8
          grep -v '^#EXTM3U' d/b.m3u8 > more; cat d/a.m3u8 more > d/index.m3u8
          """,
        mend: "cuelight stamp video.mp4 other.mp4 --cues cues.yaml -o m/index.m3u8", faulty: "d/index.m3u8", mended: "m/index.m3u8")
    ),
    (
      ["DASH-INBAND"],
      .commands(
        make: """
          cuelight stamp video.mp4 --cues cues.yaml --segment-type fmp4 --dash -o h/index.m3u8
          grep -v InbandEventStream h/index.mpd > h/without.mpd
          """,
        mend: "true", faulty: "h/without.mpd", mended: "h/index.mpd")
    ),
    (
      ["EVENT-SEI-ALONE"],
      .commands(
        make: """
          cuelight stamp video.mp4 --cues cues.yaml --sei -o both.ts; ffmpeg -v error -i both.ts -map 0:v -map 0:a -c copy sei.ts
          """,
        mend: "cuelight repair sei.ts --from-sei -o m.ts", faulty: "sei.ts", mended: "m.ts")
    ),
    (
      ["EVENT-TIME"],
      .commands(
        make: """
          ffmpeg -v error -i show.ts -map 0 -copy_unknown -c copy -t 2 1.ts; ffmpeg -v error -ss 3 -i show.ts -map 0 -copy_unknown -c copy 2.ts
          printf 'file 1.ts\\nfile 2.ts\\n' > list; ffmpeg -v error -f concat -i list -map 0 -copy_unknown -c copy joined.ts
          cuelight repair joined.ts -o whole.ts
          """,
        mend: "cuelight extract whole.ts --as-presented -o cut.yaml; cuelight stamp whole.ts --replace --cues cut.yaml -o m.ts",
        faulty: "whole.ts", mended: "m.ts")
    ),
    (["HTTP-CONTENT-TYPE", "HTTP-CORS", "DASH-CLOCK"], .changeTheServer),
    (["CODEC-PLAYERS", "LIMIT-IVS-RATE", "LIMIT-IVS-TAG-SIZE", "TS-PTS-WRAP", "HLS-TRACKS", "DASH-EVENT-STREAM"], .nothing),
    (
      [
        "CUE-SECTION", "CUE-ID", "CUE-END", "CUE-EVENT", "CUE-DATERANGE",
        "TS-PMT-SERVICE", "TS-PMT-PROGRAM", "TS-PMT-FORM", "TS-PMT-VERSION", "TS-TABLE-CRC", "TS-STREAM-TYPE", "TS-ONE-PID", "TS-PID-CLASH",
        "TS-CONTINUITY", "TS-PACKET-SIZE", "TS-PCR", "TS-DTS", "TS-PES-STREAM-ID", "TS-PES-LENGTH", "TS-PES-ALIGNMENT", "TS-PES-TIME",
        "TS-PES-HEADER", "TS-PES-TAG", "TS-PES-ONE-TAG", "TS-PES-CONTINUED", "TS-PES-BROKEN", "TS-PTS-ORDER", "TS-PTS-FAR", "ID3-VERSION",
        "ID3-SYNCHSAFE", "ID3-SIZE", "ID3-FRAME-SIZE", "ID3-PLAIN-SIZE", "ID3-EMPTY-FRAME", "ID3-EXTENDED-HEADER", "ID3-UNSYNCHRONISED",
        "ID3-FOOTER", "ID3-FRAMES", "ID3-ASCII-DESCRIPTION", "ID3-ENCODING", "EMSG-VERSION", "EMSG-SCHEME", "EMSG-VALUE", "EMSG-DATA",
        "EMSG-TIMESCALE", "EMSG-DURATION", "EMSG-TIME", "EMSG-PLACE", "EMSG-ID", "EMSG-ID-COPIES", "EMSG-ID-CRC", "EMSG-BRAND", "MP4-BOXES",
        "HLS-SYNTAX", "HLS-VERSION", "HLS-TARGETDURATION", "HLS-SEGMENT-DURATION", "HLS-DISCONTINUITY", "HLS-INDEPENDENT", "HLS-CODECS",
        "HLS-CODECS-DIFFER", "HLS-BANDWIDTH", "HLS-PMT-CHANGES", "HLS-SEGMENT-TABLES", "HLS-AUDIO-GROUP-EVENTS", "HLS-DATERANGE-DATE",
        "HLS-DATERANGE-EVENT", "HLS-CARRIAGES", "HLS-RENDITION-CUTS", "HLS-SILENT", "HLS-VIDEO-RANGE", "HLS-MISSING", "HLS-AUDIO-TIMESTAMP",
        "DASH-INBAND-VALUE", "EVENT-DAMAGED", "EVENT-CONFLICT", "LIMIT-TAG-SIZE",
      ], .changeTheWriter
    ),
  ]

  /// Every rule has its row, and one whose advice is a command of ours has commands.
  @Test func everyRuleHasItsWay() {
    let named = Self.ways.flatMap(\.rules)
    #expect(named.count == Set(named).count)
    #expect(Set(named) == Set(DoctorRule.all.map(\.id)), "\(Set(named).symmetricDifference(DoctorRule.all.map(\.id)))")
    let tried = Self.tried
    for rule in DoctorRule.all where rule.advice.contains("`cuelight ") || rule.advice.contains("`--") {
      #expect(tried.contains(rule.id), "\(rule.id): \(rule.advice)")
    }
  }

  /// More inputs of a rule whose advice holds for several kinds of them: FFmpeg's output, its options, and what is repaired and examined.
  private static let copies: [(output: String, options: String, repaired: String, examined: String)] = [
    ("index.m3u8", "-f hls -hls_list_size 0", "index.m3u8", "index.m3u8"),
    ("index.m3u8", "-f hls -hls_list_size 0 -hls_segment_type fmp4", "index.m3u8", "index.m3u8"),
    ("index.mpd", "-f dash -hls_playlist 1 -hls_master_name index.m3u8", "index.m3u8", "index.mpd"),
    ("sei.mp4", "-movflags frag_keyframe+empty_moov", "sei.mp4", "sei.mp4"),
  ]

  /// The rules whose advice is tried.
  static let tried: [String] = ways.flatMap { (row) -> [String] in
    guard case .commands = row.way else { return [] }
    return row.rules
  }

  @Test(arguments: tried) func theAdviceHelps(rule: String) throws {
    if let way = Self.ways.first(where: { $0.rules.contains(rule) })?.way { try follow(rule, way) }
  }

  @Test(arguments: copies.indices) func theAdviceHelpsCopies(index: Int) throws {
    let (output, options, repaired, examined) = Self.copies[index]
    let source = index == 0 ? "both.ts" : "both.mp4"
    let make = """
      cuelight stamp video.mp4 --cues cues.yaml --sei -o \(source); mkdir c m; cd c
      ffmpeg -v error -i ../\(source) -map 0:v -map 0:a -c copy \(options) \(output)
      """
    try follow(
      "EVENT-SEI-ALONE",
      .commands(
        make: make, mend: "cuelight repair c/\(repaired) --from-sei -o m/\(repaired)", faulty: "c/\(examined)", mended: "m/\(examined)"))
  }

  private func follow(_ rule: String, _ way: Way) throws {
    guard case .commands(let make, let mend, let faulty, let mended, let options) = way else { return }
    let scratch = try folder()
    func run(_ line: String) throws -> Command.Outcome { try Command.shell("set -e\n\(line)", in: scratch.folder) }
    func rules(_ input: String) throws -> [String] {
      let outcome = try Command.shell("cuelight doctor --json \(options) \(input)", in: scratch.folder)
      try #require([0, 1].contains(outcome.status), "\(outcome.errors)")
      return outcome.lines.compactMap { $0.firstMatch(of: #/"type":"finding","rule":"([A-Z0-9-]+)"/#).map { String($0.1) } }
    }
    let made = try run(make.isEmpty ? "true" : make)
    try #require(made.status == 0, "\(made.errors)")
    let before = try rules(faulty)
    #expect(before.contains(rule), "\(before)")
    let followed = try run(mend)
    #expect(followed.status == 0, "\(followed.errors)")
    let after = try rules(mended)
    #expect(!after.contains(rule), "\(after)")
  }

  /// A folder with a video, cue sheets, and streams with faults.
  private func folder() throws -> Scratch {
    let scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    _ = try scratch.write("game: s\ntitle: S\ncues: [{ at: 0.2, event: startGame }, { at: 1, event: endGame }]\n", to: "short.yaml")
    let two = (0..<3).map { "  - { at: \(1 + Double($0) / 25), event: poll\($0), currentFor: 2 }\n" }.joined()
    _ = try scratch.write(
      "game: t\ntitle: T\ncues:\n  - { at: 0.5, event: startGame }\n\(two)  - { at: 5, event: endGame }\n", to: "two.yaml")
    try FileManager.default.copyItem(atPath: Broadcast.path, toPath: scratch["video.mp4"].path)
    try FileManager.default.copyItem(atPath: Broadcast.stamped, toPath: scratch["show.ts"].path)
    let stream = [UInt8](try Data(contentsOf: scratch["show.ts"]))
    try Data(cutTags(stream, pid: 0x102)).write(to: scratch["cut.ts"])
    // A program map without descriptors, and ID3 that is no event.
    var sample = SampleStream()
    sample.map.streams.append(.init(type: .metadata, pid: 0x123))
    let tag = try ID3Tag(frames: [.text(id: "TIT2", values: ["song"])]).encode()
    sample.extras = [7: [.pes(0x123, SamplePacketWriter.pes(presentation: 936_000, payload: tag))]]
    try Data(sample.bytes).write(to: scratch["tags.ts"])
    return scratch
  }
}

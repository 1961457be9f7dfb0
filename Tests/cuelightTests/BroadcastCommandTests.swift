import Foundation
import Testing

/// Transport streams as broadcast chains have them: several programs, and constant bit rate.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct BroadcastCommandTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
  }

  /// Makes a transport stream of the broadcast.
  private func ffmpeg(_ arguments: String, to name: String) throws {
    let outcome = try Command.shell("ffmpeg -v error -y -i \(Broadcast.path) \(arguments) \(name)", in: scratch.folder)
    #expect(outcome == Command.Outcome(status: 0, output: "", errors: ""))
  }

  private func cuelight(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight \(line)", in: scratch.folder) }

  @Test func aConstantRateIsKept() throws {
    try ffmpeg("-c copy -muxrate 1M", to: "constant.ts")
    let stamped = try cuelight("stamp constant.ts --cues cues.yaml -o out.ts --constant-rate")
    #expect(stamped.status == 0)
    #expect(stamped.lines.first?.hasPrefix("out.ts: 5 events in ") == true)
    #expect(stamped.lines.first?.hasSuffix(" null packets replaced, 0 packets added") == true)
    let sizes = try ["constant.ts", "out.ts"].map { try Data(contentsOf: scratch[$0]).count }
    #expect(sizes[0] == sizes[1])
    #expect(try cuelight("verify out.ts --cues cues.yaml --tolerance 0").status == 0)
    // As picture and sound need all there is, no room is left.
    try ffmpeg("-c copy", to: "variable.ts")
    let refused = try cuelight("stamp variable.ts --cues cues.yaml -o none.ts --constant-rate")
    #expect(refused.status == 65 && refused.output == "")
    #expect(refused.errors.hasPrefix("cuelight: variable.ts: at byte "))
    #expect(refused.errors.contains("too few null packets, in the 0.7 s before, for startGame 1 at 00:00.500 (copy 1 of 3), "))
    #expect(refused.errors.hasSuffix("; there is no room in the 10 s after it either: leave --constant-rate out\n"))
    #expect(!scratch.names.contains("none.ts") && !scratch.names.contains { $0.hasPrefix(".cuelight") })
    // In front of the first picture there is none in any case; moved as it says, the cue finds room.
    func sheet(_ at: String) throws {
      _ = try scratch.write("game: g\ntitle: t\ncues:\n  - { at: \(at), event: startGame }\n", to: "first.yaml")
    }
    try sheet("0")
    let crowded = try cuelight("stamp constant.ts --cues first.yaml -o first.ts --constant-rate")
    #expect(crowded.status == 65)
    let move = try #require(crowded.errors.firstMatch(of: /: move its cue ([0-9.]+) s later, or leave --constant-rate out\n/)).1
    try sheet("\(move)")
    #expect(try cuelight("stamp constant.ts --cues first.yaml -o first.ts --constant-rate").status == 0)
    let added = try cuelight("stamp variable.ts --cues cues.yaml -o added.ts")
    #expect(added.lines.first?.contains(" 0 null packets replaced, ") == true)
  }

  @Test func oneOfSeveralPrograms() throws {
    try ffmpeg(
      "-map 0 -map 0 -c copy -program program_num=7:st=0:st=1 -program program_num=9:st=2:st=3", to: "two.ts")
    let unsaid = try cuelight("stamp two.ts --cues cues.yaml -o out.ts")
    #expect(unsaid.status == 65)
    #expect(
      unsaid.errors == "cuelight: two.ts: the transport stream has 2 programs, and one must be chosen: "
        + "7 (H.264 video, AAC audio), 9 (H.264 video, AAC audio); choose one with --program\n")
    let unknown = try cuelight("stamp two.ts --cues cues.yaml -o out.ts --program 8")
    #expect(unknown.status == 65 && unknown.errors.contains("has no program 8, but these: 7 ("))
    for program in [7, 9] {
      let stamped = try cuelight("stamp two.ts --cues cues.yaml -o program-\(program).ts --program \(program)")
      #expect(stamped.status == 0)
      #expect(try cuelight("verify program-\(program).ts --cues cues.yaml --tolerance 0").status == 0)
    }
    // FFmpeg would make one program of both; what it copies of one can be muxed anew.
    for output in ["copied.ts --remux", "hls/index.m3u8"] {
      let refused = try cuelight("stamp two.ts --cues cues.yaml -o \(output)")
      #expect(refused.status == 65 && refused.output == "")
      #expect(
        refused.errors == "cuelight: two.ts: it has 2 programs (7, 9), and copying would make one program of them: "
          + "copy the one that you want first: ffmpeg -i two.ts -map 0:p:7 -c copy one.ts\n")
      _ = try Command.shell("ffmpeg -v error -y -i two.ts -map 0:p:7 -c copy one.ts", in: scratch.folder)
      #expect(try cuelight("stamp one.ts --cues cues.yaml -o \(output)").status == 0)
    }
  }

  /// A stream that was cut in its middle begins with pictures that no table has announced: all commands count from the first one behind them.
  @Test func aStreamCutInItsMiddle() throws {
    try ffmpeg("-c copy -pat_period 3", to: "whole.ts")
    let packets = try Data(contentsOf: scratch["whole.ts"])
    let cut = stride(from: 0, to: packets.count, by: 188).filter { packets[$0 + 1] & 0x5F == 0x41 && packets[$0 + 2] == 0 }[15]
    try packets[cut...].write(to: scratch["cut.ts"])
    _ = try scratch.write("game: g\ntitle: t\ncues:\n  - { at: 0, event: startGame }\n  - { at: 1.5, event: endGame }\n", to: "short.yaml")
    #expect(try cuelight("stamp cut.ts --cues short.yaml -o out.ts").lines.first?.hasPrefix("out.ts: 2 events in ") == true)
    #expect(try cuelight("verify out.ts --cues short.yaml --tolerance 0").status == 0)
    #expect(try cuelight("replay out.ts").lines.prefix(2) == ["00:00.000  t   0 questions", "00:01.500  The game is over"])
  }

  /// Streams of camcorders, discs and tuners keep their packets of 192 bytes and their names.
  @Test(arguments: ["out.m2ts", "out.MTS", "out.m2t", "out.tp", "out.trp"]) func otherNamesOfTransportStreams(name: String) throws {
    try ffmpeg("-c copy -mpegts_m2ts_mode 1", to: "disc.m2ts")
    let stamped = try cuelight("stamp disc.m2ts --cues cues.yaml -o \(name)")
    #expect(stamped.status == 0 && stamped.errors == "" && stamped.lines.first?.hasPrefix("\(name): 5 events in ") == true)
    let bytes = try Data(contentsOf: scratch[name])
    #expect(bytes.count % 192 == 0 && stride(from: 4, to: bytes.count, by: 192).allSatisfy { bytes[$0] == 0x47 })
    #expect(try cuelight("verify \(name) --cues cues.yaml --tolerance 0").status == 0)
  }

  @Test(arguments: ["out.mkv", "out", "ts", "out.ts.part"]) func namesOfNeither(name: String) throws {
    let refused = try cuelight("stamp two.ts --cues cues.yaml -o \(name)")
    #expect(refused.status == 64 && refused.output == "")
    #expect(
      refused.errors.split(separator: "\n").first.map { String($0) }
        == "Error: The output's name must end in .ts, .m2ts, .mts, .m2t, .tp or .trp for a transport stream, in .mp4 for fragmented MP4, "
        + "or in .m3u8 for HLS, and \(name) does not.")
  }

  @Test func libavformatOnDemand() throws {
    try ffmpeg("-c copy -mpegts_start_pid 0x300", to: "other.ts")
    let remuxed = try cuelight("stamp other.ts --cues cues.yaml -o remuxed.ts --remux")
    #expect(remuxed.status == 0 && remuxed.lines.first?.contains("packets") == false)
    #expect(try cuelight("verify remuxed.ts --cues cues.yaml").status == 0)
    // Its own muxer numbers the PIDs anew.
    #expect(try cuelight("inspect --json remuxed.ts").lines.first?.contains("\"pid\":258,") == true)
    _ = try cuelight("stamp other.ts --cues cues.yaml -o passed.ts")
    #expect(try cuelight("inspect --json passed.ts").lines.first?.contains("\"pid\":770,") == true)
  }

  @Test(arguments: [
    "--program 0 -o out.ts", "--program 1 -o out.m3u8", "--constant-rate -o out.m3u8", "--remux -o out.m3u8",
    "--remux --program 1 -o out.ts", "--remux --constant-rate -o out.ts", "--program 70000 -o out.ts",
  ]) func whatDoesNotGoTogether(options: String) throws {
    #expect(try cuelight("stamp other.ts --cues cues.yaml \(options)").status == 64)
  }
}

import Foundation
import Testing

/// Outputs destroy nothing: no input, no part of one, and no other file unasked.
@Suite(.enabled(if: Broadcast.isAvailable, "ffmpeg makes the broadcasts")) struct OutputTests {
  let scratch: Scratch
  static let key = String(repeating: "0123456789abcdef", count: 4)

  init() throws {
    scratch = try Scratch.withStampedBroadcast()
    _ = try scratch.write(Self.key, to: "key.ts", permissions: 0o600)
    try FileManager.default.createSymbolicLink(atPath: scratch["link.ts"].path, withDestinationPath: "key.ts")
    try FileManager.default.linkItem(at: scratch["key.ts"], to: scratch["hard.ts"])
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("cuelight " + line, in: scratch.folder) }

  private func permissions(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: scratch[name].path)[.posixPermissions] as? Int
  }

  @Test(arguments: ["key.ts", "link.ts", "hard.ts"]) func theSealKeyIsNoOutput(name: String) throws {
    let outcome = try run("stamp '\(Broadcast.path)' --cues cues.yaml --seal-key key.ts -o \(name) --force")
    let message = "cuelight: \(name): is an input too; choose another name for the output\n"
    #expect(outcome == .init(status: 73, output: "", errors: message))
    #expect(try String(contentsOf: scratch["key.ts"], encoding: .utf8) == Self.key)
  }

  @Test func standardInputIsNoOutput() throws {
    let before = try Data(contentsOf: scratch["out.ts"])
    let outcome = try run("stamp - --cues cues.yaml -o out.ts --force < out.ts")
    #expect(outcome.status == 73 && outcome.errors.hasPrefix("cuelight: out.ts: is an input too"))
    #expect(try Data(contentsOf: scratch["out.ts"]) == before)
  }

  /// Every file of a presentation is an input, also where reading would not come that far.
  @Test func partsOfAPresentationAreNoOutputs() throws {
    #expect(try run("stamp '\(Broadcast.path)' --cues cues.yaml --segment-type fmp4 --segment-duration 1 -o hls/index.m3u8").status == 0)
    for name in ["index.m3u8", "index-media.m3u8", "index-segment-init.mp4", "index-segment-00005.m4s"] {
      let before = try Data(contentsOf: scratch["hls/\(name)"])
      for command in [
        "verify hls/index.m3u8 --cues cues.yaml --duration 1 --junit", "replay hls/index.m3u8 --record",
        "replay hls/index.m3u8 --bots perfect:1 --record-answers", "replay hls/index.m3u8 --bots perfect:1 --emit-results",
      ] {
        let outcome = try run("\(command) hls/\(name) --force")
        let message = "cuelight: hls/\(name): is an input too; choose another name for the output\n"
        #expect(outcome == .init(status: 73, output: "", errors: message), "\(command)")
      }
      #expect(try Data(contentsOf: scratch["hls/\(name)"]) == before)
    }
  }

  @Test func whatReplacesAFileHasItsPermissions() throws {
    _ = try scratch.write("old", to: "new.ts", permissions: 0o600)
    #expect(try run("stamp '\(Broadcast.path)' --cues cues.yaml -o new.ts --force").status == 0)
    #expect(try permissions("new.ts") == 0o600)
    let line = "stamp '\(Broadcast.path)' --cues cues.yaml -o hls/index.m3u8 --force"
    #expect(try run(line).status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scratch["hls/index-segment-00000.ts"].path)
    #expect(try run(line).status == 0)
    #expect(try permissions("hls/index-segment-00000.ts") == 0o640)
  }

  @Test func aLinkThatLeadsNowhereIsThere() throws {
    for name in ["nowhere.ts", "hls/index.m3u8"] {
      try FileManager.default.createDirectory(at: scratch["hls"], withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: scratch[name].path, withDestinationPath: "missing")
      let outcome = try run("stamp '\(Broadcast.path)' --cues cues.yaml -o \(name)")
      #expect(outcome == .init(status: 73, output: "", errors: "cuelight: \(name): exists already; add --force to replace it\n"))
    }
  }

  @Test(arguments: ["--help", "help stamp", "--version", "", "stamp --help", "--generate-completion-script bash", "questions categories"])
  func aFullDeviceIsAnError(arguments: String) throws {
    let outcome = try run("\(arguments) > /dev/full")
    #expect(outcome.status == 74 && outcome.errors.hasPrefix("cuelight: standard output: "))
  }

  /// Whoever reads a pipe finds its end when the writer closes it, so the writer must open it only once.
  @Test func aPipeIsOpenedOnce() throws {
    let line = """
      mkfifo pipe; cat pipe > journal & reader=$!
      timeout -s KILL 60 '\(Command.executable.path)' replay out.ts --record pipe > /dev/null; echo $?
      wait $reader; cuelight replay out.ts --compare journal > /dev/null; echo $?
      """
    #expect(try Command.shell(line, in: scratch.folder) == .init(status: 0, output: "0\n0\n", errors: ""))
  }

  /// A killed process cannot remove what it has begun; the next one in that folder does.
  @Test func whatAKilledRunLeavesIsRemoved() throws {
    _ = try scratch.write(Broadcast.cues.replacingOccurrences(of: "game: test", with: "game: other"), to: "other.yaml")
    let before = scratch.names
    // The beginning of the stream fits into the pipe, and the stamper waits for the rest.
    let line = """
      mkfifo pipe; exec 3<>pipe; head -c 40000 out.ts >&3
      timeout -s KILL 60 '\(Command.executable.path)' stamp - --cues other.yaml -o new.ts < pipe 3<&- 2> /dev/null & limit=$!
      until ls -A | grep -q '^\\.cuelight' || ! kill -0 $limit; do sleep 0.02; done; stamper=$(pgrep -P $limit)
      cuelight replay out.ts --record journal > /dev/null; ls -A | grep -c '^\\.cuelight'
      kill -KILL $stamper; wait $limit 2> /dev/null
      cuelight replay out.ts --record journal --force > /dev/null; ls -A | grep -c '^\\.cuelight'
      rm pipe journal
      """
    // While it lives it is left alone.
    #expect(try Command.shell(line, in: scratch.folder).lines == ["1", "0"])
    #expect(scratch.names == before)
  }
}

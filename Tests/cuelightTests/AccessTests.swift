import Foundation
import TestSupport
import Testing

/// Streams that a server gives to some clients alone, and how fast streams are loaded.
@Suite(.enabled(if: HostileServer.isAvailable, "python3 serves the streams")) struct AccessTests {
  private let scratch: Scratch
  private let stream: [UInt8]

  init() throws {
    scratch = try Scratch()
    stream = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
    try FileManager.default.createDirectory(at: scratch["www"], withIntermediateDirectories: true)
    try Data(stream).write(to: scratch["www/a.ts"])
    try Data(stream).write(to: scratch["www/b.ts"])
  }

  private func serve(_ script: [String: [[String: String]]] = [:]) throws -> HostileServer {
    let file = try scratch.write(String(decoding: JSONSerialization.data(withJSONObject: script), as: UTF8.self), to: "script.json")
    return try HostileServer("--folder", scratch["www"].path, "--script", file)
  }

  private func playlist(_ segments: [String]) throws {
    let lines = segments.map { "#EXT-X-DISCONTINUITY\n#EXTINF:2.44,\n\($0)\n" }
    _ = try scratch.write("#EXTM3U\n#EXT-X-TARGETDURATION:3\n\(lines.joined())#EXT-X-ENDLIST\n", to: "www/index.m3u8")
  }

  private func run(_ line: String) throws -> Command.Outcome { try Command.shell("export no_proxy='*'; \(line)", in: scratch.folder) }

  private func sent(_ server: HostileServer) throws -> [String] {
    let text = try run("python3 -c \"import urllib.request as web; print(web.urlopen('\(server.url("/-/sent"))').read().decode())\"").output
    return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("HEAD") }
  }

  /// The fields go to the server of the address, and not to that of a segment.
  @Test func fieldsGoToOneServer() throws {
    let (server, other) = (try serve(), try HostileServer("--folder", scratch["www"].path))
    try playlist(["a.ts", other.url("/b.ts")])
    _ = try scratch.write("X-Two: 2\nCookie: a=b; c=d\n", to: "fields", permissions: 0o600)
    let address = server.url("/index.m3u8")
    let inspected = try run("cuelight inspect '\(address)' --header 'X-One:  1' --header @fields")
    #expect(inspected.status == 0 && inspected.errors == "")
    let fields = "Cookie: a=b; c=d | X-One: 1 | X-Two: 2 | "
    #expect(try sent(server) == ["GET /index.m3u8 | \(fields)", "GET /a.ts | \(fields)"])
    #expect(try sent(other) == ["GET /b.ts | "])
  }

  /// Every command that reads a stream takes them.
  @Test(arguments: [
    "inspect", "replay", "doctor", "extract -o -", "verify --cues cues.yaml",
  ])
  func everyCommandHasThem(command: String) throws {
    let server = try serve()
    _ = try scratch.write("game: g\ncues: [{ at: 1, event: endGame }]\n", to: "cues.yaml")
    for path in ["/a.ts", "/index.m3u8"] {
      try playlist(["a.ts"])
      _ = try run("cuelight \(command) '\(server.url(path))' --header 'Authorization: Bearer x'")
    }
    let sent = try sent(server)
    #expect(Set(sent.map { $0.split(separator: " ")[1] }) == ["/a.ts", "/index.m3u8"])
    #expect(sent.allSatisfy { $0.contains(" | Authorization: Bearer x | ") }, "\(sent)")
  }

  /// "Aladdin:open sesame", as in RFC 7617, from the environment, from a file, and from the address.
  @Test func credentials() throws {
    let server = try serve()
    _ = try scratch.write("Aladdin:open sesame\n", to: "login", permissions: 0o600)
    let address = server.url("/a.ts")
    let named = address.replacingOccurrences(of: "http://", with: "http://Aladdin:open%20sesame@")
    for line in [
      "CUELIGHT_PASSWORD='open sesame' cuelight inspect '\(address)' --user Aladdin", "cuelight inspect '\(address)' --user @login",
      "cuelight inspect '\(named)'", "cuelight doctor '\(named)'",
    ] {
      let outcome = try run(line)
      #expect([0, 1].contains(outcome.status), "\(line): \(outcome.errors)")
      #expect(!outcome.output.contains("sesame") && !outcome.errors.contains("sesame"))
    }
    let sent = try sent(server)
    let expected = "GET /a.ts | Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== | "
    #expect(sent.count >= 4 && sent.allSatisfy { $0.hasPrefix(expected) }, "\(sent)")
  }

  /// What is secret is not among the arguments that others see.
  @Test func argumentsAreHidden() throws {
    let server = try serve(["/a.ts": [["delay": "3"]]])
    let named = server.url("/a.ts").replacingOccurrences(of: "http://", with: "http://ann:pass@")
    let outcome = try run(
      """
      cuelight inspect '\(named)' --header 'X-Key: secret' > out & shell=$!
      arguments() { tr '\\0' ' ' < "/proc/$(pgrep -P $shell)/cmdline"; }
      for try in {1..100}; do seen=$(arguments 2> /dev/null); case $seen in '' | bash* | *secret*) sleep 0.02 ;; *) break ;; esac; done
      echo "$seen"; pkill -P $shell; wait
      """)
    let seen = outcome.output
    #expect(seen.contains("inspect") && !seen.contains("secret") && !seen.contains("ann:pass"), "\(seen)")
  }

  @Test func mistakes() throws {
    _ = try scratch.write("no field\n", to: "wrong", permissions: 0o600)
    for (options, status, message) in [
      ("http://127.0.0.1:1/x --header x", 64, "--header takes 'Name: value' or @FILE, not x."),
      ("http://127.0.0.1:1/x --header 'a b: c'", 64, "--header takes 'Name: value' or @FILE"),
      ("http://127.0.0.1:1/x --user a:b", 64, "--user takes the name alone"),
      ("http://127.0.0.1:1/x --user a", 64, "--user a: the password is missing: put it into CUELIGHT_PASSWORD"),
      ("http://127.0.0.1:1/x --header @none", 66, "none"),
      ("http://127.0.0.1:1/x --header @wrong", 65, "wrong: header field 1: expected Name: value"),
      ("http://127.0.0.1:1/x --user @wrong", 65, "wrong: expected one line with name:password"),
      ("www/a.ts --header 'a: b'", 64, "--header is for the address of a web server"),
    ] {
      let outcome = try run("env -u CUELIGHT_PASSWORD '\(Command.executable.path)' inspect \(options)")
      #expect(Int(outcome.status) == status && outcome.errors.contains(message), "\(options): \(outcome.errors)")
    }
  }

  /// The segments of a complete playlist are loaded at the same time, and read in their order.
  @Test func segmentsAreLoadedAhead() throws {
    let names = (0..<20).map { "\($0 % 2 == 0 ? "a" : "b").ts?\($0)&delay=0.3" }
    try playlist(names)
    let server = try serve()
    let start = ContinuousClock.now
    let inspected = try run("cuelight inspect --json '\(server.url("/index.m3u8"))'")
    // One after the other they take 6 s.
    #expect(ContinuousClock.now - start < .seconds(3.5))
    let local = try run("sed -i 's/?.*//' www/index.m3u8; cuelight inspect --json www/index.m3u8")
    #expect(inspected.status == 0 && inspected.lines.count == local.lines.count)
    #expect(inspected.lines.map { $0.replacing(#/\?[0-9]+&delay=0.3/#, with: "") } == local.lines)
    #expect(try sent(server).count == 21)
  }

  /// The first fault is reported first, whichever answer arrives first.
  @Test func faultsKeepTheirOrder() throws {
    try playlist(["a.ts?0", "x.ts?delay=1", "y.ts", "b.ts?1"])
    let server = try serve()
    let inspected = try run("cuelight inspect '\(server.url("/index.m3u8"))'")
    let places = inspected.errors.split(separator: "\n").filter { $0.contains("skipped") }
    #expect(inspected.status == 74 && places.count == 2)
    #expect(places.first?.contains("x.ts?delay=1 (segment 1)") == true && places.last?.contains("y.ts (segment 2)") == true)
  }
}

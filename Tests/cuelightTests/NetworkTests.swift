import Basics
import Foundation
import HTTPClient
import TestSupport
import Testing

/// Presentations on web servers that misbehave: only what a server refuses to give is lost, and each loss is told.
@Suite(.enabled(if: Broadcast.isAvailable && HostileServer.isAvailable, "ffmpeg makes the broadcasts, python3 serves them"))
struct NetworkTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
  }

  private func stamp(_ type: String = "ts") throws {
    let line = "cuelight stamp '\(Broadcast.path)' --cues cues.yaml --segment-duration 1 --segment-type \(type) -o hls/index.m3u8"
    #expect(try Command.shell(line, in: scratch.folder).status == 0)
  }

  private func run(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, arguments, in: scratch.folder)
  }

  /// A server of the folder that behaves as the script says: for each path what it does at the first, second ... request.
  private func serve(_ script: [String: [[String: String]]] = [:]) throws -> HostileServer {
    let file = try scratch.write(String(decoding: JSONSerialization.data(withJSONObject: script), as: UTF8.self), to: "script.json")
    return try HostileServer("--folder", scratch["hls"].path, "--script", file)
  }

  /// The lines of `inspect --json`, each without the names of segments.
  private func copies(_ input: String) throws -> [String] {
    try run("inspect", "--json", input).lines
  }

  @Test(arguments: ["ts", "fmp4"]) func aServerGivesWhatTheFolderGives(type: String) throws {
    try stamp(type)
    let server = try serve()
    let expected = try copies("hls/index.m3u8")
    #expect(try copies(server.url("/index.m3u8")) == expected && expected.count >= 12)
    #expect(try copies(server.url("/index-media.m3u8")) == expected)
    let verified = try run("verify", server.url("/index.m3u8"), "--cues", "cues.yaml", "--all-renditions")
    #expect(verified.status == 0 && verified.errors == "")
  }

  /// The readings of all renditions share the playlist that lists them.
  @Test(arguments: [
    ("verify --cues cues.yaml --all-renditions", 1), ("inspect --all-renditions", 1), ("doctor", 2), ("inspect", 1),
  ]) func thePlaylistOfRenditionsIsLoadedOnce(command: String, count: Int) throws {
    let line = """
      cp '\(Broadcast.path)' a.mp4; cp a.mp4 b.mp4
      cuelight stamp a.mp4 b.mp4 --cues cues.yaml --segment-duration 1 --segment-type fmp4 --dash -o hls/index.m3u8
      """
    #expect(try Command.shell(line, in: scratch.folder).status == 0)
    for name in ["index.m3u8", "index.mpd"] {
      let server = try serve()
      let outcome = try Command.shell("cuelight \(command) '\(server.url("/\(name)"))'", in: scratch.folder)
      #expect(outcome.status == 0, "\(outcome)")
      let answer = try WebAnswer(to: WebRequest(url: server.url("/-/requests")), limits: NetworkLimits())
      let requests = String(decoding: answer.body, as: UTF8.self)
      #expect(requests.split(separator: "\n").count { $0.hasPrefix("/\(name) ") } == count, "\(requests)")
    }
  }

  /// A playlist may name any number of segments that are not there: twenty are named, the rest is counted.
  @Test func messagesOfOneKindAreCounted() throws {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + (0..<300).map { "#EXTINF:1,\n\($0).ts\n" }.joined() + "#EXT-X-ENDLIST\n"
    _ = try scratch.write(text, to: "missing.m3u8")
    let inspected = try run("inspect", "missing.m3u8")
    let errors = inspected.errors.split(separator: "\n")
    #expect(inspected.status == 74 && errors.count == 22)
    #expect(errors.dropFirst(19).first == "missing.m3u8: 19.ts (segment 19): skipped: no such file")
    #expect(errors.contains("missing.m3u8: 280 more messages like this: 0.ts (segment 0): skipped: no such file"))
    let json = try run("inspect", "--json", "missing.m3u8")
    #expect(json.lines.count { $0.contains(#""type":"notice""#) } == 300)
  }

  @Test func longNamesAreCut() throws {
    let name = String(repeating: "9", count: 60_000)
    _ = try scratch.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(name)\n#EXT-X-ENDLIST\n", to: "long.m3u8")
    let lines = try run("inspect", "long.m3u8").errors.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("long.m3u8: 999") && $0.hasSuffix("9…") && $0.count == 2_001 })
    #expect(lines.allSatisfy { $0.count <= 2_001 })
  }

  /// A segment without end is given up at the limit of resources over HTTP.
  @Test func endlessSegmentsEnd() throws {
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/bytes/1?endless=1&framing=chunked&chunk=1000000\n#EXT-X-ENDLIST\n"
    try FileManager.default.createDirectory(at: scratch["hls"], withIntermediateDirectories: true)
    _ = try scratch.write(text, to: "hls/endless.m3u8")
    let server = try serve()
    let inspected = try run("inspect", server.url("/endless.m3u8"))
    #expect(inspected.status == 74 && inspected.errors.contains("it is larger than 268435456 bytes"))
  }

  /// The first signal ends the waits for segments that are missing.
  @Test(arguments: ["inspect", "replay", "doctor", "verify --cues cues.yaml"]) func interruptedWhileSegmentsAreMissing(command: String)
    throws
  {
    let segments = (0..<50).map { "#EXTINF:6,\n\($0).ts?status=503\n" }.joined()
    try FileManager.default.createDirectory(at: scratch["hls"], withIntermediateDirectories: true)
    _ = try scratch.write("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(segments)#EXT-X-ENDLIST\n", to: "hls/index.m3u8")
    let server = try serve()
    let line = """
      '\(Command.executable.path)' \(command) '\(server.url("/index.m3u8"))' > /dev/null & reader=$!
      requests() { python3 -c "import urllib.request as web; print(web.urlopen('\(server.url("/-/requests"))').read())"; }
      until requests | grep -q '0.ts' || ! kill -0 $reader; do sleep 0.02; done
      kill -TERM $reader; wait $reader; echo $?
      """
    let outcome = try Command.shell(line, in: scratch.folder)
    #expect(outcome.lines == ["130"] && outcome.errors.hasSuffix("cuelight: interrupted\n"))
  }

  /// Delays, cuts, resets and failures that end before the attempts do cost nothing.
  @Test func whatComesAtLastIsNotLost() throws {
    try stamp()
    let expected = try copies("hls/index.m3u8")
    let server = try serve([
      "/index.m3u8": [["status": "503"]], "/index-media.m3u8": [["silent": "1"], ["delay": "0.2"]],
      "/index-segment-00000.ts": [["cut": "5000"], ["cut": "20000"]], "/index-segment-00001.ts": [["reset": "9400"]],
      "/index-segment-00002.ts": [["status": "500"], ["status": "503"]],
      "/index-segment-00003.ts": [["framing": "chunked", "cut": "7000"]],
      "/index-segment-00004.ts": [["redirect": "/index-segment-00004.ts?again"]], "/index-segment-00005.ts": [["framing": "none"]],
    ])
    let inspected = try run("inspect", "--json", server.url("/index.m3u8"))
    #expect(inspected.status == 0 && inspected.errors == "" && inspected.lines == expected)
  }

  /// What is refused is lost and told, segment by segment; the rest is read, and what came of a cut segment too.
  @Test func onlyWhatIsRefusedIsLost() throws {
    try stamp()
    let expected = try copies("hls/index.m3u8")
    let again = [String: String](uniqueKeysWithValues: [("cut", "10000")])
    let server = try serve([
      "/index-segment-00001.ts": [["status": "404"]], "/index-segment-00002.ts": [again, again, again],
      "/index-segment-00004.ts": [["reset": "0"], ["status": "500"], ["hang": "1"]].map { $0["hang"] == nil ? $0 : ["silent": "1"] },
    ])
    let url = server.url("/index.m3u8")
    let inspected = try run("inspect", "--json", url)
    #expect(inspected.status == 74)
    let lost = inspected.errors.split(separator: "\n").filter { !$0.contains(": byte ") }
    #expect(lost.count == 3)
    for (line, segment) in zip(lost, [1, 2, 4]) {
      #expect(line.hasPrefix("\(url): index-segment-0000\(segment).ts (segment \(segment)): "))
    }
    #expect(lost.first?.hasSuffix("skipped: the server does not have it (HTTP 404)") == true)
    #expect(lost.dropFirst().first?.contains("cut off after 10000 bytes") == true)
    func segment(_ line: String) -> String? {
      line.range(of: "index-segment-0000").map { String(line[$0.upperBound...].prefix(1)) }
    }
    func offset(_ line: String) -> Int {
      line.range(of: #""offset":"#).flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) } ?? 0
    }
    // Whether a copy is the first of its event depends on what came before it.
    func plain(_ line: String) -> String { line.replacingOccurrences(of: #""duplicate":true"#, with: #""duplicate":false"#) }
    let given = expected.filter { line in
      switch segment(line) {
      case "1", "4": false
      case "2": offset(line) < 9_500
      default: true
      }
    }
    #expect(inspected.lines.filter { $0.contains(#""type":"copy""#) }.map(plain) == given.map(plain))
  }

  /// A playlist that grows is loaded again until it ends, and segments that come are read as they come.
  @Test func aLivePlaylistIsReadUntilItEnds() throws {
    try stamp()
    let expected = try copies("hls/index-media.m3u8")
    let media = scratch["hls/index-media.m3u8"]
    let lines = try String(contentsOf: media, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let head = lines.prefix { !$0.hasPrefix("#EXTINF") }.filter { !$0.hasPrefix("#EXT-X-PLAYLIST-TYPE") }
    let segments = lines.indices.filter { lines[$0].hasPrefix("#EXTINF") }.map { "\(lines[$0])\n\(lines[$0 + 1])\n" }
    let names = lines.indices.filter { lines[$0].hasPrefix("#EXTINF") }.map { "/\(lines[$0 + 1]) " }
    @Sendable func write(_ range: Range<Int>, _ end: String = "") throws {
      let sequence = head.map { $0.hasPrefix("#EXT-X-MEDIA-SEQUENCE") ? "#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)" : $0 }
      try (sequence.joined(separator: "\n") + "\n" + segments[range].joined() + end).write(to: media, atomically: true, encoding: .utf8)
    }
    try write(0..<3)
    let server = try serve()
    let growing = Thread {
      for (latest, count) in [(2, 4), (3, 6)] {
        // A reader that asks for the latest segment has read the playlist.
        Self.wait { (try? Self.load(server.url("/-/requests")))?.contains(names[latest]) == true }
        try? write((count - 3)..<count, count == 6 ? "#EXT-X-ENDLIST\n" : "")
      }
    }
    growing.start()
    let inspected = try run("inspect", "--json", server.url("/index-media.m3u8"))
    #expect(inspected.status == 0 && inspected.errors == "" && inspected.lines == expected)
  }

  /// Waits for a condition, ten seconds at most.
  private static func wait(for condition: () -> Bool) {
    let end = ContinuousClock.now + .seconds(10)
    while !condition(), ContinuousClock.now < end { usleep(10_000) }
  }

  private static func load(_ url: String) throws -> String {
    var input = try NetworkInput(url: url)
    var bytes: [UInt8] = []
    while try input.fill() { bytes.append(copying: input.bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A playlist that never ends is read for as long as is asked for.
  @Test func aLivePlaylistIsReadForADuration() throws {
    try stamp()
    let media = scratch["hls/index-media.m3u8"]
    let text = try String(contentsOf: media, encoding: .utf8)
    try text.replacingOccurrences(of: "#EXT-X-ENDLIST", with: "").replacingOccurrences(of: "#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
      .write(to: media, atomically: true, encoding: .utf8)
    let server = try serve()
    let inspected = try run("inspect", "--duration", "3", server.url("/index.m3u8"))
    #expect(
      inspected.status == 0 && inspected.output.contains("index-segment-00002.ts") && !inspected.output.contains("index-segment-00003.ts"))
  }

  @Test func streamsAreReadFromServersToo() throws {
    try stamp()
    let server = try serve(["/missing.ts": [["status": "404"]]])
    #expect(try run("inspect", server.url("/index-segment-00000.ts")).output == run("inspect", "hls/index-segment-00000.ts").output)
    let missing = try run("inspect", server.url("/none.ts"))
    #expect(missing.status == 66 && missing.errors == "cuelight: \(server.url("/none.ts")): the server does not have it (HTTP 404)\n")
    let playlist = try run("inspect", server.url("/none.m3u8"))
    #expect(playlist.status == 66 && playlist.errors == "cuelight: \(server.url("/none.m3u8")): the server does not have it (HTTP 404)\n")
  }
}

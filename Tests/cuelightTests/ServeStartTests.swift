import Basics
import Foundation
import LibCrypto
import TestSupport
import Testing

/// What `cuelight serve` prints at its start: addresses that a phone can open, and where to publish.
@Suite(.enabled(if: LiveServerProcess.isAvailable, "the package has its trait Server")) struct ServeStartTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(
      #"{"title":"Quiz","questions":[{"question":"Red?","answers":["Earth","Mars"],"correct":"Mars"}]}"#, to: "quiz.json")
  }

  /// Starts a server, waits for its first line, and ends it: the line, and all messages.
  private func start(_ arguments: [String], quiz: String = "quiz.json") throws -> (line: JSONObject, messages: [String]) {
    let log = scratch["log"]
    try Data().write(to: log)
    let process = try ChildProcess(
      LiveServerProcess.executable.path,
      ["serve", "--data", scratch["data"].path, "--quiz", scratch[quiz].path, "--hosted", "--json"] + arguments,
      errors: .file(log.path))
    func objects() -> [JSONObject] {
      let text = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
      return text.split(separator: "\n").compactMap { (try? JSONValue(parsing: String($0)))?.object }
    }
    let end = ContinuousClock.now + .seconds(60)
    while !objects().contains(where: { $0["listening"] != nil }), process.isRunning, ContinuousClock.now < end { usleep(20_000) }
    process.signal(SIGTERM)
    _ = process.wait()
    let line = try #require(
      objects().first { $0["listening"] != nil }, "\(String(describing: try? String(contentsOf: log, encoding: .utf8)))")
    return (line, objects().compactMap { $0["message"]?.string })
  }

  /// A phone opens what is printed: never 0.0.0.0, and never the address of an interface for programs.
  @Test func everywhere() throws {
    let (line, messages) = try start(["--listen", "0.0.0.0:0", "--input", "rtmp://0.0.0.0:0/show"])
    let (page, link) = (line["page"]?.string ?? "", line["hostLink"]?.string ?? "")
    #expect(!page.contains("0.0.0.0") && page.contains("/play?code=\(line["code"]?.string ?? "-")"))
    #expect(link == "\(line["console"]?.string ?? "")#token=\(line["token"]?.string ?? "")")
    #expect(line["listening"]?.string?.hasPrefix("http://0.0.0.0:") == true && !messages.contains { $0.contains("only this machine") })
    let publish = line["publish"]?.array?.first?.object
    #expect(publish?["address"]?.string?.hasSuffix("/show") == true)
    #expect(publish?["key"]?.string == "any, from this machine alone; --token-file has keys for others")
  }

  /// Where phones cannot get in, a line says how they do.
  @Test func loopback() throws {
    let (line, messages) = try start(["--listen", "127.0.0.1:0", "--input", "rtmp://127.0.0.1:0/live"])
    let listening = line["listening"]?.string ?? ""
    #expect(
      messages.contains { $0.hasPrefix("only this machine reaches \(listening); phones in the same network get in with --listen 0.0.0.0:") }
    )
    #expect(messages.contains { $0.hasPrefix("only Safari plays") })
  }

  /// The player library is fetched once, and what is not what was asked for is refused.
  @Test(.enabled(if: HostileServer.isAvailable)) func thePlayerLibrary() throws {
    let text = "export default class Hls {}\n"
    let path = try scratch.write(text, to: "hls.mjs")
    let server = try HostileServer("--folder", scratch.folder.path, "--script", try scratch.write("{}", to: "script.json"))
    let digest = Data(try MessageDigest.sha384.digest(of: Array(text.utf8))).base64EncodedString()
    let arguments = [
      "--listen", "127.0.0.1:0", "--input", "rtmp://127.0.0.1:0/live", "--player-library", server.url("/hls.mjs"), "--integrity",
    ]
    let first = try start(arguments + ["sha384-\(digest)"])
    #expect(first.messages.contains { $0.hasPrefix("the player library is kept in ") })
    // The second start needs no network.
    try FileManager.default.removeItem(atPath: path)
    let second = try start(arguments + ["sha384-\(digest)"])
    #expect(!second.messages.contains { $0.contains("player library") })
    _ = try scratch.write("alert(1)\n", to: "hls.mjs")
    let other = Data(try MessageDigest.sha384.digest(of: [1])).base64EncodedString()
    let refused = try Command.run(
      LiveServerProcess.executable, ["serve", "--data", scratch["other"].path] + arguments + ["sha384-\(other)"])
    #expect(refused.status == 65 && refused.errors.contains("is not what --integrity says"))
  }

  /// One bad question stops the start, which says how to begin without it; then it is named and left out.
  @Test func aBadQuestion() throws {
    let text = "Question,Option 1,Option 2,Answer\nOldest?,Earth,Sun,2\nCold?,Ice,Fire,7\nRed?,Mars,Venus,Mars\n"
    let path = try scratch.write(text, to: "quiz.csv")
    let arguments = ["--listen", "127.0.0.1:0", "--input", "rtmp://127.0.0.1:0/live"]
    let refused = try Command.run(LiveServerProcess.executable, ["serve", "--data", scratch["data"].path, "--quiz", path] + arguments)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("quiz.csv: with --skip-mistakes the show begins with the other 2 questions"))
    #expect(refused.errors.contains("quiz.csv:3"))
    let (_, messages) = try start(arguments + ["--skip-mistakes"], quiz: "quiz.csv")
    #expect(messages.contains { $0.contains("quiz.csv:3") && $0.hasSuffix(": left out") })
  }
}

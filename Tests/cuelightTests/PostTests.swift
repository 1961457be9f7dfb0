import Basics
import Foundation
import TestSupport
import Testing

/// `cuelight post` with a server that misbehaves, and with one that does not.
@Suite(.enabled(if: HostileServer.isAvailable, "python3 serves")) struct PostTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func post(_ url: String, _ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["post", url] + arguments, in: scratch.folder)
  }

  /// A server whose calls of a path do these things one after the other.
  private func hostile(_ path: String, _ steps: [[String: String]]) throws -> HostileServer {
    let script = try scratch.write(
      String(decoding: JSONSerialization.data(withJSONObject: ["/v1/streams/live\(path)": steps]), as: UTF8.self), to: "script.json")
    return try HostileServer("--script", script)
  }

  /// An answer as it goes over the wire.
  private static func answer(_ status: Int, _ body: String, _ fields: String = "") -> [String: String] {
    ["raw": "HTTP/1.1 \(status) Text\r\nContent-Length: \(body.utf8.count)\r\n\(fields)Connection: close\r\n\r\n\(body)"]
  }

  private static let accepted = #"{"guid":"g","event":"poll","sequence":1,"state":"accepted","at":null}"#

  /// Everything that was sent.
  private func sent(_ server: HostileServer) throws -> [String] {
    try Command.run(
      URL(filePath: "/usr/bin/env"),
      ["python3", "-c", "import sys, urllib.request as web; sys.stdout.write(web.urlopen('\(server.url("/-/sent"))').read().decode())"]
    ).lines
  }

  private static let busy = answer(503, #"{"title":"busy","status":503,"detail":"the disk is full"}"#, "Retry-After: 0\r\n")

  // MARK: Servers that misbehave

  /// The same is sent again, with the same identifier, whether or not the server has read it.
  @Test func brokenConnectionsAreTriedAgain() throws {
    let server = try hostile(
      "/events", [["silent": "1"], Self.busy, Self.answer(429, "slow down", "Retry-After: 0\r\n"), Self.answer(202, Self.accepted)])
    let posted = try post(server.url(""), "--custom", "poll", "--set", "a=1")
    #expect(posted.status == 0 && posted.output == "poll g: accepted, number 1\n")
    let url = server.url("/v1/streams/live/events")
    #expect(
      posted.errors.split(separator: "\n") == [
        "\(url): the answer was cut off after 0 bytes; trying again (2 of 5)", "the disk is full; trying again (3 of 5)",
        "\(url): the server refuses it (HTTP 429); trying again (4 of 5)",
      ])
    let sent = try sent(server)
    #expect(sent.count == 4 && Set(sent).count == 1)
    let body = try #require(sent.first?.split(separator: "|").last)
    #expect(body.contains(#"{"event":"poll","a":1,"guid":""#))
  }

  /// After five times it is enough, and the person can ask later.
  @Test func enoughIsEnough() throws {
    let server = try hostile("/events", Array(repeating: Self.busy, count: 9))
    let posted = try post(server.url(""), "startGame", "--guid", "a b", "--json")
    #expect(posted.status == 74 && posted.output == #"{"title":"busy","status":503,"detail":"the disk is full"}"# + "\n")
    #expect(posted.errors.hasSuffix("(5 of 5)\ncuelight: the disk is full\n"))
    #expect(try sent(server).count == 5)
  }

  /// Where no answer comes at all, nobody knows whether the event was accepted, and the person can ask later.
  @Test func noAnswerAtAll() throws {
    let server = try hostile("/events", Array(repeating: ["silent": "1"], count: 9))
    let posted = try post(server.url(""), "startGame", "--guid", "a b")
    #expect(posted.status == 74 && posted.output == "")
    let advice = "cuelight: to see later whether it was accepted: cuelight post status 'a b'\n"
    #expect(
      posted.errors.hasSuffix(
        "(5 of 5)\ncuelight: \(server.url("/v1/streams/live/events")): the answer was cut off after 0 bytes\n\(advice)"))
  }

  // MARK: Injectors of other makers

  private static let injection = "/LiveApp/rest/v2/broadcasts/show/id3"

  /// A server that answers injections, whatever `post` puts before a path.
  private func injector(_ steps: [[String: String]]) throws -> HostileServer {
    let script = try scratch.write(
      String(decoding: JSONSerialization.data(withJSONObject: [Self.injection: steps]), as: UTF8.self), to: "injector.json")
    return try HostileServer("--script", script)
  }

  private func postTo(_ server: HostileServer, _ arguments: String...) throws -> Command.Outcome {
    try Command.run(
      Command.executable, ["post", "--to", "antmedia:\(server.url("/LiveApp/show"))"] + arguments, in: scratch.folder)
  }

  /// An event goes to another injector in three copies, the first of them until it is taken.
  @Test func threeCopies() throws {
    let done = Self.answer(200, #"{"success":true}"#)
    let server = try injector([Self.answer(503, ""), done, done, done])
    let posted = try postTo(server, "--custom", "poll", "--set", "a=1", "--guid", "g")
    #expect(posted == Command.Outcome(status: 0, output: "poll g: placed\n", errors: ""), "\(posted)")
    let copies = try sent(server).map { line -> String in
      let copy = try #require(try JSONValue(parsing: String(line.drop { $0 != "{" })).object)
      // It belongs to no game: it has neither number nor time.
      #expect(copy["guid"]?.string == "g" && copy["a"]?.int == 1 && copy["sequence"] == nil && copy["at"] == nil)
      return copy["copy"]?.int.map { "\($0)" } ?? ""
    }
    #expect(copies == ["1", "1", "2", "3"])
  }

  /// A game has a journal: what could not be handed over goes out with the next call.
  @Test func journalOfAGame() throws {
    let done = Self.answer(200, #"{"success":true}"#)
    let server = try injector([Self.answer(404, "")] + Array(repeating: done, count: 9))
    let journal = ["--journal", scratch["game.journal"].path, "--game", "friday"]
    let refused = try postTo(server, "startGame", "--title", "T", journal[0], journal[1], journal[2], journal[3])
    #expect(refused.status == 66)
    #expect(
      refused.errors
        == "cuelight: antmedia does not take it: HTTP 404\ncuelight: the journal has the event: it goes out with the next one\n")
    let posted = try postTo(server, "endGame", journal[0], journal[1], journal[2], journal[3])
    #expect(posted.status == 0, "\(posted)")
    let events = try sent(server).dropFirst().map { try JSONValue(parsing: String($0.drop { $0 != "{" })).object }
    #expect(Set(events.compactMap { $0?["eventType"]?.string }) == ["startGame", "endGame"])
    #expect(Set(events.compactMap { $0?["sequence"]?.int }) == [1, 2] && events.allSatisfy { $0?["game"]?.string == "friday" })
  }

  /// What an injector refuses is not tried again.
  @Test func refusedByAnInjector() throws {
    let server = try injector([Self.answer(400, #"{"message":"no tags"}"#)])
    let refused = try postTo(server, "startGame", "--title", "T")
    #expect(
      refused == Command.Outcome(status: 65, output: "", errors: "cuelight: antmedia refuses it: no tags (HTTP 400)\n"), "\(refused)")
  }

  // MARK: Calls that do nothing twice

  @Test func nextIsSentOnce() throws {
    let server = try hostile("/next", [["silent": "1"], Self.answer(202, Self.accepted)])
    #expect(try post(server.url(""), "next").status == 0)
    let sent = try sent(server)
    #expect(sent.count == 2 && Set(sent).count == 1 && sent[0].contains("| Idempotency-Key: "))
  }

  /// What was taken back by a call without an answer is taken back.
  @Test func cancelledOnce() throws {
    let problem = #"{"title":"notCancellable","status":409,"detail":"the event is cancelled already","state":"cancelled"}"#
    let server = try hostile("/events/g", [["silent": "1"], Self.answer(409, problem)])
    let cancelled = try post(server.url(""), "cancel", "g")
    #expect(cancelled.status == 0 && cancelled.output == "g: taken back\n")
  }

  @Test(arguments: [
    (404, #"{"title":"unknownStream","detail":"there is no stream \"live\""}"#, 66, "there is no stream \"live\""),
    (
      422, #"{"title":"invalid","detail":"a","errors":[{"detail":"a","pointer":"/x"},{"detail":"b","pointer":""}]}"#, 65,
      "/x: a\ncuelight: b"
    ),
    (409, #"{"title":"tooLate","detail":"gone"}"#, 65, "gone"),
    (401, #"{"title":"unauthorized","detail":"a token is needed"}"#, 74, "a token is needed"),
    (403, #"{"title":"forbidden","detail":"no"}"#, 74, "no"),
    // What comes from a server does nothing to the terminal.
    (422, #"{"title":"invalid","detail":"\u001b[31mred\u009b\u202e"}"#, 65, " [31mred "),
  ])
  func refusals(status: Int, body: String, exitStatus: Int32, message: String) throws {
    let server = try hostile("/now", [Self.answer(status, body)])
    let refused = try post(server.url(""), "now")
    #expect(refused.status == exitStatus && refused.output == "")
    #expect(refused.errors.trimmingCharacters(in: .whitespacesAndNewlines) == "cuelight: \(message)".trimmingCharacters(in: .whitespaces))
  }

  /// Other servers, and answers without end.
  @Test(arguments: [
    ("status=418", 74, "the server refuses it (HTTP 418)"), ("status=404", 66, "the server does not have it (HTTP 404)"),
    ("status=200", 74, "the server's answer is of no use here (HTTP 200)"),
    ("redirect=/bytes/5", 74, "it is redirected, which is not followed here"),
    ("endless=1", 74, "it is larger than 67108864 bytes"),
  ])
  func otherServers(behaviour: String, status: Int32, message: String) throws {
    let parts = behaviour.split(separator: "=").map(String.init)
    let server = try hostile("/now", [[parts[0]: parts[1]]])
    if parts[0] == "endless" {
      let endless = try hostile("/now", [["raw": "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"]])
      #expect(try post(endless.url(""), "now").errors == "cuelight: \(endless.url("/v1/streams/live/now")): \(message)\n")
      return
    }
    let refused = try post(server.url(""), "now")
    #expect(refused == Command.Outcome(status: status, output: "", errors: "cuelight: \(server.url("/v1/streams/live/now")): \(message)\n"))
  }

  @Test func nobodyListens() throws {
    let server = try HostileServer()
    let refused = try post("http://127.0.0.1:1", "now")
    #expect(refused.status == 74 && refused.errors.split(separator: "\n").count == 5 && refused.errors.contains("trying again (5 of 5)"))
    #expect(try post(server.url("/v1/streams"), "now").status == 64)
  }

  /// A signal ends a call that hangs, and a pause, at once.
  @Test(arguments: [["hang": "1"], ["silent": "1"]]) func interrupted(step: [String: String]) throws {
    let server = try hostile("/now", Array(repeating: step, count: 9))
    let line = """
      '\(Command.executable.path)' post '\(server.url(""))' now & caller=$!
      sent() { python3 -c "import urllib.request as web; print(web.urlopen('\(server.url("/-/sent"))').read())"; }
      until sent | grep -q now || ! kill -0 $caller; do sleep 0.02; done
      kill -TERM $caller; wait $caller; echo $?
      """
    let outcome = try Command.shell(line, in: scratch.folder)
    #expect(outcome.lines == ["130"] && outcome.errors.hasSuffix("cuelight: interrupted\n"))
  }

  /// A sheet with mistakes is not sent.
  @Test func aSheetWithMistakes() throws {
    let server = try HostileServer()
    let path = try scratch.write(
      "game: g\ncues:\n  - { at: 1m, event: poll }\n  - { at: go, event: askQuestion, question: Q }\n", to: "s.yaml")
    let refused = try post(server.url(""), "--sheet", "s.yaml")
    #expect(refused.status == 65 && refused.output == "")
    #expect(refused.errors == "cuelight: s.yaml:3:11: \"at\" is \"1m\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm\n")
    try "game: g\ncues:\n  - { at: go, event: askQuestion, question: Q }\n".write(toFile: path, atomically: true, encoding: .utf8)
    let second = try post(server.url(""), "--sheet", "s.yaml")
    #expect(
      second.status == 65 && second.errors.hasPrefix("cuelight: s.yaml:3:5: \"answers\" is missing in this askQuestion cue; add it\n"))
    #expect(try sent(server) == [] && post(server.url(""), "--sheet", "none.yaml").status == 66)
  }
}

/// `cuelight post` with the server of `cuelight live`.
@Suite(.enabled(if: LiveServerProcess.isAvailable, "ffmpeg makes the input, and the package has its trait Server")) struct LivePostTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func post(_ url: String, _ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["post", url] + arguments, in: scratch.folder)
  }

  /// A whole game by hand: what was posted is in the stream, once each.
  @Test func postedEventsAreInTheStream() throws {
    let server = try LiveServerProcess("-o", scratch["out.ts"].path, "--game", "hand", log: scratch["log"])
    let url = server.url
    let started = try post(url, "startGame", "--title", "By Hand", "--guid", "s", "--wait")
    #expect(
      started.status == 0 && started.errors == "" && started.output.hasPrefix("startGame s: ") && started.output.contains(", number 1\n"))
    let ask = [
      "askQuestion", "--question", "One or two?", "--answer", "One", "--answer", "Two", "--correct", "Two", "--time", "2", "--guid", "q",
    ]
    let asked = try Command.run(Command.executable, ["post", url + "/v1/streams/live/"] + ask + ["--wait", "--json"])
    let status = try #require(try JSONValue(parsing: asked.output).object)
    #expect(
      asked.status == 0 && status["guid"]?.string == "q" && ["placed", "published"].contains(status["state"]?.string)
        && status["sequence"]?.int == 2)
    // The same again is the same event; another one under its name is refused.
    let again = try Command.run(Command.executable, ["post", url] + ask)
    #expect(again.status == 0 && again.output.hasPrefix("askQuestion q: ") && again.output.contains(", number 2\n"))
    let other = try post(url, "periodicInfo", "--viewers", "1", "--guid", "q")
    #expect(other == .init(status: 65, output: "", errors: "cuelight: the guid \"q\" is that of an event that says something else\n"))
    let wrong = try post(url, "askQuestion", "--question", "Q", "--answer", "A", "--answer", "B", "--correct", "C")
    #expect(
      wrong.status == 65
        && wrong.errors == "cuelight: /correct: \"correct\" is \"C\", which is none of the answers; write one of \"A\", \"B\"\n")
    let late = try post(url, "periodicInfo", "--viewers", "1", "--at", "0")
    #expect(late.status == 65 && late.errors.hasPrefix("cuelight: 00:00.000 has passed: "))
    // One that waits can be taken back.
    #expect(try post(url, "periodicInfo", "--viewers", "1", "--in", "3600", "--guid", "w").output == "periodicInfo w: scheduled\n")
    #expect(try post(url, "cancel", "w").output == "w: taken back\n")
    #expect(try post(url, "status", "w").output == "periodicInfo w: cancelled\n")
    #expect(try post(url, "cancel", "q").status == 65 && post(url, "status", "none").status == 66)
    let shown = try post(url, "showResults", "--counts", "1,2", "--guid", "r", "--wait")
    #expect(shown.status == 0)
    let list = try post(url, "list")
    #expect(list.lines.count == 4 && list.lines[3].hasSuffix("  r"))
    let now = try post(url, "now")
    #expect(now.status == 0 && now.output.contains(", input up, number 3 was the last, latency "))
    #expect(try post(url, "endGame", "--winner", "Ada", "--wait").status == 0)
    #expect(try post(url + "/v1/streams/other", "now").errors == "cuelight: there is no stream \"other\"; there is \"live\"\n")
    // The recording is written by another thread than the answers.
    let end = ContinuousClock.now + .seconds(20)
    while try !Command.cuelight("replay", scratch["out.ts"].path).output.contains("The game is over"), ContinuousClock.now < end {}
    #expect(server.stop() == 0)
    let replayed = try Command.cuelight("replay", scratch["out.ts"].path)
    #expect(replayed.status == 0 && replayed.output.contains("By Hand") && replayed.output.contains("Answer: Two   1 · 2"))
    #expect(replayed.lines.last?.hasPrefix("4 events seen, ") == true)
  }

  /// The cues of a sheet wait for their sign; the sheet again changes nothing.
  @Test func aSheet() throws {
    let server = try LiveServerProcess(log: scratch["log"])
    _ = try scratch.write(
      "game: g\ntitle: T\ncues:\n  - { at: go, event: startGame }\n  - { at: go, event: poll, options: [007, b] }\n", to: "s.yaml")
    let posted = try post(server.url, "--sheet", "s.yaml")
    #expect(posted.status == 0 && posted.lines.count == 3 && posted.lines[2] == "2 cues")
    #expect(posted.lines[0].hasPrefix("startGame ") && posted.lines[0].hasSuffix(": scheduled"))
    #expect(try post(server.url, "--sheet", "s.yaml") == posted)
    #expect(try post(server.url, "next", "--wait").output.contains(", number 1\n"))
    #expect(try post(server.url, "next").output.contains("accepted, number 2\n"))
    let none = try post(server.url, "next")
    #expect(none.status == 65 && none.errors == "cuelight: no cue waits for a sign to go\n")
    #expect(try post(server.url, "list").lines.count == 2)
  }

  /// A token is taken from the environment or a file; without the right one the server says so.
  @Test func tokens() throws {
    let tokens = try scratch.write("publish abcdefgh-publish\nread abcdefgh-readonly\n", to: "tokens", permissions: 0o600)
    let server = try LiveServerProcess("--token-file", tokens, log: scratch["log"])
    _ = try scratch.write("abcdefgh-publish\n", to: "token", permissions: 0o600)
    func run(_ line: String) throws -> Command.Outcome { try Command.shell(line, in: scratch.folder) }
    let start = "cuelight post \(server.url) startGame --title T --guid s"
    let unauthorized = "cuelight: a token is needed; send it as Authorization: Bearer TOKEN\n"
    #expect(try run(start) == .init(status: 74, output: "", errors: unauthorized))
    #expect(try run("CUELIGHT_TOKEN=abcdefgh-wrong cuelight post \(server.url) now") == .init(status: 74, output: "", errors: unauthorized))
    let read = try run("export CUELIGHT_TOKEN=abcdefgh-readonly; cuelight post \(server.url) now && \(start)")
    #expect(read.status == 74 && read.lines.count == 1 && read.errors.hasPrefix("cuelight: the token does not allow to publish\n"))
    #expect(try run("\(start) --token-file token").status == 0)
    #expect(try run("export CUELIGHT_TOKEN=abcdefgh-publish; \(start)").output.hasPrefix("startGame s: "))
  }

  /// Through a pipe and on a terminal the same comes out, and nothing that a terminal would act on.
  @Test func pipesAndTerminals() throws {
    let server = try LiveServerProcess(log: scratch["log"])
    let guid = "e\u{1B}[31m\u{9B}"
    #expect(try post(server.url, "startGame", "--title", "T", "--guid", guid, "--wait").status == 0)
    // What is said of it does not change from then on.
    let end = ContinuousClock.now + .seconds(30)
    while try !post(server.url, "list").output.contains("  published  "), ContinuousClock.now < end {}
    let piped = try Command.shell("cuelight post \(server.url) list | cat", in: scratch.folder)
    #expect(
      piped.lines.count == 1 && piped.output.contains("startGame") && !piped.output.contains("\u{1B}") && !piped.output.contains("\u{9B}"))
    let terminal = try Command.shell(
      "python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' '\(Command.executable.path)' post \(server.url) list < /dev/null",
      in: scratch.folder)
    #expect(terminal.output.replacing("\r\n", with: "\n").contains(piped.output))
    let json = try post(server.url, "list", "--json")
    #expect(json.output.contains(#""guid":"e\u001b[31m\u009b""#) && json.lines.count == 1)
    // A reader that is gone is no error.
    #expect(try Command.shell("cuelight post \(server.url) list | true; echo ${PIPESTATUS[0]}", in: scratch.folder).lines == ["0"])
  }
}

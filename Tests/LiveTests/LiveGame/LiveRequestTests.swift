import Basics
import CueSheet
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import LiveGame

/// What a request says, and when.
@Suite struct LiveRequestTests {
  private static func request(_ keys: String) throws -> LiveRequest { try LiveRequest(json: "{\"event\":\"poll\"\(keys)}") }

  private static func mistakes(_ text: String) -> [LiveProblem.Mistake] {
    let problem = #expect(throws: LiveProblem.self) { try LiveRequest(json: text) }
    guard case .invalid(let mistakes) = problem else { return [] }
    return mistakes
  }

  private static func mistake(_ pointer: String, _ message: String) -> LiveProblem.Mistake { .init(pointer: pointer, message: message) }

  @Test func times() throws {
    let cases: [(String, LiveRequest.Due)] = [
      ("", .next), (",\"at\":65", .at(MediaTime(seconds: 65))), (",\"at\":\"1:05.5\"", .at(MediaTime(ticks: 5_895_000))),
      (",\"at\":0.04", .at(MediaTime(ticks: 3_600))), (",\"in\":2", .after(MediaTime(seconds: 2))), (",\"in\":\"0s\"", .after(.zero)),
      (",\"wallClock\":\"1970-01-01T00:01:00.250Z\"", .wallClock(60_250)),
      (",\"wallClock\":\"1970-01-01T01:01:00+01:00\"", .wallClock(60_000)), (",\"at\":\"go\"", .go),
      (",\"timecode\":\"10:01:30:12\"", .timecode(try #require(TimecodeLabel("10:01:30:12")))),
      (",\"timecode\":\"10:01:30;12\"", .timecode(try #require(TimecodeLabel("10:01:30;12")))),
    ]
    for (keys, due) in cases { #expect(try Self.request(keys).due == due, "\(keys)") }
  }

  @Test func optionsOfARequest() throws {
    let plain = try Self.request("")
    #expect(plain.guid == nil && !plain.isLateAllowed && plain.expires == nil && plain.type == "poll")
    let full = try Self.request(",\"guid\":\"g1\",\"at\":5,\"late\":\"next\",\"expires\":10,\"options\":[1,\"b\"]")
    #expect(full.guid == SampleGame.guid("g1") && full.isLateAllowed && full.expires == MediaTime(seconds: 10))
    // The whole request is kept for the journal.
    #expect(
      JSONValue.object(full.object).text
        == "{\"event\":\"poll\",\"guid\":\"g1\",\"at\":5,\"late\":\"next\",\"expires\":10,\"options\":[1,\"b\"]}")
    #expect(try !Self.request(",\"late\":\"refuse\"").isLateAllowed)
  }

  @Test(arguments: [
    ("at", "in"), ("at", "wallClock"), ("in", "wallClock"), ("in", "at"), ("wallClock", "at"), ("timecode", "at"),
    ("wallClock", "timecode"),
  ])
  func timesExcludeEachOther(first: String, second: String) {
    let values = ["at": "5", "in": "2", "wallClock": "\"2026-11-20T20:00:00Z\"", "timecode": "\"10:00:00:00\""]
    let text = "{\"event\":\"poll\",\"\(first)\":\(values[first] ?? ""),\"\(second)\":\(values[second] ?? "")}"
    // They are named in the order of the rule, not of the text.
    let order = ["at", "in", "wallClock", "timecode"].filter { [first, second].contains($0) }
    #expect(
      Self.mistakes(text) == [Self.mistake("/\(order[1])", "\"\(order[1])\" and \"\(order[0])\" exclude each other; write one of them")])
  }

  @Test func pointersOfMistakes() {
    #expect(
      Self.mistakes("{\"event\":\"poll\",\"wallClock\":\"soon\",\"late\":\"now\"}") == [
        Self.mistake("/wallClock", "\"wallClock\" is \"soon\"; write a date and time such as 2026-11-20T20:00:00Z"),
        Self.mistake("/late", "\"late\" is \"now\"; write next or refuse"),
      ])
    for text in ["\"10:01:30\"", "\"24:00:00:00\"", "36000"] {
      let shown = text.filter { $0 != "\"" }
      #expect(
        Self.mistakes("{\"event\":\"poll\",\"timecode\":\(text)}")
          == [Self.mistake("/timecode", "\"timecode\" is \"\(shown)\"; write hh:mm:ss:ff, or hh:mm:ss;ff in drop frame")])
    }
    let three = Self.mistakes("{\"event\":\"poll\",\"at\":5,\"in\":2,\"wallClock\":\"2026-11-20T20:00:00Z\"}")
    #expect(three.map(\.pointer) == ["/in", "/wallClock"])
    #expect(Self.mistakes("{\"event\":\"poll\",\"at\":-1}").map(\.pointer) == ["/at"])
    #expect(Self.mistakes("{\"event\":\"poll\",\"in\":\"x\"}").map(\.pointer) == ["/in"])
    #expect(Self.mistakes("{\"event\":\"poll\",\"in\":\"go\"}").map(\.pointer) == ["/in"])
    #expect(Self.mistakes("{\"event\":\"poll\",\"expires\":[1]}").map(\.pointer) == ["/expires"])
    // A pointer cannot tell two equal keys apart.
    #expect(Self.mistakes("{\"event\":\"poll\",\"a\":1,\"a\":2}").map(\.pointer) == [""])
  }

  @Test(arguments: ["[]", "5", "\"a\"", "null", "true"]) func textsThatAreNoCue(text: String) {
    #expect(
      Self.mistakes(text) == [
        Self.mistake("", "a cue is expected here; write a JSON object such as {\"event\":\"askQuestion\",…}")
      ])
  }

  @Test func everyCutIsRefused() {
    let text = "{\"event\":\"poll\",\"at\":5,\"guid\":\"é\",\"late\":\"next\"}"
    for count in text.unicodeScalars.indices {
      let cut = String(text.unicodeScalars[..<count])
      let mistakes = Self.mistakes(cut)
      #expect(mistakes.count == 1 && mistakes[0].pointer.isEmpty && mistakes[0].message.hasPrefix("this is no JSON: "), "\(cut)")
    }
  }

  // MARK: Sheets

  @Test func aSheet() throws {
    let text = """
      game: friday
      cues:
        - { at: 0, event: startGame, title: T }
        - { at: 1m, event: poll, late: next }
        - { at: go, event: poll }
      """
    let problem = #expect(throws: LiveProblem.self) { try LiveSheet(request: text) }
    guard case .invalid(let mistakes) = problem else { return #expect(Bool(false)) }
    #expect(mistakes.map(\.pointer) == ["/cues/1/at"])
    let requests = try LiveSheet(request: text.replacing("1m", with: "1:00")).requests
    #expect(requests.map(\.due) == [.at(.zero), .at(MediaTime(seconds: 60)), .go])
    #expect(requests.map(\.isLateAllowed) == [false, true, false])
    #expect(requests.map(\.type) == ["startGame", "poll", "poll"])
  }

  @Test(arguments: ["", "game: g", "- a", "game: g\ncues: 5", "a", "{\"game\":\"g\"}"]) func noSheet(text: String) {
    let problem = #expect(throws: LiveProblem.self) { try LiveSheet(request: text) }
    #expect(problem == .invalid([Self.mistake("", "a cue sheet is expected here; write game: and cues:")]))
  }

  @Test func aSheetWithMistakes() {
    for (text, pointer) in [
      ("game: g\ncues: [5]", "/cues/0"), ("game: g\ncues: [{ event: poll }, { event: poll, late: x }]", "/cues/1/late"),
      ("{\"cues\":[{\"event\":\"poll\",\"in\":1,\"at\":2}]}", "/cues/0/in"),
    ] {
      let problem = #expect(throws: LiveProblem.self) { try LiveSheet(request: text) }
      guard case .invalid(let mistakes) = problem else { return #expect(Bool(false)) }
      #expect(mistakes.map(\.pointer) == [pointer], "\(text)")
    }
  }

  /// A cue of a sheet in YAML means the same when the journal returns it as JSON.
  @Test(arguments: ["yes", "1.50", "0x1F", "007", "1e3", "~", "null", "true", "True", "NO", "+5", ".5", "1_000", "2026-11-20", "\"5\""])
  func theJournalKeepsTheMeaning(answer: String) throws {
    let sheet = "game: g\ncues:\n  - { event: askQuestion, question: Q, answers: [\(answer), B], correct: \(answer) }"
    let request = try #require(try LiveSheet(request: sheet).requests.first)
    let again = try LiveRequest(json: JSONValue.object(request.object).text)
    #expect(again.object == request.object)
    func event(_ request: LiveRequest) throws -> PlannedEvent {
      var game = LiveGame(.init(game: "g", title: "T", policy: CopyPolicy(), answers: .sealed(testKey)))
      let (_, change) = try game.accept(request, newGUID: SampleGame.guid("x"), now: .init(time: .zero, wallClock: 0))
      return try #require(change.arrivals.first).planned
    }
    #expect(try event(again) == event(request))
  }
}

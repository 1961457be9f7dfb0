import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventSchedule
import Foundation
import GameEvents
import HTTPClient
import LiveInterface
import Sheets
import Testing

@testable import cuelight

/// What the arguments of `cuelight post` ask for.
@Suite struct PostArgumentTests {
  private func post(_ arguments: String...) throws -> Post { try Post.parse(arguments) }

  /// The event that the arguments make.
  private func event(_ arguments: [String]) throws -> String {
    guard case .event(let object) = try Post.parse(arguments).action() else { return "" }
    return object.text
  }

  @Test(arguments: [
    (["startGame"], #"{"event":"startGame"}"#),
    (
      ["startGame", "--title", "007", "--total-questions", "3", "--starts-in", "1:05", "--starts-at", "2026-11-20T20:00:00Z"],
      #"{"event":"startGame","title":"007","startsIn":"1:05","startsAt":"2026-11-20T20:00:00Z","totalQuestions":3}"#
    ),
    (
      [
        "askQuestion", "--question", "5", "--answer", "1", "--answer", "a, b", "--correct", "1", "--time", "10", "--at", "65", "--category",
        "c", "--difficulty", "d", "--question-number", "2",
      ],
      #"{"event":"askQuestion","at":65,"question":"5","answers":["1","a, b"],"correct":"1","allottedTime":10,"#
        + #""category":"c","difficulty":"d","questionNumber":2}"#
    ),
    (
      ["http://a", "askQuestion", "--allotted-time", "1.50", "--correct-answer", "0", "--in", "2", "--late", "next", "--expires", "9s"],
      #"{"event":"askQuestion","in":2,"late":"next","expires":"9s","correctAnswer":0,"allottedTime":1.50}"#
    ),
    (
      ["periodicInfo", "--viewers", "12", "--players", "many", "--set", "likes=3", "--set", "note=a b", "--set", "mark=\"3\""],
      #"{"event":"periodicInfo","viewers":12,"players":"many","likes":3,"note":"a b","mark":"3"}"#
    ),
    (
      ["showResults", "--counts", "31, 402,x", "--points=-1,5", "--explanation", "e", "--url", "http://b", "--wall-clock", "2026"],
      #"{"event":"showResults","wallClock":"2026","counts":[31,402,"x"],"points":[-1,5],"explanation":"e","url":"http://b"}"#
    ),
    (
      ["endGame", "--winner", "Ada", "--winner", "Bob", "--leaderboard", "A=da=5", "--leaderboard", "Bob=", "--at", "go"],
      #"{"event":"endGame","at":"go","leaderboard":[{"nickname":"A=da","score":5},{"nickname":"Bob","score":null}],"winners":["Ada","Bob"]}"#
    ),
    (["--custom", "poll", "--set", "options=[a, 2]", "--set", "deep={ a: [1] }"], #"{"event":"poll","options":["a",2],"deep":{"a":[1]}}"#),
  ])
  func events(arguments: [String], object: String) throws { #expect(try event(arguments) == object) }

  /// Every key that a cue sheet knows has an option, and every option is a key that it knows: the game's events say themselves what they have.
  @Test func everyKeyHasItsOption() throws {
    let arguments =
      [
        "title", "starts-in", "starts-at", "total-questions", "question", "answer", "correct", "correct-answer", "time", "category",
        "difficulty", "question-number", "kind", "correct-answers", "correct-order", "correct-number", "correct-text", "tolerance", "least",
        "most", "step", "unit",
        "within", "viewers", "players", "counts", "points", "explanation", "url", "winner", "record",
        "picture", "picture-text", "picture-size", "sound", "sound-text",
      ].flatMap { ["--\($0)", "1"] } + ["--leaderboard", "a=1", "--partial", "--live", "--words"]
    let keys = try CueOptions.parse(arguments).members().map(\.key)
    var known: Set<String> = []
    // Counters of periodicInfo may have any name.
    let kinds = ["multiple", "poll", "number", "text"].map { ", kind: \($0)" }
    let cues = EventType.known.filter { $0 != .periodicInfo }.map(\.text) + kinds.map { "askQuestion\($0)" }
    for type in cues {
      var composer = EventComposer(game: "g", title: "T", policy: CopyPolicy(), answers: .open)
      // A key far from all others is answered with a list of those that there are.
      let cue = try SheetNode.parse(
        "{ event: \(type), viewers: 1, qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq: 1 }")
      let node = try #require(cue).root
      let error = #expect(throws: (any Error).self) { try composer.event(of: node, guid: .random()) }
      let refusal = try #require(error)
      let message = try #require("\(refusal)".split(separator: "\n").last { $0.contains("unknown key \"qqq") })
      let list = try #require(message.split(separator: " has ").last)
      known.formUnion(list.split(separator: ", ").map { String($0) })
    }
    // What all events have are options of their own.
    // Of a number's histogram and of counted texts, which have keys of their own, --set gives the text.
    #expect(Set(keys) == known.subtracting(["at", "event", "guid", "sequence", "histogram", "texts"]).union(["viewers", "players"]))
    #expect(keys.count == Set(keys).count)
  }

  @Test func actions() throws {
    #expect(try post("next").action() == .next && post("http://a", "now").action() == .now && post("list").action() == .list)
    let guid = try #require(GUID("a b"))
    #expect(try post("status", "a b").action() == .status(guid) && post("http://a", "cancel", "a b").action() == .cancel(guid))
    #expect(try post("http://a", "--sheet", "s.yaml").action() == .sheet(path: "s.yaml"))
    #expect(try post("next", "--wait").wait)
    #expect(try post("now").address() == StreamAddress(StreamAddress.usual))
    #expect(try post("http://a/v1/streams/b", "now").address() == StreamAddress("http://a/v1/streams/b"))
  }

  @Test(arguments: [
    ([], "Say what to post: an event such as askQuestion, --sheet FILE, or one of cancel, list, next, now, status."),
    (["http://a"], "Say what to post: an event such as askQuestion, --sheet FILE, or one of cancel, list, next, now, status."),
    (["nxet"], "There is no event nxet; did you mean next?"),
    (["askQuestoin", "--question", "Q"], "There is no event askQuestoin; did you mean askQuestion?"),
    (["poll"], "There is no event poll; for an event of your own, say --custom."),
    (["next", "now"], "next takes no further words, such as now."), (["startGame", "x"], "startGame takes no further words, such as x."),
    (["status"], "status takes the guid of an event."), (["cancel", "a", "b"], "cancel takes the guid of an event."),
    (["now", "--title", "x"], "What an event says and when it happens are options of an event alone, such as askQuestion."),
    (["--sheet", "s", "--in", "1"], "What an event says and when it happens are options of an event alone, such as askQuestion."),
    (["status", "a", "--guid", "b"], "What an event says and when it happens are options of an event alone, such as askQuestion."),
    (["--sheet", "s", "next"], "--sheet is posted alone, without next."),
    (["--sheet", "s", "--wait"], "--wait is an option of an event and of next."),
    (["startGame", "--set", "title"], "--set takes KEY=VALUE, not title."),
    (["startGame", "--set", "=5"], "--set takes KEY=VALUE, not =5."),
    (["startGame", "--title", "a", "--set", "title=b"], "--set title: there is another option for this key, or it is given twice."),
    (["startGame", "--set", "guid=b"], "--set guid: there is another option for this key, or it is given twice."),
    (["startGame", "--set", "a=[1"], "--set a: "), (["startGame", "--set", "a=1\nb: 2"], "--set a: this is more than one value."),
    (["endGame", "--leaderboard", "Ada"], "--leaderboard takes NAME=NUMBER, not Ada."),
    (["--to", "ivs", "startGame"], "--to: an injector is one of ivs:arn:aws:ivs:REGION:ACCOUNT:channel/NAME, "),
    (["--to", "ome:http://a/b", "startGame"], "--to: the injector is named as ome:http://HOST:8081/VHOST/APPLICATION/STREAM."),
    (["--to", "wowza:http://a/b/c", "now"], "--to takes an event, such as askQuestion, and no URL."),
    (["--to", "wowza:http://a/b/c", "http://a", "startGame"], "--to takes an event, such as askQuestion, and no URL."),
    (["--to", "wowza:http://a/b/c", "startGame", "--token-file", "f"], "--token-file is for a cuelight live; --to has --credentials."),
    (["--to", "wowza:http://a/b/c", "startGame", "--at", "go"], "With --to nobody can say next: --at takes a time."),
    (["startGame", "--journal", "f"], "--credentials, --journal and --game are options of --to."),
    (["http://a?token=b", "now"], "The server is a URL without a user, ? and #; a token comes from a file or the environment."),
  ])
  func refused(arguments: [String], message: String) {
    let error = #expect(throws: (any Error).self) { try Post.parse(arguments) }
    #expect(error.map { Post.message(for: $0) }?.hasPrefix(message) == true, "\(error.map { Post.message(for: $0) } ?? "")")
  }

  @Test func requests() throws {
    let address = try StreamAddress("http://a/v1/streams/b")
    var body = JSONObject()
    body.append("event", "poll")
    let accept = WebRequest.Field("Accept", "application/json, application/problem+json")
    let token = WebRequest.Field("Authorization", "Bearer t")
    #expect(
      LiveCall(endpoint: .postEvent, body: body, waits: true).request(to: address, token: "t")
        == WebRequest(
          .post, url: "http://a/v1/streams/b/events?wait=placed", fields: [accept, token, .init("Content-Type", "application/json")],
          body: Array(#"{"event":"poll"}"#.utf8)))
    #expect(
      LiveCall(endpoint: .postNext, key: "k").request(to: address, token: nil)
        == WebRequest(.post, url: "http://a/v1/streams/b/next", fields: [accept, .init("Idempotency-Key", "k")]))
    #expect(
      LiveCall(endpoint: .putCues, body: body).request(to: address, token: nil)
        == WebRequest(
          .put, url: "http://a/v1/streams/b/cues", fields: [accept, .init("Content-Type", "application/json")],
          body: Array(#"{"event":"poll"}"#.utf8)))
    #expect(
      LiveCall(endpoint: .deleteEvent, guid: "a/b").request(to: address, token: nil)
        == WebRequest(.delete, url: "http://a/v1/streams/b/events/a%2Fb", fields: [accept]))
    #expect(
      LiveCall(endpoint: .listEvents).request(to: address, token: nil) == WebRequest(url: "http://a/v1/streams/b/events", fields: [accept]))
  }

  /// A token is in the environment, or in a file that nobody else can read.
  @Test func tokens() throws {
    let scratch = try Scratch()
    let variable = ["CUELIGHT_TOKEN": " abc \n"]
    #expect(try TokenSource(path: nil).token(environment: [:]) == nil)
    #expect(try TokenSource(path: nil).token(environment: variable) == "abc")
    let file = try scratch.write("from-file\n", to: "token", permissions: 0o600)
    #expect(try TokenSource(path: file).token(environment: variable) == "from-file")
    func failure(_ path: String?, _ environment: [String: String] = [:]) -> CommandFailure? {
      #expect(throws: CommandFailure.self) { try TokenSource(path: path).token(environment: environment) }
    }
    let open = try scratch.write("from-file\n", to: "open", permissions: 0o640)
    #expect(failure(open)?.message == "\(open): others may read this token; keep it to yourself with chmod 600")
    #expect(failure(open)?.status == 65 && failure(scratch["none"].path)?.status == 66)
    let two = try scratch.write("publish secret\n", to: "two", permissions: 0o600)
    #expect(failure(two)?.message == "\(two): a token is one word of letters, digits and signs of ASCII")
    // It is not in the message.
    #expect(
      failure(nil, ["CUELIGHT_TOKEN": "a\r\nb"])?.message == "CUELIGHT_TOKEN: a token is one word of letters, digits and signs of ASCII")
  }
}

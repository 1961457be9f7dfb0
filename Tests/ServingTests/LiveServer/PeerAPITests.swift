import Basics
import GameEvents
import HTTPTypes
import Hummingbird
import LiveGame
import LiveHLS
import LiveInterface
import NIOCore
import TestSupport
import Testing

@testable import LiveServer
@testable import LiveSession
@testable import WebShell
import WebSupport

/// A stream that runs.
private enum PeerClip: String, FFmpegClip {
  case plain

  static let table = "peers"
  var fileExtension: String { "ts" }
  var arguments: String { "-f lavfi -i testsrc2=size=80x60:rate=25:duration=8 -c:v libx264 -preset ultrafast -bf 0 -g 25 -threads 1" }
}

/// The interfaces of other injectors, byte for byte.
@Suite struct PeerAPITests {
  private struct Call {
    var method = "POST"
    var path: String
    var headers: [String: String] = [:]
    var body = ""
    /// The status, and the body with identifiers and dates replaced.
    var status: Int
    var answer: String
  }

  private static let key = "publish-0123456789abcdef"
  private static let reading = "read-0123456789abcdef"

  /// Runs a session, and calls it.
  private func serve(needsTokens: Bool = true, isOpen: Bool = true, pace: Double = 8, _ body: (LiveAPI) async throws -> Void) async throws {
    var settings = LiveSettings(input: .file(PeerClip.plain.path), outputs: [], game: "friday", playlist: .event)
    (settings.name, settings.loops, settings.pace) = ("show", true, pace)
    let session = try LiveSession(settings) { _ in }
    session.start()
    while session.situation.time == nil { try await Task.sleep(for: .milliseconds(5)) }
    let file = "publish \(Self.key)\nread \(Self.reading)\n"
    let tokens = needsTokens ? try Tokens(fileContents: Array(file.utf8)) : Tokens()
    do {
      try await body(LiveAPI(session: session, tokens: CurrentTokens(tokens), origins: [], isOpen: isOpen))
    } catch {
      await session.stopWaiting()
      throw error
    }
    await session.stopWaiting()
  }

  private func request(_ call: Call) throws -> Request {
    var fields = HTTPFields()
    for (name, value) in call.headers { fields[try #require(HTTPField.Name(name))] = value }
    let method = try #require(HTTPRequest.Method(rawValue: call.method))
    return Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: call.path, headerFields: fields),
      body: RequestBody(buffer: ByteBuffer(string: call.body)))
  }

  private func answer(_ call: Call, _ api: LiveAPI) async throws -> (answer: Answer, text: String) {
    let answer = try #require(await PeerAPIs.answer(try request(call), Caller(address: "192.0.2.1", isLocal: false), api))
    return (answer, String(decoding: answer.body, as: UTF8.self))
  }

  /// A text with identifiers and dates replaced.
  private func replaced(_ text: String) -> String {
    text.replacing(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "GUID").replacing(
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "DATE")
  }

  private func check(_ calls: [Call], _ api: LiveAPI) async throws {
    for call in calls {
      let (answer, text) = try await answer(call, api)
      #expect(
        answer.status.code == call.status && replaced(text) == call.answer,
        "\(call.method) \(call.path) \(call.body): \(answer.status) \(text)")
      #expect(answer.contentType == "application/json")
    }
  }

  /// What was accepted, as cues without their identifiers.
  private func cues(_ api: LiveAPI) -> [String] {
    api.session.desk.read { game, _ in
      game.statuses.compactMap { game.request($0.guid) }.map { JSONValue.object($0.removing(["guid", "expires"])).text }
    }
  }

  // MARK: Wowza

  private let root = "/v1/server/plugin/metaDataInjection"

  private func post(_ body: String, to path: String = "/applications/live/streams/show", status: Int = 201, _ answer: String) -> Call {
    Call(
      path: root + path, headers: ["metadata-api-key": Self.key, "content-type": "application/json"], body: body, status: status,
      answer: answer)
  }

  private func failed(_ reason: String) -> String { " {\"status\":\"failed\", \"guid\":\"GUID\", \"reason\":\"\(reason)\"}" }

  @Test func wowza() async throws {
    let accepted = #"{"status":"success", "guid":"GUID"}"#
    let once = #"{"status":"success", "guid":"GUID", "count":1, "inserted_at":["DATE"]}"#
    try await serve { api in
      try await check(
        [
          post(
            #"{"event":"dataTest","async":true,"id3":true,"data":{"stringTest":"apple","bigIntTest":12345678901234567890,"list":[{"q":1},true,1.5]}}"#,
            accepted),
          post(#"{"event":"poll","data":{"wowzaConverter":"basic_json","guid":"mine"}}"#, once),
          post(
            #"{"event":"poll","repeat":3,"repeatInterval":10}"#,
            #"{"status":"success", "guid":"GUID", "count":3, "inserted_at":["DATE","DATE","DATE"]}"#),
          post(#"{"event":"poll","delay":40}"#, to: "/applications/live/instances/_definst_/streams/show", once),
          post(#"{"event":"startGame","async":true,"data":{"title":"Friday"}}"#, accepted),
          post(#"{"event":"poll","async":true,"data":{"at":"noon","game":7}}"#, accepted),
          post(#"{"event":"poll","repeat":0}"#, #"{"status":"success", "guid":"GUID", "count":0, "inserted_at":[]}"#),
          post(
            #"{"event":"askQuestion","data":{"question":"Q"}}"#, status: 400,
            failed(#"\"answers\" is missing in this askQuestion cue; add it"#)),
          post(#"{"data":{}}"#, status: 400, failed("could not inject metadata")),
          post("[]", status: 400, failed("could not inject metadata")),
          post(#"{"event":"poll","delay":-1}"#, status: 400, failed("could not inject metadata")),
          post(#"{"event" "poll"}"#, status: 400, failed("invalid json a colon is expected here (at byte 9)")),
          post(" \n", status: 400, failed("no data")),
          post("{}", to: "/applications/other/streams/show", status: 404, failed("application not found: other")),
          post("{}", to: "/applications/live/instances/i/streams/show", status: 404, failed("application instance not found: i")),
          post("{}", to: "/applications/live/streams/other", status: 404, failed("stream not found: other")),
          post("{}", to: "/streams/show", status: 400, failed("incorrect url")),
          Call(method: "PUT", path: root, headers: ["metadata-api-key": Self.key], status: 405, answer: failed("not allowed")),
          Call(path: root, headers: ["metadata-api-key": "another"], status: 401, answer: ""), Call(path: root, status: 401, answer: ""),
          Call(path: root, headers: ["metadata-api-key": Self.reading], status: 401, answer: ""),
          // Basic authentication, whoever the user is, and a bearer token.
          Call(
            path: root, headers: ["authorization": "Basic \(Base64.encode(Array("admin:\(Self.key)".utf8)))"], status: 400,
            answer: failed("incorrect url")),
          Call(path: root, headers: ["authorization": "Bearer \(Self.key)"], status: 400, answer: failed("incorrect url")),
          Call(
            method: "GET", path: root + "/version", headers: ["metadata-api-key": Self.key], status: 200,
            answer: #"{"name":"MetadataInjection:","version":"1.0.0"}"#),
          Call(method: "GET", path: root + "/injections/unknown", headers: ["metadata-api-key": Self.key], status: 404, answer: ""),
        ], api)
      #expect(
        cues(api) == [
          #"{"event":"dataTest","stringTest":"apple","bigIntTest":12345678901234567890,"list":[{"q":1},true,1.5]}"#, #"{"event":"poll"}"#,
          #"{"event":"poll","currentFor":0.02}"#, #"{"event":"poll","in":0.04}"#, #"{"event":"startGame","title":"Friday"}"#,
          #"{"event":"poll","data":{"at":"noon","game":7}}"#,
        ])
    }
  }

  /// What became of an event, by the identifier that the answer had.
  @Test func wowzaStatus() async throws {
    // At its own pace: what is to come later is still to come when it is asked for.
    try await serve(pace: 1) { api in
      func status(_ text: String) async throws -> (String, Int, String) {
        let guid = try #require(text.firstMatch(of: /"guid":"([^"]+)"/)).1
        let call = Call(method: "GET", path: "\(root)/injections/\(guid)", headers: ["metadata-api-key": Self.key], status: 200, answer: "")
        let (answer, text) = try await answer(call, api)
        return (text, answer.status.code, String(guid))
      }
      let placed = try await answer(post(#"{"event":"poll","repeat":2}"#, ""), api).text
      // The same, word for word.
      let told = try await status(placed)
      #expect(told.0 == placed)
      let later = try await status(try await answer(post(#"{"event":"poll","async":true,"delay":300000}"#, ""), api).text)
      #expect(later.0 == "{\"status\":\"waiting\", \"guid\":\"\(later.2)\", \"count\":0, \"inserted_at\":[]}" && later.1 == 200)
      let none = try await status(try await answer(post(#"{"event":"poll","async":true,"repeat":-1}"#, ""), api).text)
      #expect(replaced(none.0) == #"{"status":"waiting", "guid":"GUID", "count":0, "inserted_at":[]}"#)
      // A browser's page may read it.
      #expect(WowzaAPI.has("/v1/server/plugin/metaDataInjection/x") && !WowzaAPI.has("/v1/server/plugin/metaDataInjections"))
    }
  }

  @Test func wowzaTimes() throws {
    func request(_ members: String) throws -> WowzaRequest { try WowzaRequest(Array("{\"event\":\"e\"\(members)}".utf8)) }
    let most = try request(#","delay":99999,"repeat":99,"repeatInterval":99999,"injectTime":true"#)
    #expect(most.delay == 30_000 && most.repeats == 10 && most.repeatInterval == 5_000 && most.tellsTime && most.span == 45_000)
    let odd = try request(#","delay":"5","repeat":1.9,"repeatInterval":1e300,"async":1,"data":[]"#)
    #expect(odd.delay == 0 && odd.repeats == 1 && odd.repeatInterval == 5_000 && !odd.isAsynchronous && odd.event.data.isEmpty)
    #expect(
      WowzaReply.inserted(guid: "g", dates: [0, 1_700_000_000_123]).text
        == #"{"status":"success", "guid":"g", "count":2, "inserted_at":["1970-01-01T00:00:00.000Z","2023-11-14T22:13:20.123Z"]}"#)
    #expect(WowzaReply.failed(guid: "g", reason: "a\"b").text == #" {"status":"failed", "guid":"g", "reason":"a\"b"}"#)
  }

  // MARK: OvenMediaEngine

  private func send(
    _ body: String, to path: String = "/v1/vhosts/default/apps/live/streams/show:sendEvent", status: Int = 200, _ message: String = "OK"
  ) -> Call {
    let credentials = "Basic \(Base64.encode(Array(Self.key.utf8)))"
    return Call(
      path: path, headers: ["authorization": credentials], body: body, status: status,
      answer: "{\"statusCode\":\(status),\"message\":\"\(message)\"}")
  }

  private func frames(_ frames: String, _ more: String = "") -> String { "{\"eventFormat\":\"id3v2\"\(more),\"events\":[\(frames)]}" }

  @Test func ovenMediaEngine() async throws {
    let text = #"{"frameType":"TXXX","info":"AirenSoft","data":"OvenMediaEngine"}"#
    try await serve { api in
      try await check(
        [
          send(frames(text)), send(frames(text, #","eventType":"video""#)),
          send(frames(#"{"frameType":"txxx","info":"poll","data":"{\"a\":[1]}"}"#)),
          send(frames(#"{"frameType":"TXXX","info":"startGame","data":"{\"title\":\"Friday\"}"}"#)),
          send(frames(#"{"frameType":"PRIV","info":"com.example","data":"x"}"#)),
          send(frames(#"{"frameType":"TIT2","info":"left out","data":"Title"}"#)),
          send(frames(#"{"frameType":"TXXX","data":"a"},{"frameType":"TXXX","info":"b"}"#, #","eventType":"EVENT","urgent":true"#)),
          send(
            frames(text), to: "/v1/vhosts/other/apps/live/streams/other:sendEvent", status: 404, "Could not find stream: [other/live/other]"
          ),
          send(
            frames(text), to: "/v1/vhosts/default/apps/other/streams/show:sendEvent", status: 404,
            "Could not find stream: [default/other/show]"
          ),
          send("{", status: 400, "Could not parse json context: cut off: 1 byte needed, 0 there (at byte 1)"),
          send("{}", status: 400, "eventFormat(string) and events(array) are required"),
          send(frames(""), status: 400, "eventFormat(string) and events(array) are required"),
          send(#"{"eventFormat":"cue","events":[{}]}"#, status: 400, "eventFormat is not supported: [cue]"),
          send(frames("{}"), status: 400, "frameType is required in events"),
          send(frames(#"{"frameType":"APIC"}"#), status: 400, "frameType is not supported: [APIC]"),
          send(frames(text, #","eventType":1"#), status: 400, "eventType must be string"),
          send(frames(text, #","eventType":"sei""#), status: 400, "eventType is not supported: [sei]"),
          send(
            frames(text + #",{"frameType":"TXXX","info":"askQuestion","data":"{}"}"#), status: 400,
            #"\"question\" is missing in this askQuestion cue; add it"#),
          Call(
            method: "GET", path: "/v1/vhosts/default/apps/live/streams/show:sendEvent", headers: ["authorization": "Bearer \(Self.key)"],
            status: 405,
            answer: #"{"statusCode":405,"message":"Method not allowed"}"#),
          Call(
            path: "/v1/vhosts/default/apps/live/streams/show:sendEvent", status: 401,
            answer: #"{"statusCode":401,"message":"a token is needed; send it as Authorization: Bearer TOKEN"}"#),
        ], api)
      #expect(
        cues(api) == [
          #"{"event":"AirenSoft","frameType":"TXXX","data":"OvenMediaEngine"}"#,
          #"{"event":"AirenSoft","frameType":"TXXX","data":"OvenMediaEngine"}"#,
          #"{"event":"poll","a":[1]}"#, #"{"event":"startGame","title":"Friday"}"#,
          #"{"event":"com.example","frameType":"PRIV","data":"x"}"#,
          #"{"event":"TIT2","frameType":"TIT2","data":"Title"}"#, #"{"event":"TXXX","frameType":"TXXX","data":"a"}"#,
          #"{"event":"b","frameType":"TXXX","data":""}"#,
        ])
    }
  }

  private static let severalPath = "/v1/vhosts/default/apps/live/streams/show:sendEvents"

  private func sendSeveral(_ body: String, to path: String = Self.severalPath, status: Int, _ answer: String) -> Call {
    var call = send(body, to: path, status: status)
    call.answer = answer
    return call
  }

  /// Each body of a list is accepted by itself, and has an answer of its own.
  @Test func severalEvents() async throws {
    let (good, other) = (frames(#"{"frameType":"TXXX","info":"one","data":"1"}"#), frames(#"{"frameType":"PRIV","info":"two","data":"2"}"#))
    let (ok, cue) = (#"{"statusCode":200,"message":"OK"}"#, #"{"statusCode":400,"message":"eventFormat is not supported: [Cue]"}"#)
    let bad = #"{"eventFormat":"Cue","events":[{"cueType":"out"}]}"#
    try await serve { api in
      try await check(
        [
          sendSeveral("[\(good),\(other)]", status: 200, "[\(ok),\(ok)]"),
          sendSeveral("[\(bad),\(good)]", status: 207, "[\(cue),\(ok)]"), sendSeveral("[\(bad),\(bad)]", status: 400, "[\(cue),\(cue)]"),
          sendSeveral("[]", status: 400, #"{"statusCode":400,"message":"events(array) is required"}"#),
          sendSeveral(good, status: 400, #"{"statusCode":400,"message":"events(array) is required"}"#),
          sendSeveral("[7]", status: 400, #"[{"statusCode":400,"message":"eventFormat(string) and events(array) are required"}]"#),
          sendSeveral(
            "[\(good)]", to: "/v1/vhosts/default/apps/live/streams/other:sendEvents", status: 404,
            #"{"statusCode":404,"message":"Could not find stream: [default/live/other]"}"#),
        ], api)
      #expect(
        cues(api) == [
          #"{"event":"one","frameType":"TXXX","data":"1"}"#, #"{"event":"two","frameType":"PRIV","data":"2"}"#,
          #"{"event":"one","frameType":"TXXX","data":"1"}"#,
        ])
    }
  }

  /// `startOffset` delays the events of a body, or one of them; a value that it cannot have is refused.
  @Test func startOffset() async throws {
    let frame = #"{"frameType":"TXXX","info":"a","data":"1"}"#
    let refusal = "startOffset must be milliseconds from 0 to 300000"
    try await serve { api in
      try await check(
        [
          send(frames(frame, #","startOffset":300000"#)), send(frames(frame, #","startOffset":0"#)),
          send(frames(#"{"frameType":"TXXX","info":"b","data":"1","startOffset":60500},\#(frame)"#, #","startOffset":90000"#)),
          send(frames(frame, #","startOffset":300001"#), status: 400, refusal),
          send(frames(frame, #","startOffset":-1"#), status: 400, refusal),
          send(frames(frame, #","startOffset":"5""#), status: 400, refusal),
          send(frames(frame, #","startOffset":0.5"#), status: 400, refusal),
          send(frames(#"{"frameType":"TXXX","info":"b","startOffset":true}"#), status: 400, refusal),
        ], api)
      #expect(
        cues(api) == [
          #"{"event":"a","in":300,"frameType":"TXXX","data":"1"}"#, #"{"event":"a","frameType":"TXXX","data":"1"}"#,
          #"{"event":"b","in":60.5,"frameType":"TXXX","data":"1"}"#, #"{"event":"a","in":90,"frameType":"TXXX","data":"1"}"#,
        ])
    }
  }

  /// A question whose right answer nobody knows yet, or ever.
  @Test(arguments: ["poll", "prediction"]) func questionsWithoutARightAnswer(kind: String) async throws {
    let members = #""question":"Q","kind":"\#(kind)","answers":["A","B"]"#
    let wowza = post(#"{"event":"askQuestion","async":true,"data":{\#(members)}}"#, #"{"status":"success", "guid":"GUID"}"#)
    let frame = send(frames(#"{"frameType":"TXXX","info":"askQuestion","data":\#(JSONValue.string("{\(members)}").text)}"#))
    try await serve { api in
      try await check([wowza, frame], api)
      #expect(cues(api) == Array(repeating: #"{"event":"askQuestion",\#(members)}"#, count: 2))
    }
  }

  // MARK: Who may call

  /// Without tokens, this machine alone; where games lead the stream, nobody. A page of another site needs the key.
  @Test func access() async throws {
    let path = root + "/applications/live/streams/other"
    func status(_ headers: [String: String], isLocal: Bool, _ api: LiveAPI) async throws -> Int? {
      let request = try request(Call(path: path, headers: headers, body: "{}", status: 0, answer: ""))
      return await PeerAPIs.answer(request, Caller(address: "127.0.0.1", isLocal: isLocal), api).map { Int($0.status.code) }
    }
    let page = ["origin": "https://evil.example"]
    try await serve(needsTokens: false) { api in
      let (here, elsewhere) = (try await status([:], isLocal: true, api), try await status([:], isLocal: false, api))
      let onPage = try await status(page.merging(["metadata-api-key": "x"]) { $1 }, isLocal: true, api)
      #expect(here == 404 && elsewhere == 401 && onPage == 401)
    }
    try await serve(isOpen: false) { api in
      let closed = try await status(["metadata-api-key": Self.key], isLocal: true, api)
      #expect(closed == 401)
    }
    try await serve { api in
      let ownKey = try await status(page.merging(["metadata-api-key": Self.key]) { $1 }, isLocal: true, api)
      let browsers = try await status(page.merging(["authorization": "Bearer \(Self.key)"]) { $1 }, isLocal: true, api)
      #expect(ownKey == 404 && browsers == 401)
    }
  }
}

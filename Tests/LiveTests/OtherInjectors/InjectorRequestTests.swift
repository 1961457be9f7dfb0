import Basics
import GameEvents
import HTTPClient
import ID3
import TestSupport
import Testing

@testable import OtherInjectors

/// What each system is sent for a copy, and what its answers mean.
@Suite struct InjectorRequestTests {
  private static let keys = InjectorCredentials.amazon(AWSCredentials(accessKeyID: "AKID", secretAccessKey: "secret"))

  private static func question(_ text: String = "Grün?") -> EventCopy {
    let content = EventContent.askQuestion(
      AskQuestion(question: text, answers: ["Ja", "Nein"], questionNumber: 1, allottedTime: MediaTime(seconds: 5), seal: "abc="))
    let event = GameEvent(guid: SampleGame.guid("q-1"), game: "g", sequence: 2, at: MediaTime(seconds: 3), content: content)
    return EventCopy(of: event, copy: 2, copies: 3, age: MediaTime(ticks: 9_000))
  }

  private func request(
    _ target: String, _ credentials: InjectorCredentials = .none, isAlone: Bool = false, _ copy: EventCopy = Self.question()
  ) throws -> WebRequest {
    try InjectorRequest(InjectorTarget(target), credentials, isAlone: isAlone).request(for: copy, at: 1_767_323_045_678)
  }

  private func object(_ request: WebRequest) throws -> JSONObject {
    try #require(try JSONValue(parsing: String(decoding: request.body, as: UTF8.self)).object)
  }

  @Test func ivs() throws {
    let arn = "arn:aws:ivs:eu-west-1:123456789012:channel/abcd"
    let sent = try request("ivs:\(arn)", Self.keys)
    #expect(sent.method == .post && sent.url == "https://ivs.eu-west-1.amazonaws.com/PutMetadata")
    let body = try object(sent)
    #expect(body.members.map(\.key) == ["channelArn", "metadata"] && body["channelArn"]?.string == arn)
    #expect(try EventCopy(parsing: try #require(body["metadata"]?.string), description: "") == Self.question())
    #expect(sent.fields.map(\.name) == ["Content-Type", "X-Amz-Date", "Authorization"])
    let china = try request("ivs:arn:aws-cn:ivs:cn-north-1:1:channel/a", Self.keys)
    #expect(china.url == "https://ivs.cn-north-1.amazonaws.com.cn/PutMetadata")
  }

  /// What IVS would refuse is not sent; other systems take it.
  @Test func largestInIVS() throws {
    let rest = Self.question("").text.utf8.count
    let largest = Self.question(String(repeating: "a", count: 1_024 - rest))
    #expect(largest.text.utf8.count == 1_024)
    _ = try request("ivs:arn:aws:ivs:eu-west-1:1:channel/a", Self.keys, largest)
    let larger = Self.question(String(repeating: "a", count: 1_025 - rest))
    let problem = InjectorRequest.Problem.tooLarge(bytes: 1_025, limit: 1_024)
    #expect(throws: problem) { try request("ivs:arn:aws:ivs:eu-west-1:1:channel/a", Self.keys, larger) }
    #expect("\(problem)" == "the event has 1025 bytes, and 1024 is the most")
    _ = try request("ome:http://h:8081/default/app/show", .none, larger)
  }

  /// An event that belongs to no game tells neither its number nor its time.
  @Test func aloneInIVS() throws {
    let body = try object(try request("ivs:arn:aws:ivs:eu-west-1:1:channel/a", Self.keys, isAlone: true))
    let copy = try EventCopy(parsing: try #require(body["metadata"]?.string), description: "")
    #expect(copy.event.sequence == nil && copy.event.at == nil && copy.event.content == Self.question().event.content && copy.isVerified)
  }

  @Test func mediaLive() throws {
    let sent = try request("medialive:arn:aws:medialive:us-east-1:123456789012:channel:77", Self.keys)
    #expect(sent.method == .put && sent.url == "https://medialive.us-east-1.amazonaws.com/prod/channels/77/schedule")
    let tag = Base64.encode(try Self.question().encodedTag())
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == #"{"creates":{"scheduleActions":[{"actionName":"cuelight-q-1-2-1767323045678","#
        + #""scheduleActionSettings":{"hlsTimedMetadataSettings":{"id3":"\#(tag)"}},"#
        + #""scheduleActionStartSettings":{"immediateModeScheduleActionStartSettings":{}}}]}}"#)
  }

  /// The tag that MediaLive receives for a copy.
  private func tagForMediaLive(_ copy: EventCopy) throws -> [UInt8] {
    let sent = try object(try request("medialive:arn:aws:medialive:us-east-1:1:channel:77", Self.keys, copy))
    let action = try #require(sent["creates"]?.object?["scheduleActions"]?.array?.first?.object)
    let text = try #require(action["scheduleActionSettings"]?.object?["hlsTimedMetadataSettings"]?.object?["id3"]?.string)
    return try #require(Base64.decode(Array(text.utf8)))
  }

  /// An action has one setting, so a channel with both kinds of output groups takes two actions.
  @Test(arguments: [
    ("?groups=hls", ["hlsTimedMetadataSettings"]), ("?groups=cmaf", ["timedMetadataSettings"]),
    ("?groups=both", ["hlsTimedMetadataSettings", "timedMetadataSettings"]),
  ])
  func groupsOfMediaLive(query: String, settings: [String]) throws {
    let sent = try object(try request("medialive:arn:aws:medialive:us-east-1:1:channel:77\(query)", Self.keys))
    let actions = try #require(sent["creates"]?.object?["scheduleActions"]?.array).compactMap(\.object)
    #expect(actions.compactMap { $0["scheduleActionSettings"]?.object?.members.first?.key } == settings)
    #expect(Set(actions.compactMap { $0["actionName"]?.string }).count == settings.count)
  }

  @Test(arguments: [
    "medialive:arn:aws:medialive:r:1:channel:7?groups=", "medialive:arn:aws:medialive:r:1:channel:7?group=hls",
    "ivs:arn:aws:ivs:r:1:channel/a?groups=hls",
  ])
  func otherQueriesAreRefused(_ target: String) throws {
    #expect(throws: InjectorTarget.Mistake.self) { try InjectorTarget(target) }
  }

  /// MediaLive replaces variables between dollar signs in a tag, which breaks its checksum and its sizes.
  @Test(arguments: ["What is $t$ in $dt$?", "$$ and $%05n$", "US$ 5 or Ü$5?", "$"])
  func variablesOfMediaLiveAreEscaped(_ question: String) throws {
    let tag = try tagForMediaLive(Self.question(question))
    #expect(!tag.contains(UInt8(ascii: "$")))
    let copies = EventCopy.copies(in: try ID3Tag.decode(tag))
    #expect(try copies.map { try $0.get() } == [Self.question(question)] && (try copies.first?.get().isVerified) == true)
  }

  /// A type of event may have a dollar sign, too; the frame's description is empty then.
  @Test func aTypeWithADollarSign() throws {
    var copy = Self.question()
    copy.event.content = .custom(EventType("a$t$"), JSONObject())
    let tag = try tagForMediaLive(copy)
    let copies = EventCopy.copies(in: try ID3Tag.decode(tag))
    #expect(!tag.contains(UInt8(ascii: "$")) && copies == [.success(copy)])
  }

  /// Ant Media Server gets as many bytes as it counts characters.
  @Test func antMedia() throws {
    let sent = try request("antmedia:https://h:5443/Live App/show", .token("jwt"))
    #expect(sent.method == .post && sent.url == "https://h:5443/Live%20App/rest/v2/broadcasts/show/id3")
    #expect(sent.fields == [.init("Content-Type", "application/json"), .init("Authorization", "jwt")])
    let text = String(decoding: sent.body, as: UTF8.self)
    #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.contains(#"Gr\u00fcn?"#))
    #expect(try EventCopy(parsing: text, description: "") == Self.question())
    #expect(try EventCopy(parsing: Self.question("😀 ü").asciiText, description: "") == Self.question("😀 ü"))
    #expect(Self.question("ASCII").asciiText == Self.question("ASCII").text)
  }

  @Test func ovenMediaEngine() throws {
    let sent = try request("ome:http://h:8081/default/app/show", .token("ome:pass"))
    #expect(sent.method == .post && sent.url == "http://h:8081/v1/vhosts/default/apps/app/streams/show:sendEvent")
    #expect(sent.fields == [.init("Content-Type", "application/json"), .init("Authorization", "Basic b21lOnBhc3M=")])
    let body = try object(sent)
    #expect(body["eventFormat"]?.string == "id3v2" && body["eventType"]?.string == "event" && body["urgent"]?.bool == true)
    let event = try #require(body["events"]?.array?.first?.object)
    #expect(event["frameType"]?.string == "TXXX" && event["info"]?.string == "askQuestion")
    #expect(try EventCopy(parsing: try #require(event["data"]?.string), description: "askQuestion") == Self.question())
  }

  /// Wowza gives events identifiers of its own: ours is beside it, and readers know it.
  @Test func wowza() throws {
    let sent = try request("wowza:http://h:8087/live/show", .token("key"))
    #expect(sent.url == "http://h:8087/v1/server/plugin/metaDataInjection/applications/live/streams/show")
    #expect(sent.fields == [.init("Content-Type", "application/json"), .init("metadata-api-key", "key")])
    let body = try object(sent)
    #expect(body["event"]?.string == "askQuestion" && body["async"]?.bool == true && body["id3"]?.bool == true)
    var data = try #require(body["data"]?.object)
    #expect(data["eventGuid"]?.string == "q-1" && data["guid"] == nil && data["crc"] == nil && data["eventType"] == nil)
    data.append("guid", "theirs")
    data.append("eventType", "askQuestion")
    var read = Self.question()
    read.isVerified = false
    #expect(try EventCopy(parsing: JSONValue.object(data).text, description: "askQuestion") == read)
    let instance = try request("wowza:http://h/live/i/show", .token("user:word"))
    #expect(instance.url == "http://h/v1/server/plugin/metaDataInjection/applications/live/instances/i/streams/show")
    #expect(instance.fields.last == .init("Authorization", "Basic dXNlcjp3b3Jk"))
  }

  private func answer(_ target: String, _ status: Int, _ body: String, kind: String? = nil, _ credentials: InjectorCredentials = .none)
    throws -> InjectorAnswer
  {
    InjectorAnswer(InjectorRequest(try InjectorTarget(target), credentials), status: status, body: Array(body.utf8), kind: kind)
  }

  @Test func answers() throws {
    let ivs = "ivs:arn:aws:ivs:eu-west-1:1:channel/a"
    #expect(try answer(ivs, 204, "") == .taken)
    #expect(
      try answer(ivs, 404, #"{"exceptionMessage":"no stream"}"#, kind: "ChannelNotBroadcasting:http://aws")
        == .unreachable(status: 404, "ChannelNotBroadcasting: no stream (HTTP 404)"))
    #expect(try answer(ivs, 429, "", kind: "ThrottlingException") == .later("ThrottlingException (HTTP 429)"))
    #expect(try answer(ivs, 400, #"{"message":"too long"}"#) == .refused(status: 400, "too long (HTTP 400)"))
    #expect(
      try answer(ivs, 403, #"{"message":"for AKID secret\nHost:x"}"#, Self.keys) == .unreachable(status: 403, "for … … (HTTP 403)"))
    #expect(try answer(ivs, 500, "<html>") == .later("HTTP 500"))
    let antMedia = "antmedia:http://h/a/b"
    #expect(try answer(antMedia, 200, #"{"success":true}"#) == .taken)
    #expect(
      try answer(antMedia, 200, #"{"success":false,"message":"Stream is not available"}"#)
        == .unreachable(status: 404, "Stream is not available (HTTP 200)"))
    let engine = "ome:http://h/v/a/b"
    #expect(try answer(engine, 200, #"{"statusCode":200,"message":"OK"}"#) == .taken)
    #expect(try answer(engine, 401, #"{"message":"no\u001b[2J"}"#) == .unreachable(status: 401, "no [2J (HTTP 401)"))
    let wowza = "wowza:http://h/a/b"
    #expect(try answer(wowza, 201, #"{"status":"success", "guid":"w-1"}"#) == .taken)
    #expect(
      try answer(wowza, 404, #" {"status":"failed", "guid":"x", "reason":"stream not found: b"}"#)
        == .unreachable(status: 404, "stream not found: b (HTTP 404)"))
    #expect(
      try answer(wowza, 400, #"{"reason":"\#(String(repeating: "a", count: 999))"}"#)
        == .refused(status: 400, String(repeating: "a", count: 200) + "… (HTTP 400)"))
  }
}

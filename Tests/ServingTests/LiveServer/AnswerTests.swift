import Basics
import HTTPTypes
import HummingbirdCore
import LiveGame
import LiveInterface
import Testing

@testable import LiveServer
@testable import WebSupport
@testable import LiveSession

/// What goes back to clients.
@Suite struct AnswerTests {
  /// The problem's status, headers and body.
  private func check(
    _ problem: LiveProblem, _ status: Int, _ members: String, headers: [String: String] = [:]
  ) {
    let answer = Problem(problem).answer
    #expect(answer.status.code == status && answer.contentType == "application/problem+json")
    #expect(String(decoding: answer.body, as: UTF8.self) == members + "\n")
    #expect(Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.0.rawName, $0.1) }) == headers)
  }

  @Test func problems() {
    check(
      .invalid([.init(pointer: "/at", message: "wrong"), .init(pointer: "", message: "\"bad\"")]), 422,
      #"{"type":"urn:cuelight:problem:invalid","title":"invalid","status":422,"detail":"wrong","pointer":"/at","#
        + #""errors":[{"detail":"wrong","pointer":"/at"},{"detail":"\"bad\"","pointer":""}]}"#)
    let late = LiveProblem.tooLate(at: MediaTime(seconds: 60), now: MediaTime(seconds: 65))
    check(
      late, 409,
      #"{"type":"urn:cuelight:problem:tooLate","title":"tooLate","status":409,"detail":""#
        + "\(late); give a later time, or " + #"\"late\":\"next\" for the next frame","now":65}"#)
    check(
      .conflict("a"), 409,
      #"{"type":"urn:cuelight:problem:conflict","title":"conflict","status":409,"detail":"the guid \"a\" is that of an event that says something else"}"#
    )
    check(
      .unknownEvent("a"), 404,
      #"{"type":"urn:cuelight:problem:unknownEvent","title":"unknownEvent","status":404,"detail":"no event has the guid \"a\""}"#)
    check(
      .notCancellable(.placed), 409,
      #"{"type":"urn:cuelight:problem:notCancellable","title":"notCancellable","status":409,"detail":"the event is placed already","state":"placed"}"#
    )
    check(
      .nothingWaits, 409,
      #"{"type":"urn:cuelight:problem:nothingWaits","title":"nothingWaits","status":409,"detail":"no cue waits for a sign to go"}"#)
    check(
      .busy("full"), 503, #"{"type":"urn:cuelight:problem:busy","title":"busy","status":503,"detail":"full"}"#,
      headers: ["Retry-After": "1"])
  }

  /// Nobody reads thousands of mistakes.
  @Test func manyMistakes() {
    let problem = Problem(.invalid((0..<5_000).map { .init(pointer: "/\($0)", message: "m") }))
    #expect(problem.members["errors"]?.array?.count == 100 && problem.detail == "m")
  }

  @Test func answers() {
    var object = JSONObject()
    object.append("a", 1)
    let answer = Answer(.accepted, object)
    #expect(answer.status == .accepted && answer.contentType == "application/json" && answer.body == Array("{\"a\":1}\n".utf8))
    let response = answer.response
    #expect(response.headers[.contentType] == "application/json" && response.headers[.contentLength] == "8")
    let nothing = Answer.noContent.response
    #expect(nothing.status == .noContent && nothing.headers[.contentType] == nil)
  }

  @Test func messages() {
    #expect(MessageStream.text(.init(id: 7, event: "placed", data: "{\"a\":\"\\n\"}")) == "id: 7\nevent: placed\ndata: {\"a\":\"\\n\"}\n\n")
    #expect(MessageStream.text(.init(id: 0, event: "", data: "")) == ":\n\n")
    // One that is not kept has no number.
    #expect(MessageStream.text(.init(id: 0, event: "takeover", data: "{}")) == "event: takeover\ndata: {}\n\n")
  }

  // MARK: The document

  /// The document has every call, with its parameters and whether it needs a token, and nothing else.
  @Test func theDocumentHasEveryCall() throws {
    let document = OpenAPI.document
    #expect(document["openapi"]?.string == "3.1.0" && document["info"]?.object?["title"]?.string == "Cuelight live")
    let paths = try #require(document["paths"]?.object)
    var found: [String] = []
    for path in paths.members {
      let item = try #require(path.value.object)
      let names = path.key.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      #expect((item["parameters"]?.array ?? []).compactMap { $0.object?["name"]?.string } == names)
      for operation in item.members where operation.key != "parameters" {
        let value = try #require(operation.value.object)
        let endpoint = try #require(value["operationId"]?.string.flatMap { Endpoint(rawValue: $0) })
        #expect(endpoint.route == (operation.key.uppercased(), path.key))
        #expect((value["security"] != nil) == (endpoint.scope != nil))
        #expect(value["summary"]?.string?.last == ".")
        #expect((value["requestBody"] != nil) == [.postEvent, .putEvent, .postBatch, .putCues].contains(endpoint))
        let responses = try #require(value["responses"]?.object)
        #expect(responses.count > 1 && responses["default"] != nil)
        found.append(endpoint.rawValue)
      }
    }
    #expect(found.sorted() == Endpoint.allCases.map(\.rawValue).sorted())
  }

  /// What it refers to is in it, and the states are those that there are.
  @Test func theDocumentIsComplete() throws {
    let text = JSONValue.object(OpenAPI.document).text
    let schemas = try #require(OpenAPI.document["components"]?.object?["schemas"]?.object)
    let prefix = "#/components/schemas/"
    for part in text.split(separator: "\"") where part.hasPrefix(prefix) { #expect(schemas[String(part.dropFirst(prefix.count))] != nil) }
    #expect(schemas.members.map(\.key) == ["Cue", "Status", "Events", "Now", "Problem"])
    let states = schemas["Status"]?.object?["properties"]?.object?["state"]?.object?["enum"]?.array?.compactMap(\.string)
    #expect(states == ["accepted", "scheduled", "placed", "published", "cancelled", "lost"])
    #expect(states?.allSatisfy { EventStatus.State(rawValue: $0) != nil } == true)
  }
}

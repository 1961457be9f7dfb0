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
    let late = LiveProblem.tooLate(at: .time(MediaTime(seconds: 60)), now: MediaTime(seconds: 65))
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
      .busy("full"), 503, #"{"type":"urn:cuelight:problem:overloaded","title":"overloaded","status":503,"detail":"full"}"#,
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
    // The length of what HEAD does not get, and none where there is never content.
    #expect(response.headOnly.headers[.contentLength] == "8" && response.headOnly.body.contentLength == 0)
    for empty in [nothing, nothing.headOnly, Answer(.notModified, "", []).response, Answer(.notModified, "", []).response.headOnly] {
      #expect(empty.headers[.contentLength] == nil && empty.body.contentLength == 0)
    }
    #expect(Answer(.ok, "text/event-stream", []).response.headers[.contentLength] == "0")
  }

  @Test func messages() {
    #expect(MessageStream.text(.init(id: 7, event: "placed", data: "{\"a\":\"\\n\"}")) == "id: 7\nevent: placed\ndata: {\"a\":\"\\n\"}\n\n")
    #expect(MessageStream.text(.init(id: 0, event: "", data: "")) == ":\n\n")
    // One that is not kept has no number.
    #expect(MessageStream.text(.init(id: 0, event: "takeover", data: "{}")) == "event: takeover\ndata: {}\n\n")
  }

  // MARK: The document

  /// Every call of the table is in the document, with its schemas and problems, and nothing else is.
  @Test func theDocumentHasEveryCall() throws {
    let calls = DocumentedCalls(document: OpenAPI.document)
    #expect(calls.document["openapi"]?.string == "3.1.0" && calls.document["info"]?.object?["title"]?.string == "Cuelight live")
    #expect(calls.mistakes == [])
    #expect(LiveAPI.calls.map(\.name) == Endpoint.allCases.map(\.rawValue))
    let names = (LiveAPI.calls.map(\.name) + ShellCall.all.map(\.name))
    #expect(calls.calls.map { $0.id }.sorted() == names.sorted())
    for endpoint in Endpoint.allCases {
      let call = try #require(calls.calls.first { $0.id == endpoint.rawValue })
      #expect(endpoint.route == Route(call.method, call.path) && call.kinds(429) == ["rate-limited"])
      #expect(call.parts == call.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) })
      #expect(call.security == 2 && call.kinds(401) == ["unauthorized"], "\(endpoint)")
      let withBody: [Endpoint] = [.postEvent, .putEvent, .postBatch, .putCues, .postInput, .postReports]
      #expect((call.operation["requestBody"] != nil) == withBody.contains(endpoint))
      #expect(call.kinds(404).contains("unknownStream") == call.parts.contains("stream"), "\(endpoint)")
    }
  }

  /// The schemas are those that calls refer to, and the states are those that there are.
  @Test func theDocumentIsComplete() throws {
    let schemas = try #require(OpenAPI.document["components"]?.object?["schemas"]?.object)
    let references = Set(DocumentedCalls(document: OpenAPI.document).references)
    #expect(references == Set(schemas.members.map { "#/components/schemas/\($0.key)" }))
    let states = OpenAPI.states.json["enum"]?.array?.compactMap { $0.string } ?? []
    #expect(states == ["accepted", "scheduled", "held", "placed", "published", "cancelled", "lost"])
    #expect(states.allSatisfy { EventStatus.State(rawValue: $0) != nil })
  }
}

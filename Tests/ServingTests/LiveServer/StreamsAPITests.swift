import Basics
import HTTPTypes
import Hummingbird
import LiveInterface
import NIOCore
import Synchronization
import Testing
import WebShell
import WebSupport

@testable import LiveServer

/// Who may add, change and remove streams.
@Suite struct StreamsAPITests {
  /// Notes what it is asked for; it has one stream, `show`.
  private final class Manager: StreamManager {
    private let asked = Mutex<[String]>([])

    var calls: [String] { asked.withLock { $0 } }

    private func note(_ call: String) { asked.withLock { $0.append(call) } }

    func reports() -> [JSONObject] { [JSONObject(fields: ["name": "show"])] }

    func report(of name: String) -> JSONObject? {
      note("report \(name)")
      return name == "show" ? JSONObject(fields: ["name": name]) : nil
    }

    func put(_ name: String, _ settings: String) async throws(Problem) -> Bool {
      note("put \(name) \(settings)")
      return true
    }

    func delete(_ name: String) async throws(Problem) { note("delete \(name)") }

    func reload() async throws(Problem) -> JSONObject {
      note("reload")
      return JSONObject()
    }
  }

  private static let manager = "manage-0123456789ab"
  private static let publisher = "publish-0123456789"
  private static let reader = "read-0123456789ABCDEF"
  private static let settings = #"{"input":"/etc/passwd"}"#
  /// The calls, with the statuses that they have for those who may make them.
  private static let calls = [
    ("GET", "/v1/streams", 200), ("GET", "/v1/streams/show", 200), ("PUT", "/v1/streams/show", 201), ("DELETE", "/v1/streams/show", 204),
    ("POST", "/v1/reload", 200),
  ]

  private let streams = Manager()

  private func api(_ tokens: Tokens) -> StreamsAPI {
    StreamsAPI(access: Access(stream: "", tokens: CurrentTokens(tokens), origins: []), manager: streams)
  }

  private func tokens() throws -> Tokens {
    try Tokens(fileContents: Array("manage \(Self.manager)\npublish \(Self.publisher)\nread \(Self.reader)\n".utf8))
  }

  /// The status of each call.
  private func statuses(_ api: StreamsAPI, _ token: String?, isLocal: Bool = false) async throws -> [Int] {
    var statuses: [Int] = []
    for (name, path, _) in Self.calls {
      var fields = HTTPFields()
      if let token { fields[.authorization] = "Bearer \(token)" }
      let method = try #require(HTTPRequest.Method(rawValue: name))
      let request = Request(
        head: HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path, headerFields: fields),
        body: RequestBody(buffer: ByteBuffer(string: name == "PUT" ? Self.settings : "")))
      do throws(Problem) {
        let response = try await api.respond(to: request, from: Caller(address: "192.0.2.1", isLocal: isLocal))
        statuses.append(response.map { Int($0.status.code) } ?? 0)
      } catch {
        statuses.append(Int(error.status.code))
      }
    }
    return statuses
  }

  /// A stream key lets an encoder publish, and nothing else: the settings of a stream name files of the server.
  @Test func publishToken() async throws {
    for isLocal in [false, true] {
      #expect(try await statuses(api(try tokens()), Self.publisher, isLocal: isLocal) == [200, 403, 403, 403, 403])
      #expect(try await statuses(api(try tokens()), Self.reader, isLocal: isLocal) == [200, 403, 403, 403, 403])
    }
    #expect(streams.calls == [])
  }

  @Test func manageToken() async throws {
    #expect(try await statuses(api(try tokens()), Self.manager) == Self.calls.map(\.2))
    #expect(streams.calls == ["report show", "put show \(Self.settings)", "report show", "delete show", "reload"])
  }

  @Test func withoutToken() async throws {
    for token in [nil, "wrong-0123456789abcdef"] {
      #expect(try await statuses(api(try tokens()), token, isLocal: true) == [401, 401, 401, 401, 401])
    }
    #expect(streams.calls == [])
  }

  /// Without a file of tokens, programs on this machine may do everything; a token that the server has made only opens what encoders need.
  @Test func withoutFile() async throws {
    for tokens in [Tokens(), Tokens(making: Self.publisher)] {
      #expect(try await statuses(api(tokens), nil, isLocal: true) == Self.calls.map(\.2))
      #expect(try await statuses(api(tokens), nil) == [403, 403, 403, 403, 403])
    }
    #expect(try await statuses(api(Tokens(making: Self.publisher)), Self.publisher) == [200, 403, 403, 403, 403])
  }

  /// A refusal says what the token lacks.
  @Test func reason() throws {
    let api = api(try tokens())
    var request = APIRequest(method: "PUT", path: "/v1/streams/show", isLocal: true)
    request.token = Self.publisher
    let problem = #expect(throws: Problem.self) { try api.require(.manage, request) }
    #expect(problem?.detail == "the token does not allow to manage")
  }
}

import CueSheet
import GameEvents
import Hummingbird
import LiveGame
import LiveInterface
import LiveSession
import WebShell
import WebSupport

/// The interfaces of other injectors, so that their clients can move to this one by changing only an address. Their events are ordinary events of the
/// session.
enum PeerAPIs {
  /// Answers a request of one of these interfaces; `nil` for any other request.
  static func answer(_ request: Request, _ caller: Caller, _ api: LiveAPI) async -> Answer? {
    let call = APIRequest(request, isLocal: caller.isLocal)
    if WowzaAPI.has(call.path) {
      return await WowzaAPI(api: api, caller: caller).answer(call) { () throws(Problem) in try await request.contents(limit: largestBody) }
    }
    if let place = OvenMediaEngineAPI.Place(call.path) {
      return await OvenMediaEngineAPI(api: api, caller: caller).answer(call, place) { () throws(Problem) in
        try await request.contents(limit: OvenMediaEngineAPI.largestBody(place))
      }
    }
    return nil
  }

  /// The maximum size of a body in bytes, as for one event of our own interface.
  private static let largestBody = 64 << 10
}

/// Why a call of one of these interfaces is refused.
struct PeerRefusal: Error, Equatable {
  var status: HTTPResponse.Status
  var reason: String

  init(_ status: HTTPResponse.Status, _ reason: String) { (self.status, self.reason) = (status, reason) }
}

extension APIRequest {
  /// The credentials in the form of other injectors' clients: a key in a header field of its own, the password or all of basic authentication, or a
  /// bearer token.
  var shownTokens: [String] {
    let password = basicCredentials.flatMap { text in text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) } }
    return [apiKey, password, basicCredentials, token].compactMap(\.self)
  }
}

extension LiveAPI {
  /// Checks whether a client of another injector's interface may put events into the stream with any of its credentials.
  func authorizePeer(_ request: APIRequest) throws(Problem) {
    let shown = request.shownTokens
    let token = shown.first { access.tokens.now.decide(.publish, token: $0, isLocal: request.isLocal) == .allowed } ?? shown.first
    try access.authorize(request, .publish, token: token, isFromHeader: request.apiKey.map { $0 == token } ?? false)
  }

  /// Accepts events from another injector's interface, all or none, and tells those who listen.
  func accept(_ requests: [LiveRequest], from caller: Caller) async throws(Problem) {
    try access.limits.require(Self.posting, "peer \(IPAddress.place(of: caller.address))")
    let answers = try await change { (game, now) throws(LiveProblem) in try game.accept(requests, newGUID: { .random() }, now: now) }
    for answer in answers where answer.isNew { session.noteAccepted(answer.status) }
  }
}

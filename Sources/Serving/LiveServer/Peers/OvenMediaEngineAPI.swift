import Basics
import CueSheet
import HTTPTypes
import LiveGame
import LiveInterface
import LiveSession
import WebShell
import WebSupport

/// The call `:sendEvent` of OvenMediaEngine.
struct OvenMediaEngineAPI {
  let api: LiveAPI
  let caller: Caller

  /// The stream that a call addresses. The virtual host is ignored.
  struct Place: Equatable {
    var virtualHost: String
    var application: String
    var stream: String

    /// Reads a path; `nil` if it is not a call of this interface.
    init?(_ path: String) {
      guard let parts = path.parts(of: "/v1/vhosts/{host}/apps/{app}/streams/{stream}:sendEvent"), let host = parts["host"],
        let application = parts["app"], let stream = parts["stream"]
      else { return nil }
      (virtualHost, self.application, self.stream) = (host, application, stream)
    }
  }

  /// Answers a call.
  ///
  /// - Parameter body: Loads the body of the request.
  func answer(_ request: APIRequest, _ place: Place, body: () async throws(Problem) -> [UInt8]) async -> Answer {
    do throws(PeerRefusal) {
      do throws(Problem) { try api.authorizePeer(request) } catch { throw PeerRefusal(.unauthorized, error.detail) }
      guard request.method == "POST" else { throw PeerRefusal(.methodNotAllowed, "Method not allowed") }
      let settings = api.session.settings
      // In OvenMediaEngine, a stream exists while it is being published.
      guard place.application.hasSameBytes(as: settings.application), place.stream.hasSameBytes(as: settings.name),
        api.session.situation.isInputUp
      else {
        throw PeerRefusal(.notFound, "Could not find stream: [\(place.virtualHost)/\(place.application)/\(place.stream)]")
      }
      let bytes: [UInt8]
      do throws(Problem) { bytes = try await body() } catch { throw PeerRefusal(error.status, error.detail) }
      let requests = try Self.events(bytes).map { (event) throws(PeerRefusal) in
        do throws(LiveProblem) { return try event.request(.random()) } catch { throw PeerRefusal(.badRequest, "\(error)") }
      }
      do throws(Problem) { try await api.accept(requests, from: caller) } catch {
        throw PeerRefusal(error.status == .unprocessableContent ? .badRequest : error.status, error.detail)
      }
      return Self.answer(.ok, "OK")
    } catch {
      return Self.answer(error.status, error.reason)
    }
  }

  private static func answer(_ status: HTTPResponse.Status, _ message: String) -> Answer {
    let object = JSONObject(fields: ["statusCode": Int(status.code), "message": message])
    let challenge: [(HTTPField.Name, String)] = status == .unauthorized ? [(.wwwAuthenticate, "Basic realm=\"OvenMediaEngine\"")] : []
    return Answer(status, "application/json", Array(object.text.utf8), headers: challenge)
  }

  // MARK: Bodies

  /// The maximum number of frames in a call.
  private static let mostFrames = LiveAPI.largestBatch

  /// Reads the events of a body, one for each frame.
  static func events(_ body: [UInt8]) throws(PeerRefusal) -> [ForeignEvent] {
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: body.span, limits: JSONLimits(bytes: max(body.count, 1))) } catch {
      throw PeerRefusal(.badRequest, "Could not parse json context: \(error)")
    }
    guard let object = value.object, let format = object["eventFormat"]?.string, let frames = object["events"]?.array, !frames.isEmpty
    else {
      throw PeerRefusal(.badRequest, "eventFormat(string) and events(array) are required")
    }
    guard format.lowercased() == "id3v2" else { throw PeerRefusal(.badRequest, "eventFormat is not supported: [\(format)]") }
    guard frames.count <= mostFrames else { throw PeerRefusal(.badRequest, "events must have at most \(mostFrames) events") }
    if let type = object["eventType"] {
      guard let type = type.string else { throw PeerRefusal(.badRequest, "eventType must be string") }
      guard ["event", "video", "audio"].contains(type.lowercased()) else {
        throw PeerRefusal(.badRequest, "eventType is not supported: [\(type)]")
      }
    }
    return try frames.map { (frame) throws(PeerRefusal) in try event(frame) }
  }

  /// Reads the event of a frame. A TXXX frame with a JSON object becomes an event with that object under the frame's description. Any other frame
  /// becomes an event with the frame's content.
  private static func event(_ frame: JSONValue) throws(PeerRefusal) -> ForeignEvent {
    guard let object = frame.object, let type = object["frameType"]?.string else {
      throw PeerRefusal(.badRequest, "frameType is required in events")
    }
    let (info, data) = (object["info"]?.string ?? "", object["data"]?.string ?? "")
    let frameType = type.uppercased()
    let isDescribed = frameType == "TXXX" || frameType == "PRIV"
    guard isDescribed || (frameType.hasPrefix("T") && frameType.utf8.count == 4) else {
      throw PeerRefusal(.badRequest, "frameType is not supported: [\(type)]")
    }
    let name = isDescribed && !info.isEmpty ? info : frameType
    if frameType == "TXXX", let value = try? JSONValue(parsing: data, limits: JSONLimits(bytes: max(data.utf8.count, 1))),
      let said = value.object
    {
      return ForeignEvent(name: name, data: said)
    }
    return ForeignEvent(name: name, data: JSONObject(fields: ["frameType": frameType, "data": data]))
  }
}

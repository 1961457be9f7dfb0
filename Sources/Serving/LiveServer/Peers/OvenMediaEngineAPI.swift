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

  /// Which stream a call is about. Virtual hosts are all the same here.
  struct Place: Equatable {
    var virtualHost: String
    var application: String
    var stream: String

    /// The stream of a path; `nil` if it is no call of this interface.
    init?(_ path: String) {
      guard let parts = path.parts(of: "/v1/vhosts/{host}/apps/{app}/streams/{stream}:sendEvent"), let host = parts["host"],
        let application = parts["app"], let stream = parts["stream"]
      else { return nil }
      (virtualHost, self.application, self.stream) = (host, application, stream)
    }
  }

  /// Answers a call.
  ///
  /// - Parameter body: Loads the request's content.
  func answer(_ request: APIRequest, _ place: Place, body: () async throws(Problem) -> [UInt8]) async -> Answer {
    do throws(PeerRefusal) {
      do throws(Problem) { try api.authorizePeer(request) } catch { throw PeerRefusal(.unauthorized, error.detail) }
      guard request.method == "POST" else { throw PeerRefusal(.methodNotAllowed, "Method not allowed") }
      let settings = api.session.settings
      // There, a stream exists while somebody publishes it.
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

  /// The most frames of a call.
  private static let mostFrames = LiveAPI.largestBatch

  /// The events of a body, one a frame.
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

  /// The event that a frame is: of a TXXX frame with a JSON object, the object under the frame's description. Any other frame is an event with what the
  /// frame says.
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

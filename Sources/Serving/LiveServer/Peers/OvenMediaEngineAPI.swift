import Basics
import CueSheet
import HTTPTypes
import LiveGame
import LiveInterface
import LiveSession
import WebShell
import WebSupport

/// The calls `:sendEvent` and `:sendEvents` of OvenMediaEngine.
struct OvenMediaEngineAPI {
  let api: LiveAPI
  let caller: Caller

  /// The stream that a call addresses. The virtual host is ignored.
  struct Place: Equatable {
    var virtualHost: String
    var application: String
    var stream: String
    /// Whether the call has a list of bodies.
    var takesSeveral: Bool

    /// Reads a path; `nil` if it is not a call of this interface.
    init?(_ path: String) {
      let single = path.parts(of: "/v1/vhosts/{host}/apps/{app}/streams/{stream}:sendEvent")
      guard let parts = single ?? path.parts(of: "/v1/vhosts/{host}/apps/{app}/streams/{stream}:sendEvents"), let host = parts["host"],
        let application = parts["app"], let stream = parts["stream"]
      else { return nil }
      (virtualHost, self.application, self.stream, takesSeveral) = (host, application, stream, single == nil)
    }
  }

  /// The maximum number of bytes of a call's body: that of one event, or that of a batch.
  static func largestBody(_ place: Place) -> Int { place.takesSeveral ? 1 << 20 : 64 << 10 }

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
      let value: JSONValue
      do throws(ParseError) { value = try JSONValue(parsing: bytes.span, limits: JSONLimits(bytes: max(bytes.count, 1))) } catch {
        throw PeerRefusal(.badRequest, "Could not parse json context: \(error)")
      }
      guard place.takesSeveral else {
        try await accept(value)
        return Self.answer(.ok, Self.success)
      }
      guard let bodies = value.array, !bodies.isEmpty else { throw PeerRefusal(.badRequest, "events(array) is required") }
      guard bodies.count <= Self.mostFrames else { throw PeerRefusal(.badRequest, "events must have at most \(Self.mostFrames) events") }
      return await answer(bodies)
    } catch {
      return Self.answer(error.status, error.reason)
    }
  }

  /// Accepts the events of a body, all or none.
  private func accept(_ body: JSONValue) async throws(PeerRefusal) {
    let requests = try Self.events(body).map { (event) throws(PeerRefusal) in
      var terms = ForeignEvent.Terms()
      terms.delay = event.offset
      do throws(LiveProblem) { return try event.event.request(.random(), terms) } catch { throw PeerRefusal(.badRequest, "\(error)") }
    }
    do throws(Problem) { try await api.accept(requests, from: caller) } catch {
      throw PeerRefusal(error.status == .unprocessableContent ? .badRequest : error.status, error.detail)
    }
  }

  /// Accepts each of several bodies by itself. The status is what all have in common, or 207.
  private func answer(_ bodies: [JSONValue]) async -> Answer {
    var status: HTTPResponse.Status?
    var results: [JSONObject] = []
    for body in bodies {
      var result = (status: HTTPResponse.Status.ok, message: Self.success)
      do throws(PeerRefusal) { try await accept(body) } catch { result = (error.status, error.reason) }
      status = status == nil || status == result.status ? result.status : HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")
      results.append(Self.object(result.status, result.message))
    }
    let text = "[\(results.map(\.text).joined(separator: ","))]"
    return Answer(status ?? .ok, "application/json", Array(text.utf8))
  }

  private static let success = "OK"

  private static func object(_ status: HTTPResponse.Status, _ message: String) -> JSONObject {
    JSONObject(fields: ["statusCode": Int(status.code), "message": message])
  }

  private static func answer(_ status: HTTPResponse.Status, _ message: String) -> Answer {
    let challenge: [(HTTPField.Name, String)] = status == .unauthorized ? [(.wwwAuthenticate, "Basic realm=\"OvenMediaEngine\"")] : []
    return Answer(status, "application/json", Array(object(status, message).text.utf8), headers: challenge)
  }

  // MARK: Bodies

  /// The maximum number of frames in a call.
  private static let mostFrames = LiveAPI.largestBatch

  /// An event of a body, and how much later it happens.
  struct Delayed: Equatable {
    var event: ForeignEvent
    var offset = MediaTime.zero
  }

  /// Reads the events of a body, one for each frame. `urgent` changes nothing, since an event goes before the next access unit anyway.
  static func events(_ body: JSONValue) throws(PeerRefusal) -> [Delayed] {
    guard let object = body.object, let format = object["eventFormat"]?.string, let frames = object["events"]?.array, !frames.isEmpty
    else {
      throw PeerRefusal(.badRequest, "eventFormat(string) and events(array) are required")
    }
    guard format.lowercased() == "id3v2" else { throw PeerRefusal(.badRequest, "eventFormat is not supported: [\(format)]") }
    guard frames.count <= mostFrames else { throw PeerRefusal(.badRequest, "events must have at most \(mostFrames) events") }
    let common = try offset(object)
    let events = try frames.map { (frame) throws(PeerRefusal) in
      Delayed(
        event: try event(frame), offset: try frame.object.flatMap { (object) throws(PeerRefusal) in try offset(object) } ?? common ?? .zero)
    }
    if let type = object["eventType"] {
      guard let type = type.string else { throw PeerRefusal(.badRequest, "eventType must be string") }
      guard ["event", "video", "audio"].contains(type.lowercased()) else {
        throw PeerRefusal(.badRequest, "eventType is not supported: [\(type)]")
      }
    }
    return events
  }

  /// The largest `startOffset` in milliseconds.
  private static let longestOffset = 300_000

  /// Reads `startOffset`, an addition of ours: how many milliseconds later the events of a body, or that of a frame, happen. `nil` if it is not there.
  private static func offset(_ object: JSONObject) throws(PeerRefusal) -> MediaTime? {
    guard let value = object["startOffset"] else { return nil }
    guard let offset = value.int(in: .exact), (0...longestOffset).contains(offset) else {
      throw PeerRefusal(.badRequest, "startOffset must be milliseconds from 0 to \(longestOffset)")
    }
    return MediaTime(milliseconds: Int64(offset))
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

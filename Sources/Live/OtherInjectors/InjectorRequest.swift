import Basics
package import GameEvents
package import HTTPClient

/// Writes the requests that hand copies of events to an injector of somebody else.
package struct InjectorRequest: Sendable {
  package let target: InjectorTarget
  let credentials: InjectorCredentials
  /// Where an Amazon service is, if not where its region says.
  let endpoint: String?
  /// Whether the events belong to no game that goes on: then they tell neither their numbers nor their times.
  let isAlone: Bool

  /// - Parameter endpoint: The URL of a service that takes the place of Amazon's, without a slash at its end.
  package init(_ target: InjectorTarget, _ credentials: InjectorCredentials, endpoint: String? = nil, isAlone: Bool = false) {
    (self.target, self.credentials, self.endpoint, self.isAlone) = (target, credentials, endpoint, isAlone)
  }

  /// Why there is no request for a copy.
  package enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The copy cannot be written.
    case event(EventError)
    /// The text of the copy is longer than the system's limit, both in bytes.
    case tooLarge(bytes: Int, limit: Int)

    package var description: String {
      switch self {
      case .event(let error): "\(error)"
      case .tooLarge(let bytes, let limit): "the event has \(bytes) bytes, and \(limit) is the most"
      }
    }
  }

  /// The request for a copy.
  ///
  /// - Parameter date: When it is sent, in milliseconds since 1970.
  /// - Throws: ``Problem`` where the copy cannot be written, or is larger than the system takes.
  package func request(for copy: EventCopy, at date: Int64) throws(Problem) -> WebRequest {
    var copy = copy
    if isAlone {
      copy.event.sequence = nil
      copy.event.at = nil
    }
    let json = WebRequest.Field("Content-Type", "application/json")
    let type = copy.event.type.text
    switch target.system {
    case .ivs:
      let text = copy.text
      if let limit = target.largestText, text.utf8.count > limit { throw .tooLarge(bytes: text.utf8.count, limit: limit) }
      var body = JSONObject()
      body.append("channelArn", target.address)
      body.append("metadata", text)
      return signed(WebRequest(.post, url: "\(amazon)/PutMetadata", fields: [json], body: body.bytes), at: date)
    case .mediaLive:
      let tag: [UInt8]
      do throws(EventError) { tag = try copy.encodedTag() } catch { throw .event(error) }
      let body = Self.schedule("cuelight-\(copy.event.guid.text)-\(copy.copy)-\(date)", tag: tag)
      let channel = target.parts[0].percentEncodedPart
      return signed(WebRequest(.put, url: "\(amazon)/prod/channels/\(channel)/schedule", fields: [json], body: body.bytes), at: date)
    case .antMedia:
      // It counts characters where it needs bytes: texts of ASCII alone have as many of both.
      let path = "/\(part(0))/rest/v2/broadcasts/\(part(1))/id3"
      return WebRequest(.post, url: target.server + path, fields: [json] + authorization, body: Array(copy.asciiText.utf8))
    case .ovenMediaEngine:
      var event = JSONObject()
      event.append("frameType", "TXXX")
      event.append("info", type)
      event.append("data", copy.text)
      var body = JSONObject()
      body.append("eventFormat", "id3v2")
      body.append("eventType", "event")
      body.append("events", [event])
      let path = "/v1/vhosts/\(part(0))/apps/\(part(1))/streams/\(part(2)):sendEvent"
      return WebRequest(.post, url: target.server + path, fields: [json] + authorization, body: body.bytes)
    case .wowza:
      let instance = target.parts.count == 3 ? "/instances/\(part(1))" : ""
      let path = "/v1/server/plugin/metaDataInjection/applications/\(part(0))\(instance)/streams/\(part(target.parts.count - 1))"
      let body = Self.injection(copy)
      return WebRequest(.post, url: target.server + path, fields: [json] + authorization, body: body.bytes)
    }
  }

  private func part(_ index: Int) -> String { target.parts[index].percentEncodedPart }

  // MARK: Bodies

  /// An action of MediaLive's schedule that happens at once. Names are used once.
  private static func schedule(_ name: String, tag: [UInt8]) -> JSONObject {
    var metadata = JSONObject()
    metadata.append("id3", Base64.encode(tag))
    var settings = JSONObject()
    settings.append("hlsTimedMetadataSettings", metadata)
    var start = JSONObject()
    start.append("immediateModeScheduleActionStartSettings", JSONObject())
    var action = JSONObject()
    action.append("actionName", name)
    action.append("scheduleActionSettings", settings)
    action.append("scheduleActionStartSettings", start)
    var creates = JSONObject()
    creates.append("scheduleActions", [action])
    var body = JSONObject()
    body.append("creates", creates)
    return body
  }

  /// What Wowza's plugin takes. It puts an identifier of its own into what it writes, and writes everything anew: no checksum and no signature holds.
  private static func injection(_ copy: EventCopy) -> JSONObject {
    let known = (try? JSONValue(parsing: copy.text, limits: JSONLimits(bytes: EventCopy.largestText)))?.object ?? JSONObject()
    var data = JSONObject()
    data.append(EventCopy.guidBesideAnother, copy.event.guid.text)
    data.appendAbsent(known, except: ["eventType", "guid", "crc", "signature"])
    var body = JSONObject()
    body.append("event", copy.event.type.text)
    // It answers at once.
    body.append("async", true)
    body.append("id3", true)
    body.append("data", data)
    return body
  }

  // MARK: Who sends it

  /// The service of the region.
  private var amazon: String {
    // Regions in China have a domain of their own.
    let domain = target.region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    return endpoint ?? "https://\(target.system.rawValue).\(target.region).\(domain)"
  }

  private func signed(_ request: WebRequest, at date: Int64) -> WebRequest {
    guard case .amazon(let keys) = credentials else { return request }
    return AWSSignature(keys, region: target.region, service: target.system.rawValue).sign(request, at: date)
  }

  private var authorization: [WebRequest.Field] {
    guard case .token(let token) = credentials else { return [] }
    let basic = "Basic \(Base64.encode(Array(token.utf8)))"
    return switch target.system {
    case .antMedia: [.init("Authorization", token)]
    case .ovenMediaEngine: [.init("Authorization", basic)]
    // A user with a password, where there is no key.
    case .wowza: token.utf8.contains(UInt8(ascii: ":")) ? [.init("Authorization", basic)] : [.init("metadata-api-key", token)]
    case .ivs, .mediaLive: []
    }
  }
}

extension JSONObject {
  fileprivate var bytes: [UInt8] { Array(text.utf8) }
}

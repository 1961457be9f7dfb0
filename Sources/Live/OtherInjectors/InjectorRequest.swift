import Basics
package import GameEvents
package import HTTPClient
import ID3

/// Writes the requests that send copies of events to an injector of another maker.
package struct InjectorRequest: Sendable {
  package let target: InjectorTarget
  let credentials: InjectorCredentials
  /// The URL that takes the place of an Amazon service's own; `nil` for that of the region.
  let endpoint: String?
  /// Whether the events belong to no running game. Then they have neither sequence numbers nor times.
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
  /// - Throws: ``Problem`` if the copy cannot be written, or is larger than the system accepts.
  package func request(for copy: EventCopy, at date: Int64) throws(Problem) -> WebRequest {
    var copy = copy
    if isAlone {
      copy.event.sequence = nil
      copy.event.at = nil
    }
    let json = WebRequest.Field("Content-Type", "application/json")
    switch target.system {
    case .ivs:
      let text = copy.text
      if let limit = target.largestText, text.utf8.count > limit { throw .tooLarge(bytes: text.utf8.count, limit: limit) }
      let body = JSONObject(fields: ["channelArn": target.address, "metadata": text])
      return signed(WebRequest(.post, url: "\(amazon)/PutMetadata", fields: [json], body: body.bytes), at: date)
    case .mediaLive:
      let name = "cuelight-\(copy.event.guid.text)-\(copy.copy)-\(date)"
      let body = Self.schedule(name, tag: try Self.tagWithoutVariables(copy), target.groups)
      let channel = target.parts[0].percentEncodedPart
      return signed(WebRequest(.put, url: "\(amazon)/prod/channels/\(channel)/schedule", fields: [json], body: body.bytes), at: date)
    case .antMedia:
      // Ant Media counts characters in place of bytes. In ASCII both numbers are the same.
      let path = "/\(part(0))/rest/v2/broadcasts/\(part(1))/id3"
      return WebRequest(.post, url: target.server + path, fields: [json] + authorization, body: Array(copy.asciiText.utf8))
    case .ovenMediaEngine:
      let event = JSONObject(fields: ["frameType": "TXXX", "info": copy.event.type.text, "data": copy.text])
      let body = JSONObject(fields: ["eventFormat": "id3v2", "eventType": "event", "urgent": true, "events": [event]])
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

  /// Actions of MediaLive's schedule that happen at once, one for each kind of output group. Names are used once.
  private static func schedule(_ name: String, tag: [UInt8], _ groups: InjectorTarget.Groups) -> JSONObject {
    let actions = groups.settings.map { setting, suffix in
      JSONObject(fields: [
        "actionName": name + suffix,
        "scheduleActionSettings": JSONObject(fields: [setting: JSONObject(fields: ["id3": Base64.encode(tag)])]),
        "scheduleActionStartSettings": JSONObject(fields: ["immediateModeScheduleActionStartSettings": JSONObject()]),
      ])
    }
    return JSONObject(fields: ["creates": JSONObject(fields: ["scheduleActions": actions])])
  }

  /// The copy's tag for MediaLive, which replaces variables such as `$t$` and `$$` in a tag: it has no dollar sign.
  private static func tagWithoutVariables(_ copy: EventCopy) throws(Problem) -> [UInt8] {
    let type = copy.event.type.text
    // The JSON has the type, too.
    let description = type.utf8.contains(UInt8(ascii: "$")) ? "" : type
    do throws(ParseError) {
      return try ID3Tag(frames: [.userText(description: description, value: copy.dollarlessText)]).encode()
    } catch {
      throw .event(.tag(error))
    }
  }

  /// The body for Wowza's plugin. The plugin writes the event anew with an identifier of its own, which breaks checksums and signatures.
  private static func injection(_ copy: EventCopy) -> JSONObject {
    let known = (try? JSONValue(parsing: copy.text, limits: JSONLimits(bytes: EventCopy.largestText)))?.object ?? JSONObject()
    var data = JSONObject().with(EventCopy.guidBesideAnother, copy.event.guid.text)
    data.appendAbsent(known, except: ["eventType", "guid", "crc", "signature"])
    // With `async` it answers at once.
    return JSONObject(fields: ["event": copy.event.type.text, "async": true, "id3": true, "data": data])
  }

  // MARK: Authentication

  /// The service of the region.
  private var amazon: String {
    // Regions in China have a domain of their own.
    let domain = target.region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    return endpoint ?? "https://\(target.system.rawValue).\(target.region).\(domain)"
  }

  private func signed(_ request: WebRequest, at date: Int64) -> WebRequest {
    guard case .amazon(let keys) = credentials else { return request }
    return AWSSignature(credentials: keys, region: target.region, service: target.system.rawValue).sign(request, at: date)
  }

  private var authorization: [WebRequest.Field] {
    guard case .token(let token) = credentials else { return [] }
    let basic = "Basic \(Base64.encode(Array(token.utf8)))"
    return switch target.system {
    case .antMedia: [.init("Authorization", token)]
    case .ovenMediaEngine: [.init("Authorization", basic)]
    // A user with a password, if there is no key.
    case .wowza: token.utf8.contains(UInt8(ascii: ":")) ? [.init("Authorization", basic)] : [.init("metadata-api-key", token)]
    case .ivs, .mediaLive: []
    }
  }
}

extension JSONObject {
  fileprivate var bytes: [UInt8] { Array(text.utf8) }
}

import Basics
import LiveInterface
import WebSupport

/// The OpenAPI 3.1 document of the interface, made of the table that requests are routed by.
enum OpenAPI {
  static let document: JSONObject = {
    var document = JSONObject()
    document.append("openapi", "3.1.0")
    document.append("info", info)
    document.append("paths", OpenAPIPaths.object(of: Endpoint.self, operation: operation))
    var components = JSONObject()
    components.append("schemas", schemas)
    components.append("securitySchemes", json(#"{"token":{"type":"http","scheme":"bearer"}}"#))
    document.append("components", components)
    return document
  }()

  private static var info: JSONObject {
    json(#"{"title":"Cuelight live","version":"1","description":"Puts game events into a running stream."}"#)
  }

  private static func operation(_ endpoint: Endpoint) -> JSONObject {
    var operation = JSONObject()
    operation.append("operationId", endpoint.rawValue)
    operation.append("summary", endpoint.summary)
    if endpoint.scope != nil { operation.append("security", .array([.object(json(#"{"token":[]}"#)), .object(JSONObject())])) }
    if endpoint == .postEvent || endpoint == .postNext {
      operation.append("parameters", [wait, idempotencyKey])
    }
    if let body = endpoint.requestSchema {
      operation.append(
        "requestBody", json(#"{"required":true,"content":{"\#(endpoint.requestType)":{"schema":\#(body)}}}"#))
    }
    var responses = JSONObject()
    for (status, description, type, schema) in endpoint.responses {
      let content = type.map { #","content":{"\#($0)":{"schema":\#(schema)}}"# } ?? ""
      responses.append("\(status)", json(#"{"description":"\#(description)"\#(content)}"#))
    }
    responses.append(
      "default",
      json(##"{"description":"A problem.","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}"##))
    operation.append("responses", responses)
    return operation
  }

  private static var wait: JSONObject {
    json(#"{"name":"wait","in":"query","description":"Answer once the event is in the stream.","schema":{"enum":["placed"]}}"#)
  }

  private static var idempotencyKey: JSONObject {
    json(#"{"name":"Idempotency-Key","in":"header","schema":{"type":"string","minLength":1,"maxLength":128}}"#)
  }

  private static var schemas: JSONObject {
    json(
      ##"""
      {"Cue":{"type":"object","required":["event"],"properties":{"event":{"type":"string"},"guid":{"type":"string","minLength":1,
      "maxLength":128},"game":{"type":"string","minLength":1,"maxLength":100},"at":{"type":["number","string"]},"in":{"type":["number","string"]},"wallClock":{"type":"string"},
      "late":{"enum":["next","refuse"]},"expires":{"type":["number","string"]}}},
      "Status":{"type":"object","required":["guid","event","sequence","state","at","status"],"properties":{"guid":{"type":"string"},
      "event":{"type":"string"},"sequence":{"type":["integer","null"]},
      "state":{"enum":["accepted","scheduled","placed","published","cancelled","lost"]},"at":{"type":["number","null"]},
      "pts":{"type":["integer","null"]},"wallClock":{"type":["string","null"]},"closesAt":{"type":["number","null"]},
      "copies":{"type":"integer"},"refreshes":{"type":"integer"},"segments":{"type":"array","items":{"type":"integer"}},
      "reason":{"type":"string"},"status":{"type":"string"}}},
      "Events":{"type":"object","required":["events"],"properties":{"game":{"type":"string"},
      "events":{"type":"array","items":{"$ref":"#/components/schemas/Status"}}}},
      "Now":{"type":"object","required":["at","wallClock","latency","sequence","input"],"properties":{"at":{"type":["number","null"]},
      "wallClock":{"type":["string","null"]},"latency":{"type":["number","null"]},"sequence":{"type":"integer"},
      "input":{"enum":["up","down"]}}},
      "Problem":{"type":"object","required":["type","title","status","detail"],"properties":{"type":{"type":"string"},
      "title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},"pointer":{"type":"string"},
      "now":{"type":"number"},"errors":{"type":"array"}}}}
      """##)
  }

  private static func json(_ text: String) -> JSONObject { OpenAPIPaths.json(text) }
}

extension Endpoint {
  fileprivate var summary: String {
    switch self {
    case .postEvent: "Put an event into the stream: with the next frame, or at a time."
    case .listEvents: "List all events with what became of them."
    case .getEvent: "Tell what became of an event."
    case .putEvent: "Put the event of this identifier into the stream, once; whoever comes second is told what the first one has put."
    case .deleteEvent: "Take back an event that is not in the stream yet."
    case .postBatch: "Put several events into the stream, all or none."
    case .putCues: "Put the cues of a sheet into the stream; those with at: go wait for the operator."
    case .postNext: "Send the next cue that waits for the operator."
    case .getNow: "Tell where the programme is."
    case .getStream: "Listen to what happens, as server-sent events."
    case .getMetrics: "Give numbers for Prometheus."
    case .getHealth: "Tell that the process lives."
    case .getReady: "Tell whether the input comes."
    case .getOpenAPI: "Give this document."
    case .getPresentation: "Give a playlist or a segment."
    }
  }

  fileprivate var requestSchema: String? {
    switch self {
    case .postEvent, .putEvent: ##"{"$ref":"#/components/schemas/Cue"}"##
    case .postBatch:
      ##"{"type":"object","required":["events"],"properties":{"events":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/components/schemas/Cue"}}}}"##
    case .putCues: #"{"type":"object","required":["game","cues"],"properties":{"cues":{"type":"array","items":{"type":"object"}}}}"#
    default: nil
    }
  }

  fileprivate var requestType: String { "application/json" }

  fileprivate var responses: [(status: Int, description: String, type: String?, schema: String)] {
    let (status, events) = (##"{"$ref":"#/components/schemas/Status"}"##, ##"{"$ref":"#/components/schemas/Events"}"##)
    let json = "application/json"
    return switch self {
    case .postEvent: [(202, "The event is written down.", json, status), (200, "The event was posted before.", json, status)]
    case .postNext: [(202, "The event is written down.", json, status), (200, "The request came before.", json, status)]
    case .listEvents: [(200, "The events.", json, events)]
    case .getEvent: [(200, "The event.", json, status)]
    case .putEvent: [(201, "The event is written down.", json, status), (200, "The same event was put before.", json, status)]
    case .deleteEvent: [(204, "It is taken back.", nil, "")]
    case .postBatch, .putCues:
      [(202, "The events are written down.", json, events), (200, "All of them were posted before.", json, events)]
    case .getNow: [(200, "Where the programme is.", json, ##"{"$ref":"#/components/schemas/Now"}"##)]
    case .getStream: [(200, "Messages.", "text/event-stream", #"{"type":"string"}"#)]
    case .getMetrics, .getHealth: [(200, "Text.", "text/plain", #"{"type":"string"}"#)]
    case .getReady: [(200, "The input comes.", "text/plain", #"{"type":"string"}"#)]
    case .getOpenAPI: [(200, "The document.", json, #"{"type":"object"}"#)]
    case .getPresentation: [(200, "The file.", "application/octet-stream", #"{}"#)]
    }
  }
}

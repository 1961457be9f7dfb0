import Basics
import LiveInterface
import WebSupport

/// The OpenAPI 3.1 document of the interface, made of the table that requests are routed by.
enum OpenAPI {
  static let document = OpenAPIPaths.document(
    "Cuelight live", "Puts game events into a running stream.", of: Endpoint.self,
    tags: ["events": "Events of the stream.", "stream": "The stream, and where it is."],
    schemas: [
      "Cue": cue, "Status": status, "Listed": listed, "Events": .object(["events": .list(.reference("Status"))]),
      "AllEvents": .object(["game": .text, "events": .list(.reference("Listed"))]), "Now": now, "Problem": problem,
    ],
    problem: "Problem"
  ) { $0.operation }

  private static var cue: OpenAPISchema {
    let time = OpenAPISchema.either(.number, .text)
    return .object(
      ["event": .text],
      optional: [
        "guid": .sized(1...128), "game": .sized(1...100), "at": time, "in": time, "wallClock": .text, "late": .choice(["next", "refuse"]),
        "expires": time,
      ])
  }

  static let states = OpenAPISchema.choice(["accepted", "scheduled", "placed", "published", "cancelled", "lost"])

  private static var status: OpenAPISchema {
    .object(
      [
        "guid": .text, "event": .text, "sequence": .count.orNull, "state": states, "at": .number.orNull, "pts": .count.orNull,
        "wallClock": .date.orNull, "closesAt": .number.orNull, "copies": .count, "refreshes": .count, "segments": .list(.count),
        "status": .text,
      ], optional: ["reason": .text])
  }

  private static var listed: OpenAPISchema { .all(.reference("Status"), .object([:], optional: ["cue": .anyObject])) }

  private static var now: OpenAPISchema {
    let delivery = OpenAPISchema.object([
      "segmentDuration": .number, "targetDuration": .number, "partTarget": .number.orNull, "keyFrameInterval": .number.orNull,
    ])
    return .object([
      "at": .number.orNull, "wallClock": .date.orNull, "latency": .number.orNull, "sequence": .count,
      "input": .choice(LiveInputState.allCases.map(\.rawValue)), "delivery": delivery.orNull,
    ])
  }

  private static var problem: OpenAPISchema {
    .problem(optional: [
      "pointer": .text, "errors": .list(.object(["detail": .text, "pointer": .text])), "now": .number, "state": states, "cue": .anyObject,
    ])
  }
}

extension Endpoint {
  /// What the document says of the call.
  fileprivate var operation: OpenAPIOperation {
    var operation = described
    // Without a file of tokens this machine needs none.
    operation.security = .tokenOrOther
    operation.problems.merge(usualProblems(hasBody: operation.body != nil)) { own, usual in usual + own }
    return operation
  }

  /// The problems that calls of this kind have, whatever they do.
  private func usualProblems(hasBody: Bool) -> [Int: [String]] {
    var problems: [Int: [String]] = [:]
    if !OpenAPIPaths.parts(of: route.path).isEmpty {
      problems[404] = ["notFound", "unknownStream"]
      // A part such as `..` makes it another call's path.
      problems[405] = ["methodNotAllowed"]
    }
    problems[401] = ["unauthorized"]
    problems[403] = ["forbidden"]
    if hasBody {
      problems[400] = ["invalid"]
      problems[413] = ["tooLarge"]
      problems[422] = ["invalid"]
    }
    return problems
  }

  private var described: OpenAPIOperation {
    let (status, events): (OpenAPISchema, OpenAPISchema) = (.reference("Status"), .reference("Events"))
    let batch = OpenAPISchema.sizedList(.reference("Cue"), 1...LiveAPI.largestBatch)
    return switch self {
    case .postEvent:
      OpenAPIOperation(
        "events", "Put an event into the stream: with the next frame, or at a time.",
        [.json(202, "The event is written down.", status), .json(200, "The event was posted before.", status)],
        parameters: [.wait, .idempotencyKey], body: .json(.reference("Cue")),
        problems: [409: ["tooLate", "conflict"], 415: ["unsupportedMediaType"], 429: ["rate"], 503: ["busy"]])
    case .listEvents:
      OpenAPIOperation("events", "List all events with what became of them.", [.json(200, "The events.", .reference("AllEvents"))])
    case .getEvent:
      OpenAPIOperation(
        "events", "Tell what became of an event.", [.json(200, "The event.", status)], problems: [404: ["unknownEvent"]])
    case .putEvent:
      OpenAPIOperation(
        "events", "Put the event of this identifier into the stream, once; whoever comes second is told what the first one has put.",
        [.json(201, "The event is written down.", status), .json(200, "The same event was put before.", status)],
        parameters: [.wait], body: .json(.reference("Cue")),
        problems: [
          404: ["unknownEvent"], 409: ["tooLate", "conflict"], 415: ["unsupportedMediaType"], 429: ["rate"], 503: ["busy"],
        ])
    case .deleteEvent:
      OpenAPIOperation(
        "events", "Take back an event that is not in the stream yet.", [.done],
        problems: [404: ["unknownEvent"], 409: ["notCancellable"], 503: ["busy"]])
    case .postBatch:
      OpenAPIOperation(
        "events", "Put several events into the stream, all or none.",
        [.json(202, "The events are written down.", events), .json(200, "All of them were posted before.", events)],
        body: .json(.either(.object(["events": batch]), batch)),
        problems: [409: ["tooLate", "conflict"], 415: ["unsupportedMediaType"], 503: ["busy"]])
    case .putCues:
      OpenAPIOperation(
        "events", "Put the cues of a sheet into the stream; those with at: go wait for the operator.",
        [.json(202, "The events are written down.", events), .json(200, "All of them were put before.", events)],
        body: OpenAPIBody([("application/json", .object(["game": .text, "cues": .list(.anyObject)])), ("application/yaml", .text)]),
        problems: [409: ["tooLate", "conflict"], 503: ["busy"]])
    case .postNext:
      OpenAPIOperation(
        "events", "Send the next cue that waits for the operator.",
        [.json(202, "The event is written down.", status), .json(200, "The request came before.", status)],
        parameters: [.wait, .idempotencyKey],
        problems: [404: ["unknownEvent"], 409: ["nothingWaits", "conflict"], 422: ["invalid"], 429: ["rate"], 503: ["busy"]])
    case .getNow:
      OpenAPIOperation("stream", "Tell where the programme is.", [.json(200, "Where the programme is.", .reference("Now"))])
    case .getStream:
      OpenAPIOperation(
        "stream", "Listen to what happens, as server-sent events.", [.text("Messages.", "text/event-stream")],
        parameters: [.lastEventID])
    case .getPresentation:
      OpenAPIOperation(
        "stream", "Give a playlist or a segment.",
        [
          OpenAPISuccess(
            200, "The file.", [("application/vnd.apple.mpegurl", .text), ("video/mp2t", .bytes), ("video/mp4", .bytes)]),
          OpenAPISuccess(206, "A part of it.", [("video/mp2t", .bytes), ("video/mp4", .bytes)]),
        ], parameters: [.mediaSequence, .part, .skip, .range], problems: [400: ["invalid"], 416: ["unsatisfiableRange"], 503: ["busy"]])
    }
  }
}

extension OpenAPIParameter {
  fileprivate static let wait = OpenAPIParameter.query("wait", "Answer once the event is in the stream.", .choice(["placed"]))
  fileprivate static let mediaSequence = OpenAPIParameter.query(
    "_HLS_msn", "Answer once the playlist has the segment of this media sequence number.", .text)
  fileprivate static let part = OpenAPIParameter.query("_HLS_part", "Answer once it has this part of it.", .text)
  fileprivate static let skip = OpenAPIParameter.query("_HLS_skip", "Leave out the segments that a client knows.", .text)
  fileprivate static let range = OpenAPIParameter.header("Range", "The bytes that are wanted, such as bytes=0-99.", .text)
  fileprivate static let idempotencyKey = OpenAPIParameter.header(
    "Idempotency-Key", "A text of the client's own: the same request with it is done once.", .sized(1...128))
}

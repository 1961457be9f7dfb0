import LiveInterface
import WebSupport

/// The OpenAPI 3.1 document of the interface, made from the table by which requests are routed.
enum OpenAPI {
  static let document = OpenAPIPaths.document(
    "Cuelight live", "Puts game events into a running stream.", of: LiveAPI.calls,
    tags: ["events": "Events of the stream.", "stream": "The stream, and where it is."],
    schemas: [
      "Cue": cue, "Status": status, "Listed": .all(.reference("Status"), .object([:], optional: ["cue": .anyObject])),
      "Events": .object(["events": .list(.reference("Status"))]),
      "AllEvents": .object(["game": .text, "events": .list(.reference("Listed"))]), "Now": now, "Inputs": LiveAPI.inputs,
      "Reach": LiveAPI.reach,
      "ServerStatus": ServerStatus.schema, "Problem": problem,
    ],
    problem: "Problem"
  ) { call in
    let problems = [403: ["forbidden"]].merging(call.route.names.contains("stream") ? [404: ["unknownStream"]] : [:]) { $1 }
    // Without a file of tokens, programs on this machine need none.
    return (.tokenOrOther, problems)
  }

  private static let time = OpenAPISchema.either(.number, .text)
  private static let cue = OpenAPISchema.object(
    ["event": .text],
    optional: [
      "guid": .sized(1...128), "game": .sized(1...100), "at": time, "in": time, "wallClock": .text, "timecode": .text,
      "late": .choice(["next", "refuse"]),
      "expires": time,
    ])

  static let states = OpenAPISchema.choice(["accepted", "scheduled", "held", "placed", "published", "cancelled", "lost"])

  private static let status = OpenAPISchema.object(
    [
      "guid": .text, "event": .text, "sequence": .count.orNull, "state": states, "at": .number.orNull, "pts": .count.orNull,
      "wallClock": .date.orNull, "closesAt": .number.orNull, "copies": .count, "refreshes": .count, "segments": .list(.count),
      "status": .text,
    ], optional: ["timecode": .text, "reason": .text])
  private static let delivery = OpenAPISchema.object([
    "segmentDuration": .number, "targetDuration": .number, "partTarget": .number.orNull, "keyFrameInterval": .number.orNull,
  ])
  static let adBreak = OpenAPISchema.object([
    "id": .text, "state": .choice(["announced", "open", "ended"]), "from": .number, "to": .number.orNull, "duration": .number.orNull,
  ])
  private static let now = OpenAPISchema.object(
    [
      "at": .number.orNull, "wallClock": .date.orNull, "programmeDate": .date.orNull, "offset": .number.orNull,
      "latency": .number.orNull, "sequence": .count,
      "input": .choice(LiveInputState.allCases.map(\.rawValue)), "delivery": delivery.orNull, "break": adBreak.orNull,
      "timecode": .text.orNull,
    ], optional: ["source": LiveAPI.sources, "audience": LiveAPI.audience])
  static let problem = OpenAPISchema.problem(optional: [
    "pointer": .text, "errors": .list(.object(["detail": .text, "pointer": .text])), "now": .number, "state": states, "cue": .anyObject,
    "break": adBreak,
  ])
}

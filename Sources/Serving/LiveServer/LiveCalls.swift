import HTTPTypes
import LiveInterface
import LiveSession
import WebSupport

/// A call of the interface.
struct LiveCall: Sendable {
  let call: LiveAPI.Entry
  /// The variable parts of the path.
  let parts: [String: String]
  let request: APIRequest
  /// Where it comes from: an address, or the network of one.
  var place = ""
  var body: [UInt8] = []
}

/// The implementation of a call.
enum LiveHandler: Sendable {
  /// The session, with its events.
  case session(@Sendable (LiveAPI, LiveCall) async throws(Problem) -> Answer)
  /// The files of the presentation, which both nodes of a pair have.
  case presentation
  /// The stream of messages, which both nodes of a pair have.
  case messages

  /// A function of the interface.
  static func function(_ body: @escaping @Sendable (LiveAPI) -> (LiveCall) async throws(Problem) -> Answer) -> LiveHandler {
    .session { (api, call) throws(Problem) in try await body(api)(call) }
  }
}

extension LiveAPI {
  typealias Entry = Call<Endpoint.Scope, LiveHandler>

  /// All calls of a live session.
  static let calls = [
    postEvent, listEvents, getEvent, putEvent, deleteEvent, postBatch, putCues, postNext, postInput, getNow, getStream, getPresentation,
    getPresentationByPass, getStatus, getReach, postReports,
  ]

  /// Each caller may post 500 events a second, and 1,000 at once after a pause.
  static let posting = CallLimit(perMinute: 30_000, burst: 1_000)

  private static let (status, events) = (OpenAPISchema.reference("Status"), OpenAPISchema.reference("Events"))
  private static let batch = OpenAPISchema.sizedList(.reference("Cue"), 1...largestBatch)
  /// The problems of calls that write events to the journal.
  private static let refusals = [
    409: ["tooLate", "conflict", "inBreak", "noTimecode"], 415: ["unsupportedMediaType"], 503: ["overloaded"],
  ]

  private static let postEvent = Entry(
    .postEvent, posting, largestBody: 64 << 10, "events", "Put an event into the stream: with the next frame, or at a time.",
    [.json(202, "The event is written down.", status), .json(200, "The event was posted before.", status)],
    parameters: [.wait, .idempotencyKey], body: .json(.reference("Cue")), problems: refusals, .function(LiveAPI.postEvent))

  private static let listEvents = Entry(
    .listEvents, .looking, "events", "List all events with what became of them.", [.json(200, "The events.", .reference("AllEvents"))],
    .session { (api, _) throws(Problem) in api.list() })

  private static let getEvent = Entry(
    .getEvent, .looking, "events", "Tell what became of an event.", [.json(200, "The event.", status)], problems: [404: ["unknownEvent"]],
    .session { (api, call) throws(Problem) in try Answer(.ok, api.session.object(api.status(call.parts))) })

  private static let putEvent = Entry(
    .putEvent, posting, largestBody: 64 << 10, "events",
    "Put the event of this identifier into the stream, once; whoever comes second is told what the first one has put.",
    [.json(201, "The event is written down.", status), .json(200, "The same event was put before.", status)], parameters: [.wait],
    body: .json(.reference("Cue")), problems: refusals.merging([404: ["unknownEvent"]]) { $1 }, .function(LiveAPI.putEvent))

  private static let deleteEvent = Entry(
    .deleteEvent, posting, "events", "Take back an event that is not in the stream yet.", [.done],
    problems: [404: ["unknownEvent"], 409: ["notCancellable"], 503: ["overloaded"]], .function(LiveAPI.deleteEvent))

  private static let postBatch = Entry(
    .postBatch, posting, largestBody: 1 << 20, "events", "Put several events into the stream, all or none.",
    [.json(202, "The events are written down.", events), .json(200, "All of them were posted before.", events)],
    body: .json(.either(.object(["events": batch]), batch)), problems: refusals, .function(LiveAPI.postBatch))

  private static let putCues = Entry(
    .putCues, posting, largestBody: 8 << 20, "events", "Put the cues of a sheet into the stream; those with at: go wait for the operator.",
    [.json(202, "The events are written down.", events), .json(200, "All of them were put before.", events)],
    body: OpenAPIBody([("application/json", .object(["game": .text, "cues": .list(.anyObject)])), ("application/yaml", .text)]),
    problems: [409: ["tooLate", "conflict", "inBreak", "noTimecode"], 503: ["overloaded"]], .function(LiveAPI.putCues))

  private static let postNext = Entry(
    .postNext, posting, "events", "Send the next cue that waits for the operator.",
    [.json(202, "The event is written down.", status), .json(200, "The request came before.", status)],
    parameters: [.wait, .idempotencyKey],
    problems: [404: ["unknownEvent"], 409: ["nothingWaits", "conflict", "inBreak"], 422: ["invalid"], 503: ["overloaded"]],
    .function(LiveAPI.postNext)
  )

  private static let postInput = Entry(
    .postInput, posting, "stream", "Choose the input that feeds a stream with a backup, from its next key frame on.",
    [.json(200, "The inputs.", .reference("Inputs"))], body: .json(.object(["source": sources])),
    problems: [409: ["noInput"], 415: ["unsupportedMediaType"], 422: ["invalid"]], .function(LiveAPI.postInput))

  static let sources = OpenAPISchema.choice(InputChoice.Source.allCases.map(\.rawValue))
  static let inputs = OpenAPISchema.object(["source": sources, "main": input, "backup": input])
  private static let input = OpenAPISchema.object(["name": .text, "state": .choice(["up", "down"])])

  private static let getNow = Entry(
    .getNow, .looking, "stream", "Tell where the programme is.", [.json(200, "Where the programme is.", .reference("Now"))],
    .session { (api, _) throws(Problem) in api.now() })

  private static let getStream = Entry(
    .getStream, .looking, "stream", "Listen to what happens, as server-sent events.", [.text("Messages.", "text/event-stream")],
    parameters: [.lastEventID], .messages)

  private static let getReach = Entry(
    .getReach, .looking, "events", "Tell whom an event has reached, and how long that took, as the pages of viewers report it.",
    [.json(200, "The reach.", .reference("Reach"))], problems: [404: ["unknownEvent"], 409: ["noReports"]],
    .function(LiveAPI.getReach))

  private static let postReports = Entry(
    .postReports, reporting, largestBody: largestReports, "stream",
    "Report what a player shows: lines of CMCD version 2 in event mode. A page that is answered with 410 reports no more.",
    [.done], body: OpenAPIBody([("application/cmcd", .text)]), problems: [410: ["noReports"]], .function(LiveAPI.postReports))

  private static let getPresentation = Entry(
    .getPresentation, .watching, "stream",
    "Give a playlist or a segment. With a view token in the query, the answer leads to a path with a pass, which players carry on.",
    files, parameters: [.mediaSequence, .part, .skip, .range], problems: fileProblems, .presentation)

  private static let getPresentationByPass = Entry(
    .getPresentationByPass, .watching, "stream", "Give a playlist or a segment to a player whose path has a pass.", files,
    parameters: [.mediaSequence, .part, .skip, .range], problems: fileProblems, .presentation)

  private static let getStatus = Entry(
    .getStatus, .looking, "stream", "Tell what runs here: the streams, and the games.",
    [.json(200, "What runs.", .reference("ServerStatus"))],
    .session { (api, _) throws(Problem) in Answer(.ok, ServerStatus.object(api.about, [api.status])) })

  private static let files = [
    OpenAPISuccess(200, "The file.", [("application/vnd.apple.mpegurl", .text), ("video/mp2t", .bytes), ("video/mp4", .bytes)]),
    OpenAPISuccess(206, "A part of it.", [("video/mp2t", .bytes), ("video/mp4", .bytes)]),
  ]
  private static let fileProblems = [400: ["invalid"], 416: ["unsatisfiableRange"], 503: ["overloaded"]]
}

extension Call<Endpoint.Scope, LiveHandler> {
  /// A call that is an `Endpoint` of clients.
  fileprivate init(
    _ endpoint: Endpoint, _ limit: CallLimit, largestBody: Int = 4 << 10, _ tag: String, _ summary: String, _ successes: [OpenAPISuccess],
    parameters: [OpenAPIParameter] = [], body: OpenAPIBody? = nil, problems: [Int: [String]] = [:], _ handler: LiveHandler
  ) {
    self.init(
      endpoint.rawValue, endpoint.route, endpoint.scope, limit, largestBody: largestBody, tag, summary, successes, parameters: parameters,
      body: body, problems: problems, handler)
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

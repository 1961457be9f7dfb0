import Basics
import CueSheet
import GameEvents
import HTTPTypes
import HLSPlaylist
import LiveGame
import LiveInterface
import LiveSession
import Reach
import Terminal
import WebSupport

/// The HTTP interface of a session: the implementation of each call.
struct LiveAPI: Sendable {
  let session: LiveSession
  let access: Access
  let injections = WowzaInjections()
  let about: ServerStatus.About
  let viewers = ViewerCount()

  init(
    session: LiveSession, tokens: CurrentTokens, origins: [String], isOpen: Bool = true, about: ServerStatus.About = ServerStatus.About()
  ) {
    (self.session, self.about) = (session, about)
    access = Access(stream: session.settings.name, tokens: tokens, origins: origins, isOpen: isOpen)
  }

  /// The maximum number of events in a batch.
  static let largestBatch = 100
  /// The maximum time that a call waits until its event is in the stream.
  static let longestWait = Duration.seconds(30)

  // MARK: Calls

  func deleteEvent(_ call: LiveCall) async throws(Problem) -> Answer {
    let guid = try guid(call.parts)
    try await change { game, _ throws(LiveProblem) in ((), try game.cancel(guid)) }
    session.noteCancelled(guid)
    return .noContent
  }

  func postNext(_ call: LiveCall) async throws(Problem) -> Answer {
    let key = try idempotencyKey(call.request)
    return try await accepted(call.request) { (game, now) throws(LiveProblem) in try game.goNext(key: key, now: now) }
  }

  func postEvent(_ call: LiveCall) async throws(Problem) -> Answer {
    let cue = try parsed(call.body)
    let key = try idempotencyKey(call.request)
    return try await accepted(call.request) { (game, now) throws(LiveProblem) in
      try game.accept(cue, key: key, newGUID: GUID.random(), now: now)
    }
  }

  /// Accepts the event of an identifier that the client has chosen. The first event counts; a conflict is answered with the existing one.
  func putEvent(_ call: LiveCall) async throws(Problem) -> Answer {
    let guid = try guid(call.parts)
    var cue = try parsed(call.body)
    guard cue.guid.map({ $0 == guid }) ?? true else {
      throw Problem(.invalid([.init(pointer: "/guid", message: "the guid is not that of the address")]))
    }
    cue.guid = guid
    do {
      var answer = try await accepted(call.request) { [cue] (game, now) throws(LiveProblem) in try game.accept(cue, newGUID: guid, now: now)
      }
      if answer.status == .accepted { answer.status = .created }
      return answer
    } catch {
      guard error.kind == "conflict", let known = session.desk.read({ game, _ in game.request(guid) }) else { throw error }
      var problem = error
      problem.members.append("cue", known)
      throw problem
    }
  }

  /// Accepts one event, and waits until it is in the stream if the client wants that.
  private func accepted(
    _ request: APIRequest,
    _ body: @escaping @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (LiveGame.Answer, LiveGame.Change)
  ) async throws(Problem) -> Answer {
    let messages = request.query["wait"] == "placed" ? session.feed.listen() : nil
    let answer = try await change(body)
    if answer.isNew { session.noteAccepted(answer.status) }
    var status = answer.status
    if let messages { status = await placed(status, messages) }
    return Answer(answer.isNew ? .accepted : .ok, session.object(status))
  }

  private func placed(_ status: EventStatus, _ messages: AsyncStream<LiveFeed.Message>) async -> EventStatus {
    let (session, guid) = (session, status.guid)
    @Sendable func latest() -> EventStatus { session.desk.read { game, _ in game.status(guid) } ?? status }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        guard [.accepted, .scheduled, .held].contains(latest().state) else { return }
        for await message in messages where ["placed", "lost", "cancelled"].contains(message.event) {
          if ![.accepted, .scheduled, .held].contains(latest().state) { return }
        }
      }
      group.addTask { try? await Task.sleep(for: Self.longestWait) }
      await group.next()
      group.cancelAll()
      return latest()
    }
  }

  func postBatch(_ call: LiveCall) async throws(Problem) -> Answer {
    let text = try call.body.requestText()
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: text, limits: JSONLimits(bytes: call.call.largestBody)) } catch {
      throw Problem("invalid", .unprocessableContent, "this is no JSON: \(error)")
    }
    guard let array = value.object?["events"]?.array ?? value.array else {
      throw Problem("invalid", .unprocessableContent, "a batch is a list of cues, or an object with \"events\"")
    }
    guard (1...Self.largestBatch).contains(array.count) else {
      throw Problem("invalid", .unprocessableContent, "a batch has 1 to \(Self.largestBatch) cues, not \(array.count)")
    }
    let pointer = value.object == nil ? "" : "/events"
    let requests = try array.enumerated().map { (index, cue) throws(Problem) in
      do throws(LiveProblem) { return try LiveRequest(json: cue.text) } catch { throw Problem(error.at("\(pointer)/\(index)")) }
    }
    return try await acceptAll { (game, now) throws(LiveProblem) in
      try game.accept(requests, at: pointer, newGUID: { GUID.random() }, now: now)
    }
  }

  func putCues(_ call: LiveCall) async throws(Problem) -> Answer {
    let text = try call.body.requestText()
    let sheet: LiveSheet
    do throws(LiveProblem) { sheet = try LiveSheet(request: text) } catch { throw Problem(error) }
    return try await acceptAll { (game, now) throws(LiveProblem) in try game.accept(sheet, now: now) }
  }

  private func acceptAll(
    _ body: @escaping @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> ([LiveGame.Answer], LiveGame.Change)
  ) async throws(Problem) -> Answer {
    let answers = try await change(body)
    for answer in answers where answer.isNew { session.noteAccepted(answer.status) }
    let object = JSONObject(fields: ["events": answers.map { session.object($0.status) }])
    return Answer(answers.contains(where: \.isNew) ? .accepted : .ok, object)
  }

  func list() -> Answer {
    let entries = session.desk.read { game, _ in game.statuses.map { ($0, game.request($0.guid)) } }
    let events = entries.map { status, request in session.object(status).with("cue", request) }
    return Answer(.ok, JSONObject(fields: ["game": session.settings.game, "events": events]))
  }

  func now() -> Answer {
    let (now, sequence, known) = session.desk.read { game, now in (now, game.lastSequence, game.nearestBreak) }
    let situation = session.situation
    let state = situation.hasEnded ? LiveInputState.ended : situation.isInputUp ? .up : .down
    let object = JSONObject(fields: [
      "at": now.time, "wallClock": PlaylistDate(milliseconds: now.wallClock)?.text,
      "programmeDate": now.programmeDate.flatMap { PlaylistDate(milliseconds: $0)?.text },
      "offset": now.programmeDate.map { MediaTime(milliseconds: $0 - now.wallClock) }, "latency": session.desk.latencies.latest,
      "sequence": sequence,
      "input": state.rawValue, "delivery": session.delivery?.object, "break": known?.object,
      "timecode": now.time.flatMap { now.timecodes?.text(at: $0) },
    ])
    return Answer(
      .ok,
      object.with("source", session.inputSwitch?.feeding.rawValue).with("audience", session.reach?.read { $0.audience }.object))
  }

  /// The state of the stream for ``ServerStatus``.
  var status: JSONObject { ServerStatus.stream(session, viewers: viewers.count()) }

  /// The files of the presentation.
  var files: PresentationFiles {
    let session = session
    return PresentationFiles(store: session.store) { session.situation.hasEnded }
  }

  // MARK: Parts of requests

  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout LiveGame, LiveGame.Now) throws(LiveProblem) -> (Value, LiveGame.Change)
  ) async throws(Problem) -> Value {
    do throws(LiveProblem) { return try await session.desk.change(body) } catch { throw Problem(error) }
  }

  private func parsed(_ body: [UInt8]) throws(Problem) -> LiveRequest {
    let text = try body.requestText()
    do throws(LiveProblem) { return try LiveRequest(json: text) } catch { throw Problem(error) }
  }

  private func idempotencyKey(_ request: APIRequest) throws(Problem) -> String? {
    guard let key = request.idempotencyKey else { return nil }
    guard (1...128).contains(key.utf8.count) else {
      throw Problem("invalid", .unprocessableContent, "an Idempotency-Key has 1 to 128 bytes")
    }
    return key
  }

  private func guid(_ parts: [String: String]) throws(Problem) -> GUID {
    guard let text = parts["guid"], let guid = GUID(text) else { throw Problem("unknownEvent", .notFound, "no event has this guid") }
    return guid
  }

  func status(_ parts: [String: String]) throws(Problem) -> EventStatus {
    let guid = try guid(parts)
    guard let status = session.desk.read({ game, _ in game.status(guid) }) else { throw Problem(.unknownEvent(guid.text)) }
    return status
  }
}

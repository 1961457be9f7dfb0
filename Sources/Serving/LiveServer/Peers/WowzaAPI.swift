import Basics
import CueSheet
import GameEvents
import HTTPTypes
import HLSPlaylist
import LibC
import LiveSession
import LiveGame
import LiveInterface
import Synchronization
import WebShell
import WebSupport

extension WowzaReply {
  /// A date in the plugin's format: `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`.
  static func date(_ milliseconds: Int64) -> String { PlaylistDate(milliseconds: milliseconds)?.text ?? "" }
}

/// Remembers, for the latest events of this interface, how many times each was to be put into the stream.
final class WowzaInjections: Sendable {
  private struct State {
    var repeats: [GUID: Int] = [:]
    var order = Queue<GUID>()
  }

  private let state = Mutex(State())
  /// The maximum number of events that are remembered; the plugin remembers 250.
  private static let most = 1_000

  func remember(_ guid: GUID, repeats: Int) {
    state.withLock { state in
      state.repeats[guid] = repeats
      state.order.append(guid)
      if state.order.count > Self.most, let oldest = state.order.popFirst() { state.repeats[oldest] = nil }
    }
  }

  func repeats(of guid: GUID) -> Int? { state.withLock { $0.repeats[guid] } }
}

/// The interface of Wowza's plugin for metadata injection.
///
/// Its repeats are copies, which the stream has anyway: an answer counts the copies in the stream, up to the requested number.
struct WowzaAPI {
  let api: LiveAPI
  let caller: Caller

  private static let root = "/v1/server/plugin/metaDataInjection"
  /// The version of the interface.
  private static let version = "1.0.0"
  private static let instance = "_definst_"
  /// How long a call waits until a frame carries its event.
  private static let patience = Duration.seconds(5)
  /// How much longer than the duration of its repeats a call waits for them.
  private static let patienceForRepeats = Duration.milliseconds(500)

  /// Whether a path belongs to this interface.
  static func has(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }

  /// Answers a request.
  ///
  /// - Parameter body: Loads the body of the request.
  func answer(_ request: APIRequest, body: () async throws(Problem) -> [UInt8]) async -> Answer {
    let guid = GUID.random()
    do throws(Problem) { try api.authorizePeer(request) } catch {
      return Self.answer(.unauthorized, nil, headers: [(.wwwAuthenticate, "Basic realm=\"cuelight\"")])
    }
    switch request.method {
    case "GET", "HEAD": return status(request.path)
    case "POST": break
    default: return Self.failure(.methodNotAllowed, guid, "not allowed")
    }
    do throws(PeerRefusal) {
      try requireStream(request.path)
      return try await post(guid, body)
    } catch {
      return Self.failure(error.status, guid, error.reason)
    }
  }

  private static func refusal(_ problem: Problem) -> PeerRefusal {
    PeerRefusal([400, 413, 422, 409].contains(problem.status.code) ? .badRequest : .internalServerError, problem.detail)
  }

  // MARK: Events

  private func post(_ guid: GUID, _ body: () async throws(Problem) -> [UInt8]) async throws(PeerRefusal) -> Answer {
    let bytes: [UInt8]
    do throws(Problem) { bytes = try await body() } catch { throw Self.refusal(error) }
    let wanted = try WowzaRequest(bytes)
    // The plugin accepts such an event and does not inject it.
    if wanted.repeats <= 0 {
      api.injections.remember(guid, repeats: 0)
      return Self.answer(.created, wanted.isAsynchronous ? .accepted(guid: guid.text) : .inserted(guid: guid.text, dates: []))
    }
    let request: LiveRequest
    do throws(LiveProblem) { request = try Self.request(wanted, guid) } catch { throw PeerRefusal(.badRequest, "\(error)") }
    do throws(Problem) { try await api.accept([request], from: caller) } catch { throw Self.refusal(error) }
    api.injections.remember(guid, repeats: wanted.repeats)
    guard !wanted.isAsynchronous else { return Self.answer(.created, .accepted(guid: guid.text)) }
    let dates = await dates(of: guid, wanted)
    guard !dates.isEmpty else { throw PeerRefusal(.badRequest, WowzaRequest.notInjected) }
    return Self.answer(.created, .inserted(guid: guid.text, dates: dates))
  }

  private static func request(_ wanted: WowzaRequest, _ guid: GUID) throws(LiveProblem) -> LiveRequest {
    var terms = ForeignEvent.Terms()
    terms.delay = MediaTime(milliseconds: Int64(wanted.delay))
    if wanted.span > 0 { terms.currentFor = MediaTime(milliseconds: Int64(wanted.span)) }
    // An event that was reported as missing must not reach the stream later.
    if !wanted.isAsynchronous { terms.expires = MediaTime(ticks: Int64(Self.patience.inSeconds * 90_000)) }
    var event = wanted.event
    if wanted.tellsTime { event.data.append("injectTime", Int(WallClock.now) + wanted.delay) }
    return try event.request(guid, terms)
  }

  /// Waits until all requested copies can be in the stream; returns when the copies that are in it are seen.
  private func dates(of guid: GUID, _ wanted: WowzaRequest) async -> [Int64] {
    let desk = api.session.desk
    var dates: [Int64] = []
    /// Waits for this many copies, or until it is clear that no more follow.
    func wait(for count: Int, within time: Duration) async {
      await desk.changes.wait(until: .now + time) {
        let status = desk.read { game, _ in game.status(guid) }
        dates = Array((status?.copyDates ?? []).prefix(wanted.repeats))
        return dates.count >= count || (status.map { [.lost, .cancelled].contains($0.state) } ?? true)
      }
    }
    await wait(for: 1, within: .milliseconds(wanted.delay) + Self.patience)
    if !dates.isEmpty { await wait(for: wanted.repeats, within: .milliseconds(wanted.span) + Self.patienceForRepeats) }
    return dates
  }

  // MARK: Questions

  private func status(_ path: String) -> Answer {
    guard let parts = path.parts(of: Self.root + "/injections/{guid}") else {
      return Self.answer(.ok, .version(Self.version))
    }
    let guid = parts["guid"].flatMap { GUID($0) }
    let status = guid.flatMap { guid in api.session.desk.read { game, _ in game.status(guid) } }
    let repeats = guid.flatMap { api.injections.repeats(of: $0) }
    guard let guid, status != nil || repeats != nil else { return Self.answer(.notFound, nil) }
    let dates = (status?.copyDates ?? []).prefix(repeats ?? EventStatus.mostCopyDates)
    return Self.answer(.ok, dates.isEmpty ? .waiting(guid: guid.text) : .inserted(guid: guid.text, dates: Array(dates)))
  }

  // MARK: Places

  /// The varying parts of a path that names a stream; `nil` for another path.
  private static func place(_ path: String) -> [String: String]? {
    path.parts(of: root + "/applications/{application}/streams/{stream}")
      ?? path.parts(of: root + "/applications/{application}/instances/{instance}/streams/{stream}")
  }

  /// The name of the stream that a path addresses; `nil` if it addresses none.
  static func stream(_ path: String) -> String? { place(path)?["stream"] }

  private func requireStream(_ path: String) throws(PeerRefusal) {
    guard let parts = Self.place(path), let application = parts["application"], let stream = parts["stream"] else {
      throw PeerRefusal(.badRequest, "incorrect url")
    }
    let settings = api.session.settings
    guard application.hasSameBytes(as: settings.application) else { throw PeerRefusal(.notFound, "application not found: \(application)") }
    if let instance = parts["instance"], !instance.hasSameBytes(as: Self.instance) {
      throw PeerRefusal(.notFound, "application instance not found: \(instance)")
    }
    // In the plugin, a stream exists while it is being published.
    guard stream.hasSameBytes(as: settings.name), api.session.situation.isInputUp else {
      throw PeerRefusal(.notFound, "stream not found: \(stream)")
    }
  }

  // MARK: Answers

  private static func failure(_ status: HTTPResponse.Status, _ guid: GUID, _ reason: String) -> Answer {
    answer(status, .failed(guid: guid.text, reason: reason))
  }

  private static func answer(_ status: HTTPResponse.Status, _ reply: WowzaReply?, headers: [(HTTPField.Name, String)] = []) -> Answer {
    Answer(status, "application/json", Array((reply?.text ?? "").utf8), headers: headers)
  }
}

import Basics
import CommandSupport
import DeliveryWatch
import GameEvents
import HLSPlaylist
import HTTPClient
import LiveInterface
import Terminal

/// Asks an injector for the events that it has inserted into its stream.
struct InjectorList {
  /// The answer of the injector.
  struct Answer {
    /// The events that are in the stream.
    var placed: [DeliveryWatch.Expected]
    /// All events that it knows.
    var known: Set<GUID>
  }

  let address: StreamAddress
  let token: String?

  /// The injector lists at most twenty thousand events.
  private static let limits = NetworkLimits(
    bytes: 64 << 20, time: .seconds(30), silence: .seconds(10), connecting: .seconds(5), redirects: 0)

  /// The events.
  ///
  /// - Throws: If there is no answer, or a refusal.
  func answer(_ isInterrupted: @escaping @Sendable () -> Bool) throws(CommandFailure) -> Answer {
    Self.read(try object(LiveCall(endpoint: .listEvents), isInterrupted))
  }

  /// Whom an event has reached, as the injector's server describes it.
  ///
  /// - Throws: If there is no answer, or a refusal.
  func reach(of guid: GUID, _ isInterrupted: @escaping @Sendable () -> Bool) throws(CommandFailure) -> JSONObject {
    try object(LiveCall(endpoint: .getReach, guid: guid.text), isInterrupted)
  }

  private func object(_ call: LiveCall, _ isInterrupted: @escaping @Sendable () -> Bool) throws(CommandFailure) -> JSONObject {
    let request = call.request(to: address, token: token)
    let answer = try orFail(WebAnswer(to: request, limits: Self.limits, isInterrupted: isInterrupted)) { (error: NetworkInputError) in
      CommandFailure(error)
    }
    switch LiveReply(status: answer.status, body: answer.body) {
    case .done(let object): return object ?? JSONObject()
    case .refused(let refusal): throw CommandFailure(refusal)
    case .foreign(let status): throw CommandFailure(NetworkInputError(url: request.url, reason: .init(status: status)))
    }
  }

  /// The events of the interface's list.
  static func read(_ list: JSONObject) -> Answer {
    var answer = Answer(placed: [], known: [])
    for status in (list["events"]?.array ?? []).compactMap(\.object) {
      guard let guid = status["guid"]?.string.flatMap({ GUID($0) }) else { continue }
      answer.known.insert(guid)
      guard ["placed", "published"].contains(status["state"]?.string),
        let date = status["wallClock"]?.string.flatMap({ PlaylistDate($0) })?.milliseconds
      else { continue }
      answer.placed.append(
        DeliveryWatch.Expected(
          guid: guid, type: status["event"]?.string ?? "?", sequence: status["sequence"]?.int,
          at: status["at"]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }, date: date))
    }
    return answer
  }
}

import Basics
import DeliveryWatch
import GameEvents

/// Decides when it is said whom an event has reached, and how.
struct ReachList: Sendable {
  /// Whether anything is said.
  let isWanted: Bool
  private var waiting: [DeliveryWatch.Expected] = []
  private var known: Set<GUID> = []

  /// How long after an event its reach is known: viewers are behind, and pages report from time to time.
  private static let patience: Int64 = 60_000
  /// The maximum number of events that wait.
  private static let mostWaiting = 256

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Learns of events, and returns those whose reach is known now.
  mutating func takeDue(_ placed: [DeliveryWatch.Expected], at now: Int64) -> [DeliveryWatch.Expected] {
    guard isWanted else { return [] }
    for event in placed where event.type != "periodicInfo" && known.insert(event.guid).inserted { waiting.append(event) }
    if waiting.count > Self.mostWaiting { waiting.removeFirst(waiting.count - Self.mostWaiting) }
    let due = waiting.filter { $0.date <= now - Self.patience }
    waiting.removeAll { $0.date <= now - Self.patience }
    return due
  }

  /// Returns the other events, at the end.
  mutating func takeRest() -> [DeliveryWatch.Expected] { exchange(&waiting, with: []) }

  /// An event's reach in words.
  static func line(_ event: DeliveryWatch.Expected, _ reach: JSONObject) -> String {
    func number(_ key: String) -> String { reach[key]?.number?.text ?? "0" }
    func delays(_ key: String) -> String? {
      guard let object = reach[key]?.object, let half = object["p50"]?.number, let most = object["p95"]?.number,
        let nearlyAll = object["p99"]?.number
      else { return nil }
      return "\(key) \(half.text) / \(most.text) / \(nearlyAll.text) s"
    }
    let legs = ["frame", "part"].compactMap { key in reach[key]?.number.map { "\(key) \($0.text) s" } }
    let times = (legs + [delays("page"), delays("eye")].compactMap(\.self)).joined(separator: ", ")
    return "reach: \(event.type) \(event.guid.text.visible(.text)): \(number("shown")) of \(number("sessions")) pages"
      + (times.isEmpty ? "" : "; \(times)")
  }

  /// The same as JSON.
  static func object(_ event: DeliveryWatch.Expected, _ reach: JSONObject) -> JSONObject {
    var object = JSONObject(fields: ["type": "reach", "event": event.type])
    for member in reach.members { object.append(member.key, member.value) }
    return object
  }
}

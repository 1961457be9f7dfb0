package import Basics
import GameEvents
import HLSPlaylist

// Findings for people and for programs.
extension DeliveryWatch.Finding {
  /// The finding in a line.
  package var text: String {
    switch self {
    case .missing(let event, let segment):
      "\(Self.name(event)): missing\(segment.map { ", segments are read up to \($0)" } ?? "")"
    case .late(let event, let delay, .copies, let segment):
      "\(Self.name(event)): \(delay.text(decimals: 3)) s late: its first copies are missing\(Self.place(segment))"
    case .late(let event, let delay, .delivery, let segment):
      "\(Self.name(event)): \(delay.text(decimals: 3)) s late: it arrived this long after its date\(Self.place(segment))"
    case .unlisted(let guid, let type, let segment): "\(type) \(guid.text): the injector does not know it\(Self.place(segment))"
    }
  }

  /// The finding as an object.
  package var object: JSONObject {
    switch self {
    case .missing(let event, let segment): Self.object("missing", event, segment)
    case .late(let event, let delay, let cause, let segment):
      Self.object("late", event, segment).with("by", delay).with("cause", cause.rawValue)
    case .unlisted(let guid, let type, let segment):
      JSONObject(fields: ["type": "unlisted", "guid": guid.text, "event": type, "segment": segment.map { Int(clamping: $0) }])
    }
  }

  private static func object(_ type: String, _ event: DeliveryWatch.Expected, _ segment: UInt64?) -> JSONObject {
    JSONObject(fields: [
      "type": type, "guid": event.guid.text, "event": event.type, "sequence": event.sequence, "at": event.at,
      "wallClock": PlaylistDate(milliseconds: event.date)?.text, "segment": segment.map { Int(clamping: $0) },
    ])
  }

  private static func name(_ event: DeliveryWatch.Expected) -> String {
    "\(event.at?.clockText ?? "--:--")  \(event.type) \(event.guid.text)"
  }

  private static func place(_ segment: UInt64?) -> String { segment.map { ", in segment \($0)" } ?? "" }
}

extension DeliveryWatch.Tally {
  /// The totals in a line.
  package var text: String {
    let facts = [
      "\(inTime) in time", late > 0 ? "\(late) late" : nil, missing > 0 ? "\(missing) missing" : nil,
      unlisted > 0 ? "\(unlisted) that the injector does not know" : nil,
      latency == nil ? nil : "latency up to \(mostLatency.text(decimals: 1)) s",
    ]
    return "\(events) \(events == 1 ? "event" : "events"): \(facts.compactMap(\.self).joined(separator: ", "))"
  }

  /// The totals as an object.
  package var object: JSONObject {
    JSONObject(fields: [
      "type": "summary", "events": events, "inTime": inTime, "late": late, "missing": missing, "unlisted": unlisted,
      "latency": latency.map { _ in mostLatency },
    ])
  }

  /// The totals in the text format of Prometheus.
  package var metrics: String {
    var text = MetricsText(prefix: "cuelight_watch_")
    text.add(
      "events_total", .counter, "Events of the injector, by outcome in the delivered stream.", by: "outcome",
      [("in_time", "\(inTime)"), ("late", "\(late)"), ("missing", "\(missing)")])
    text.add("unlisted_events_total", .counter, "Events of the stream that the injector does not know.", unlisted)
    text.add("latency_seconds", .gauge, "Delay of the latest event after its date.", orUnknown: latency?.decimalSeconds)
    return text.text
  }
}

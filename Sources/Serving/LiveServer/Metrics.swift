import Basics
import LiveGame
import LiveSession

/// The session in numbers, in the text format of Prometheus.
enum Metrics {
  static func text(_ session: LiveSession) -> String {
    let situation = session.situation
    var text = ""
    func add(_ name: String, _ kind: String, _ help: String, _ value: String) {
      text += "# HELP cuelight_\(name) \(help)\n# TYPE cuelight_\(name) \(kind)\ncuelight_\(name) \(value)\n"
    }
    add("input_up", "gauge", "Whether the input comes.", situation.isInputUp ? "1" : "0")
    add("input_bytes_total", "counter", "Bytes of the input.", "\(situation.receivedBytes)")
    add("input_skipped_bytes_total", "counter", "Bytes of the input that belong to no packet.", "\(situation.skippedBytes)")
    add("programme_seconds", "gauge", "The time on the programme's timeline.", situation.time?.decimalSeconds ?? "NaN")
    add("event_copies_total", "counter", "Copies of events in the stream, refreshes included.", "\(situation.copies)")
    add("segments_total", "counter", "Segments in the playlist.", "\(situation.segments)")
    add("discontinuities_total", "counter", "Discontinuities in the playlist.", "\(situation.discontinuities)")
    add("gaps_total", "counter", "Gaps in the playlist.", "\(situation.gaps)")
    add("dropped_units_total", "counter", "Access units that slow outputs have missed.", "\(session.droppedUnits)")
    add("added_packets_total", "counter", "Packets that were added to the stream for tags and maps.", "\(situation.addedPackets)")
    add("replaced_null_packets_total", "counter", "Null packets that became packets of tags and maps.", "\(situation.replacedPackets)")
    add("segment_bytes", "gauge", "Bytes of the segments that clients may load.", "\(session.store.byteCount)")
    add("listeners", "gauge", "Clients that listen to messages.", "\(session.feed.listenerCount)")
    add("notices_total", "counter", "Messages for the operator.", "\(situation.notices)")
    add("events_refused", "gauge", "Whether no event is taken.", session.desk.refusal == nil ? "0" : "1")
    let latency = session.desk.latencies
    text += "# HELP cuelight_event_latency_seconds From the acceptance of an event to its first copy.\n"
    text += "# TYPE cuelight_event_latency_seconds histogram\n"
    for (bound, count) in latency.buckets { text += "cuelight_event_latency_seconds_bucket{le=\"\(bound)\"} \(count)\n" }
    text += "cuelight_event_latency_seconds_bucket{le=\"+Inf\"} \(latency.count)\n"
    text += "cuelight_event_latency_seconds_sum \(latency.sum)\ncuelight_event_latency_seconds_count \(latency.count)\n"
    return text
  }
}

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
    add("input_bits_per_second", "gauge", "The bit rate of the input, lately.", "\(Int64(min(situation.input.bitRate, 1e15)))")
    add("input_skipped_bytes_total", "counter", "Bytes of the input that belong to no packet.", "\(situation.input.skippedBytes)")
    add(
      "input_continuity_errors_total", "counter", "Packets of the input whose continuity counter does not go on: packets are missing.",
      "\(situation.input.continuityErrors)")
    add(
      "input_damaged_packets_total", "counter", "Packets of the input that are marked as damaged.", "\(situation.input.damagedPackets)")
    add("input_scrambled_packets_total", "counter", "Packets of the input that are scrambled.", "\(situation.input.scrambledPackets)")
    add(
      "input_foreign_datagrams_total", "counter", "Datagrams that were left out, since another sender has the stream.",
      "\(situation.input.foreignDatagrams)")
    add("input_clock_jumps_total", "counter", "Jumps of the input's clock.", "\(situation.clockJumps)")
    add(
      "date_offset_seconds", "gauge", "By how much the programme's date is ahead of this machine's clock.",
      situation.dateOffset.map { "\($0)" } ?? "NaN")
    add("faults", "gauge", "What keeps the stream from being ready: the number of reasons.", "\(session.faults.count)")
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
    func add(_ name: String, _ kind: String, _ help: String, by label: String, _ values: [(of: String, value: String)]) {
      guard !values.isEmpty else { return }
      text += "# HELP cuelight_\(name) \(help)\n# TYPE cuelight_\(name) \(kind)\n"
      for (of, value) in values { text += "cuelight_\(name){\(label)=\"\(escaped(of))\"} \(value)\n" }
    }
    let outputs = session.outputs
    add("output_up", "gauge", "Whether an output takes what it is sent.", by: "output", outputs.map { ($0.name, $0.isUp ? "1" : "0") })
    add(
      "output_dropped_units_total", "counter", "Access units that an output has missed.", by: "output",
      outputs.map { ($0.name, "\($0.droppedUnits)") })
    let renditions = session.renditions
    add(
      "rendition_up", "gauge", "Whether a further rendition has the latest segment.", by: "rendition",
      renditions.map { ($0.name, $0.hasGaps ? "0" : "1") })
    add(
      "rendition_input_continuity_errors_total", "counter", "Continuity errors of a rendition's input.", by: "rendition",
      renditions.map { ($0.name, "\($0.input.continuityErrors)") })
    add(
      "disk_free_bytes", "gauge", "Bytes that are left in a folder that the session writes to.", by: "folder",
      session.folders.map { ($0.path, "\($0.freeBytes)") })
    let latency = session.desk.latencies
    text += "# HELP cuelight_event_latency_seconds From the acceptance of an event to its first copy.\n"
    text += "# TYPE cuelight_event_latency_seconds histogram\n"
    for (bound, count) in latency.buckets { text += "cuelight_event_latency_seconds_bucket{le=\"\(bound)\"} \(count)\n" }
    text += "cuelight_event_latency_seconds_bucket{le=\"+Inf\"} \(latency.count)\n"
    text += "cuelight_event_latency_seconds_sum \(latency.sum)\ncuelight_event_latency_seconds_count \(latency.count)\n"
    return text
  }

  /// The value of a label (the text format's escapes).
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

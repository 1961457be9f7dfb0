import Basics
package import LiveSession
import Reach

/// The metrics of sessions, in the text format of Prometheus. Each has the label `stream`.
package enum Metrics {
  /// The metrics of the sessions of a process.
  ///
  /// - Parameter streams: Each session with the number of its viewers; see ``ViewerCount``.
  package static func text(_ streams: [(session: LiveSession, viewers: Int)]) -> String {
    var text = MetricsText()
    for (session, viewers) in streams {
      text.labels = [("stream", session.settings.name)]
      add(session, viewers, to: &text)
    }
    return text.text
  }

  private static func add(_ session: LiveSession, _ viewers: Int, to text: inout MetricsText) {
    let situation = session.situation
    text.add("input_up", "Whether the input comes.", isTrue: situation.isInputUp)
    text.add("input_bytes_total", .counter, "Bytes of the input.", situation.receivedBytes)
    text.add("input_bits_per_second", .gauge, "The bit rate of the input, lately.", Int(min(situation.input.bitRate, 1e15)))
    text.add("input_skipped_bytes_total", .counter, "Bytes of the input that belong to no packet.", situation.input.skippedBytes)
    text.add(
      "input_continuity_errors_total", .counter, "Packets of the input whose continuity counter does not go on: packets are missing.",
      situation.input.continuityErrors)
    text.add(
      "input_damaged_packets_total", .counter, "Packets of the input that are marked as damaged.", situation.input.damagedPackets)
    text.add("input_scrambled_packets_total", .counter, "Packets of the input that are scrambled.", situation.input.scrambledPackets)
    text.add(
      "input_foreign_datagrams_total", .counter, "Datagrams that were left out, since another sender has the stream.",
      situation.input.foreignDatagrams)
    if let inputs = session.inputSwitch {
      let sources = InputChoice.Source.allCases
      text.add(
        "input_source_up", .gauge, "Whether an input of a stream with a backup comes.", by: "source",
        sources.map { ($0.rawValue, inputs.isUp($0) ? "1" : "0") })
      text.add(
        "input_source_feeds", .gauge, "Whether an input feeds the stream.", by: "source",
        sources.map { ($0.rawValue, inputs.feeding == $0 ? "1" : "0") })
      text.add("input_switches_total", .counter, "How many times another input has begun to feed the stream.", inputs.switches)
    }
    text.add(
      "input_lost_datagrams_total", .counter, "Packets of RTP that are missing, by their sequence numbers.", situation.input.lostDatagrams)
    text.add(
      "input_reordered_datagrams_total", .counter, "Packets of RTP that were put back into their order.", situation.input.reorderedDatagrams
    )
    text.add(
      "input_useless_datagrams_total", .counter, "Packets of RTP that arrived twice, or too late.", situation.input.uselessDatagrams)
    text.add(
      "input_recovered_datagrams_total", .counter, "Missing packets of RTP that were computed from others.",
      situation.input.recoveredDatagrams)
    text.add("input_clock_jumps_total", .counter, "Jumps of the input's clock.", situation.clockJumps)
    text.add(
      "date_offset_seconds", .gauge, "By how much the programme's date is ahead of this machine's clock.",
      orUnknown: situation.dateOffset.map { "\($0)" })
    text.add("cues_total", .counter, "Sections of SCTE-35 in the input.", situation.cues)
    text.add("damaged_cues_total", .counter, "Sections of SCTE-35 that cannot be read.", situation.damagedCues)
    text.add("breaks_total", .counter, "Ad breaks that have begun.", situation.breaks)
    let breaks = session.breakSituation
    text.add("break_open", "Whether an ad break is open.", isTrue: breaks.isOpen)
    text.add("held_events", .gauge, "Questions that wait for the end of an ad break.", breaks.heldEvents)
    text.add("faults", .gauge, "What keeps the stream from being ready: the number of reasons.", session.faults.count)
    text.add("programme_seconds", .gauge, "The time on the programme's timeline.", orUnknown: situation.time?.decimalSeconds)
    text.add("event_copies_total", .counter, "Copies of events in the stream, refreshes included.", situation.copies)
    text.add("segments_total", .counter, "Segments in the playlist.", situation.segments)
    text.add("discontinuities_total", .counter, "Discontinuities in the playlist.", situation.discontinuities)
    text.add("gaps_total", .counter, "Gaps in the playlist.", situation.gaps)
    text.add("dropped_units_total", .counter, "Access units that slow outputs have missed.", session.droppedUnits)
    text.add("added_packets_total", .counter, "Packets that were added to the stream for tags and maps.", situation.addedPackets)
    text.add("replaced_null_packets_total", .counter, "Null packets that became packets of tags and maps.", situation.replacedPackets)
    text.add("segment_bytes", .gauge, "Bytes of the segments that clients may load.", session.store.byteCount)
    text.add("stream_viewers", .gauge, "Players that have loaded a playlist within half a minute, by their addresses.", viewers)
    text.add("listeners", .gauge, "Clients that listen to messages.", session.feed.listenerCount)
    text.add("notices_total", .counter, "Messages for the operator.", situation.notices)
    text.add("events_refused", "Whether no event is taken.", isTrue: session.desk.refusal != nil)
    let outputs = session.outputs
    text.add(
      "output_up", .gauge, "Whether an output takes what it is sent.", by: "output",
      (outputs.map { ($0.name, $0.isUp) } + session.origins.map { ($0.name, $0.isUp) }).map { ($0, $1 ? "1" : "0") })
    text.add(
      "output_dropped_units_total", .counter, "Access units that an output has missed.", by: "output",
      outputs.map { ($0.name, "\($0.droppedUnits)") })
    text.add(
      "output_lost_segments_total", .counter, "Segments that an origin does not have, since it was slow or has failed.", by: "output",
      session.origins.map { ($0.name, "\($0.lostSegments)") })
    let renditions = session.renditions
    text.add(
      "rendition_up", .gauge, "Whether a further rendition has the latest segment.", by: "rendition",
      renditions.map { ($0.name, $0.hasGaps ? "0" : "1") })
    text.add(
      "rendition_input_continuity_errors_total", .counter, "Continuity errors of a rendition's input.", by: "rendition",
      renditions.map { ($0.name, "\($0.input.continuityErrors)") })
    text.add(
      "disk_free_bytes", .gauge, "Bytes that are left in a folder that the session writes to.", by: "folder",
      session.folders.map { ($0.path, "\($0.freeBytes)") })
    if let reach = session.reach?.read({ $0 }) { add(reach, to: &text) }
    let latency = session.desk.latencies
    text.addHistogram(
      "event_latency_seconds", "From the acceptance of an event to its first copy.",
      buckets: latency.buckets.map { ("\($0)", $1) }, count: latency.count, sum: "\(latency.sum)")
  }

  /// Adds what pages report: the delays of the audience, and whom the latest events have reached.
  private static func add(_ reach: ReachBook, to text: inout MetricsText) {
    let audience = reach.audience
    text.add("reach_sessions", .gauge, "Pages that report what they show.", reach.sessionCount)
    text.add("reach_share", .gauge, "The share of all pages that reports.", orUnknown: "\(reach.share)")
    text.add("reach_reports_total", .counter, "Reports of pages that were counted.", reach.reports)
    text.add("reach_wrong_reports_total", .counter, "Reports of pages that say nothing, or what cannot be.", reach.wrongReports)
    let delays = [("0.5", audience.median), ("0.95", audience.most), ("0.99", audience.nearlyAll)]
    text.add(
      "audience_delay_seconds", .gauge, "How far the viewers are behind the live edge that report it, by their share.", by: "quantile",
      delays.compactMap { share, delay in delay.map { (share, $0.shortestDecimalSeconds) } })
    let events = reach.all
    text.add("reach_shown", .gauge, "Pages that have shown the latest events, added up.", events.reduce(0) { $0 + $1.shown })
    text.add("reach_missing", .gauge, "Pages that have not shown the latest events, added up.", events.reduce(0) { $0 + $1.missing })
  }
}

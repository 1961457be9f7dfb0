import Basics
import EventReading

extension DoctorReport {
  /// The summary in three plain lines: the format and how many events there are, whether players see them, and the worst fault.
  package var verdict: [String] { [contentText, playersText, worstText] }

  private var contentText: String {
    let format =
      switch content.container {
      case .transportStream?: "MPEG-TS"
      case .fragmentedMP4?: "fragmented MP4"
      case .packedAudio?: "packed audio"
      case nil: "an unknown format"
      }
    let kind = content.renditions.map { "\(content.isManifest ? "MPEG-DASH" : "HLS") of \(format) with \($0.of("rendition"))" } ?? format
    guard tags > 0 else { return "This is \(kind), without timed ID3." }
    return "This is \(kind), with \(events.of("event")) in \(tags.of("tag"))."
  }

  private var playersText: String {
    guard events > 0 else {
      guard messageEvents > 0 else { return "No player sees an event: there is none." }
      let found = messageEvents == 1 ? "The event is" : "All \(messageEvents) events are"
      return "No player sees an event. \(found) in SEI messages of the video alone, which Cuelight reads."
    }
    // Predictions are those of the first rendition, which may lack events of others.
    let seeing = players.filter { $0.events == events }
    guard seeing.count < players.count else { return "All players see \(allEvents)." }
    let others = players.filter { $0.events < events }
      .map { player in "\(player.player.rawValue) \(player.events == 0 ? "none" : "\(player.events)")\(Self.reason(player))" }
    let names = seeing.map { $0.player.rawValue }.listed
    return (seeing.isEmpty ? "" : "\(names) \(seeing.count == 1 ? "sees" : "see") \(allEvents); ") + others.joined(separator: "; ") + "."
  }

  private static func reason(_ player: PlayerPrediction) -> String {
    player.dropped.first { $0.eventCount > 0 }.map { " (\($0.reason))" } ?? ""
  }

  private var allEvents: String { events == 1 ? "the event" : "all \(events) events" }

  private var worstText: String {
    guard let finding = findings.first else { return "Nothing is wrong." }
    switch finding.rule.severity {
    case .error: return "Mend first: \(finding.rule.id). \(finding.rule.advice)"
    case .warning: return "Nothing is broken; look at \(finding.rule.id). \(finding.rule.advice)"
    case .note: return "Nothing is wrong; worth knowing: \(finding.rule.id)."
    }
  }
}

extension [String] {
  /// The texts as a list within a sentence.
  fileprivate var listed: String { count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1] }
}

import Basics
import EventReading

/// The summary of a report in three plain lines: what was checked, whether players see the events, and what to fix first.
package struct DoctorVerdict: Equatable, Sendable {
  /// The format and how many events there are.
  package var content: String
  /// Whether players see the events.
  package var players: String
  /// The worst fault, and what to do about it.
  package var worst: String

  /// The three lines.
  package var lines: [String] { [content, players, worst] }

  /// Sums up a report.
  package init(_ report: DoctorReport) {
    content = Self.content(report)
    players = Self.players(report)
    worst = Self.worst(report)
  }

  private static func content(_ report: DoctorReport) -> String {
    let format =
      switch report.content.container {
      case .transportStream?: "MPEG-TS"
      case .fragmentedMP4?: "fragmented MP4"
      case .packedAudio?: "packed audio"
      case nil: "an unknown format"
      }
    let kind = report.content.renditions.map { "HLS of \(format) with \($0.of("rendition"))" } ?? format
    guard report.tags > 0 else { return "This is \(kind), without timed ID3." }
    return "This is \(kind), with \(report.events.of("event")) in \(report.tags.of("tag"))."
  }

  private static func players(_ report: DoctorReport) -> String {
    guard report.events > 0 else { return "No player sees an event: there is none." }
    // Predictions are those of the first rendition, which may lack events of others.
    let total = report.events
    let seeing = report.players.filter { $0.events == total }
    guard seeing.count < report.players.count else { return "All players see \(all(total))." }
    let others = report.players.filter { $0.events < total }
      .map { player in "\(player.player.rawValue) \(player.events == 0 ? "none" : "\(player.events)")\(reason(player))" }
    let names = seeing.map { $0.player.rawValue }.listed
    return (seeing.isEmpty ? "" : "\(names) \(seeing.count == 1 ? "sees" : "see") \(all(total)); ") + others.joined(separator: "; ") + "."
  }

  private static func reason(_ player: PlayerPrediction) -> String {
    player.dropped.first { $0.eventCount > 0 }.map { " (\($0.reason))" } ?? ""
  }

  private static func all(_ total: Int) -> String { total == 1 ? "the event" : "all \(total) events" }

  private static func worst(_ report: DoctorReport) -> String {
    guard let finding = report.findings.first else { return "Nothing is wrong." }
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

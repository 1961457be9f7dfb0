import DASHReading

/// Checks what an MPD says of the events in its segments.
enum ManifestChecker {
  /// The rules for playlists that an MPD keeps too. The others are about the text of playlists, which it has not.
  private static let kept: [DoctorRule] = [.missing, .renditionEvents, .refresh, .boundaries]

  /// Whether a rule is one for an MPD.
  static func applies(_ rule: DoctorRule) -> Bool { rule.layer != .presentations || kept.contains(rule) }

  /// Checks the MPD itself.
  static func check(_ manifest: Manifest, _ name: String, _ log: inout FindingLog) {
    if manifest.isDynamic, !manifest.hasClock { log.add(.manifestClock, in: name, "no UTCTiming") }
    for (stream, count) in manifest.eventStreams.sorted(by: { $0.key.scheme < $1.key.scheme }) {
      log.add(.manifestEvents, in: name, "\(count) \(count == 1 ? "event" : "events") of the scheme \(stream.scheme)")
    }
  }

  /// Compares the streams of the messages in a rendition with those that are announced for it.
  static func check(_ messages: [Manifest.EventStream], announced: [Manifest.EventStream], in uri: String, _ log: inout FindingLog) {
    for message in messages {
      let sameScheme = announced.filter { $0.scheme == message.scheme }
      if sameScheme.isEmpty {
        let others = announced.isEmpty ? "no InbandEventStream" : "InbandEventStream of \(announced.map(\.scheme).joined(separator: ", "))"
        log.add(.inbandMissing, in: uri, "\(others) for messages of \(message.scheme)")
      } else if !sameScheme.contains(where: { $0.value == message.value }) {
        let values = sameScheme.map { "\"\($0.value)\"" }.joined(separator: ", ")
        log.add(.inbandValue, in: uri, "the value \(values) for messages with the value \"\(message.value)\"")
      }
    }
  }
}

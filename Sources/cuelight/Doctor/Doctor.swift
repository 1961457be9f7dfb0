import ArgumentParser
import Basics
import GameEvents
import HLSReading
import StreamDoctor
import StreamInput

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a stream against the rules of carriage, and say what players will make of it.",
    discussion: """
      Each rule that is broken is a line: where, what is there, what should be, and what to do. The exit status is 1 where there are errors; \
      warnings and notes leave it 0.

      Example:
        cuelight doctor show.ts
        cuelight doctor https://example.com/show.m3u8
        cuelight doctor --json show.ts | jq 'select(.severity == "error")'
        cuelight doctor --rules
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4, packed audio or an HLS playlist; a path, a URL, or - for standard input.")
  var input: String?

  @Option(name: .long, help: "HLS: look at this rendition alone: its URI, NAME, picture size (1280x720), or number from 1.")
  var rendition: String?

  @Option(name: .long, help: "HLS: end after so many seconds of the programme, for playlists that go on growing.")
  var duration: String?

  @Flag(name: .long, help: "List all rules.")
  var rules = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard rules != (input != nil) else { throw ValidationError("Name either an input or --rules.") }
    if let duration, MediaTime(decimalSeconds: duration).map({ $0 > .zero }) != true {
      throw ValidationError("--duration takes seconds above 0, not \(duration).")
    }
  }

  mutating func run() throws {
    var output = StandardOutput()
    guard let input else {
      for rule in DoctorRule.all { try output.line(json ? rule.object.text : rule.text) }
      return try output.flush()
    }
    let source = StreamSource(input, rendition: rendition, duration: duration)
    var doctor = StreamDoctor(name: source.name)
    var losses = 0
    let first = try examine(source, &doctor, &losses)
    if rendition == nil {
      for index in first.choices.indices.dropFirst() {
        var other = source
        other.rendition = .index(index)
        _ = try examine(other, &doctor, &losses)
      }
    }
    let report = doctor.finish(contents: StreamSource.contents(of: first))
    if json { try printJSON(report, &output) } else { try printText(report, source.name, &output) }
    try output.flush()
    guard losses == 0 else { throw CommandFailure.incomplete }
    guard report.count(.error) == 0 else { throw CommandFailure.checkFailed }
  }

  /// Looks at one rendition, or at a stream; returns what is known of it at its end.
  private func examine(
    _ source: StreamSource, _ doctor: inout StreamDoctor, _ losses: inout Int
  ) throws(CommandFailure) -> StreamInput.Progress {
    var examined = doctor
    let looking: StreamInput.Change = { portion in
      examined.receive(portion)
      return [portion]
    }
    let progress = try source.read(through: looking) { _, _, _ in }
    examined.endRendition(progress.choice)
    doctor = examined
    losses += progress.losses
    return progress
  }

  private func printText(_ report: DoctorReport, _ name: String, _ output: inout StandardOutput) throws(CommandFailure) {
    for finding in report.findings { try output.line(TransitionPrinter.printable(finding.text)) }
    if report.tags > 0 {
      if !report.findings.isEmpty { try output.line("") }
      for player in report.players {
        try output.line(player.text(of: report.events))
        for detail in player.details { try output.line(TransitionPrinter.printable("  \(detail)")) }
      }
      try output.line("")
    }
    let counts = DoctorRule.Severity.allCases.map { severity in
      let count = report.count(severity)
      return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let contents = report.tags > 0 ? "\(report.events) events in \(report.tags) tags" : "no timed ID3"
    try output.line("\(name): \(counts.joined(separator: ", ")); \(contents)")
  }

  private func printJSON(_ report: DoctorReport, _ output: inout StandardOutput) throws(CommandFailure) {
    for finding in report.findings { try output.line(finding.object.text) }
    for player in report.players { try output.line(player.object.text) }
    var line = JSONObject()
    line.add("type", "summary")
    for severity in DoctorRule.Severity.allCases { line.add("\(severity.rawValue)s", report.count(severity)) }
    line.add("resources", report.resources)
    line.add("tags", report.tags)
    line.add("events", report.events)
    try output.line(line.text)
  }
}

extension DoctorRule {
  fileprivate var text: String { "\(severity.rawValue.padded(to: 7))  \(id.padded(to: 22))  \(title): \(expected) (\(source))" }

  fileprivate var object: JSONObject {
    var line = JSONObject()
    line.add("type", "rule")
    line.add("rule", id)
    line.add("severity", severity.rawValue)
    line.add("layer", layer.rawValue)
    line.add("title", title)
    line.add("source", source)
    line.add("expected", expected)
    line.add("advice", advice)
    return line
  }
}

extension Finding {
  /// The finding as a line for people.
  fileprivate var text: String {
    let place = places.first.map { "\($0): \($0.found)" } ?? ""
    let times = count > 1 ? " (\(count) times)" : ""
    return "\(rule.severity.rawValue.padded(to: 7))  \(rule.id)  \(place); expected \(rule.expected). \(rule.advice)\(times)"
  }

  fileprivate var object: JSONObject {
    var line = JSONObject()
    line.add("type", "finding")
    line.add("rule", rule.id)
    line.add("severity", rule.severity.rawValue)
    line.add("title", rule.title)
    line.add("source", rule.source)
    line.add("expected", rule.expected)
    line.add("advice", rule.advice)
    line.add("count", count)
    line.append("places", .array(places.map { .object($0.object) }))
    return line
  }
}

extension FindingPlace {
  fileprivate var object: JSONObject {
    var place = JSONObject()
    place.add("resource", resource)
    switch position {
    case .byte(let offset): place.add("offset", offset)
    case .line(let line): place.add("line", line)
    case nil: break
    }
    place.add("found", found)
    return place
  }
}

extension PlayerPrediction {
  private var version: String {
    switch evidence {
    case .checked(let version, _), .notChecked(let version): version
    }
  }

  /// The prediction as a row of a table.
  fileprivate func text(of total: Int) -> String {
    let columns = [
      "\(player) \(version)".padded(to: 18), "\(events) of \(total) events".padded(to: 16), "\(cues) cues".padded(to: 9),
      (mostRepeats > 1 ? "up to \(mostRepeats) an event" : "").padded(to: 18),
    ]
    switch evidence {
    case .checked(_, let script): return (columns + ["checked by \(script)"]).joined(separator: "  ")
    case .notChecked: return (columns + ["not checked"]).joined(separator: "  ")
    }
  }

  /// What is dropped and repeated, and what else is to be known.
  fileprivate var details: [String] {
    let drops = dropped.map { group in
      let tags = "\(group.tags) tag\(group.tags == 1 ? "" : "s")"
      let events = group.eventCount == 0 ? "" : " and with them \(group.eventCount) event\(group.eventCount == 1 ? "" : "s")"
      return "drops \(tags)\(events): \(group.reason)"
    }
    return drops + (repeated.map { ["shows \($0.eventCount) of them more than once: \($0.reason)"] } ?? []) + remarks
  }

  fileprivate var object: JSONObject {
    var line = JSONObject()
    line.add("type", "player")
    line.add("player", player)
    line.add("version", version)
    if case .checked(_, let script) = evidence { line.add("checked", script) } else { line.append("checked", .null) }
    line.add("cues", cues)
    line.add("events", events)
    line.append("dropped", .array(dropped.map { .object($0.object) }))
    line.append("repeated", repeated.map { .object($0.object) } ?? .null)
    line.add("mostRepeats", mostRepeats)
    line.append("remarks", .array(remarks.map { .string($0) }))
    return line
  }
}

extension PlayerPrediction.Group {
  fileprivate var object: JSONObject {
    var group = JSONObject()
    group.add("reason", reason)
    group.add("tags", tags)
    group.add("events", eventCount)
    group.append("guids", .array(events.map { .string($0.text) }))
    return group
  }
}

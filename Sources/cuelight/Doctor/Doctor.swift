import ArgumentParser
import Basics
import CommandSupport
import GameEvents
import EventReading
import HLSReading
import StreamDoctor
import StreamInput
import Verification

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check a stream against the rules of carriage, and say what players will make of it.",
    discussion: """
      The first three lines say what the stream is, whether players see its events, and what to mend first. Then each rule that is broken is a \
      line: where, what is there, what should be, and what to do. The exit status is 1 where there are errors; \
      warnings and notes leave it 0.

      Example:
        cuelight doctor show.ts
        cuelight doctor https://example.com/show.m3u8
        cuelight doctor --require-signature public.pem show.ts
        cuelight doctor --json show.ts | jq 'select(.severity == "error")'
        cuelight doctor --rules
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4, packed audio or an HLS playlist; a path, a URL, or - for standard input.")
  var input: String?

  @OptionGroup var selection: RenditionOptions

  @OptionGroup var signatures: SignatureOptions

  @Flag(name: .long, help: "The stream need not have a game: that it has no timed ID3 or no events is no finding.")
  var noGame = false

  @Flag(name: .long, help: "List all rules.")
  var rules = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Option(name: .long, help: "Write a report for continuous integration to this file (JUnit's XML): a case for each rule.")
  var junit: String?

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    try require(junit == nil || input != nil, "--junit is for an input, and --rules takes none.")
    try require(!replacing.force || junit != nil, "--force is for --junit, which is not given.")
    guard rules != (input != nil) else { throw ValidationError("Name either an input or --rules.") }
  }

  mutating func run() throws {
    var output = StandardOutput()
    guard let input else {
      for rule in DoctorRule.all { if json { try output.line(rule.object) } else { try output.line(rule.text) } }
      return try output.flush()
    }
    var source = try selection.source(input)
    // Each playlist is examined as players that start now get it.
    source.loadsWholePlaylists = true
    let name = source.name
    if junit != nil { try InputFiles([input, signatures.requireSignature]).requireOther([junit]) }
    let file = try junit.map { path throws(CommandFailure) in
      try JUnitFile(path: path, command: "doctor", name: name, overwrites: replacing.force)
    }
    do {
      try examine(source, input, file, &output)
    } catch let failure as CommandFailure {
      file?.write(failure)
      throw failure
    }
  }

  private func examine(_ source: StreamSource, _ input: String, _ file: JUnitFile?, _ output: inout StandardOutput) throws {
    let name = source.name
    let start = ContinuousClock.now
    var doctor = StreamDoctor(name: name, requiring: try signatures.check(), expectsGame: !noGame)
    var contents: String?
    var losses = 0
    var deliveries = DeliveryQuestions(of: source)
    let isWhole = try selection.forEachRendition(of: input, selection.rendition == nil ? .everything : .chosen) {
      (source, choice, loads) throws(CommandFailure) in
      let listen: StreamInput.Change = { portion in
        doctor.receive(portion)
        deliveries.receive(portion)
        return [portion]
      }
      let progress: StreamInput.Progress
      do throws(CommandFailure) {
        progress = try source.read(through: listen, sharing: loads) { item, _, _ in
          if case .copy(let copy, let place) = item, case .sei = place.carriage { doctor.receive(message: copy.event.guid) }
        }
      } catch {
        let isLost = error.status == CommandFailure.missingInput || error.status == CommandFailure.ioError
        if isLost, let choice { doctor.receive(missingPlaylist: choice.uri, error.message ?? "it could not be loaded") }
        throw error
      }
      if let manifest = progress.manifest { doctor.receive(manifest, announced: progress.announced, for: progress.choice?.uri) }
      doctor.endRendition(progress.choice)
      contents = contents ?? StreamSource.contents(of: progress)
      losses += progress.losses
      return progress
    }
    for delivery in try deliveries.ask() { doctor.receive(delivery) }
    let report = doctor.finish(contents: contents)
    if json { try printJSON(report, &output) } else { try printText(report, name, &output) }
    try output.flush()
    var suite = report.junit(named: name)
    suite.duration = MediaTime(ContinuousClock.now - start)
    try file?.write(suite)
    guard losses == 0, isWhole else { throw CommandFailure.incomplete }
    guard report.count(.error) == 0 else { throw CommandFailure.checkFailed }
  }

  private func printText(_ report: DoctorReport, _ name: String, _ output: inout StandardOutput) throws(CommandFailure) {
    for line in report.verdict { try output.line(line) }
    try output.line("")
    for finding in report.findings { try output.line(finding.text) }
    if report.tags > 0 {
      if !report.findings.isEmpty { try output.line("") }
      for player in report.players {
        try output.line(player.text(of: report.events))
        for detail in player.details { try output.line("  \(detail)") }
      }
      try output.line("")
    }
    let counts = DoctorRule.Severity.allCases.map { report.count($0).of($0.rawValue) }
    let numbers = "\(report.events.of("event")) in \(report.tags.of("tag"))"
    let contents = report.tags > 0 ? numbers : "no timed ID3"
    try output.line("\(name): \(counts.joined(separator: ", ")); \(contents)")
  }

  private func printJSON(_ report: DoctorReport, _ output: inout StandardOutput) throws(CommandFailure) {
    for finding in report.findings { try output.line(finding.object) }
    for player in report.players { try output.line(player.object) }
    var line = JSONObject(fields: ["type": "summary"])
    for severity in DoctorRule.Severity.allCases { line.append("\(severity.rawValue)s", report.count(severity)) }
    line.appendAbsent(JSONObject(fields: ["resources": report.resources, "tags": report.tags, "events": report.events]))
    try output.line(line)
  }
}

extension DoctorRule {
  fileprivate var text: String { "\(severity.rawValue.padded(to: 7))  \(id.padded(to: 22))  \(title): \(expected) (\(source))" }

  fileprivate var object: JSONObject {
    JSONObject(fields: [
      "type": "rule", "rule": id, "severity": severity.rawValue, "layer": layer.rawValue, "title": title, "source": source,
      "expected": expected, "advice": advice,
    ])
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
    JSONObject(fields: [
      "type": "finding", "rule": rule.id, "severity": rule.severity.rawValue, "title": rule.title, "source": rule.source,
      "expected": rule.expected, "advice": rule.advice, "count": count, "places": places.map(\.object),
    ])
  }
}

extension FindingPlace {
  fileprivate var object: JSONObject {
    var place = JSONObject(fields: ["resource": resource])
    switch position {
    case .byte(let offset): place.append("offset", offset)
    case .line(let line): place.append("line", line)
    case nil: break
    }
    place.append("found", found)
    return place
  }
}

extension PlayerPrediction {
  private var version: String {
    switch evidence {
    case .checked(let version, _), .tried(let version), .notChecked(let version): version
    }
  }

  /// The script that has checked the prediction; `nil` if none has.
  private var script: String? { if case .checked(_, let script) = evidence { script } else { nil } }

  /// The prediction as a row of a table.
  fileprivate func text(of total: Int) -> String {
    let columns = [
      "\(player.rawValue) \(version)".padded(to: 18), "\(events) of \(total) events".padded(to: 16), cues.of("cue").padded(to: 9),
      (mostRepeats > 1 ? "up to \(mostRepeats) an event" : "").padded(to: 18),
    ]
    return (columns + [evidence.text]).joined(separator: "  ")
  }

  /// What is dropped and repeated, and further notes.
  fileprivate var details: [String] {
    let drops = dropped.map { group in
      let tags = group.tags.of("tag")
      let events = group.eventCount == 0 ? "" : " and with them \(group.eventCount.of("event"))"
      return "drops \(tags)\(events): \(group.reason)"
    }
    return drops + (repeated.map { ["shows \($0.eventCount) of them more than once: \($0.reason)"] } ?? []) + remarks
  }

  fileprivate var object: JSONObject {
    JSONObject(fields: [
      "type": "player", "player": player.rawValue, "version": version, "evidence": evidence.name, "checked": script, "cues": cues,
      "events": events, "dropped": dropped.map(\.object), "repeated": repeated?.object, "mostRepeats": mostRepeats, "remarks": remarks,
    ])
  }
}

extension PlayerPrediction.Evidence {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .checked: "checked"
    case .tried: "tried"
    case .notChecked: "notChecked"
    }
  }

  fileprivate var text: String {
    switch self {
    case .checked(_, let script): "checked by \(script)"
    case .tried: "tried by hand"
    case .notChecked: "not checked"
    }
  }
}

extension PlayerPrediction.Group {
  fileprivate var object: JSONObject {
    JSONObject(fields: ["reason": reason, "tags": tags, "events": eventCount, "guids": events.map(\.text)])
  }
}

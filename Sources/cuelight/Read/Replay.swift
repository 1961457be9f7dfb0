import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventReading
import Files
import Foundation
import GameEvents
import HLSReading
import StateMachine
import StreamInput
import Terminal

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Drive the game with the events of a stream, and print its state as it changes.",
    discussion: """
      Example:
        cuelight replay show.ts
        cuelight replay --realtime show.ts
        cuelight replay --json --from 30 show.ts
        cuelight replay https://example.com/show.m3u8
        cuelight replay --record journal.ndjson show.ts
        cuelight replay --compare journal.ndjson show.ts
        cuelight replay --answers answers.ndjson show.ts
        cuelight replay --bots random:1000,perfect:3 \\
          --scoring speed:1000:500+streak:100 show.ts

      A line of --answers: {"player":"ann","question":1,"answer":0,"time":12.5}
      answer is the index of an answer, from 0; question the number of a
      question, from 1, or its GUID; time is in seconds of the programme.
      """)

  @OptionGroup var input: InputOptions

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Flag(name: .long, help: "Take as long as the programme; on a terminal, with a countdown.")
  var realtime = false

  @Option(name: .long, help: "Join late: at this time of the programme (12.5, 1:30 or 0:01:30).")
  var from: ProgrammeTime?

  @Option(name: .long, help: "Write the transitions to this file, one JSON object a line, to compare later runs with.")
  var record: String?

  @Option(name: .long, help: "Compare the transitions with those in this file; the exit status is 1 where they differ.")
  var compare: String?

  @OptionGroup var scoring: ScoringOptions

  @OptionGroup var replacing: ReplaceOption

  /// The files that are written.
  private var outputs: [String] { [record, scoring.recordAnswers, scoring.emitResults].compactMap(\.self) }

  func validate() throws {
    guard record == nil || compare == nil else { throw ValidationError("--record and --compare exclude each other.") }
    try require(input.input != "-" || scoring.answers != "-", "Only one of the stream and the answers can come on standard input.")
    try require(
      !outputs.contains("-"), "--record, --record-answers and --emit-results write files, not standard output; give a name other than -.")
    try require(from == nil || scoring.emitResults == nil, "--emit-results takes the whole stream: leave --from out.")
    try require(!replacing.force || !outputs.isEmpty, "--force is for --record, --record-answers and --emit-results, which are not given.")
  }

  mutating func run() throws {
    let start = from?.time
    if !outputs.isEmpty { try InputFiles([input.input, scoring.answers, compare, input.requireSignature]).requireOther(outputs) }
    var player = ReplayDriver(
      printer: TransitionPrinter(asJSON: json, output: StandardOutput(isLineBuffered: realtime || Terminal.isOutput)),
      pace: realtime ? Pace(from: start) : nil, isInteractive: realtime && !json && Terminal.isOutput)
    // Lines before an error must not be lost.
    defer { try? player.printer.output.flush() }
    if let record { player.journal = try ReplayJournal(recording: record, overwrites: replacing.force) }
    if let compare { player.journal = try ReplayJournal(comparing: compare) }
    let sheet = try scoring.emitResults.map { path throws(CommandFailure) in
      try ResultSheet(path: path, overwrites: replacing.force, top: ScoringOptions.leaderboardCount)
    }
    if scoring.isGiven { player.audience = try AudienceReplay(scoring, asJSON: json, overwrite: replacing.force) }
    var damages = 0
    let source = try input.source()
    var summary = DamageSummary(source: source)
    let printNotice: (HLSNotice) -> Void = { notice in if json { try? player.printer.output.line(notice.line()) } }
    let progress: StreamInput.Progress
    do {
      // This comes before the messages about the whole input.
      defer { summary.finish() }
      progress = try source.read(notice: printNotice) { (item, segment, streamStart) throws(CommandFailure) in
        player.streamStart = streamStart
        switch item {
        case .tag: break
        case .damage(let damage):
          damages += 1
          try player.clear()
          summary.add(damage, in: segment)
          if json { try player.printer.output.line(item.line(isDuplicate: false, in: segment)) }
        case .copy(let copy, let place):
          if let start, place.time < start { return }
          try player.receive(copy, at: place.time)
        }
      }
    }
    try player.finish(at: progress.end)
    try summarise(player, damages: damages, progress)
    try sheet?.write(player)
    guard try player.journal?.finish() ?? true else { throw CommandFailure.checkFailed }
    try progress.requireWhole()
    guard player.machine.counters.copies > 0 else { throw CommandFailure.checkFailed }
  }

  private func summarise(_ player: ReplayDriver, damages: Int, _ progress: StreamInput.Progress) throws(CommandFailure) {
    var output = player.printer.output
    let counters = player.machine.counters
    if json {
      let line = JSONObject(fields: [
        "type": "summary", "events": counters.events, "copies": counters.copies, "duplicates": counters.duplicates, "damaged": damages,
      ])
      let repaired = progress.restoredTags > 0 ? progress.restoredTags : nil
      try output.line(
        line.with("repaired", repaired).with("lost", counters.lost).with("conflicts", counters.conflicts)
          .with("phase", player.machine.state.phase.text))
    }
    if counters.copies == 0 {
      let since = from.map { " from \($0.time.clockText) on" } ?? ""
      StandardError.write("\(input.name): no game events found\(since); the stream has \(StreamSource.contents(of: progress))")
      if let place = try input.source().otherPlace(progress) { StandardError.write("\(input.name): \(place)") }
    } else if !json {
      let trouble = [(counters.lost, "lost"), (counters.conflicts, "in conflict"), (damages, "damaged")].filter { $0.0 > 0 }
      let notes = trouble.map { ", \($0.0) \($0.1)" }.joined()
      try output.line("\(counters.events.of("event")) seen, \(counters.duplicates.of("repeat")) passed over\(notes)")
    }
    try output.flush()
  }
}

/// A time of the programme, as it is written in a cue sheet.
struct ProgrammeTime: ExpressibleByArgument {
  let time: MediaTime

  init?(argument: String) {
    guard let time = try? MediaTime(cueTime: argument) else { return nil }
    self.time = time
  }
}

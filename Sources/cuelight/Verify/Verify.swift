import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import DASHReading
import EventReading
import EventSchedule
import Files
import GameEvents
import HLSReading
import LossSimulation
import Seals
import StreamInput
import Verification

struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that a stream carries exactly the events of a cue sheet, once each and on time.",
    discussion: """
      The first line of output says what differs, if anything does; the exit status is then 1. With a loss (--drop-packets and so on) it \
      tells whether the events survive it. With --sweep it stamps a video in memory in many ways and tells what each makes of many losses.

      Example:
        cuelight verify show.ts --cues show.yaml
        cuelight verify show.ts --cues show.yaml --copies 3 --refresh 2
        cuelight verify show.ts --cues show.yaml --junit report.xml
        cuelight verify cut.ts --cues show.yaml --offset -6 --drop-early
        cuelight verify show.ts --cues show.yaml --drop-packets 1% --runs 100
        cuelight verify hls/index.m3u8 --cues show.yaml --drop-segment all
        cuelight verify hls/index.m3u8 --cues show.yaml --drop-segment pairs
        cuelight verify hls/index.m3u8 --carriages
        cuelight verify show.mp4 --cues show.yaml --sweep --csv sweep.csv
        cuelight verify show.mp4 --cues show.yaml --sweep --svg sweep.svg
      """)

  @OptionGroup var input: InputOptions

  @Option(name: .long, help: "The cue sheet, YAML or JSON; only --carriages needs none.")
  var cues: String?

  @Flag(
    name: .long,
    help: "Check that all carriages of the stream, such as timed ID3, date ranges and an MPD's events, say the same of each event.")
  var carriages = false

  @OptionGroup var cueOffset: CueOffset

  @Flag(name: .long, help: "Do not expect cues that come before the beginning because of --offset, nor what belongs to such questions.")
  var dropEarly = false

  @Option(name: .long, help: "How many seconds a copy may be off its cue.")
  var tolerance = "0.001"

  @Flag(name: .long, help: "HLS: check all renditions, each against the cue sheet.")
  var allRenditions = false

  @OptionGroup(title: "Copies") var policy: ExpectedPolicyOptions

  @OptionGroup(title: "Loss") var loss: LossOptions

  @Flag(name: .long, help: "Try many losses on many ways of repeating the events in a video that is not stamped, and print the figures.")
  var sweep = false

  @Option(name: .long, help: "With --sweep: write the table to this file too, as comma-separated values.")
  var csv: String?

  @Option(name: .long, help: "With --sweep: draw the table to this file too, as a picture (SVG).")
  var svg: String?

  @Flag(name: .long, help: "Print a table of the events before the verdict.")
  var table = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Option(name: .long, help: "Write a report for continuous integration to this file (JUnit's XML), also where nothing could be checked.")
  var junit: String?

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    guard !allRenditions || input.rendition == nil else { throw ValidationError("--all-renditions and --rendition exclude each other.") }
    try require(cues != nil || carriages, "Give the cue sheet with --cues, or compare the carriages with --carriages.")
    try require(
      cues != nil || (cueOffset.duration == .zero && !dropEarly && !sweep && !table),
      "--offset, --drop-early, --sweep and --table are for --cues, which is not given.")
    try require(
      !carriages || !sweep && loss.loss().isEmpty && loss.runs == nil && loss.neighboursInTurn == nil,
      "--carriages reads the stream as it is: leave out the loss and --sweep.")
    try require(input.input != "-" || cues != "-", "Standard input (-) can be read once.")
    guard let seconds = MediaTime(decimalSeconds: tolerance), seconds >= .zero else {
      throw ValidationError("--tolerance takes seconds, not \(tolerance).")
    }
    try require(!replacing.force || !outputs.isEmpty, "--force is for --junit, --csv and --svg, which are not given.")
    try require(
      !dropEarly || cueOffset.duration < .zero, "--drop-early is for an --offset with a minus in front, such as --offset -6.")
    guard !(json && table) else { throw ValidationError("--json and --table exclude each other.") }
    guard sweep else {
      _ = try policy.expectation()
      guard csv == nil, svg == nil else { throw ValidationError("\(csv == nil ? "--svg" : "--csv") is for --sweep.") }
      try require(
        loss.packetLosses().count <= loss.loss().packetLosses.count, "--drop-packets takes one probability; lists are for --sweep.")
      try require(
        loss.runs == nil || loss.neighboursInTurn != nil || !loss.loss().isEmpty,
        "--runs is for a loss or --sweep: add --drop-packets, --drop-burst, --flip-bits, --reorder or --duplicate.")
      try require(loss.runs ?? 1 == 1 || input.input != "-", "Standard input can be read once, so --runs takes a file or a URL.")
      return
    }
    _ = (try policy.copyCounts(), try policy.intervals())
    try require(
      !loss.exceedsSweep && !dropEarly && !allRenditions && input.rendition == nil && input.duration == nil && junit == nil && !json
        && !table,
      "--sweep takes --copies, --refresh, --drop-packets, --drop-burst, --seed, --runs, --csv and --svg.")
  }

  /// The events that need not be in the stream, because they happened before its beginning.
  private var early: Set<GUID> = []

  /// The files that are written.
  private var outputs: [String] { [junit, csv, svg].compactMap(\.self) }

  mutating func run() throws {
    if !outputs.isEmpty { try InputFiles([input.input, cues, input.requireSignature]).requireOther(outputs) }
    let report = try junit.map { path throws(CommandFailure) in
      try JUnitFile(path: path, command: "verify", name: input.name, overwrites: replacing.force)
    }
    let table = try csv.map { path throws(CommandFailure) in try OutputFile(path: path, overwrites: replacing.force) }
    let plot = try svg.map { path throws(CommandFailure) in try OutputFile(path: path, overwrites: replacing.force) }
    do {
      try verify(report: report, table: table, plot: plot)
    } catch let failure as CommandFailure {
      report?.write(failure)
      throw failure
    }
  }

  private mutating func verify(report: JUnitFile?, table: OutputFile?, plot: OutputFile?) throws {
    // A stream may have been stamped with any policy, so a tag of any size is accepted.
    let largest = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    guard let cues else { return try verifyCarriages(report: report) }
    let sheet: CueSheet
    if dropEarly {
      let moved = try CueSheetFile(path: cues).read(largest, answers: .open).moved(by: cueOffset.duration)
      guard moved.early.count < moved.sheet.events.count else {
        throw CommandFailure(invalid: "\(cues): with this --offset all cues come before the programme begins, so that none is left")
      }
      (sheet, early) = moved
    } else {
      sheet = try CueSheetFile(path: cues).read(largest, answers: .open, offset: cueOffset.duration)
    }
    guard !sweep else { return try runSweep(sheet.gameEvents, into: table, plot: plot) }
    let start = ContinuousClock.now
    var printer = VerificationPrinter(isJSON: json, hasTable: self.table, name: input.name)
    // Lines before an error must not be lost.
    defer { try? printer.finish() }
    let simulated = try loss.loss()
    if simulated.isEmpty && loss.neighboursInTurn == nil {
      try check(sheet.events, try policy.expectation(), &printer)
    } else {
      try simulate(simulated, sheet.gameEvents, &printer)
    }
    try printer.finish()
    try report?.write(printer.junit(after: ContinuousClock.now - start))
    guard printer.hasPassed else { throw CommandFailure.checkFailed }
    guard printer.losses == 0 else { throw CommandFailure.incomplete }
  }

  /// Checks the carriages without a cue sheet.
  private func verifyCarriages(report: JUnitFile?) throws {
    let start = ContinuousClock.now
    var printer = VerificationPrinter(isJSON: json, hasTable: false, name: input.name)
    defer { try? printer.finish() }
    try check(nil, ExpectedCopies(), &printer)
    try printer.finish()
    try report?.write(printer.junit(after: ContinuousClock.now - start))
    guard printer.hasPassed else { throw CommandFailure.checkFailed }
    guard printer.losses == 0 else { throw CommandFailure.incomplete }
  }

  /// A verifier for one reading.
  func verifier(_ events: [PlannedEvent], _ conditions: Verifier.Conditions) -> Verifier {
    Verifier(
      events, tolerance: MediaTime(decimalSeconds: tolerance) ?? .zero, conditions: conditions, optional: early, offset: cueOffset.duration,
      verifySeal: AnswerSeal.verify)
  }

  /// Reads each rendition once.
  ///
  /// - Parameter events: The events of the cue sheet; `nil` without one.
  private func check(_ events: [PlannedEvent]?, _ expected: ExpectedCopies, _ printer: inout VerificationPrinter) throws(CommandFailure) {
    let isWhole = try input.forEachRendition(all: allRenditions) { (source, choice, loads) throws(CommandFailure) in
      var verifier = events.map { self.verifier($0, .whole(expected)) }
      var agreement = CarriageAgreement(tolerance: MediaTime(decimalSeconds: tolerance) ?? .zero)
      var source = source
      source.keepsOtherTimes = true
      var damages = DamageSummary(source: source)
      var hasTags = false
      let progress = try source.read(sharing: loads) { (item, segment, _) throws(CommandFailure) in
        verifier?.receive(item)
        if carriages, case .copy(let copy, let place) = item { agreement.add(copy, at: place) }
        if case .damage(let damage) = item { damages.add(damage, in: segment) } else { hasTags = true }
      }
      damages.finish()
      if !hasTags, choice?.isVariant != false {
        StandardError.write("\(source.name): no timed ID3 found; the stream has \(StreamSource.contents(of: progress))")
        if choice == nil, let place = source.otherPlace(progress) { StandardError.write("\(source.name): \(place)") }
      }
      let report = verifier?.finish(at: progress.end, isWhole: progress.losses == 0)
      printer.losses += progress.losses
      // Those of an MPD belong to the variants, as date ranges do.
      for event in choice?.isVariant == false ? [] : progress.manifest?.events ?? [] {
        for copy in event.copies { agreement.add(listed: copy, at: event.presentationTime) }
      }
      let found = agreement.finish()
      // An audio rendition of a video that carries the events needs none of its own.
      if choice?.isVariant == false, found.events == 0, report.map({ $0.copies == 0 }) ?? true { return progress }
      if carriages { try printer.print(found, choice) }
      if let report { try printer.print(report, choice, losses: progress.losses, repaired: progress.restoredTags) }
      return progress
    }
    if !isWhole { printer.losses += 1 }
  }
}

import ArgumentParser
import CueSheet
import EventSchedule
import FileInput
import Foundation
import LibAV
import MediaTime
import PacketStamping
import Stamping

struct Stamp: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Embed the events of a cue sheet in a video.",
    discussion: """
      The video may be MP4, MOV, MKV, FLV, an audio file or anything else that FFmpeg reads; it is copied into MPEG-TS without being \
      decoded. A transport stream goes through packet by packet.

      Example:
        cuelight stamp show.mp4 --cues show.yaml -o show.ts
      """)

  @Argument(help: "The video; - for a transport stream on standard input.")
  var input: String

  @Option(name: .long, help: "The cue sheet, YAML or JSON.")
  var cues: String

  @Option(name: .shortAndLong, help: "The transport stream to write; its name ends in .ts.")
  var output: String

  @OptionGroup var policy: PolicyOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file with the 32 secret bytes that answers are sealed with.",
      discussion:
        "Raw, hexadecimal or base64. Without it the environment's CUELIGHT_SEAL_KEY counts, and without that a random key is made for the run."
    ))
  var sealKey: String?

  @Flag(name: .long, help: "Send the right answers in the clear, for clients that score by themselves.")
  var openAnswers = false

  @Flag(name: .long, help: "Replace an output that exists.")
  var force = false

  func validate() throws {
    guard output.hasSuffix(".ts") else {
      throw ValidationError("The output's name must end in .ts, and \(output) does not.")
    }
    guard !(openAnswers && sealKey != nil) else { throw ValidationError("--open-answers and --seal-key exclude each other.") }
  }

  mutating func run() throws {
    let policy = try policy.policy()
    let sheet = try CueSheetFile(path: cues).read(policy, answers: openAnswers ? .open : .sealed(SealKeySource(path: sealKey).key()))
    var stamper = Stamper(input: input, output: output)
    stamper.overwrite = force
    stamper.isInterrupted = { Interruption.isRequested }
    let progress = ProgressBar()
    stamper.progress = { progress.show($0, of: $1) }
    let summary: Stamper.Summary
    do throws(StampingError) {
      defer { progress.clear() }
      summary = try stamper.stamp(EventSchedule(sheet.events, policy: policy))
    } catch {
      if case .eventsAfterTheEnd(let end) = error { throw CommandFailure(sheet.problems(programmeDuration: end), cues: cues) }
      throw CommandFailure(error, input: input)
    }
    report(summary)
    var standardOutput = StandardOutput()
    let stamped = summary.stamped
    try standardOutput.line("\(output): \(stamped.events) events in \(stamped.copies) copies over \(stamped.end.clockText)")
    try standardOutput.line("See the game: cuelight replay \(Self.quoted(output))")
    try standardOutput.flush()
  }

  /// Says on standard error what a producer should know of the copied file.
  private func report(_ summary: Stamper.Summary) {
    let skipped = summary.stamped.skippedBytes
    if skipped > 0 { StandardError.write("\(input): \(skipped) bytes that belong to no packet were left out") }
    guard let remuxed = summary.remuxed else { return }
    for stream in remuxed.leftOut {
      StandardError.write("\(input): stream \(stream.index) (\(stream.codecName)) was left out: only picture and sound are copied")
    }
    if remuxed.hiddenPicture > .zero {
      StandardError.write(
        "\(input): its edit list hides the first \(remuxed.hiddenPicture.shortestDecimalSeconds) s of picture, which MPEG-TS cannot hide: "
          + "the output shows them, and cue times count from their beginning")
    }
    if remuxed.repairedPackets > 0 { StandardError.write("\(input): the timestamps of \(remuxed.repairedPackets) packets were repaired") }
    let copied = remuxed.end - remuxed.zero
    if let whole = remuxed.inputDuration, whole - copied > MediaTime(seconds: 1) {
      StandardError.write("\(input): ends after \(copied.clockText) of the \(whole.clockText) that it should have: it is cut off")
    }
    if remuxed.invalidPackets > 0 { StandardError.write("\(input): \(remuxed.invalidPackets) unreadable packets were left out") }
  }

  /// A path as a shell takes it.
  private static func quoted(_ path: String) -> String {
    let plain = path.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "-_./,+@%".utf8.contains(byte)
    }
    return plain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }
}

/// How often events are repeated.
struct PolicyOptions: ParsableArguments {
  @Option(name: .long, help: "How many copies the burst of each event has.")
  var copies = 3

  @Option(name: .long, help: "Seconds between refreshes of what is current, or off.")
  var refresh = "2"

  @Option(name: .long, help: "The largest accepted tag in bytes.")
  var maxTagSize = 1024

  func policy() throws -> CopyPolicy {
    guard (1...100).contains(copies) else { throw ValidationError("--copies takes a number from 1 to 100, not \(copies).") }
    guard (64...CopyPolicy.largestPESPayload).contains(maxTagSize) else {
      throw ValidationError("--max-tag-size takes a number from 64 to \(CopyPolicy.largestPESPayload), not \(maxTagSize).")
    }
    var interval: MediaTime?
    if refresh != "off" {
      guard let seconds = MediaTime(decimalSeconds: refresh), seconds >= MediaTime(ticks: 9_000) else {
        throw ValidationError("--refresh takes seconds from 0.1 on, or off, not \(refresh).")
      }
      interval = seconds
    }
    return CopyPolicy(copies: copies, refreshInterval: interval, largestTagSize: maxTagSize)
  }
}

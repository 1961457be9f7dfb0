import ArgumentParser
import Basics
import CommandSupport
import Files
import GameEvents
import PacketStamping
import Stamping
import Terminal

struct Strip: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strip",
    abstract: "Take the events out of a stamped stream.",
    discussion: """
      A transport stream goes through packet by packet; other people's ID3 stays. The stream of events leaves the program map where nothing else \
      is on it. In streams that have null packets, null packets take the place of events, so that the bit rate stays what it was. Of HLS the \
      whole presentation is written to a new folder.

      Example:
        cuelight strip stamped.ts -o clean.ts
        cuelight strip hls/index.m3u8 -o clean/index.m3u8
        cuelight strip - -o - < stamped.ts | ffplay -
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4 or an HLS playlist in a folder; - for a transport stream on standard input.")
  var input: String

  @Option(name: .shortAndLong, help: "What to write: a file, a playlist (.m3u8) in another folder, or - for standard output.")
  var output: String

  @Option(name: .long, help: "Take out the events of this game only.")
  var game: String?

  @Flag(name: .long, help: "Transport streams: let null packets take the place of events in any stream.")
  var constantRate = false

  @Flag(name: .long, help: "Replace an output that exists.")
  var force = false

  private var isPlaylist: Bool { input.hasSuffix(".m3u8") }

  func validate() throws {
    guard isPlaylist == output.hasSuffix(".m3u8") else {
      throw ValidationError("A presentation becomes a presentation: either both the input and the output end in .m3u8, or none.")
    }
    guard !isPlaylist || !constantRate else { throw ValidationError("--constant-rate is for one transport stream, not for HLS.") }
    try EditOutput.validate(output)
  }

  mutating func run() throws {
    try InputFiles([input]).requireOther([output])
    let progress = ProgressBar()
    let game = game.map { GameID($0) }
    let report: PacketEditor.Report
    do throws(StampingError) {
      defer { progress.clear() }
      if isPlaylist {
        var editor = PresentationEditor(input: input, output: output)
        (editor.game, editor.overwrite) = (game, force)
        editor.isInterrupted = { Interruption.isRequested }
        editor.progress = { progress.show($0, of: nil) }
        report = try editor.strip()
      } else {
        var options = PacketEditor.Options(.strip(game))
        options.keepsSize = constantRate
        report = try EditOutput.edit(input, output, options, force, progress)
      }
    } catch {
      throw CommandFailure(error, input: input)
    }
    try EditOutput(output).write(text(report))
    if report.skippedBytes > 0 { StandardError.write("\(input): \(report.skippedBytes) bytes that belong to no packet were left out") }
  }

  private func text(_ report: PacketEditor.Report) -> String {
    let (events, ranges) = (report.events.count, report.dateRanges)
    guard report.copies + report.unusable + ranges > 0 else { return "no events were found; everything is as it was" }
    var parts = ["\(events) event\(events == 1 ? "" : "s") in \(report.copies) cop\(report.copies == 1 ? "y" : "ies") taken out"]
    if report.unusable > 0 { parts.append("\(report.unusable) unusable ones too") }
    if ranges > 0 { parts.append("\(ranges) date range\(ranges == 1 ? "" : "s")") }
    if report.removedPackets > 0 { parts.append("\(report.removedPackets) packets fewer") }
    if report.nulledPackets > 0 { parts.append("\(report.nulledPackets) null packets in their place") }
    return parts.joined(separator: ", ")
  }
}

struct Repair: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Make the tags whole that FFmpeg before 6.1 has cut.",
    discussion: """
      FFmpeg before 6.1 cuts the first five bytes off every ID3 tag of a transport stream, also with -c copy. They are always the same. Players \
      read such tags no more; this writes them whole. Everything else goes through as it is.

      Example:
        cuelight repair cut.ts -o whole.ts
        cuelight repair - -o - < cut.ts > whole.ts
      """)

  @Argument(help: "The transport stream; - for standard input.")
  var input: String

  @Option(name: .shortAndLong, help: "The transport stream to write; - for standard output.")
  var output: String

  @Flag(name: .long, help: "Replace an output that exists.")
  var force = false

  func validate() throws {
    guard !input.hasSuffix(".m3u8"), !output.hasSuffix(".m3u8") else {
      throw ValidationError("repair takes one transport stream; the segments of a presentation are repaired one by one.")
    }
    try EditOutput.validate(output)
  }

  mutating func run() throws {
    try InputFiles([input]).requireOther([output])
    let progress = ProgressBar()
    let report: PacketEditor.Report
    do throws(StampingError) {
      defer { progress.clear() }
      report = try EditOutput.edit(input, output, PacketEditor.Options(.repair), force, progress)
    } catch {
      throw CommandFailure(error, input: input)
    }
    let tags = report.repaired
    try EditOutput(output).write(
      tags == 0 ? "no cut tags were found; everything is as it was" : "\(tags) tag\(tags == 1 ? "" : "s") made whole")
    if report.skippedBytes > 0 { StandardError.write("\(input): \(report.skippedBytes) bytes that belong to no packet were left out") }
  }
}

/// Where an edited stream goes, and what is said of it: on standard output, unless the stream itself goes there.
struct EditOutput {
  private let output: String

  init(_ output: String) { self.output = output }

  /// Refuses a terminal, which the bytes of a stream would confuse.
  static func validate(_ output: String) throws {
    guard output != "-" || !Terminal.isOutput else {
      throw ValidationError("Standard output is a terminal: let it be a pipe or a file, or give --output a name.")
    }
  }

  /// Edits a stream of one file or pipe. On the way to a pipe nothing is said.
  static func edit(
    _ input: String, _ output: String, _ options: PacketEditor.Options, _ force: Bool, _ progress: ProgressBar
  ) throws(StampingError) -> PacketEditor.Report {
    var editor = StreamEditor(input: input, output: output, options)
    editor.overwrite = force
    editor.isInterrupted = { Interruption.isRequested }
    if output != "-" { editor.progress = { progress.show($0, of: $1) } }
    return try editor.edit()
  }

  /// Says what was done.
  func write(_ text: String) throws(CommandFailure) {
    guard output != "-" else { return StandardError.write("standard output: \(text)") }
    var standardOutput = StandardOutput()
    try standardOutput.line("\(output): \(text)")
    try standardOutput.flush()
  }
}

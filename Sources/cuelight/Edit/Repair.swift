import Basics
import ArgumentParser
import CommandSupport
import PacketStamping
import Stamping
import Terminal

struct Repair: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Make the tags whole that FFmpeg before 6.1 has cut.",
    discussion: """
      FFmpeg before 6.1 cuts the first five bytes off every ID3 tag of a transport stream, also with -c copy. They are always the same. Players \
      read such tags no more; this writes them whole. Program maps get the descriptors of timed ID3 that are missing. Everything else goes through as it is. Of HLS the whole presentation is written to a new \
      folder.

      Example:
        cuelight repair cut.ts -o whole.ts
        cuelight repair hls/index.m3u8 -o whole/index.m3u8
        cuelight repair - -o - < cut.ts > whole.ts
        cuelight repair copied.ts --from-sei -o whole.ts
      """)

  @Argument(help: "The stream: MPEG-TS or an HLS playlist in a folder; - for a transport stream on standard input.")
  var input: String

  @Option(name: .shortAndLong, help: "What to write: a transport stream, a playlist (.m3u8) in another folder, or - for standard output.")
  var output: String

  @Flag(
    name: .customLong("from-sei"), help: "Put events back as timed ID3 that only SEI messages of the video have; takes a file, MPEG-TS.")
  var fromSEI = false

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    let isPresentation = try EditedStream.validate(input, output)
    try require(!fromSEI || !isPresentation, "--from-sei is for one transport stream, not for HLS.")
    try require(!fromSEI || input != "-", "--from-sei reads a file twice, and standard input can be read once.")
  }

  mutating func run() throws {
    let stream = EditedStream(input: input, output: output, overwrites: replacing.force)
    guard !fromSEI else { return try restore(stream) }
    try stream.write(stream.edit(PacketEditor.Options(.repair))) { report in
      let tags = report.repaired
      let maps = report.changedMaps > 0 ? "descriptors of timed ID3 added to the program map" : nil
      let parts = [tags > 0 ? "\(tags.of("tag")) made whole" : nil, maps].compactMap(\.self)
      return parts.isEmpty ? "no cut tags were found; everything is as it was" : parts.joined(separator: "; ")
    }
  }

  private func restore(_ stream: EditedStream) throws(CommandFailure) {
    try InputFiles([input]).requireOther([output])
    let report: MessageRestorer.Report
    do throws(StampingError) {
      let progress = ProgressBar()
      defer { progress.clear() }
      var restorer = MessageRestorer(input: input, output: output)
      restorer.overwrite = replacing.force
      restorer.isInterrupted = { Interruption.isRequested }
      if output != "-" { restorer.progress = { progress.show($0) } }
      report = try restorer.restore()
    } catch { throw CommandFailure(error, input: input) }
    try stream.write(
      report.copies == 0
        ? "no event is in SEI messages alone; everything is as it was"
        : "\(report.events.of("event")) in \(report.copies.of("copy", "copies")) put back from SEI messages")
  }
}

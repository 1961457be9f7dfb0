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
        cuelight repair copied/index.m3u8 --from-sei -o whole/index.m3u8
      """)

  @Argument(
    help: "The stream: MPEG-TS or an HLS playlist in a folder, with --from-sei fragmented MP4 too; - for MPEG-TS on standard input.")
  var input: String

  @Option(name: .shortAndLong, help: "What to write: a file, a playlist (.m3u8) in another folder, or - for standard output.")
  var output: String

  @Flag(
    name: .customLong("from-sei"),
    help: "Put events back that only SEI messages of the video have: as timed ID3, and as event messages into fragmented MP4.")
  var fromSEI = false

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    _ = try EditedStream.validate(input, output)
    try require(!fromSEI || input != "-", "--from-sei reads a file twice, and standard input can be read once: save it to a file first.")
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
      let input = input
      restorer.notice = { StandardError.write("\(input): \($0)") }
      if output != "-" { restorer.progress = { progress.show($0) } }
      report = try restorer.restore()
    } catch { throw CommandFailure(error, input: input) }
    try stream.write(
      report.copies == 0
        ? "no event is in SEI messages alone; everything is as it was"
        : "\(report.events.of("event")) in \(report.copies.of("copy", "copies")) put back from SEI messages")
  }
}

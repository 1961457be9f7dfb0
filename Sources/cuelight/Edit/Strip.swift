import Basics
import ArgumentParser
import GameEvents
import PacketStamping

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

  @OptionGroup var replacing: ReplaceOption

  func validate() throws {
    let isPresentation = try EditedStream.validate(input, output)
    guard !isPresentation || !constantRate else { throw ValidationError("--constant-rate is for one transport stream, not for HLS.") }
  }

  mutating func run() throws {
    var options = PacketEditor.Options(.strip(game.map { GameID($0) }))
    options.keepsSize = constantRate
    let stream = EditedStream(input: input, output: output, overwrites: replacing.force)
    try stream.write(stream.edit(options), text)
  }

  private func text(_ report: PacketEditor.Report) -> String {
    let (events, ranges) = (report.events.count, report.dateRanges)
    guard report.copies + report.messages + report.unusable + ranges > 0 else { return "no events were found; everything is as it was" }
    var parts = ["\(events.of("event")) in \(report.copies.of("copy", "copies")) taken out"]
    if report.messages > 0 { parts.append("\(report.messages.of("copy", "copies")) in SEI messages too") }
    if report.unusable > 0 { parts.append("\(report.unusable.of("unusable one")) too") }
    if ranges > 0 { parts.append(ranges.of("date range")) }
    if report.removedPackets > 0 { parts.append("\(report.removedPackets.of("packet")) fewer") }
    if report.nulledPackets > 0 { parts.append("\(report.nulledPackets.of("null packet")) in their place") }
    return parts.joined(separator: ", ")
  }
}

import Basics
import ArgumentParser
import PacketStamping

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
      """)

  @Argument(help: "The stream: MPEG-TS or an HLS playlist in a folder; - for a transport stream on standard input.")
  var input: String

  @Option(name: .shortAndLong, help: "What to write: a transport stream, a playlist (.m3u8) in another folder, or - for standard output.")
  var output: String

  @OptionGroup var replacing: ReplaceOption

  func validate() throws { _ = try EditedStream.validate(input, output) }

  mutating func run() throws {
    let stream = EditedStream(input: input, output: output, overwrites: replacing.force)
    try stream.write(stream.edit(PacketEditor.Options(.repair))) { report in
      let tags = report.repaired
      let maps = report.changedMaps > 0 ? "descriptors of timed ID3 added to the program map" : nil
      let parts = [tags > 0 ? "\(tags.of("tag")) made whole" : nil, maps].compactMap(\.self)
      return parts.isEmpty ? "no cut tags were found; everything is as it was" : parts.joined(separator: "; ")
    }
  }
}

import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventSchedule
import Sheets

struct Captions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "captions",
    abstract: "Write the cues of a sheet as captions, to look at them in any player.",
    discussion: """
      Each question is shown with its answers for as long as it takes some, each result for ten seconds or until the next question. They tell the \
      right answers: keep them to yourself.

      Example:
        cuelight captions show.yaml -o show.vtt
        cuelight captions show.yaml -o show.srt && mpv show.mp4 --sub-file=show.srt
      """)

  @Argument(help: "The cue sheet, YAML or JSON.")
  var sheet: String

  @Option(name: .shortAndLong, help: "The captions to write: WebVTT (.vtt) or SubRip (.srt); - for WebVTT on standard output.")
  var output: String

  @OptionGroup var cueOffset: CueOffset

  @OptionGroup var replacing: ReplaceOption

  private var isVTT: Bool { output == "-" || output.lowercased().hasSuffix(".vtt") }

  func validate() throws {
    try require(isVTT || output.lowercased().hasSuffix(".srt"), "The output's name must end in .vtt or .srt, and \(output) does not.")
  }

  func run() throws {
    let target = try replacing.text(output, besides: [sheet])
    let largest = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    let events = try CueSheetFile(path: sheet).read(largest, answers: .open, offset: cueOffset.duration).gameEvents
    let captions = CueCaptions(events)
    try target.write(isVTT ? captions.webVTT : captions.subRip)
    guard target.path != nil else { return }
    try StandardOutput.write(["\(output): \(captions.captions.count.of("caption")) of \(events.count.of("event"))"])
  }
}

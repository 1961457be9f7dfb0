import ArgumentParser
import Basics
import CommandSupport
import CueSheet

/// The offset of the cues of a sheet.
struct CueOffset: ParsableArguments {
  @Option(
    name: .long, parsing: .unconditional, help: "How much later each cue happens than the sheet says; with a minus in front, earlier.",
    transform: CueOffset.duration(_:))
  var offset: MediaTime?

  /// How much later each cue happens.
  var duration: MediaTime { offset ?? .zero }

  /// Reads a duration with or without a sign.
  static func duration(_ text: String) throws -> MediaTime {
    try require(
      try? MediaTime(signedCueTime: text),
      "\(text) is no duration; write seconds (12.5), mm:ss or hh:mm:ss.mmm, with a minus in front for earlier.")
  }
}

import ArgumentParser
import Basics
import LiveGame
import LiveSession
import Stamping

/// The options of `live` and `serve` for a stream: its segments and parts, and the pace of a file.
struct StreamOptions: ParsableArguments {
  @Option(
    help:
      "What segments are: ts (transport streams) or fmp4 (CMAF, audio in tracks of its own). Without it, fmp4 with parts, and ts without.")
  var segmentType: String?

  @Option(help: "The number of seconds that segments should have.")
  var segmentDuration = "4"

  @Option(
    help:
      "Low-latency HLS: let players load parts of segments that last so many seconds, 0.2 to 1, while a segment is being written; 0 for none."
  )
  var partDuration: String?

  @Flag(help: "Put each event into the playlists as a date range as well (EXT-X-DATERANGE); the game server always does.")
  var daterange = false

  @Flag(
    help:
      "Let the pages of viewers report which events they have shown, and how far they are behind (CMCD version 2); no address and no name is kept."
  )
  var reach = false

  @Option(
    help:
      "What happens to a question whose time meets an ad break (SCTE-35) of the input: pass (it goes), hold (it waits for the end of the break), or refuse."
  )
  var breaks = "pass"

  @Flag(help: "Start a file again at its end.")
  var loop = false

  @Option(help: "How many times as fast as it should be a file comes, for trials.")
  var pace = 1.0

  func validate() throws {
    guard MediaTime(decimalSeconds: segmentDuration).map({ $0 >= MediaTime(ticks: 9_000) }) == true else {
      throw ValidationError("--segment-duration takes seconds from 0.1 on, not \(segmentDuration).")
    }
    if let segmentType, SegmentType(rawValue: segmentType) == nil {
      throw ValidationError("--segment-type takes ts or fmp4, not \(segmentType).")
    }
    guard BreakPolicy(rawValue: breaks) != nil else { throw ValidationError("--breaks takes pass, hold or refuse, not \(breaks).") }
    guard pace > 0, pace <= 1_000 else { throw ValidationError("--pace takes a number above 0, at most 1000, not \(pace).") }
    guard let partDuration else { return }
    let duration = MediaTime(decimalSeconds: partDuration)
    guard let duration, duration == .zero || (MediaTime(ticks: 18_000)...MediaTime(seconds: 1)).contains(duration) else {
      throw ValidationError("--part-duration takes seconds from 0.2 to 1, or 0 for none, not \(partDuration).")
    }
  }

  /// The desired duration of segments.
  var segment: MediaTime { MediaTime(decimalSeconds: segmentDuration) ?? MediaTime(seconds: 4) }

  /// Whether segments are fragmented MP4, without parts that a command has by itself.
  var isFragmented: Bool {
    if let segmentType { return SegmentType(rawValue: segmentType) == .fragmentedMP4 }
    return partDuration.flatMap { MediaTime(decimalSeconds: $0) }.map { $0 > .zero } ?? false
  }

  /// Applies these options.
  ///
  /// - Parameter usualPart: The duration of parts if no option sets it; `nil` for none.
  func apply(to settings: inout LiveSettings, usualPart: MediaTime? = nil) {
    let part = partDuration.map { MediaTime(decimalSeconds: $0).flatMap { $0 > .zero ? $0 : nil } } ?? usualPart
    (settings.segmentDuration, settings.partDuration) = (segment, part)
    // Players of low-latency HLS want parameter sets at the start of each part. Fragmented MP4 has them in its initialization segment, but a
    // transport stream only in key frames: Shaka Player 5 and video.js 8 refuse parts without them.
    settings.segmentType = segmentType.flatMap { SegmentType(rawValue: $0) } ?? (part == nil ? .transportStream : .fragmentedMP4)
    (settings.pace, settings.loops, settings.hasDateRanges) = (pace, loop, daterange)
    settings.hasReach = reach
    settings.breaks = BreakPolicy(rawValue: breaks) ?? .pass
  }
}

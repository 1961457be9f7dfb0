import Basics
import CommandSupport
import LibAV
import PacketStamping
import Terminal

/// What a producer should know about a copied file, besides the result.
struct StampingNotices {
  private let result: StampedInput
  /// Whether the output states the rotation of its picture.
  private let showsTurned: Bool

  init(_ result: StampedInput, showsTurned: Bool) { (self.result, self.showsTurned) = (result, showsTurned) }

  /// Renditions whose lengths differ by more than this are not of the same programme.
  private static let largestDifference = MediaTime(ticks: 45_000)

  /// Reports all notices on standard error.
  func write() {
    for line in lines { StandardError.write("\(result.input): \(line)") }
  }

  /// Reports on standard error if inputs of a presentation have different lengths, and the length of each.
  static func writeLengths(_ results: [StampedInput]) {
    let lengths = results.map { $0.stamped.end }
    guard let shortest = lengths.min(), let longest = lengths.max(), longest - shortest > largestDifference else { return }
    let list = results.map { "\($0.input) \($0.stamped.end.clockText)" }.joined(separator: ", ")
    StandardError.write("the renditions are of different lengths, so viewers of some miss the end: \(list)")
  }

  private var lines: [String] {
    let skipped = result.stamped.skippedBytes
    let start = skipped > 0 ? ["\(skipped.of("byte belongs", "bytes belong")) to no packet; those between packets were left out"] : []
    guard let remuxed = result.remuxed else { return start }
    // The tags of an ID3 stream are kept, whatever became of the stream.
    let streams = remuxed.leftOut.filter { $0.codecName != "timed_id3" || result.stamped.tags == 0 }
    return start + streams.map { leftOut($0, remuxed) } + picture(remuxed) + packets(remuxed)
  }

  private func leftOut(_ stream: MediaStream, _ remuxed: RemuxSummary) -> String {
    let reason =
      if remuxed.absent.contains(stream) {
        "it is announced, and nothing of it came"
      } else if remuxed.undescribed.contains(stream) {
        "nothing tells its sample rate; it begins late, is scrambled or damaged"
      } else if remuxed.late.contains(stream) {
        "it began after the others"
      } else if stream.kind == .audio {
        "the audio of another input goes with this video"
      } else if stream.kind == .video, !stream.isAttachedPicture {
        "only the first picture is copied"
      } else {
        "only picture and sound are copied"
      }
    return "stream \(stream.index) (\(stream.codecName)) was left out: \(reason)"
  }

  private func picture(_ remuxed: RemuxSummary) -> [String] {
    var lines: [String] = []
    if remuxed.hiddenVideo > .zero {
      let hidden = remuxed.hiddenVideo.shortestDecimalSeconds
      lines.append(
        "its edit list hides the first \(hidden) s of picture, which the output shows: cue times count from the first frame that is not hidden, so "
          + "every event comes \(hidden) s later in the output")
    }
    if let orientation = remuxed.orientation, !showsTurned {
      let turn = if case .turned(let degrees) = orientation { "turned by \(degrees) degrees" } else { "turned or mirrored" }
      lines.append(
        "its picture is to be shown \(turn), which MPEG-TS cannot say: players show it as it was filmed; write HLS with --segment-type fmp4, or "
          + "encode it upright")
    }
    if remuxed.framesBeforeKey > 0 {
      lines.append("\(remuxed.framesBeforeKey.of("video frame")) before the first key frame were left out: they cannot be decoded")
    }
    if remuxed.leadingFrames > 0 {
      lines.append(
        "\(remuxed.leadingFrames.of("video frame")) after the first key frame were left out: they need frames before it, where the recording "
          + "had not begun")
    }
    return lines
  }

  private func packets(_ remuxed: RemuxSummary) -> [String] {
    var lines: [String] = []
    if remuxed.untimedPackets > 0 {
      lines.append("\(remuxed.untimedPackets.of("packet")) without a timestamp were left out")
    }
    if remuxed.repairedPackets > 0 { lines.append("the timestamps of \(remuxed.repairedPackets.of("packet")) were repaired") }
    let copied = remuxed.end - remuxed.origin + remuxed.beforeOrigin - remuxed.hiddenVideo
    if let whole = remuxed.inputDuration, whole - copied > MediaTime(seconds: 1) {
      lines.append("ends after \(copied.clockText) of the \(whole.clockText) that it should have: it is cut off")
    }
    if remuxed.invalidPackets > 0 { lines.append("\(remuxed.invalidPackets.of("unreadable packet")) were left out") }
    return lines
  }
}

import Basics
import LibAV

/// Finds the segment boundaries that all inputs of a presentation have in common.
struct CommonBoundaries {
  /// An input of the presentation.
  private struct Input {
    var path: String
    /// The times at which it can be cut, counted from the timeline origin: the key frames of closed groups, or all key frames if closed
    /// groups allow far fewer cuts.
    var keyFrames: [MediaTime]
    /// The file's stated duration, or else the time of its last key frame.
    var end: MediaTime
  }

  private var inputs: [Input] = []
  /// The longest duration that an input without video states.
  private var audioEnd = MediaTime.zero
  private let target: MediaTime
  /// The earliest time, on the streams' timeline, at which the timeline origin can be presented in all inputs. An input whose streams start long
  /// before its origin makes it later.
  private(set) var firstPresentation = MediaInput.usualFirstPresentation

  /// Makes boundaries that are at least `target` apart.
  init(every target: MediaTime) { self.target = target }

  /// Reads the start of an input, and all its packets if it has video. Audio can be split anywhere, so it is read only if no input has video.
  ///
  /// - Parameter isLast: Whether no other input follows.
  mutating func add(_ path: String, _ input: consuming MediaInput, copying streams: [MediaStream], isLast: Bool) throws(RemuxError) {
    var scan = try InputScan(input, copying: streams, firstPresentation: MediaInput.usualFirstPresentation)
    firstPresentation = max(firstPresentation, scan.origin)
    if scan.program.kind == .audio { audioEnd = max(audioEnd, scan.duration ?? .zero) }
    guard scan.program.kind == .video || (inputs.isEmpty && isLast) else { return }
    let found = try scan.keyFrames()
    let end = scan.duration ?? found.last?.time ?? .zero
    inputs.append(Input(path: path, keyFrames: places(found, end: end), end: end))
  }

  /// The key frames at which an input is cut.
  private func places(_ keyFrames: [KeyFrame], end: MediaTime) -> [MediaTime] {
    let (all, closed) = (keyFrames.map { $0.time }, keyFrames.filter { $0.isClosed }.map { $0.time })
    func longest(_ times: [MediaTime]) -> MediaTime {
      Self.segments(Self.times(.common([times], every: target)), end: end).map { $0.end - $0.start }.max() ?? .zero
    }
    return longest(closed) <= longest(all) + longest(all) ? closed : all
  }

  /// The boundaries that all inputs have in common; an input that has ended allows every later one.
  ///
  /// - Throws: `noCommonKeyFrame` if a segment would be more than half as long again as the longest of any input alone.
  func boundaries() throws(StampingError) -> SegmentBoundaries {
    let end = inputs.map { $0.end }.max() ?? .zero
    // Boundaries are chosen among the key frames of an input that lasts to the end.
    var ordered = inputs
    if let longest = ordered.firstIndex(where: { end - $0.end <= MediaTime(seconds: 1) }) {
      ordered.insert(ordered.remove(at: longest), at: 0)
    }
    let common = Self.times(.common(ordered.map { $0.keyFrames }, ends: ordered.map { $0.end }, every: target))
    let alone = ordered.flatMap { Self.segments(Self.times(.common([$0.keyFrames], every: target)), end: $0.end) }
    let longest = alone.map { $0.end - $0.start }.max() ?? target
    let limit = MediaTime(ticks: longest.ticks + longest.ticks / 2)
    if let tooLong = Self.segments(common, end: end).first(where: { $0.end - $0.start > limit }) {
      throw missing(after: tooLong.start, among: ordered)
    }
    return .at(common)
  }

  /// The audio after the last boundary that is a segment of its own: half a second.
  private static let shortestRest = MediaTime(ticks: 45_000)

  /// Boundaries for audio that goes with the videos: theirs, and if it goes on after their end, further ones.
  func audioBoundaries(after common: SegmentBoundaries) -> SegmentBoundaries {
    var times = Self.times(common)
    var next = inputs.map { $0.end }.max() ?? .zero
    while next > .zero, audioEnd - next > Self.shortestRest {
      times.append(next)
      next += target
    }
    return .at(times)
  }

  /// Names the first input without a key frame at the time of the first input's next key frame after a boundary.
  private func missing(after start: MediaTime, among inputs: [Input]) -> StampingError {
    let first = inputs[0]
    let time = first.keyFrames.first { $0 - start >= target } ?? start + target
    let other = inputs.dropFirst().first { input in
      time < input.end && !input.keyFrames.contains { ($0 - time).magnitude <= SegmentBoundaries.tolerance }
    }
    return .noCommonKeyFrame(input: other?.path ?? first.path, at: time, of: first.path)
  }

  private static func times(_ boundaries: SegmentBoundaries) -> [MediaTime] {
    guard case .at(let times) = boundaries else { return [] }
    return times
  }

  private static func segments(_ boundaries: [MediaTime], end: MediaTime) -> [(start: MediaTime, end: MediaTime)] {
    let edges = [.zero] + boundaries + [end]
    return zip(edges, edges.dropFirst()).map { ($0, $1) }
  }
}

import Basics
import LibAV

/// Finds where all inputs of a presentation can be cut.
struct CommonCuts {
  private struct Input {
    var path: String
    /// The closed ones, counted from the programme's zero.
    var keyFrames: [MediaTime]
    /// How long the file says it is, or else when its last key frame comes.
    var end: MediaTime
  }

  private let inputs: [Input]
  private let target: MediaTime

  /// Reads the packets of all inputs with a picture; sound can be cut anywhere.
  init(_ inputs: [String], every target: MediaTime, isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    self.target = target
    var found: [Input] = []
    for path in inputs {
      let (hasVideo, duration) = try remuxing(path) { () throws(RemuxError) in
        let media = try openMedia(path, isInterrupted)
        return (media.streams.contains { $0.kind == .video && !$0.isAttachedPicture }, media.duration)
      }
      guard hasVideo || (found.isEmpty && path == inputs.last) else { continue }
      let frames = try remuxing(path) { () throws(RemuxError) in try keyFrames(of: path, isInterrupted: isInterrupted) }
      let closed = frames.filter { $0.isClosed }.map { $0.time }
      found.append(Input(path: path, keyFrames: closed, end: duration ?? closed.last ?? .zero))
    }
    // Cuts are chosen among the key frames of an input that goes on to the end.
    let end = found.map { $0.end }.max() ?? .zero
    if let longest = found.firstIndex(where: { end - $0.end <= MediaTime(seconds: 1) }) { found.insert(found.remove(at: longest), at: 0) }
    self.inputs = found
  }

  /// The cuts that all inputs have in common; one that has ended has all that come later.
  ///
  /// - Throws: `noCommonKeyFrame` where a segment would be more than half as long again as the longest of any input alone.
  func cuts() throws(StampingError) -> SegmentCuts {
    let common = Self.times(.common(inputs.map { $0.keyFrames }, ends: inputs.map { $0.end }, every: target))
    let alone = inputs.flatMap { Self.segments(Self.times(.common([$0.keyFrames], every: target)), end: $0.end) }
    let longest = alone.map { $0.end - $0.start }.max() ?? target
    let limit = MediaTime(ticks: longest.ticks + longest.ticks / 2)
    let end = inputs.map { $0.end }.max() ?? .zero
    if let tooLong = Self.segments(common, end: end).first(where: { $0.end - $0.start > limit }) { throw missing(after: tooLong.start) }
    return .at(common)
  }

  /// The first input that has no key frame where the first has one, after a cut.
  private func missing(after start: MediaTime) -> StampingError {
    let first = inputs[0]
    let time = first.keyFrames.first { $0 - start >= target } ?? start + target
    let other = inputs.dropFirst().first { input in
      time < input.end && !input.keyFrames.contains { ($0 - time).magnitude <= SegmentCuts.tolerance }
    }
    return .noCommonKeyFrame(input: other?.path ?? first.path, at: time, of: first.path)
  }

  private static func times(_ cuts: SegmentCuts) -> [MediaTime] {
    guard case .at(let times) = cuts else { return [] }
    return times
  }

  private static func segments(_ cuts: [MediaTime], end: MediaTime) -> [(start: MediaTime, end: MediaTime)] {
    let edges = [.zero] + cuts + [end]
    return zip(edges, edges.dropFirst()).map { ($0, $1) }
  }
}

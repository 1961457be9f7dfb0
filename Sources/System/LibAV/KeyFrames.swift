public import Basics

/// A place at which a file can be cut.
public struct KeyFrame: Equatable, Sendable {
  /// When it is presented, counted from the program's zero (the first key frame).
  public var time: MediaTime
  /// Whether no picture that follows it in decoding order is presented before it.
  public var isClosed: Bool
}

/// Finds the key frames of a file's first video stream, or the packets of its first audio stream where there is no video.
///
/// Reads the packets, decodes nothing. Times are those at which `SegmentCuts.at` cuts.
///
/// - Parameters:
///   - path: A path, never a URL.
///   - isInterrupted: Asked often while libavformat reads or waits; `true` ends the work with an interruption.
/// - Throws: `RemuxError` where the file cannot be read, has neither video nor audio, or its timestamps make no stream.
public func keyFrames(of path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) throws(RemuxError) -> [KeyFrame] {
  var input = try remuxing { () throws(AVError) in try MediaInput(path: path, isInterrupted: isInterrupted) }
  let streams = input.streams.filter(\.isPictureOrSound)
  guard let program = streams.first(where: { $0.kind == .video }) ?? streams.first else { throw .noVideoOrAudio }
  input.readOnly(program.index)
  var packet = try remuxing { () throws(AVError) in try MediaPacket() }
  var reader = try ProgramReader(input, copying: [program], firstPresentation: MediaTime(ticks: 900_000))
  var found: [KeyFrame] = []
  while let placed = try reader.next(into: &packet) {
    guard placed.isKey || program.kind == .audio else { continue }
    found.append(KeyFrame(time: placed.presentation - reader.timeline.zero, isClosed: placed.isClosed))
  }
  return found
}

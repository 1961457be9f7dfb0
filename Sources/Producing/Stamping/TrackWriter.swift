import Basics
import Files

/// Writes the files of a track: the initialization segment, and one segment after another.
///
/// A class, because arrays cannot hold noncopyable values.
final class TrackWriter: ByteSink {
  private(set) var timeline: TrackTimeline
  /// The number of bytes of all segments so far.
  private(set) var byteCount = 0
  private let names: TrackNames
  private var file: FileSink?
  /// The segment that is being written.
  private(set) var open: TrackTimeline.Segment?

  /// A track without files.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  init(_ names: TrackNames, origin: MediaTime) {
    self.names = names
    timeline = TrackTimeline(playlistName: names.playlist)
    timeline.origin = origin
    timeline.segmentNames = names.segments
  }

  /// Sets when the timeline origin is presented, once that is known better than from the input.
  func setOrigin(_ origin: MediaTime) { timeline.origin = origin }

  /// Writes the initialization segment. Must be called before the first segment.
  func writeInitializationSegment(_ bytes: Span<UInt8>, in folder: inout PresentationFolder) throws(StampingError) {
    try folder.write(names.initializationSegment, bytes)
    timeline.initializationSegment = names.initializationSegment
  }

  /// Ends the current segment, if there is one, and begins the next.
  ///
  /// - Parameters:
  ///   - number: The number of the main track's segment that it goes with; `nil` in the main track.
  ///   - start: When its first frame is presented, on the stream's timeline.
  ///   - isIndependent: Whether all of it can be decoded without the segment before.
  func startSegment(
    number: Int? = nil, at start: MediaTime, isIndependent: Bool = true, in folder: inout PresentationFolder
  ) throws(StampingError) {
    try endSegment(at: start)
    if !isIndependent { timeline.hasIndependentSegments = false }
    let name = names.segments.name(timeline.segments.count)
    file = try folder.makeFile(name)
    open = TrackTimeline.Segment(name: name, number: number ?? timeline.segments.count, start: start, duration: .zero)
  }

  /// Adds bytes to the segment.
  func write(_ bytes: Span<UInt8>) {
    byteCount += bytes.count
    open?.byteCount += bytes.count
    file?.write(bytes)
  }

  func check() throws(FileSinkError) { try file?.check() }

  /// Ends the last segment, and with it the track.
  func finish(at end: MediaTime) throws(StampingError) {
    try endSegment(at: end)
    timeline.isEnded = true
  }

  private func endSegment(at end: MediaTime) throws(StampingError) {
    guard var segment = open.take(), let file = file.take() else { return }
    try file.complete()
    segment.duration = end - segment.start
    _ = timeline.append(segment)
  }
}

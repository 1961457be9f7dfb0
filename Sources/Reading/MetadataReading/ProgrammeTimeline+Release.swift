import Basics
import EventReading

extension ProgrammeTimeline {
  /// Gives out held items at their programme times, once the start of the video is known.
  ///
  /// - Parameters:
  ///   - held: Items on the stream's own timeline; none is left if the start is known.
  ///   - isLast: Whether nothing more tells the start: then it is that of the audio, or else of the first item.
  ///   - audioStart: When the audio starts, on the stream's own timeline; `nil` if it does not count.
  mutating func release(
    _ held: inout [TimedMetadata], into found: inout [TimedMetadata], isLast: Bool, audioStart: MediaTime? = nil
  ) {
    if isLast, videoOrigin == nil, let first = audioStart ?? held.map({ $0.time }).min() { startVideo(at: first) }
    guard videoOrigin != nil else { return }
    for var item in held {
      item.time = videoTime(of: item.time) ?? item.time
      found.append(item)
    }
    held = []
  }
}

import Basics
import CommandSupport
import HLSReading
import MetadataReading
import StreamInput

/// The ad breaks of a video.
struct VideoBreaks {
  /// When the programme is left, in the order of the times.
  let times: [Range<MediaTime>]

  /// Reads a video, or a presentation, for its ad breaks.
  init(of path: String) throws(CommandFailure) {
    var reader = MetadataReader()
    let source = StreamSource(path)
    let progress = try source.read(through: { portion in
      _ = reader.receive(portion)
      return [portion]
    }) { _, _, _ in }
    _ = reader.finish()
    // A break that nothing ends lasts until the video does.
    times = reader.breaks.times(until: progress.end ?? .zero)
    if times.isEmpty { StandardError.write("\(source.name): no ad breaks in it") }
  }
}

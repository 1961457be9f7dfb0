import Basics
import EventSchedule
import LibAV

/// One input on its way into a presentation.
struct RenditionJob {
  /// The file to read.
  var input: String
  /// The multivariant playlist's name without its ending, and which of several inputs this is.
  var presentation: String
  var number: Int?
  var cuts: SegmentCuts
  /// When the programme's zero is presented, on the stream's timeline; the same for all inputs.
  var firstPresentation: MediaTime
  var schedule: EventSchedule
  var isInterrupted: @Sendable () -> Bool
  /// EventPayload how many bytes were written in all.
  var progress: @Sendable (Int) -> Void

  /// Writes the input's tracks.
  func write(_ type: SegmentType, into folder: inout PresentationFolder) throws(StampingError) -> WrittenRendition {
    switch type {
    case .transportStream: try writeTransportStream(into: &folder)
    case .fragmentedMP4: try writeFragments(into: &folder)
    }
  }

  /// The names of the track that the events ride in.
  func mainNames(_ type: SegmentType) -> TrackNames {
    TrackNames(presentation: presentation, rendition: number, .main, type: type)
  }

  /// Opens the input.
  func open() throws(RemuxError) -> MediaInput { try openMedia(input, isInterrupted) }
}

import Basics
import EventSchedule
import LibAV
import PacketStamping

/// Writes the tracks of one input, step by step.
protocol RenditionWriter: ~Copyable {
  /// Opens the input.
  init(_ job: RenditionJob) throws(StampingError)

  /// Writes the next piece of a segment. Returns `false` at the end of the input.
  mutating func writeNext(into folder: inout PresentationFolder) throws(StampingError) -> Bool

  /// Ends the tracks, after the last piece.
  ///
  /// - Throws: `StampingError.eventsAfterTheEnd` if the programme ends before the last event.
  mutating func finish() throws(StampingError) -> WrittenRendition
}

extension RenditionWriter where Self: ~Copyable {
  /// Writes all tracks of an input.
  static func write(_ job: RenditionJob, into folder: inout PresentationFolder) throws(StampingError) -> WrittenRendition {
    var writer = try Self(job)
    while try writer.writeNext(into: &folder) {}
    return try writer.finish()
  }
}

/// How one input becomes a part of a presentation.
struct RenditionJob {
  /// The file to read.
  var input: String
  /// The multivariant playlist's name without its extension.
  var presentation: String
  /// The number of the input, from 1; `nil` if it is the only one.
  var number: Int?
  /// What the input becomes.
  var role: InputRole
  /// Where segments start.
  var boundaries: SegmentBoundaries
  /// When the timeline origin is presented, on the stream's timeline; the same for all inputs.
  var firstPresentation: MediaTime
  /// The events for the stream.
  var schedule: EventSchedule
  /// The sections of SCTE 35 of the presentation.
  var splices = InputSplices()
  /// The carriages of each tag besides timed ID3 or event messages.
  var carriages: AddedCarriages
  /// How segments are encrypted; `nil` if they are not.
  var encryption: SegmentEncryption?
  /// Asked from time to time; once it returns `true`, the work ends.
  var isInterrupted: @Sendable () -> Bool
  /// Receives how much of the input is done.
  var progress: @Sendable (WorkProgress) -> Void

  /// Whether the main track carries the events.
  var carriesEvents: Bool { role != .sound }

  /// Where the audio goes.
  var audio: AudioPlacement { role.audio }

  /// What the timeline origin is: that of the videos, for audio that goes with them.
  var zero: TimelineZero { role == .sound ? .timestampZero : .firstFrame }

  /// The names of the main track.
  func mainNames(_ type: SegmentType) -> TrackNames {
    carriesEvents ? TrackNames(presentation: presentation, rendition: number, .main, type: type) : audioNames(0, type)
  }

  /// The names of an audio track besides the main one, by its index.
  func audioNames(_ index: Int, _ type: SegmentType) -> TrackNames {
    TrackNames(presentation: presentation, rendition: number, .audio, number: index + 1, type: type)
  }

  /// The names of the next audio track besides the main one, after a number of them.
  func nextAudioNames(after count: Int, _ type: SegmentType) -> TrackNames { audioNames(carriesEvents ? count : count + 1, type) }

  /// Opens the input.
  func open() throws(RemuxError) -> MediaInput { try openMedia(input, isInterrupted) }
}

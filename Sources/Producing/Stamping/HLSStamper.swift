public import Basics
public import EventSchedule
import Files
public import HLSPlaylist
public import LibAV
public import PacketStamping

/// Makes HLS with events out of files: segments, media playlists and a multivariant playlist.
///
/// Picture and sound are copied. Segments are cut at key frames. Several inputs become variants of one presentation, cut at key frames
/// that all of them have, with the same events at the same times. Nothing has its name before all of it is whole; the multivariant
/// playlist comes last.
public struct HLSStamper: Sendable {
  /// The files to read, the variant that players start with first.
  public var inputs: [String]
  /// The multivariant playlist to write; everything else goes into its folder, which is made where it is missing.
  public var output: String
  /// Whether files that exist are replaced.
  public var overwrite = false
  /// Files that are never replaced, besides the inputs.
  public var protectedFiles: [String] = []
  /// What segments are.
  public var segmentType = SegmentType.transportStream
  /// How long a segment is at least.
  public var segmentDuration = MediaTime(seconds: 6)
  /// The date and time of the programme's zero, for EXT-X-PROGRAM-DATE-TIME.
  public var programDateTime: PlaylistDate?
  /// Whether each event also stands in the media playlists as EXT-X-DATERANGE, for which `programDateTime` must be set.
  public var writesDateRanges = false
  /// Asked from time to time; once it says yes, the work ends and nothing stays behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// EventPayload from time to time how many bytes of an input's tracks were written.
  public var progress: @Sendable (Int) -> Void = { _ in }

  /// What was done with one input.
  public struct Summary: Equatable, Sendable {
    /// The input.
    public var input: String
    /// What was put into the stream.
    public var stamped: PacketStamper.Report
    /// What libavformat copied.
    public var remuxed: RemuxSummary
    /// How many segments there are.
    public var segments: Int
  }

  /// A stamper from files to a playlist.
  public init(inputs: [String], output: String) {
    self.inputs = inputs
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: What is put into each stream.
  /// - Returns: What was done with each input.
  /// - Throws: ``StampingError``, where there are several inputs within ``StampingError/rendition(input:_:)``; then no playlist is written.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> [Summary] {
    guard !inputs.contains("-") else { throw .presentationFromStandardInput }
    // libavformat does not say whether a file is missing or no video.
    for input in inputs { _ = try reading { () throws(FileInputError) in try FileInput(path: input).size } }
    var folder = try PresentationFolder(path: PathParts(output).folder, overwrite: overwrite, inputs: inputs + protectedFiles)
    try folder.requirePlace(for: "\(name).m3u8")
    let jobs = try jobs(schedule)
    var written: [WrittenRendition] = []
    for job in jobs { written.append(try naming(job.input) { () throws(StampingError) in try job.write(segmentType, into: &folder) }) }
    var annotations = annotations(schedule)
    // One for all tracks of a presentation (RFC 8216bis, 6.2.4).
    let tracks = written.flatMap { [$0.main] + $0.sounds.map { $0.track } }
    annotations.targetDuration = tracks.reduce(1) { max($0, $1.smallestTargetDuration) }
    var soundAnnotations = annotations
    soundAnnotations.dateRanges = []
    for rendition in written {
      try folder.write(rendition.main.playlist, rendition.main.mediaPlaylist(annotations))
      soundAnnotations.mainStarts = rendition.main.segments.map { $0.start }
      for sound in rendition.sounds { try folder.write(sound.track.playlist, sound.track.mediaPlaylist(soundAnnotations)) }
    }
    try folder.write("\(name).m3u8", written.multivariantPlaylist(segmentType, targetDuration: annotations.targetDuration))
    try folder.commit()
    return zip(inputs, written).map { input, rendition in
      Summary(input: input, stamped: rendition.stamped, remuxed: rendition.remuxed, segments: rendition.main.segments.count)
    }
  }

  private func jobs(_ schedule: EventSchedule) throws(StampingError) -> [RenditionJob] {
    var cuts = SegmentCuts.every(segmentDuration)
    if inputs.count > 1 { cuts = try CommonCuts(inputs, every: segmentDuration, isInterrupted: isInterrupted).cuts() }
    let firstPresentation = try firstPresentation()
    return inputs.enumerated().map { index, input in
      RenditionJob(
        input: input, presentation: name, number: inputs.count == 1 ? nil : index + 1, cuts: cuts, firstPresentation: firstPresentation,
        schedule: schedule, isInterrupted: isInterrupted, progress: progress)
    }
  }

  /// When the programme's zero is presented: in all inputs at the same time, which an input with a long lead may make later than usual.
  private func firstPresentation() throws(StampingError) -> MediaTime {
    var latest = MediaTime(ticks: 900_000)
    guard inputs.count > 1 else { return latest }
    for input in inputs {
      let zero = try naming(input) { () throws(StampingError) in
        try remuxing(input) { () throws(RemuxError) in
          let media = try openMedia(input, isInterrupted)
          return switch segmentType {
          case .transportStream: try TransportStreamSegmenter(media, cuts: .at([])).zero
          case .fragmentedMP4: try SegmentRemuxer(media, cuts: .at([])).zero
          }
        }
      }
      latest = max(latest, zero)
    }
    return latest
  }

  private func annotations(_ schedule: EventSchedule) -> WrittenTrack.Annotations {
    var annotations = WrittenTrack.Annotations(programDateTime: programDateTime)
    if writesDateRanges, let programDateTime {
      annotations.dateRanges = schedule.pending.map { ($0.time, DateRange($0, zero: programDateTime)) }
    }
    return annotations
  }

  /// What `body` gives; where there are several inputs, its errors name the one that is to blame.
  private func naming<Value>(_ input: String, _ body: () throws(StampingError) -> Value) throws(StampingError) -> Value {
    do throws(StampingError) {
      return try body()
    } catch {
      throw inputs.count == 1 || error == .interrupted ? error : .rendition(input: input, error)
    }
  }

  /// The output's name without its ending.
  private var name: String {
    let file = PathParts(output).name
    return file.hasSuffix(".m3u8") ? String(file.dropLast(5)) : file
  }
}

public import Basics
public import EventSchedule
import DASH
import Files
import GameEvents
public import HLSPlaylist
public import LibAV
public import PacketStamping

/// Makes HLS with events out of files: segments, media playlists and a multivariant playlist.
///
/// Video and audio are copied. Segments start at key frames. If these begin open groups, the playlists do not say that segments are independent.
/// Several inputs become variants of one presentation: their segments start at key frames that all of them have, with the same events at the same
/// times. The files appear under their names only when all of them are complete, the multivariant playlist last.
public struct HLSStamper: Sendable {
  /// The files to read, the variant that players start with first.
  public var inputs: [String]
  /// The multivariant playlist to write. Everything else goes into its folder, which is created if it is missing.
  public var output: String
  /// Whether existing files are replaced. Files of the old presentation whose names the new one does not use are removed.
  public var overwrite = false
  /// Files that are never replaced, besides the inputs.
  public var protectedFiles: [String] = []
  /// Whether inputs may have events, which are then left out. Otherwise such an input is refused.
  public var replacesEvents = false
  /// The format of the segments.
  public var segmentType = SegmentType.transportStream
  /// The shortest duration of a segment.
  public var segmentDuration = MediaTime(seconds: 6)
  /// The date and time of the timeline origin, for EXT-X-PROGRAM-DATE-TIME.
  public var programDateTime: PlaylistDate?
  /// Whether the media playlists also list each event as EXT-X-DATERANGE, for which `programDateTime` must be set.
  public var writesDateRanges = false
  /// Whether results are among the date ranges. Viewers have the whole playlist before the first question, and results reveal the right answers.
  public var datesResults = false
  /// Whether players of MPEG-DASH get a description of the same segments, which must be fragmented MP4.
  public var writesDASH = false
  /// How segments are encrypted; `nil` if they are not. Players of MPEG-DASH cannot decrypt them.
  public var encryption: SegmentEncryption?
  /// The carriages of each tag besides timed ID3 or event messages.
  public var carriages: AddedCarriages = []
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }

  /// The result for one input.
  public struct Summary: Equatable, Sendable {
    /// The input.
    public var input: String
    /// What was inserted into the stream.
    public var stamped: PacketStamper.Report
    /// What libavformat copied.
    public var remuxed: RemuxSummary
    /// The number of segments.
    public var segments: Int
    /// Whether it is audio that all variants have in common, without events of its own.
    public var isCommonAudio = false
  }

  /// A stamper from files to a playlist.
  public init(inputs: [String], output: String) {
    self.inputs = inputs
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: The events for each stream.
  /// - Returns: What was done with each input.
  /// - Throws: ``StampingError``, if there are several inputs within ``StampingError/rendition(input:_:)``; then no playlist is written.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> [Summary] {
    guard !inputs.contains("-") else { throw .presentationFromStandardInput }
    // libavformat does not distinguish a missing file from one that is not video.
    for input in inputs { _ = try reading(FileInput(path: input).size) }
    var tags: [[PlannedEvent]] = []
    for input in inputs {
      tags.append(try naming(input) { () throws(StampingError) in try EventScan.check(input, isReplacing: replacesEvents, isInterrupted) })
    }
    let splices = try splices()
    var folder = try PresentationFolder(path: PathParts(output).folder, overwrite: overwrite, inputs: inputs + protectedFiles)
    try folder.requirePlace(for: "\(name).m3u8")
    if overwrite { folder.replace(OldPresentation(name, in: PathParts(output).folder)) }
    let roles = try roles()
    var files: [WrittenRendition] = []
    for job in try jobs(schedule, roles, tags, splices) {
      files.append(
        try naming(job.input) { () throws(StampingError) in
          switch segmentType {
          case .transportStream: try withoutPlaces { () throws(StampingError) in try TransportStreamRendition.write(job, into: &folder) }
          case .fragmentedMP4: try FragmentedRendition.write(job, into: &folder)
          }
        })
    }
    let (written, discarded) = files.grouped(roles)
    folder.discard(discarded)
    // All tracks of a presentation share a target duration (RFC 8216bis, 6.2.4).
    let targetDuration = written.flatMap { [$0.main] + $0.audio.map { $0.track } }.reduce(1) { max($0, $1.targetDuration) }
    var names: Set<String> = []
    for rendition in written { try write(rendition, schedule, splices, targetDuration: targetDuration, besides: &names, into: &folder) }
    if writesDASH {
      let text = written.mediaPresentation(targetDuration: targetDuration, splices).text
      try folder.write("\(name).mpd", Array(text.utf8).span)
    }
    var playlist = written.multivariantPlaylist(segmentType, targetDuration: targetDuration)
    if let index = roles.roles.firstIndex(where: { $0 != .sound }), files[index].hasVideo {
      let subtitles = try naming(inputs[index]) { () throws(StampingError) in try SubtitleRenditions(of: inputs[index], isInterrupted) }
      let renditions = try subtitles.write(
        name, along: files[index].main, targetDuration: targetDuration, programDateTime, encryption, into: &folder)
      playlist.renditions += renditions
      if !renditions.isEmpty {
        for variant in playlist.variants.indices { playlist.variants[variant].subtitles = SubtitleRenditions.group }
      }
      files[index].remuxed.leftOut.removeAll { subtitles.streams.contains($0.index) }
    }
    try folder.write("\(name).m3u8", .multivariant(playlist))
    try folder.commit()
    return inputs.indices.map { index in
      let file = files[index]
      return Summary(
        input: inputs[index], stamped: file.stamped, remuxed: file.remuxed, segments: file.main.segments.count,
        isCommonAudio: roles.roles[index] == .sound)
    }
  }

  /// Writes the media playlists of a variant, besides those that others have in common with it.
  ///
  /// - Parameter names: The playlists that are written.
  private func write(
    _ rendition: WrittenRendition, _ schedule: EventSchedule, _ splices: InputSplices, targetDuration: UInt64,
    besides names: inout Set<String>,
    into folder: inout PresentationFolder
  ) throws(StampingError) {
    let end = rendition.main.end - rendition.main.origin
    let breaks = splices.breaks(until: end, origin: rendition.main.origin)
    // A date range needs a date in the playlist.
    let zero = programDateTime ?? (breaks.isEmpty ? nil : PlaylistDate(milliseconds: 0))
    var annotations = TrackTimeline.Annotations(programDateTime: zero)
    if writesDateRanges, let programDateTime {
      let listed = schedule.pending.filter { $0.tag == nil && (datesResults || $0.event.type != .showResults) }
      annotations.dateRanges = listed.map { ($0.time, DateRange($0, zero: programDateTime)) }
    }
    if let zero { annotations.add(breaks, zero: zero) }
    for (index, track) in ([rendition.main] + rendition.audio.map { $0.track }).enumerated() {
      if index > 0 { annotations = .init(programDateTime: zero, mainStarts: rendition.main.segments.map { $0.start }) }
      guard names.insert(track.playlistName).inserted else { continue }
      var timeline = track
      timeline.fixedTargetDuration = targetDuration
      try folder.write(timeline.playlistName, .media(timeline.mediaPlaylist(annotations)))
    }
  }

  /// The sections of SCTE 35 of the presentation: those of the first input that has some. Variants have the same ones, at the same times.
  private func splices() throws(StampingError) -> InputSplices {
    for input in inputs {
      let found = try naming(input) { () throws(StampingError) in try InputSplices.read(input, isInterrupted) }
      if !found.all.isEmpty { return found }
    }
    return InputSplices()
  }

  /// What each input becomes.
  private func roles() throws(StampingError) -> InputRoles {
    var streams: [InputRoles.Streams] = []
    for input in inputs {
      streams.append(
        try naming(input) { () throws(StampingError) in
          let media = try remuxing(input, openMedia(input, details: .header, isInterrupted))
          return InputRoles.Streams(media)
        })
    }
    return InputRoles(streams, audioIsApart: segmentType == .fragmentedMP4)
  }

  private func jobs(
    _ schedule: EventSchedule, _ roles: InputRoles, _ tags: [[PlannedEvent]], _ splices: InputSplices
  ) throws(StampingError) -> [RenditionJob] {
    var boundaries = SegmentBoundaries.every(segmentDuration)
    var audioBoundaries = boundaries
    var firstPresentation = MediaInput.usualFirstPresentation
    if inputs.count > 1 {
      var common = CommonBoundaries(every: segmentDuration)
      for (index, input) in inputs.enumerated() {
        try naming(input) { () throws(StampingError) in
          try remuxing(input, scan(input, roles.roles[index], into: &common, isLast: index + 1 == inputs.count))
        }
      }
      (boundaries, firstPresentation) = (try common.boundaries(), common.firstPresentation)
      audioBoundaries = common.audioBoundaries(after: boundaries)
    }
    let (count, progress) = (inputs.count, progress)
    return inputs.enumerated().map { index, input in
      RenditionJob(
        input: input, presentation: name, number: inputs.count == 1 ? nil : index + 1, role: roles.roles[index],
        boundaries: roles.roles[index] == .sound ? audioBoundaries : boundaries,
        firstPresentation: firstPresentation, schedule: schedule.adding(tags[index]), splices: splices,
        carriages: carriages, encryption: encryption,
        isInterrupted: isInterrupted,
        progress: { progress($0.of(part: index, in: count)) })
    }
  }

  private func scan(_ input: String, _ role: InputRole, into common: inout CommonBoundaries, isLast: Bool) throws(RemuxError) {
    let media = try openMedia(input, isInterrupted)
    let streams =
      switch segmentType {
      case .transportStream: try TransportStreamRemuxer.carriedStreams(of: media, audio: role.audio)
      case .fragmentedMP4: try SegmentRemuxer.carriedStreams(of: media, audio: role.audio)
      }
    try common.add(input, media, copying: streams, isLast: isLast)
  }

  /// Returns the result of `body`. If there are several inputs, its errors name the input.
  private func naming<Value>(_ input: String, _ body: () throws(StampingError) -> Value) throws(StampingError) -> Value {
    do throws(StampingError) {
      return try body()
    } catch {
      throw inputs.count == 1 || error == .interrupted ? error : .rendition(input: input, error)
    }
  }

  /// The output's name without its extension.
  private var name: String { PathParts(output).presentationName }
}

import Basics
import CMAF
import EventSchedule
import GameEvents
import LibAV
import PacketStamping

/// Writes segments of fragmented MP4, a track for each stream, with the events before the main track's fragments.
struct FragmentedRendition: RenditionWriter, ~Copyable {
  private let job: RenditionJob
  private var remuxer: SegmentRemuxer
  private var eventMessages: EventMessages
  private var tracks: [FragmentTrack] = []
  private var byteCount = 0
  /// When the timeline origin is presented. The first fragment of the main track tells it, as it tells readers: a packet after the first one may be
  /// presented before it.
  private var origin: MediaTime
  private var hasOrigin = false
  /// Finds events that the video has already.
  private let games: Set<GameID>
  private var existing = FragmentReader(samples: .always)

  init(_ job: RenditionJob) throws(StampingError) {
    self.job = job
    remuxer = try remuxing(
      job.input,
      SegmentRemuxer(
        job.open(), boundaries: job.boundaries, firstPresentation: job.firstPresentation, audio: job.audio, zero: job.zero))
    origin = remuxer.origin
    eventMessages = EventMessages(FragmentSchedule(job.schedule), splices: job.splices, origin: origin)
    games = job.schedule.games
  }

  /// The stream that carries the events.
  private var main: MediaStream { remuxer.leadingStream }
  /// The tracks besides the main one.
  private var audio: [FragmentTrack] { tracks.filter { $0.stream != main.index } }

  mutating func writeNext(into folder: inout PresentationFolder) throws(StampingError) -> Bool {
    guard let piece = try remuxing(job.input, remuxer.next()) else { return false }
    switch consume piece {
    case .initializationSegment(let stream, let bytes): try startTrack(stream, bytes.span, in: &folder)
    case .fragment(let fragment): try write(fragment, in: &folder)
    }
    return true
  }

  private mutating func startTrack(_ stream: Int, _ bytes: Span<UInt8>, in folder: inout PresentationFolder) throws(StampingError) {
    let isMain = stream == main.index
    let names =
      isMain
      ? job.mainNames(.fragmentedMP4)
      : job.nextAudioNames(after: audio.count, .fragmentedMP4)
    let track = FragmentTrack(
      stream: stream, description: TrackDescription(initializationSegment: bytes),
      writer: TrackWriter(names, origin: origin, encryption: job.encryption, makesHash: !isMain || !job.carriesEvents))
    let carriesEvents = isMain && job.carriesEvents
    var adapted = carriesEvents ? try making(EventMessages.announced(in: bytes)) : [UInt8](copying: bytes)
    if isMain, let matrix = remuxer.codecParameters(of: stream)?.displayMatrix.flatMap(TrackMatrix.init) {
      adapted = try making(matrix.setting(in: adapted.span))
    }
    if carriesEvents { try look(bytes) }
    if carriesEvents, job.carriages.contains(.messages) { try eventMessages.writeIntoSamples(describedBy: bytes) }
    try track.writer.writeInitializationSegment(adapted.span, in: &folder)
    tracks.append(track)
  }

  private mutating func write(_ fragment: borrowing MuxedFragment, in folder: inout PresentationFolder) throws(StampingError) {
    let (stream, times) = (fragment.stream, fragment.times)
    guard let index = tracks.firstIndex(where: { $0.stream == stream }) else { return }
    let track = tracks[index].writer
    let isMain = stream == main.index
    let carriesEvents = isMain && job.carriesEvents
    if carriesEvents { try look(fragment.bytes.span) }
    if carriesEvents, !hasOrigin {
      hasOrigin = true
      if main.kind != .video || times.startsWithKeyFrame { setOrigin(times.earliestPresentation) }
    }
    let startsSegment = track.open?.number != times.segment
    if startsSegment {
      let needsKey = isMain && main.kind == .video
      guard !needsKey || times.startsWithKeyFrame || times.segment > 0 else {
        throw .noRandomAccess(at: times.earliestPresentation - origin)
      }
      try track.startSegment(
        number: times.segment, at: times.earliestPresentation, isIndependent: !needsKey || (times.isClosed && times.startsWithKeyFrame),
        in: &folder)
      let segmentType = try making(SegmentTypeBox.bytes())
      track.write(segmentType.span)
    }
    let stamped =
      carriesEvents ? try eventMessages.stamped(fragment.bytes.span, times, startsSegment: startsSegment) : (boxes: [], fragment: nil)
    track.write(stamped.boxes.span)
    if let changed = stamped.fragment { track.write(changed.span) } else { track.write(fragment.bytes.span) }
    try writing(track.check())
    tracks[index].end = times.earliestPresentation + times.duration
    byteCount += fragment.bytes.count
    job.progress(WorkProgress(bytes: byteCount, fraction: remuxer.fraction))
  }

  private mutating func setOrigin(_ time: MediaTime) {
    origin = time
    eventMessages.origin = time
    for track in tracks { track.writer.setOrigin(time) }
  }

  /// Searches the samples of the main track, as copied by libavformat, for events of the games.
  private mutating func look(_ boxes: Span<UInt8>) throws(StampingError) {
    for case .tags(let tags, _, _) in existing.push(boxes) {
      for tag in tags {
        if let game = tag.game(of: games) { throw .packets(.eventInVideo(game, offset: nil)) }
      }
    }
  }

  mutating func finish() throws(StampingError) -> WrittenRendition {
    for track in tracks { try track.writer.finish(at: track.end) }
    var report = eventMessages.report
    report.end = remuxer.end - origin
    if job.carriesEvents { try job.schedule.requireWithin(report.end, pending: eventMessages.pending) }
    guard let main = tracks.first(where: { $0.stream == main.index }) else { throw .remuxing(path: job.input, .noVideoOrAudio) }
    let summary = remuxer.summary.keeping(job.splices)
    var rendition = WrittenRendition(
      main: main.writer.timeline, mainCodecs: [main.description].codecs, hasVideo: self.main.kind == .video,
      pictureSize: main.description.pictureSize?.shown(summary.orientation),
      frameRate: remuxer.codecParameters(of: main.stream)?.frameRate,
      videoRange: VideoRange(transferCharacteristics: remuxer.codecParameters(of: main.stream)?.transferCharacteristics), stamped: report,
      remuxed: summary)
    if !rendition.hasVideo { rendition.mainAudio = written(main, summary) }
    rendition.audio = audio.compactMap { written($0, summary) }
    return rendition
  }

  private func written(_ track: FragmentTrack, _ summary: RemuxSummary) -> WrittenRendition.Audio? {
    guard let stream = summary.copied.first(where: { $0.index == track.stream }) else { return nil }
    return WrittenRendition.Audio(
      track: track.writer.timeline, codecs: [track.description].codecs, stream: stream,
      channelCount: remuxer.codecParameters(of: stream.index)?.channelCount, hash: track.writer.hash.value)
  }
}

/// The track of one stream.
private struct FragmentTrack {
  let stream: Int
  let description: TrackDescription
  let writer: TrackWriter
  /// When its last fragment ends, on the stream's timeline.
  var end = MediaTime.zero
}

/// Returns the result of `body`, and converts errors of boxes to those of stamping.
func making(_ body: @autoclosure () throws(ParseError) -> [UInt8]) throws(StampingError) -> [UInt8] {
  do throws(ParseError) { return try body() } catch { throw .box(error) }
}

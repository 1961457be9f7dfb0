import Basics
import CMAF
import EventSchedule
import LibAV
import PacketStamping

/// Writes transport stream segments of video, audio and events.
struct TransportStreamRendition: RenditionWriter, ~Copyable {
  private let job: RenditionJob
  private let description: StreamDescription
  private var segmenter: TransportStreamSegmenter
  private var stamper: SegmentStamper
  /// Puts the sections of the input into the stream; `nil` if there are none.
  private var splicer: SpliceInserter?
  private var track: TrackWriter
  /// The audio tracks, if they are apart, by the input's streams.
  private var audio: [(stream: Int, writer: TrackWriter)] = []
  /// The bytes of all tracks.
  private var byteCount = 0

  init(_ job: RenditionJob) throws(StampingError) {
    self.job = job
    let opened = try remuxing(
      job.input,
      TransportStreamSegmenter(
        job.open(), boundaries: job.boundaries, firstPresentation: job.firstPresentation, audio: job.audio, zero: job.zero))
    description = try remuxing(job.input, StreamDescription(opened))
    segmenter = opened
    stamper = SegmentStamper(job.schedule, job.carriages)
    if job.carriesEvents { splicer = SpliceInserter(job.splices, origin: segmenter.origin) }
    track = TrackWriter(
      job.mainNames(.transportStream), origin: segmenter.origin, encryption: job.encryption, makesHash: !job.carriesEvents)
  }

  mutating func writeNext(into folder: inout PresentationFolder) throws(StampingError) -> Bool {
    guard let part = try remuxing(job.input, segmenter.next()) else { return false }
    byteCount += part.bytes.count
    job.progress(WorkProgress(bytes: byteCount, fraction: segmenter.fraction))
    if let stream = part.audioStream {
      try writeAudio(part, of: stream, into: &folder)
      return true
    }
    if let start = part.segmentStart { try startSegment(start, in: &folder) }
    if let spliced = splicer?.push(part.bytes.span) {
      try stamping(stamper.push(spliced.span, into: &track))
    } else if job.carriesEvents {
      try stamping(stamper.push(part.bytes.span, into: &track))
    } else {
      track.write(part.bytes.span)
    }
    try writing(track.check())
    return true
  }

  private mutating func writeAudio(
    _ part: borrowing TransportStreamChunk, of stream: Int, into folder: inout PresentationFolder
  ) throws(StampingError) {
    let known = audio.first { $0.stream == stream }?.writer
    let writer =
      known
      ?? TrackWriter(
        job.nextAudioNames(after: audio.count, .transportStream), origin: segmenter.origin, encryption: job.encryption, makesHash: true)
    if known == nil { audio.append((stream, writer)) }
    if let start = part.segmentStart { try writer.startSegment(number: start.number, at: start.presentation, in: &folder) }
    writer.write(part.bytes.span)
    try writing(writer.check())
  }

  private mutating func startSegment(_ start: SegmentStart, in folder: inout PresentationFolder) throws(StampingError) {
    let time = start.presentation - segmenter.origin
    let canStart = start.startsWithKeyFrame || !description.hasVideo
    guard canStart || start.number > 0 else { throw .noRandomAccess(at: time) }
    if track.open != nil, job.carriesEvents { try stamping(stamper.endSegment(at: time, into: &track)) }
    try track.startSegment(at: start.presentation, isIndependent: canStart && start.isClosed, in: &folder)
    stamper.startSegment()
  }

  mutating func finish() throws(StampingError) -> WrittenRendition {
    // If a PES packet has several audio frames, access units do not tell the end of the stream.
    let end = segmenter.end - segmenter.origin
    if let rest = splicer?.finish() { try stamping(stamper.push(rest.span, into: &track)) }
    var report = job.carriesEvents ? try stamping(stamper.finish(into: &track, endingAt: end)) : PacketStamper.Report()
    report.end = end
    if job.carriesEvents { try job.schedule.requireWithin(report.end, pending: stamper.pending) }
    try track.finish(at: segmenter.end)
    let summary = segmenter.summary.keeping(job.splices)
    var rendition = WrittenRendition(
      main: track.timeline, mainCodecs: description.codecs(besides: audio.map { $0.stream }), hasVideo: description.hasVideo,
      pictureSize: description.pictureSize, frameRate: description.frameRate,
      videoRange: description.videoRange, stamped: report, remuxed: summary)
    if !description.hasVideo, let stream = summary.copied.first { rendition.mainAudio = written(track, stream) }
    // Segments of the main track have the other streams, too.
    for (index, writer) in audio {
      try writer.finish(at: segmenter.end(of: index))
      guard let stream = summary.copied.first(where: { $0.index == index }) else { continue }
      rendition.audio.append(written(writer, stream))
    }
    return rendition
  }

  private func written(_ writer: TrackWriter, _ stream: MediaStream) -> WrittenRendition.Audio {
    WrittenRendition.Audio(
      track: writer.timeline, codecs: description.codecs(of: stream.index), stream: stream,
      channelCount: segmenter.codecParameters(of: stream.index)?.channelCount, hash: writer.hash.value)
  }
}

/// The description of a file's streams for a multivariant playlist.
private struct StreamDescription {
  /// The descriptions of the streams that are named in playlists, as far as they can be described, and the other streams.
  private var tracks: [(stream: Int, description: TrackDescription?)] = []
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  var hasVideo = false
  var videoRange: VideoRange?

  /// Derives the description from the initialization segments that the streams would have in fragmented MP4. No part may have been read yet.
  init(_ segmenter: borrowing TransportStreamSegmenter) throws(RemuxError) {
    let streams = segmenter.summary.copied
    let video = streams.first { $0.kind == .video }
    hasVideo = video != nil
    videoRange = VideoRange(transferCharacteristics: video.flatMap { segmenter.codecParameters(of: $0.index)?.transferCharacteristics })
    frameRate = video.flatMap { segmenter.codecParameters(of: $0.index)?.frameRate }
    for stream in streams {
      guard SegmentRemuxer.carriedCodecs.contains(stream.codecName) else {
        tracks.append((stream.index, nil))
        continue
      }
      guard stream.kind == .audio || stream.index == video?.index else { continue }
      let bytes = try segmenter.initializationSegment(of: stream.index)
      var description: TrackDescription?
      if let bytes { description = TrackDescription(initializationSegment: bytes.span) }
      tracks.append((stream.index, description))
    }
    pictureSize = tracks.compactMap { $0.description?.pictureSize }.first
  }

  /// The codecs of the main track; `nil` if one has no name, because an incomplete list would be wrong.
  func codecs(besides audio: [Int]) -> String? {
    let own = tracks.filter { !audio.contains($0.stream) }.map { $0.description }
    let known = own.compactMap { $0 }
    return known.count == own.count ? known.codecs : nil
  }

  /// The codec of a stream; `nil` if it has no name.
  func codecs(of stream: Int) -> String? { tracks.first { $0.stream == stream }?.description.flatMap { [$0].codecs } }
}

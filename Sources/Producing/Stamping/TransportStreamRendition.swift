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
  private var track: TrackWriter

  init(_ job: RenditionJob) throws(StampingError) {
    self.job = job
    let opened = try remuxing(
      job.input, TransportStreamSegmenter(job.open(), boundaries: job.boundaries, firstPresentation: job.firstPresentation))
    description = try remuxing(job.input, StreamDescription(opened))
    segmenter = opened
    stamper = SegmentStamper(job.schedule, job.carriages)
    track = TrackWriter(job.mainNames(.transportStream), origin: segmenter.origin)
  }

  mutating func writeNext(into folder: inout PresentationFolder) throws(StampingError) -> Bool {
    guard let part = try remuxing(job.input, segmenter.next()) else { return false }
    if let start = part.segmentStart { try startSegment(start, in: &folder) }
    try stamping(stamper.push(part.bytes.span, into: &track))
    try writing(track.check())
    job.progress(WorkProgress(bytes: track.byteCount, fraction: segmenter.fraction))
    return true
  }

  private mutating func startSegment(_ start: SegmentStart, in folder: inout PresentationFolder) throws(StampingError) {
    let time = start.presentation - segmenter.origin
    let canStart = start.startsWithKeyFrame || !description.hasVideo
    guard canStart || start.number > 0 else { throw .noRandomAccess(at: time) }
    if track.open != nil { try stamping(stamper.endSegment(at: time, into: &track)) }
    try track.startSegment(at: start.presentation, isIndependent: canStart && start.isClosed, in: &folder)
    stamper.startSegment()
  }

  mutating func finish() throws(StampingError) -> WrittenRendition {
    // If a PES packet has several audio frames, access units do not tell the end of the stream.
    let end = segmenter.end - segmenter.origin
    var report = try stamping(stamper.finish(into: &track, endingAt: end))
    report.end = end
    try job.schedule.requireWithin(report.end, pending: stamper.pending)
    try track.finish(at: segmenter.end)
    return WrittenRendition(
      main: track.timeline, mainCodecs: description.codecs, codecs: description.codecs, pictureSize: description.pictureSize,
      frameRate: description.frameRate, stamped: report, remuxed: segmenter.summary)
  }
}

/// The description of a file's streams for a multivariant playlist.
private struct StreamDescription {
  var codecs: String?
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  var hasVideo = false

  /// Derives the description from the initialization segments that the streams would have in fragmented MP4. No part may have been read yet.
  init(_ segmenter: borrowing TransportStreamSegmenter) throws(RemuxError) {
    let streams = segmenter.summary.copied
    let video = streams.first { $0.kind == .video }
    hasVideo = video != nil
    frameRate = video.flatMap { segmenter.codecParameters(of: $0.index)?.frameRate }
    guard streams.allSatisfy({ SegmentRemuxer.carriedCodecs.contains($0.codecName) }) else { return }
    var tracks: [TrackDescription] = []
    let described = streams.filter { $0.kind == .audio || $0.index == video?.index }
    for stream in described {
      guard let bytes = try segmenter.initializationSegment(of: stream.index) else { continue }
      tracks.append(TrackDescription(initializationSegment: bytes.span))
    }
    // An incomplete list of codecs would be wrong.
    codecs = tracks.count == described.count ? tracks.codecs : nil
    pictureSize = tracks.compactMap { $0.pictureSize }.first
  }
}

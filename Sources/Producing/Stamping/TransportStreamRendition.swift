import Files
import Basics
import CMAF
import EventSchedule
import LibAV
import PacketStamping

extension RenditionJob {
  /// Writes transport stream segments of picture, sound and events.
  func writeTransportStream(into folder: inout PresentationFolder) throws(StampingError) -> WrittenRendition {
    var segmenter = try remuxing(input) { () throws(RemuxError) in
      try TransportStreamSegmenter(open(), cuts: cuts, firstPresentation: firstPresentation)
    }
    let description = try remuxing(input) { () throws(RemuxError) in try StreamDescription(segmenter) }
    var segments = SegmentWriter(mainNames(.transportStream), SegmentStamper(schedule))
    while let part = try remuxing(input, { () throws(RemuxError) in try segmenter.next() }) {
      if let start = part.segmentStart {
        guard start.isClosed, start.startsWithKeyFrame || !description.hasVideo else {
          throw .openCut(at: start.presentation - segmenter.zero)
        }
        try segments.startSegment(at: start.presentation, zero: segmenter.zero, in: &folder)
      }
      try segments.push(part.bytes.span)
      progress(segments.byteCount)
    }
    var report = try segments.finish()
    // Packets of several frames of sound let the stamper think that the last one lasts longer than it does.
    report.end = segmenter.end - segmenter.zero
    if let last = schedule.events.last, last.time >= report.end { throw .eventsAfterTheEnd(of: report.end) }
    var track = segments.track
    (track.zero, track.end) = (segmenter.zero, segmenter.end)
    return WrittenRendition(
      main: track, codecs: description.codecs, pictureSize: description.pictureSize, frameRate: description.frameRate, stamped: report,
      remuxed: segmenter.summary)
  }
}

/// Writes stamped transport stream segments.
private struct SegmentWriter: ~Copyable {
  private(set) var track: WrittenTrack
  /// How many bytes were written.
  private(set) var byteCount = 0
  private let names: TrackNames
  private var stamper: SegmentStamper
  private var sink: FileSink?
  private var failure: FileSinkError?

  init(_ names: TrackNames, _ stamper: SegmentStamper) {
    self.names = names
    self.stamper = stamper
    track = WrittenTrack(playlist: names.playlist)
  }

  mutating func startSegment(at start: MediaTime, zero: MediaTime, in folder: inout PresentationFolder) throws(StampingError) {
    if sink != nil {
      try stamping { (stamper, emit) throws(PacketStampingError) in try stamper.endSegment(at: start - zero, emit: emit) }
    }
    try endSegment()
    let name = names.segment(track.segments.count)
    sink = try folder.makeFile(name)
    track.segments.append(WrittenTrack.Segment(name: name, number: track.segments.count, start: start))
    stamper.startSegment()
  }

  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    try stamping { (stamper, emit) throws(PacketStampingError) in try stamper.push(bytes, emit: emit) }
  }

  /// Ends the last segment. The programme must not end before the last events.
  mutating func finish() throws(StampingError) -> PacketStamper.Report {
    let report = try stamping { (stamper, emit) throws(PacketStampingError) in try stamper.finish(emit: emit) }
    guard stamper.unplaced.isEmpty else { throw .eventsAfterTheEnd(of: report.end) }
    try endSegment()
    return report
  }

  private mutating func endSegment() throws(StampingError) {
    guard let open = sink.take() else { return }
    do throws(FileSinkError) { try open.commit() } catch { throw .output(error) }
  }

  private mutating func stamping<Value>(
    _ body: (inout SegmentStamper, (Span<UInt8>) -> Void) throws(PacketStampingError) -> Value
  ) throws(StampingError) -> Value {
    let value: Value
    var count = 0
    do throws(PacketStampingError) {
      value = try body(&stamper) { bytes in
        count += bytes.count
        guard failure == nil else { return }
        do throws(FileSinkError) { try sink?.write(bytes) } catch { failure = error }
      }
    } catch {
      throw .packets(error)
    }
    byteCount += count
    if !track.segments.isEmpty { track.segments[track.segments.count - 1].byteCount += count }
    if let failure { throw .output(failure) }
    return value
  }
}

/// What a multivariant playlist says of a file's streams.
private struct StreamDescription {
  var codecs: String?
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  var hasVideo = false

  /// Asks for the headers that the streams would have in fragmented MP4, which say all of it. No part may have been taken yet.
  init(_ segmenter: borrowing TransportStreamSegmenter) throws(RemuxError) {
    let streams = segmenter.summary.copied
    let video = streams.first { $0.kind == .video }
    hasVideo = video != nil
    frameRate = video.flatMap { segmenter.codecParameters(of: $0.index)?.frameRate }
    guard streams.allSatisfy({ SegmentRemuxer.carriedCodecs.contains($0.codecName) }) else { return }
    var tracks: [TrackDescription] = []
    for stream in streams where stream.kind == .audio || stream.index == video?.index {
      guard let bytes = try segmenter.initialisation(of: stream.index) else { continue }
      tracks.append(TrackDescription(initialisation: bytes.span))
    }
    codecs = tracks.codecs
    pictureSize = tracks.compactMap { $0.pictureSize }.first
  }
}

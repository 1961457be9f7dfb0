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
    if let last = schedule.pending.last, last.time >= report.end { throw .eventsAfterTheEnd(of: report.end) }
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
  private let names: TrackNames
  private var stamper: SegmentStamper
  private var segment = SegmentFile()
  private var isOpen = false

  init(_ names: TrackNames, _ stamper: SegmentStamper) {
    self.names = names
    self.stamper = stamper
    track = WrittenTrack(playlist: names.playlist)
  }

  /// How many bytes were written.
  var byteCount: Int { track.segments.reduce(segment.byteCount) { $0 + $1.byteCount } }

  mutating func startSegment(at start: MediaTime, zero: MediaTime, in folder: inout PresentationFolder) throws(StampingError) {
    if isOpen {
      do throws(PacketStampingError) { try stamper.endSegment(at: start - zero, into: &segment) } catch { throw .packets(error) }
    }
    try endSegment()
    let name = names.segment(track.segments.count)
    segment = SegmentFile(try folder.makeFile(name))
    isOpen = true
    track.segments.append(WrittenTrack.Segment(name: name, number: track.segments.count, start: start))
    stamper.startSegment()
  }

  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    do throws(PacketStampingError) { try stamper.push(bytes, into: &segment) } catch { throw .packets(error) }
    do throws(FileSinkError) { try segment.check() } catch { throw .output(error) }
  }

  /// Ends the last segment. The programme must not end before the last events.
  mutating func finish() throws(StampingError) -> PacketStamper.Report {
    let report: PacketStamper.Report
    do throws(PacketStampingError) { report = try stamper.finish(into: &segment) } catch { throw .packets(error) }
    guard stamper.pending.isEmpty else { throw .eventsAfterTheEnd(of: report.end) }
    try endSegment()
    return report
  }

  private mutating func endSegment() throws(StampingError) {
    guard isOpen else { return }
    track.segments[track.segments.count - 1].byteCount = segment.byteCount
    isOpen = false
    do throws(FileSinkError) { try segment.commit() } catch { throw .output(error) }
  }
}

/// The file of a segment; without one, bytes are counted only.
private struct SegmentFile: ByteSink, ~Copyable {
  private var file: FileSink?
  private(set) var byteCount = 0

  init() { file = nil }

  init(_ file: consuming FileSink) { self.file = consume file }

  mutating func write(_ bytes: Span<UInt8>) {
    byteCount += bytes.count
    file?.write(bytes)
  }

  func check() throws(FileSinkError) { try file?.check() }

  /// Gives the file its name, if there is one.
  mutating func commit() throws(FileSinkError) {
    byteCount = 0
    guard let file = file.take() else { return }
    try file.commit()
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

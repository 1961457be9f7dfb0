import Files
import Basics
import CMAF
import EventSchedule
import GameEvents
import LibAV
import PacketStamping

extension RenditionJob {
  /// Writes segments of fragmented MP4, a track a stream, with the events in front of the main track's fragments.
  func writeFragments(into folder: inout PresentationFolder) throws(StampingError) -> WrittenRendition {
    var remuxer = try remuxing(input) { () throws(RemuxError) in
      try SegmentRemuxer(open(), cuts: cuts, firstPresentation: firstPresentation)
    }
    var tracks = FragmentTracks(main: remuxer.cuttingStream, EventMessages(schedule, zero: remuxer.zero))
    while let piece = try remuxing(input, { () throws(RemuxError) in try remuxer.next() }) {
      switch consume piece {
      case .initialisation(let stream, let bytes):
        let names = stream == remuxer.cuttingStream.index ? mainNames(.fragmentedMP4) : soundNames(number: tracks.sounds.count + 1)
        try tracks.start(stream, names, bytes.span, in: &folder)
      case .fragment(let fragment):
        try tracks.write(fragment, in: &folder)
        progress(tracks.byteCount)
      }
    }
    try tracks.finish()
    let end = remuxer.end - remuxer.zero
    guard tracks.messages.pending.isEmpty else { throw .eventsAfterTheEnd(of: end) }
    guard let main = tracks.all.first(where: { $0.stream == tracks.main.index }) else { throw .remuxing(path: input, .noVideoOrAudio) }
    var report = tracks.messages.report
    report.end = end
    let summary = remuxer.summary
    var rendition = WrittenRendition(
      main: main.written, codecs: ([main] + tracks.sounds).map { $0.description }.codecs, pictureSize: main.description.pictureSize,
      frameRate: remuxer.codecParameters(of: main.stream)?.frameRate, stamped: report, remuxed: summary)
    for sound in tracks.sounds {
      guard let stream = summary.copied.first(where: { $0.index == sound.stream }) else { continue }
      rendition.sounds.append((sound.written, stream, remuxer.codecParameters(of: stream.index)?.channelCount))
    }
    return rendition
  }

  private func soundNames(number: Int) -> TrackNames {
    TrackNames(presentation: presentation, rendition: self.number, .sound, number: number, type: .fragmentedMP4)
  }
}

/// The tracks of an input, as far as they are written.
private struct FragmentTracks {
  /// The stream that the events ride with.
  let main: MediaStream
  private(set) var messages: EventMessages
  private(set) var all: [FragmentTrack] = []
  /// How many bytes were written.
  private(set) var byteCount = 0

  init(main: MediaStream, _ messages: EventMessages) {
    self.main = main
    self.messages = messages
  }

  /// The tracks besides the main one.
  var sounds: [FragmentTrack] { all.filter { $0.stream != main.index } }

  mutating func start(
    _ stream: Int, _ names: TrackNames, _ initialisation: Span<UInt8>, in folder: inout PresentationFolder
  ) throws(StampingError) {
    all.append(try FragmentTrack(stream, names, initialisation, carriesEvents: stream == main.index, in: &folder))
  }

  mutating func write(_ fragment: borrowing LibAV.Fragment, in folder: inout PresentationFolder) throws(StampingError) {
    let (stream, times) = (fragment.stream, fragment.times)
    guard let track = all.first(where: { $0.stream == stream }) else { return }
    let startsSegment = track.segment != times.segment
    if startsSegment {
      guard stream != main.index || main.kind != .video || (times.isClosed && times.startsWithKeyFrame) else {
        throw .openCut(at: times.earliestPresentation - messages.zero)
      }
      try track.startSegment(times, in: &folder)
    }
    if stream == main.index {
      let boxes = try messages.boxes(before: times, startsSegment: startsSegment)
      try track.write(boxes.span)
    }
    try track.write(fragment.bytes.span)
    track.written.end = times.earliestPresentation + times.duration
    byteCount += fragment.bytes.count
  }

  func finish() throws(StampingError) {
    for track in all { try track.finish(zero: messages.zero) }
  }
}

/// The event messages in front of a track's fragments.
private struct EventMessages {
  private var schedule: FragmentSchedule
  /// When the programme's zero is presented, on the stream's timeline.
  let zero: MediaTime
  private(set) var report = PacketStamper.Report()

  init(_ schedule: EventSchedule, zero: MediaTime) {
    self.schedule = FragmentSchedule(schedule)
    self.zero = zero
  }

  var pending: ArraySlice<PlannedEvent> { schedule.pending }

  /// The boxes of what a fragment presents.
  mutating func boxes(before times: FragmentTimes, startsSegment: Bool) throws(StampingError) -> [UInt8] {
    let start = times.earliestPresentation - zero
    var boxes: [UInt8] = []
    do throws(EventError) {
      for timed in try schedule.copies(from: start, to: start + times.duration, startsSegment: startsSegment) {
        boxes += try EventMessageBox(timed, zero: zero).encodedEvent()
        report.copies += 1
        if timed.copy.copy == 1 { report.events += 1 }
      }
    } catch {
      throw .event(error)
    }
    return boxes
  }
}

extension EventMessageBox {
  /// A copy as an event message. Copies of one event have one id, by which players take them for repeats of one another.
  fileprivate init(_ timed: EventSchedule.TimedCopy, zero: MediaTime) {
    self.init(
      schemeID: Self.id3Scheme, time: .absolute(UInt64(clamping: (zero + timed.time).ticks)),
      id: CRC32MPEG2.checksum(timed.copy.event.guid.text), messageData: timed.tag)
  }

  fileprivate func encodedEvent() throws(EventError) -> [UInt8] {
    do throws(ParseError) { return try encoded() } catch { throw .tag(error) }
  }
}

/// Writes the segments of one track.
///
/// A class only because arrays cannot hold what has a single owner.
private final class FragmentTrack {
  let stream: Int
  let description: TrackDescription
  /// The number of the segment that is being written.
  private(set) var segment: Int?
  var written: WrittenTrack
  private let names: TrackNames
  private var sink: FileSink?

  /// The boxes in front of everything else of a segment: `styp`, with the brands of CMAF segments and their fragments (ISO/IEC 23000-19, 7.2).
  private static let segmentType = FileTypeBox(
    type: .styp, majorBrand: BoxType("cmfs"), compatibleBrands: [BoxType("cmfs"), BoxType("cmff")])

  /// Writes the initialisation section.
  init(
    _ stream: Int, _ names: TrackNames, _ initialisation: Span<UInt8>, carriesEvents: Bool, in folder: inout PresentationFolder
  ) throws(StampingError) {
    self.stream = stream
    self.names = names
    description = TrackDescription(initialisation: initialisation)
    written = WrittenTrack(playlist: names.playlist, map: names.map)
    // A track with ID3 event messages should say so (AOMedia, "Carriage of ID3 Timed Metadata in CMAF").
    let bytes = try making { () throws(ParseError) in
      carriesEvents ? try FileTypeBox.adding(.aid3, to: initialisation) : [UInt8](copying: initialisation)
    }
    try folder.write(names.map, bytes.span)
  }

  func startSegment(_ times: FragmentTimes, in folder: inout PresentationFolder) throws(StampingError) {
    try endSegment()
    let name = names.segment(written.segments.count)
    sink = try folder.makeFile(name)
    segment = times.segment
    written.segments.append(WrittenTrack.Segment(name: name, number: times.segment, start: times.earliestPresentation))
    let segmentType = try making { () throws(ParseError) in try Self.segmentType.encoded() }
    try write(segmentType.span)
  }

  func write(_ bytes: Span<UInt8>) throws(StampingError) {
    sink?.write(bytes)
    do throws(FileSinkError) { try sink?.check() } catch { throw .output(error) }
    written.segments[written.segments.count - 1].byteCount += bytes.count
  }

  /// Ends the last segment.
  func finish(zero: MediaTime) throws(StampingError) {
    try endSegment()
    written.zero = zero
  }

  private func endSegment() throws(StampingError) {
    guard let open = sink.take() else { return }
    do throws(FileSinkError) { try open.commit() } catch { throw .output(error) }
  }
}

/// What `body` gives, with errors of boxes as those of stamping.
private func making(_ body: () throws(ParseError) -> [UInt8]) throws(StampingError) -> [UInt8] {
  do throws(ParseError) { return try body() } catch { throw .box(error) }
}

public import Basics
import CMAF
public import EventSchedule
import Files
import GameEvents
import LibAV
public import PacketStamping

/// Makes one fragmented MP4 file with events out of a file: an initialization section, and fragments with event messages in front of those of the
/// video (ISO/IEC 14496-12, 8.8; ISO/IEC 23009-1, 5.10.3.3).
///
/// Video and audio are copied, each as a track. The output appears under its name only when it is complete.
public struct FragmentedFileStamper: Sendable {
  /// The file to read. It is read twice.
  public var input: String
  /// The file to write.
  public var output: String
  /// Whether an existing output is replaced.
  public var overwrite = false
  /// Whether the input may have events, which are then left out. Otherwise such an input is refused.
  public var replacesEvents = false
  /// The shortest duration of a fragment. A fragment of video starts at a key frame.
  public var fragmentDuration = MediaTime(seconds: 2)
  /// The carriages of each tag besides event messages.
  public var carriages: AddedCarriages = []
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }

  /// When the first frame is presented: frames that are decoded earlier must not have negative times.
  private static let firstPresentation = MediaTime(seconds: 1)

  /// A stamper from one file to another.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work.
  ///
  /// - Parameter schedule: The events for the file.
  /// - Throws: ``StampingError``; then there is no output.
  public func stamp(_ schedule: EventSchedule) throws(StampingError) -> Stamper.Summary {
    guard input != "-" else { throw .fileFromStandardInput }
    // libavformat does not distinguish a missing file from one that is not video.
    _ = try reading(FileInput(path: input).size)
    let schedule = schedule.adding(try EventScan.check(input, isReplacing: replacesEvents, isInterrupted))
    let splices = try InputSplices.read(input, isInterrupted)
    let sections = try initializationSegments()
    var file = try FragmentedFile(self, schedule, splices, sections)
    while try file.writeNext() {}
    return try file.finish(schedule)
  }

  /// The initialization segment of each track, which the file needs before the first fragment.
  private func initializationSegments() throws(StampingError) -> [(stream: Int, bytes: [UInt8])] {
    let count = try remuxing(input, SegmentRemuxer.carriedStreams(of: openMedia(input, isInterrupted))).count
    var remuxer = try remuxer()
    var sections: [(stream: Int, bytes: [UInt8])] = []
    while sections.count < count, let piece = try remuxing(input, remuxer.next()) {
      switch consume piece {
      case .initializationSegment(let stream, let bytes): sections.append((stream, [UInt8](copying: bytes.span)))
      case .fragment: break
      }
    }
    return sections
  }

  fileprivate func remuxer() throws(StampingError) -> SegmentRemuxer {
    try remuxing(
      input,
      SegmentRemuxer(
        openMedia(input, isInterrupted), boundaries: .every(fragmentDuration), firstPresentation: Self.firstPresentation))
  }
}

/// Writes the fragments of all tracks into one file.
private struct FragmentedFile: ~Copyable {
  private let stamper: FragmentedFileStamper
  private let streams: [Int]
  private var remuxer: SegmentRemuxer
  private var messages: EventMessages
  private let splices: InputSplices
  private var sink: CheckedSink
  private var origin: MediaTime
  private var hasOrigin = false
  private var sequence: UInt32 = 0
  private var byteCount = 0
  private var segment: Int?

  init(
    _ stamper: FragmentedFileStamper, _ schedule: EventSchedule, _ splices: InputSplices, _ sections: [(stream: Int, bytes: [UInt8])]
  ) throws(StampingError) {
    let remuxer = try stamper.remuxer()
    let main = remuxer.leadingStream.index
    // The track that carries the events comes first.
    let ordered = sections.filter { $0.stream == main } + sections.filter { $0.stream != main }
    let start = remuxer.origin
    var messages = EventMessages(FragmentSchedule(schedule), splices: splices, origin: start)
    guard let first = ordered.first else { throw .remuxing(path: stamper.input, .noVideoOrAudio) }
    var whole: [[UInt8]] = []
    for (index, section) in ordered.enumerated() {
      let span = section.bytes.span
      let announced = index == 0 ? try making(EventMessages.announced(in: span)) : section.bytes
      guard let matrix = remuxer.codecParameters(of: section.stream)?.displayMatrix.flatMap(TrackMatrix.init) else {
        whole.append(announced)
        continue
      }
      let plain = announced.span
      whole.append(try making(matrix.setting(in: plain)))
    }
    if stamper.carriages.contains(.messages) {
      let span = first.bytes.span
      try messages.writeIntoSamples(describedBy: span)
    }
    let movie = try making(MovieMerger.merged(whole))
    var sink = CheckedSink(try writing(FileSink(path: stamper.output, overwrite: stamper.overwrite)), expecting: schedule)
    sink.write(movie.span)
    self.stamper = stamper
    streams = ordered.map(\.stream)
    self.remuxer = remuxer
    self.messages = messages
    self.splices = splices
    self.sink = sink
    origin = start
  }

  /// Writes the next fragment. Returns `false` at the end of the input.
  mutating func writeNext() throws(StampingError) -> Bool {
    guard let piece = try remuxing(stamper.input, remuxer.next()) else { return false }
    switch consume piece {
    case .initializationSegment: break
    case .fragment(let fragment): try write(fragment)
    }
    return true
  }

  private mutating func write(_ fragment: borrowing MuxedFragment) throws(StampingError) {
    let times = fragment.times
    guard let index = streams.firstIndex(of: fragment.stream) else { return }
    let isMain = index == 0
    var changed: [UInt8]?
    if isMain {
      let main = remuxer.leadingStream
      if !hasOrigin {
        hasOrigin = true
        guard main.kind != .video || times.startsWithKeyFrame else { throw .noRandomAccess(at: times.earliestPresentation - origin) }
        origin = times.earliestPresentation
        messages.origin = origin
      }
      let stamped = try messages.stamped(fragment.bytes.span, times, startsSegment: segment != times.segment)
      segment = times.segment
      sink.write(stamped.boxes.span)
      changed = stamped.fragment
    }
    sequence &+= 1
    let bytes = changed ?? [UInt8](copying: fragment.bytes.span)
    let span = bytes.span
    let numbered = try making(MovieMerger.renumbered(span, track: UInt32(index + 1), sequence: sequence))
    sink.write(numbered.span)
    try sink.file.passOn()
    byteCount += numbered.count
    stamper.progress(WorkProgress(bytes: byteCount, fraction: remuxer.fraction))
  }

  /// Gives the file its name.
  ///
  /// - Throws: `eventsAfterTheEnd` if the programme ends before the last event, `unreadable` if an event cannot be read in what was written.
  consuming func finish(_ schedule: EventSchedule) throws(StampingError) -> Stamper.Summary {
    var report = messages.report
    report.end = remuxer.end - origin
    try schedule.requireWithin(report.end, pending: messages.pending)
    let summary = remuxer.summary.keeping(splices)
    try sink.requireEvents()
    try sink.complete()
    return Stamper.Summary(stamped: report, remuxed: summary)
  }
}

package import Basics
import CMAF
package import EventSchedule
package import GameEvents
import LibAV
import PacketStamping

/// The event messages before a track's fragments.
struct EventMessages: Sendable {
  private var schedule: FragmentSchedule
  /// When the timeline origin is presented, on the stream's timeline.
  var origin: MediaTime
  private(set) var report = PacketStamper.Report()
  /// Puts tags into the samples as well; `nil` if they do not go there.
  private var tagWriter: FragmentTagWriter?

  /// The sections of the input.
  private var splices: SpliceMessages

  init(_ schedule: FragmentSchedule, splices: InputSplices = InputSplices(), origin: MediaTime) {
    (self.schedule, self.splices, self.origin) = (schedule, SpliceMessages(splices), origin)
  }

  var pending: ArraySlice<PlannedEvent> { schedule.pending }

  /// Writes tags into the samples of a track as well.
  ///
  /// - Throws: `samplesWithoutMessages` if its samples are neither H.264 nor HEVC.
  mutating func writeIntoSamples(describedBy initializationSegment: Span<UInt8>) throws(StampingError) {
    var reader = FragmentReader()
    _ = reader.push(initializationSegment)
    let movie = reader.movie
    tagWriter = movie.flatMap { FragmentTagWriter($0) }
    guard tagWriter != nil else { throw .samplesWithoutMessages(codec: movie?.codecs.first) }
  }

  /// Returns the boxes of the copies whose times the fragment presents, and the fragment with the copies in its samples; `nil` if it is unchanged.
  mutating func stamped(
    _ fragment: Span<UInt8>, _ times: FragmentTimes, startsSegment: Bool
  ) throws(StampingError) -> (boxes: [UInt8], fragment: [UInt8]?) {
    let start = times.earliestPresentation - origin
    let copies: [EventSchedule.TimedCopy]
    var boxes: [UInt8] = []
    do throws(EventError) {
      copies = try schedule.copies(from: start, to: start + times.duration, startsSegment: startsSegment)
      for copy in copies { boxes += try EventMessageBox(copy, origin: origin).encodedEvent() }
    } catch { throw .event(error) }
    boxes += try making(splices.boxes(before: start..<start + max(times.duration, .zero), origin: origin))
    report.count(copies)
    guard let tagWriter, !copies.isEmpty else { return (boxes, nil) }
    let tags = copies.map { FragmentTagWriter.Tag(time: origin + $0.time, bytes: $0.tag) }
    do throws(ParseError) {
      let (written, inserted) = try tagWriter.inserting(tags, into: fragment)
      report.messages += inserted
      return (boxes, written)
    } catch { throw .box(error) }
  }

  /// The initialization segment of a track with ID3 event messages, which should announce them (AOMedia, "Carriage of ID3 Timed Metadata in CMAF").
  ///
  /// - Throws: `ParseError` if it does not begin with a file type box.
  static func announced(in initializationSegment: Span<UInt8>) throws(ParseError) -> [UInt8] {
    try FileTypeBox.adding(.aid3, to: initializationSegment)
  }
}

extension EventMessageBox {
  /// The box of a copy that a schedule of access units has placed. In fragments an event has one copy, and refreshes in later segments.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  /// - Throws: What ``EventCopy/encodedTag()`` throws.
  package static func bytes(of timed: EventSchedule.TimedCopy, origin: MediaTime) throws(EventError) -> [UInt8] {
    var timed = timed
    if timed.copy.copies > 1, !timed.isForeign {
      timed.copy.copy = timed.copy.copy == 1 ? 1 : max(2, timed.copy.copy - timed.copy.copies + 1)
      timed.copy.copies = 1
      timed.tag = try timed.copy.encodedTag()
    }
    return try EventMessageBox(timed, origin: origin).encodedEvent()
  }

  /// A copy as an event message. All copies of an event share an id, so that players recognize repetitions.
  fileprivate init(_ timed: EventSchedule.TimedCopy, origin: MediaTime) {
    self.init(
      schemeID: Self.id3Scheme, time: .absolute(UInt64(clamping: (origin + timed.time).ticks)),
      id: timed.messageID ?? CRC32MPEG2.checksum(timed.copy.event.guid.text), messageData: timed.tag)
  }

  fileprivate func encodedEvent() throws(EventError) -> [UInt8] {
    do throws(ParseError) { return try encoded() } catch { throw .tag(error) }
  }
}

/// The first box of a segment: `styp`, with the brands of CMAF segments and their fragments (ISO/IEC 23000-19, 7.2).
package enum SegmentTypeBox {
  private static let box = FileTypeBox(type: .styp, majorBrand: BoxType("cmfs"), compatibleBrands: [BoxType("cmfs"), BoxType("cmff")])

  /// - Throws: `ParseError`, which cannot happen for this box.
  package static func bytes() throws(ParseError) -> [UInt8] { try box.encoded() }
}

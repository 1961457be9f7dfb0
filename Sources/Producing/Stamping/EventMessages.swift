package import Basics
import CMAF
package import EventSchedule
package import GameEvents
package import LibAV
package import PacketStamping

/// The event messages in front of a track's fragments.
package struct EventMessages: Sendable {
  private var schedule: FragmentSchedule
  /// When the timeline origin is presented, on the stream's timeline.
  private let origin: MediaTime
  package private(set) var report = PacketStamper.Report()

  package init(_ schedule: FragmentSchedule, origin: MediaTime) { (self.schedule, self.origin) = (schedule, origin) }

  package var pending: ArraySlice<PlannedEvent> { schedule.pending }

  /// Inserts an event that arrives while the stream is made. One that is later than it should be takes the next place that there is.
  package mutating func insert(_ event: PlannedEvent) {
    do throws(ScheduleError) {
      try schedule.insert(event)
    } catch {
      guard case .tooLate(let latest) = error else { return }
      var event = event
      event.event.at = latest + MediaTime(ticks: 1)
      try? schedule.insert(event)
    }
  }

  /// The boxes of the copies that a fragment's presentation covers.
  ///
  /// - Throws: what ``EventCopy/encodedTag()`` throws.
  package mutating func boxes(before times: FragmentTimes, startsSegment: Bool) throws(EventError) -> [UInt8] {
    let start = times.earliestPresentation - origin
    var boxes: [UInt8] = []
    for timed in try schedule.copies(from: start, to: start + times.duration, startsSegment: startsSegment) {
      boxes += try EventMessageBox(timed, origin: origin).encodedEvent()
      report.copies += 1
      if timed.copy.copy == 1 { report.events += 1 }
    }
    return boxes
  }

  /// The initialization segment of a track with ID3 event messages, which should say so (AOMedia, "Carriage of ID3 Timed Metadata in CMAF").
  ///
  /// - Throws: `ParseError` where it does not begin with a file type box.
  package static func announced(in initializationSegment: Span<UInt8>) throws(ParseError) -> [UInt8] {
    try FileTypeBox.adding(.aid3, to: initializationSegment)
  }
}

extension EventMessageBox {
  /// A copy as an event message. Copies of one event have one id, by which players recognize them as repetitions.
  fileprivate init(_ timed: EventSchedule.TimedCopy, origin: MediaTime) {
    self.init(
      schemeID: Self.id3Scheme, time: .absolute(UInt64(clamping: (origin + timed.time).ticks)),
      id: CRC32MPEG2.checksum(timed.copy.event.guid.text), messageData: timed.tag)
  }

  fileprivate func encodedEvent() throws(EventError) -> [UInt8] {
    do throws(ParseError) { return try encoded() } catch { throw .tag(error) }
  }
}

/// The first box of a segment: `styp`, with the brands of CMAF segments and their fragments (ISO/IEC 23000-19, 7.2).
package enum SegmentTypeBox {
  private static let box = FileTypeBox(type: .styp, majorBrand: BoxType("cmfs"), compatibleBrands: [BoxType("cmfs"), BoxType("cmff")])

  /// - Throws: `ParseError`; the box of ours gives no reason for it.
  package static func bytes() throws(ParseError) -> [UInt8] { try box.encoded() }
}

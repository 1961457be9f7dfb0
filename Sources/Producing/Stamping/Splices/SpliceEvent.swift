package import Basics
import CMAF
package import DASH
import SCTE35

/// A section of SCTE 35 as an event: of event messages (SCTE 214-3), and of an MPD (SCTE 214-1).
struct SpliceEvent: Equatable, Sendable {
  /// When it takes effect, on the programme's timeline.
  var time: MediaTime
  /// How long the break lasts that it announces; `nil` if it says none.
  var duration: MediaTime?
  /// Identifies the event: the same section at the same time is one, however often it is sent.
  var id: UInt32
  /// The section as it is in the stream that is written.
  var section: [UInt8]

  /// An event for a section; `nil` for heartbeats and reservations of bandwidth, which say nothing of the programme.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the section in the input.
  ///   - written: The bytes in the stream that is written.
  init?(_ section: SpliceSection, _ bytes: [UInt8], written: [UInt8], at time: MediaTime) {
    switch section.command {
    case .null, .bandwidthReservation: return nil
    case .schedule, .insert, .timeSignal, .privateCommand, .unknown, .encrypted: break
    }
    self.init(bytes, written: written, at: time)
    duration = section.breakCues.first { $0.isOut }?.duration.map { MediaTime(ticks: Int64(clamping: $0)) }
  }

  private init(_ bytes: [UInt8], written: [UInt8], at time: MediaTime) {
    var key = ByteWriter()
    key.write(bytes)
    key.writeInteger(UInt64(bitPattern: time.ticks), byteCount: 8)
    (self.time, id, section) = (time, CRC32MPEG2.checksum(key.bytes.span), written)
  }

  /// The event message.
  ///
  /// - Parameter origin: When the timeline origin is presented, on the stream's timeline.
  func box(origin: MediaTime) throws(ParseError) -> [UInt8] {
    let message = EventMessageBox(
      schemeID: EventMessageBox.spliceScheme, time: .absolute(UInt64(clamping: (origin + time).ticks)),
      eventDuration: duration.map { UInt32(clamping: $0.ticks) } ?? EventMessageBox.unknownDuration, id: id, messageData: section)
    return try message.encoded()
  }

  /// The event of an MPD whose period begins with the programme.
  var listed: EventStream.Event { EventStream.Event(time: time, duration: duration, id: id, .splice(section)) }
}

/// Makes event messages of the sections of a live stream.
package struct LiveSpliceMessages: Sendable {
  /// The ids of the latest events, by which repeats are recognized.
  private var known: [UInt32] = []
  private static let mostKnown = 64

  /// No sections.
  package init() {}

  /// The event message of a section; `nil` if it needs none: it cannot be read, or repeats what has passed.
  ///
  /// - Parameters:
  ///   - place: Where it lies, on the programme's timeline.
  ///   - clock: What the clock of the input says there, in 33 bits.
  ///   - origin: When the timeline origin is presented, on the timeline of the segments.
  package mutating func box(_ bytes: [UInt8], at place: MediaTime, clock: UInt64, origin: MediaTime) -> [UInt8]? {
    guard let section = try? SpliceSection(bytes.span) else { return nil }
    let time = section.time.map { place + MediaTime(ticks: TimestampUnwrapper.distance(from: clock, to: $0)) } ?? place
    let ticks = TimestampUnwrapper.distance(from: clock, to: TimestampUnwrapper.timestamp(of: origin + place))
    let written = section.time == nil ? bytes : (try? SpliceSection.moving(bytes, by: ticks)) ?? bytes
    guard let event = SpliceEvent(section, bytes, written: written, at: time), !known.contains(event.id) || time >= place else {
      return nil
    }
    if !known.contains(event.id) { known = known.suffix(Self.mostKnown - 1) + [event.id] }
    return try? event.box(origin: origin)
  }
}

extension AdBreak {
  /// The break as events of an MPD: the section that announces it, and the one that ends it. Their ids are those of the event messages.
  package var listedEvents: [EventStream.Event] {
    func event(_ bytes: [UInt8], at time: MediaTime) -> EventStream.Event? {
      guard let section = try? SpliceSection(bytes.span) else { return nil }
      return SpliceEvent(section, bytes, written: bytes, at: time)?.listed
    }
    var events = [event(out, at: start)].compactMap { $0 }
    if let back, let end, let event = event(back, at: end) { events.append(event) }
    return events
  }
}

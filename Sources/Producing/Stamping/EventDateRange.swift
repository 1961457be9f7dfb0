import Basics
import EventSchedule
import GameEvents
import HLSPlaylist

extension DateRange {
  /// The CLASS of the date ranges of events.
  static let eventClass = "com.cuelight.event"

  /// An event as a date range (RFC 8216bis, 4.4.5.1): it starts when the event happens, and carries one copy of it.
  ///
  /// - Parameter zero: The date and time of the timeline origin.
  init(_ event: PlannedEvent, zero: PlaylistDate) {
    let guid = event.event.guid.text
    // An identifier that a quoted string cannot hold is replaced by one made of its event messages' id.
    let isQuotable = guid.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    self.init(
      id: isQuotable ? guid : "crc-\(String(CRC32MPEG2.checksum(guid), radix: 16))", rangeClass: Self.eventClass,
      startDate: zero.later(by: event.time),
      attributes: AttributeList([
        Attribute(Self.eventAttribute, .hexadecimal(Array(EventCopy(of: event.event, signature: event.signature).text.utf8)))
      ]))
  }
}

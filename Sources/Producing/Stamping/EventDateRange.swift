import Basics
package import EventSchedule
import GameEvents
package import HLSPlaylist

extension DateRange {
  /// The CLASS of the date ranges of events.
  package static let eventClass = "com.cuelight.event"

  /// An event as a date range (RFC 8216bis, 4.4.5.1): it starts when the event happens, and carries one copy of it.
  ///
  /// - Parameter zero: The date and time of the timeline origin.
  init(_ event: PlannedEvent, zero: PlaylistDate) { self.init(event, startDate: zero.later(by: event.time)) }

  /// An event as a date range that starts at a date.
  ///
  /// - Parameter duration: How long it lasts; `nil` if that is not stated.
  package init(_ event: PlannedEvent, startDate: PlaylistDate?, duration: PlaylistDecimal? = nil) {
    let guid = event.event.guid.text
    // An identifier that a quoted string cannot hold, or that is read as a reference to a variable, is replaced by one made of its event messages' id.
    let isQuotable = guid.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "{") && $0 != 0x7F }
    self.init(
      id: isQuotable ? guid : "crc-\(String(CRC32MPEG2.checksum(guid), radix: 16))", rangeClass: Self.eventClass, startDate: startDate,
      duration: duration,
      attributes: AttributeList([
        Attribute(Self.eventAttribute, .hexadecimal(Array(EventCopy(of: event.event, signature: event.signature).text.utf8)))
      ]))
  }
}

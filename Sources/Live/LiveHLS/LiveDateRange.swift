package import Basics
package import DASH
package import EventSchedule
import GameEvents
package import HLSPlaylist
import Stamping

/// A date range of a live presentation, with its place on the programme's timeline.
package struct LiveDateRange: Equatable, Sendable {
  /// The tag, complete as it is written. Its START-DATE has the dates of the playlist's segments.
  package var range: DateRange
  /// When it starts.
  package var start: MediaTime
  /// When it ends; `nil` if that is not known yet. Then it stays in the playlists.
  package var end: MediaTime?
  /// The same as events of an MPD, on the programme's timeline. Their ids are those of the event messages in the segments.
  package var events: [EventStream.Event]

  /// A date range from a time to another one.
  package init(_ range: DateRange, start: MediaTime, end: MediaTime?, events: [EventStream.Event] = []) {
    (self.range, self.start, self.end, self.events) = (range, start, end, events)
  }
}

extension LiveDateRange {
  /// How long an event lasts that is not active for a known time: as long as it is refreshed after it is over.
  package static let usualSpan = MediaTime(seconds: 8)

  /// An event that is in the stream: its tag is complete from the start, and never changes.
  ///
  /// - Parameter wallClock: The date of its time, in milliseconds since 1970.
  /// - Returns: `nil` for a tag that is no event of a game.
  package init?(_ event: PlannedEvent, wallClock: Int64) {
    guard event.tag == nil, let start = event.event.at else { return nil }
    let span = max(event.activeSpan ?? Self.usualSpan, MediaTime(ticks: MediaTime.ticksPerSecond / 1_000))
    let date = PlaylistDate(milliseconds: wallClock)
    self.init(DateRange(event, startDate: date, duration: PlaylistDecimal(span)), start: start, end: start + span)
    guard let tag = try? EventCopy(of: event.event, signature: event.signature).encodedTag() else { return }
    events = [EventStream.Event(time: start, id: event.messageID ?? CRC32MPEG2.checksum(event.event.guid.text), .message(tag))]
  }
}

extension PlannedEvent {
  /// How long the event is active if no other event ends it before; `nil` if that is not known.
  fileprivate var activeSpan: MediaTime? {
    if case .askQuestion(let question) = event.content { question.allottedTime } else { currentFor }
  }
}

extension DateRange {
  /// The range with what another tag of the same ID says too (RFC 8216bis, 4.4.5.1): a tag may add attributes, and changes or loses none.
  ///
  /// - Returns: `nil` if the other tag contradicts this one, so that clients would not accept it.
  package func adding(_ other: DateRange) -> DateRange? {
    var sum = self
    guard id.hasSameBytes(as: other.id), Self.add(other.rangeClass, to: &sum.rangeClass), Self.add(other.startDate, to: &sum.startDate),
      Self.add(other.endDate, to: &sum.endDate), Self.add(other.duration, to: &sum.duration),
      Self.add(other.plannedDuration, to: &sum.plannedDuration), Self.add(other.scte35Command, to: &sum.scte35Command),
      Self.add(other.scte35Out, to: &sum.scte35Out), Self.add(other.scte35In, to: &sum.scte35In)
    else { return nil }
    sum.endsOnNext = endsOnNext || other.endsOnNext
    for attribute in other.attributes.attributes {
      if let known = attributes[attribute.name] {
        guard known == attribute.value else { return nil }
      } else {
        sum.attributes.attributes.append(attribute)
      }
    }
    return sum
  }

  /// Takes a value that was not there; returns whether the values agree.
  private static func add<Value: Equatable>(_ new: Value?, to known: inout Value?) -> Bool {
    guard let new else { return true }
    guard let old = known else {
      known = new
      return true
    }
    return old == new
  }
}

package import Basics
package import HLSPlaylist

/// A date range of a live presentation, with its place on the programme's timeline.
package struct LiveDateRange: Equatable, Sendable {
  /// The tag, complete as it is written. Its START-DATE has the dates of the playlist's segments.
  package var range: DateRange
  /// When it starts.
  package var start: MediaTime
  /// When it ends; `nil` if that is not known yet. Then it stays in the playlists.
  package var end: MediaTime?

  /// A date range from a time to another one.
  package init(_ range: DateRange, start: MediaTime, end: MediaTime?) { (self.range, self.start, self.end) = (range, start, end) }
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

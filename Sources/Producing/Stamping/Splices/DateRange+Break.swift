import Basics
package import HLSPlaylist
package import SCTE35

extension DateRange {
  /// An ad break as a date range (RFC 8216bis, 4.4.5.1.1): it starts when the programme is left.
  ///
  /// - Parameters:
  ///   - id: The ID, which no other date range of the presentation has.
  ///   - startDate: The date of the start.
  package init(_ known: AdBreak, id: String, startDate: PlaylistDate) {
    self.init(id: id, startDate: startDate, plannedDuration: known.duration.map { PlaylistDecimal($0) }, scte35Out: known.out)
  }

  /// Says when the break has ended. What the date range said before stays: clients accept no other value.
  package mutating func end(_ known: AdBreak) {
    guard let end = known.end else { return }
    duration = PlaylistDecimal(end - known.start)
    scte35In = known.back
  }
}

extension TrackTimeline.Annotations {
  /// Adds the date ranges of breaks. One that has ended says so from the start: the playlist is complete.
  ///
  /// - Parameter zero: The date and time of the timeline origin.
  mutating func add(_ breaks: [AdBreak], zero: PlaylistDate) {
    for known in breaks {
      guard let date = zero.later(by: known.start) else { continue }
      var range = DateRange(known, id: known.name, startDate: date)
      range.end(known)
      dateRanges.append((known.start, range))
    }
    dateRanges.sort { $0.time < $1.time }
  }
}

package import Basics

/// A presentation that goes on, and the MPD of what players may load of it now (ISO/IEC 23009-1, 5.3.1, of the type `dynamic`).
///
/// Its timeline counts from 1970 on, so that it stays the same whatever process writes it.
package struct LiveMediaPresentation: Equatable, Sendable {
  /// A part of the presentation in which timestamps and coding go on (5.3.2).
  package struct Period: Equatable, Sendable {
    package var id: String
    /// When it starts, since 1970.
    package var start: MediaTime
    /// How long it lasts; `nil` where it lasts to the start of the next one, or goes on.
    package var duration: MediaTime?
    package var adaptationSets: [MediaPresentation.AdaptationSet]

    package init(id: String, start: MediaTime, duration: MediaTime? = nil, adaptationSets: [MediaPresentation.AdaptationSet]) {
      (self.id, self.start, self.duration, self.adaptationSets) = (id, start, duration, adaptationSets)
    }
  }

  package var periods: [Period]
  /// The date of this state as XML Schema writes it.
  package var publishTime: String
  /// How soon there may be something new; `nil` where nothing follows.
  package var updateInterval: MediaTime?
  /// When it ends, since 1970; `nil` where it goes on.
  package var end: MediaTime?
  /// For how long players may load what has come.
  package var timeShiftBuffer: MediaTime
  /// How much a player that has the stated bandwidths loads before it starts.
  package var minimumBuffer: MediaTime
  /// How far behind the newest segment players should play.
  package var delay: MediaTime
  /// The URI of a file with the time that it is (5.8.5.7, `http-iso`); `nil` where there is none.
  package var clock: String?

  package init(
    periods: [Period], publishTime: String, updateInterval: MediaTime?, end: MediaTime? = nil, timeShiftBuffer: MediaTime,
    minimumBuffer: MediaTime, delay: MediaTime, clock: String? = nil
  ) {
    (self.periods, self.publishTime, self.updateInterval, self.end) = (periods, publishTime, updateInterval, end)
    (self.timeShiftBuffer, self.minimumBuffer, self.delay, self.clock) = (timeShiftBuffer, minimumBuffer, delay, clock)
  }

  private static let clockScheme = "urn:mpeg:dash:utc:http-iso:2014"

  /// The MPD.
  package var text: String {
    var head = [
      ("xmlns", "urn:mpeg:dash:schema:mpd:2011"), ("profiles", "urn:mpeg:dash:profile:isoff-live:2011"), ("type", "dynamic"),
      ("availabilityStartTime", "1970-01-01T00:00:00Z"), ("publishTime", publishTime),
    ]
    if let updateInterval { head.append(("minimumUpdatePeriod", updateInterval.durationText)) }
    if let end { head.append(("mediaPresentationDuration", end.durationText)) }
    head += [
      ("minBufferTime", minimumBuffer.durationText), ("timeShiftBufferDepth", timeShiftBuffer.durationText),
      ("suggestedPresentationDelay", delay.durationText),
    ]
    var writer = XMLWriter()
    writer.element("MPD", head) { writer in
      for period in periods { period.write(to: &writer) }
      if let clock { writer.element("UTCTiming", [("schemeIdUri", Self.clockScheme), ("value", clock)]) }
    }
    return writer.text
  }
}

extension LiveMediaPresentation.Period {
  fileprivate func write(to writer: inout XMLWriter) {
    var attributes = [("id", id), ("start", start.durationText)]
    if let duration { attributes.append(("duration", duration.durationText)) }
    writer.element("Period", attributes) { writer in
      for (index, set) in adaptationSets.enumerated() { set.write(id: index + 1, to: &writer) }
    }
  }
}

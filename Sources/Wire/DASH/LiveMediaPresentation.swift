package import Basics

/// A live presentation, and the MPD of what players may load now (ISO/IEC 23009-1, 5.3.1): `dynamic` while it continues, `static` at its end.
///
/// Its timeline starts at the date of its first segment, and does not change at the end, so that players that are behind can continue.
package struct LiveMediaPresentation: Equatable, Sendable {
  /// A period: the timestamps and the coding continue within it (5.3.2).
  package struct Period: Equatable, Sendable {
    package var id: String
    /// When it starts, on the presentation's timeline.
    package var start: MediaTime
    /// How long it lasts; `nil` if it lasts to the start of the next one, or has not ended.
    package var duration: MediaTime?
    package var adaptationSets: [MediaPresentation.AdaptationSet]
    /// What happens in it, as far as it is known.
    package var eventStreams: [EventStream] = []

    package init(id: String, start: MediaTime, duration: MediaTime? = nil, adaptationSets: [MediaPresentation.AdaptationSet]) {
      (self.id, self.start, self.duration, self.adaptationSets) = (id, start, duration, adaptationSets)
    }
  }

  /// A source of the current time, with which players compare their clocks (5.8.5.7). Players use the first one that answers.
  package struct Clock: Equatable, Sendable {
    package var scheme: String
    package var value: String

    /// The URI of a file that contains the current time.
    package static func file(_ uri: String) -> Clock { Clock(scheme: "urn:mpeg:dash:utc:http-iso:2014", value: uri) }
    /// The URI of a file whose server states the current time in a header of its responses.
    package static func answer(_ uri: String) -> Clock { Clock(scheme: "urn:mpeg:dash:utc:http-head:2014", value: uri) }
    /// The time at which the MPD was written.
    package static func time(_ date: String) -> Clock { Clock(scheme: "urn:mpeg:dash:utc:direct:2014", value: date) }
  }

  /// How far behind live players should play, and how they get there (ServiceDescription, annex K).
  package struct Latency: Equatable, Sendable {
    /// How far behind the time at which something happens it should be played.
    package var target: MediaTime

    package init(target: MediaTime) { self.target = target }
  }

  package var periods: [Period]
  /// The latency of a service with little of it; `nil` for others.
  package var latency: Latency?
  /// The date at which its timeline begins, as XML Schema writes it.
  package var start: String
  /// The date of this state as XML Schema writes it.
  package var publishTime: String
  /// How soon the MPD may change.
  package var updateInterval: MediaTime
  /// When it ends, on its timeline; `nil` while it continues.
  package var end: MediaTime?
  /// For how long segments stay available.
  package var timeShiftBuffer: MediaTime
  /// How much a player that has the stated bandwidths loads before it starts.
  package var minimumBuffer: MediaTime
  /// How far behind the newest segment players should play.
  package var delay: MediaTime
  /// Sources of the current time, in the order in which players try them.
  package var clocks: [Clock]

  package init(
    periods: [Period], start: String, publishTime: String, updateInterval: MediaTime, end: MediaTime? = nil, timeShiftBuffer: MediaTime,
    minimumBuffer: MediaTime, delay: MediaTime, clocks: [Clock] = []
  ) {
    (self.periods, self.start, self.publishTime) = (periods, start, publishTime)
    (self.updateInterval, self.end, self.timeShiftBuffer) = (updateInterval, end, timeShiftBuffer)
    (self.minimumBuffer, self.delay, self.clocks) = (minimumBuffer, delay, clocks)
  }

  /// The MPD.
  package var text: String {
    // Players of a complete presentation need not compare clocks.
    if let end { return Self.complete(periods, duration: end, minimumBuffer: minimumBuffer) }
    let state = [
      ("type", "dynamic"), ("availabilityStartTime", start), ("publishTime", publishTime),
      ("minimumUpdatePeriod", updateInterval.durationText), ("minBufferTime", minimumBuffer.durationText),
      ("timeShiftBufferDepth", timeShiftBuffer.durationText), ("suggestedPresentationDelay", delay.durationText),
    ]
    return Self.description(state, periods, clocks, latency)
  }

  /// The MPD of a presentation that has ended, or was never live.
  static func complete(_ periods: [Period], duration: MediaTime, minimumBuffer: MediaTime) -> String {
    let state = [("type", "static"), ("mediaPresentationDuration", duration.durationText), ("minBufferTime", minimumBuffer.durationText)]
    return description(state, periods, [])
  }

  private static func description(
    _ state: [(String, String)], _ periods: [Period], _ clocks: [Clock], _ latency: Latency? = nil
  ) -> String {
    var writer = XMLWriter()
    let head = [("xmlns", "urn:mpeg:dash:schema:mpd:2011"), ("profiles", "urn:mpeg:dash:profile:isoff-live:2011")]
    writer.element("MPD", head + state) { writer in
      latency?.write(to: &writer)
      for period in periods { period.write(to: &writer) }
      for clock in clocks { writer.element("UTCTiming", [("schemeIdUri", clock.scheme), ("value", clock.value)]) }
    }
    return writer.text
  }
}

extension LiveMediaPresentation.Period {
  fileprivate func write(to writer: inout XMLWriter) {
    var attributes = [("id", id), ("start", start.durationText)]
    if let duration { attributes.append(("duration", duration.durationText)) }
    writer.element("Period", attributes) { writer in
      for stream in eventStreams where !stream.events.isEmpty { stream.write(to: &writer) }
      for (index, set) in adaptationSets.enumerated() { set.write(id: index + 1, to: &writer) }
    }
  }
}

extension LiveMediaPresentation.Latency {
  /// The identifier of the reference that it is measured by.
  static let referenceID = "0"

  fileprivate func write(to writer: inout XMLWriter) {
    func milliseconds(_ time: MediaTime) -> String { String(max(time.ticks, 0) / 90) }
    let latency = [
      ("referenceId", Self.referenceID), ("target", milliseconds(target)), ("min", milliseconds(MediaTime(ticks: target.ticks / 3 * 2))),
      ("max", milliseconds(target + target)),
    ]
    writer.element("ServiceDescription", [("id", "0")]) { writer in
      writer.element("Latency", latency)
      writer.element("PlaybackRate", [("min", "0.96"), ("max", "1.04")])
    }
  }
}

package import Basics

/// The viewers' delay behind the live edge, as reported by their pages.
package struct AudienceDelay: Equatable, Sendable {
  /// The number of pages that have reported how far they are behind.
  package var sessions: Int
  /// The share of all pages that reports.
  package var share: Double
  /// The delay of half the viewers, of 95 and of 99 of 100; `nil` without reports. Each is the end of a step of a quarter of a second.
  package var median: MediaTime?
  package var most: MediaTime?
  package var nearlyAll: MediaTime?

  init(_ delays: DelayHistogram, share: Double) {
    (sessions, self.share) = (delays.count, share)
    (median, most, nearlyAll) = (delays.quantile(500), delays.quantile(950), delays.quantile(990))
  }

  package init(sessions: Int, share: Double = 1, median: MediaTime? = nil, most: MediaTime? = nil, nearlyAll: MediaTime? = nil) {
    (self.sessions, self.share, self.median, self.most, self.nearlyAll) = (sessions, share, median, most, nearlyAll)
  }

  /// The delays as JSON.
  package var object: JSONObject {
    var object = JSONObject(fields: ["sessions": sessions, "share": MediaTime(seconds: share)])
    object.append("p50", orNull: median)
    object.append("p95", orNull: most)
    object.append("p99", orNull: nearlyAll)
    return object
  }

  /// Reads what ``object`` writes.
  ///
  /// - Throws: `JSONFieldError` if it is something else.
  package init(_ object: JSONObject) throws(JSONFieldError) {
    func time(_ key: String) throws(JSONFieldError) -> MediaTime? {
      try object.optional(key) { $0.number.flatMap { MediaTime(decimalSeconds: $0.text) } }
    }
    self.init(
      sessions: try object.int("sessions", in: .counts), share: try object.time("share").seconds, median: try time("p50"),
      most: try time("p95"), nearlyAll: try time("p99"))
  }
}

/// How long a question takes answers after its time is up at the live edge, if that follows the audience.
package struct AnswerDelay: Equatable, Sendable {
  /// The bounds that the host sets.
  package var bounds: ClosedRange<MediaTime>

  /// The bounds of a host who sets none.
  package static let usualBounds = MediaTime(seconds: 2)...MediaTime(seconds: 45)

  package init(bounds: ClosedRange<MediaTime> = usualBounds) { self.bounds = bounds }

  /// The delay for the next question: 99 of 100 viewers then have the seconds that it promises. A viewer who lies counts as one of them: as long as less
  /// than one of 100 lies, the others decide, and nobody moves it beyond the bounds.
  ///
  /// - Parameters:
  ///   - audience: What pages report; `nil` if they do not.
  ///   - furthest: The distance of the viewers furthest behind as the playlist has it, for an audience that does not report yet.
  ///   - current: The delay now.
  package func next(_ audience: AudienceDelay?, furthest: MediaTime?, current: MediaTime) -> MediaTime {
    let wanted = audience?.nearlyAll ?? furthest ?? current
    return min(max(wanted, bounds.lowerBound), bounds.upperBound)
  }
}

extension AnswerDelay {
  /// The longest delay of a host's bounds.
  package static let longest = MediaTime(seconds: 120)
  private static let name = "auto"

  /// Whether a text asks for a delay that follows the audience, well or not.
  package static func isMeant(by text: String) -> Bool { text == name || text.hasPrefix("\(name):") }

  /// Reads `auto`, or `auto:2-45` with the bounds in seconds; `nil` for anything else.
  package init?(parsing text: String) {
    guard Self.isMeant(by: text) else { return nil }
    guard text != Self.name else {
      self.init()
      return
    }
    let parts = text.dropFirst(Self.name.count + 1).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let low = MediaTime(decimalSeconds: String(parts[0])), let high = MediaTime(decimalSeconds: String(parts[1]))
    else { return nil }
    self.init(low, high)
  }

  /// A delay with bounds; `nil` if the first one is larger, or one is not from 0 to 120 s.
  package init?(_ low: MediaTime, _ high: MediaTime) {
    guard low >= .zero, low <= high, high <= Self.longest else { return nil }
    self.init(bounds: low...high)
  }
}

import Basics
import TransportStream

/// Checks the presentation times of tags in a transport stream: their order, their distance from the video, and the wrap of the clock.
struct TagTimes: Sendable {
  /// A tag far from the video. It may belong to a new clock, or be in a gap. The next access units decide it, also those of the next
  /// segment.
  private struct Far: Sendable {
    var timestamp: UInt64
    var place: FindingPlace
    /// The time of the access unit before the tag.
    var before: MediaTime
    var unitsWaited = 0
  }

  private var unwrapper = TimestampUnwrapper()
  private var latest: MediaTime?
  private var far: [Far] = []
  private var hasWrapped = false
  /// The first tag, if no picture has come before it.
  private var first: (timestamp: UInt64, place: FindingPlace)?
  private var hasTags = false

  /// How far the first tag may be before the first picture (a second).
  private static let longestStart = MediaTime(ticks: 90_000)
  /// How far tags may be from the video (ten seconds).
  private static let longestLead = MediaTime(ticks: 900_000)
  /// A tag far from the video waits for this number of access units, which is enough to detect a new clock.
  private static let mostUnitsToNewClock = 3
  /// The number of tags that wait for a new clock; further ones are not checked.
  private static let mostFar = 64

  /// Checks the timestamp (33 bits) of a tag, and returns it as stream time; `nil` if it is far from the video, which may follow another clock.
  mutating func check(_ timestamp: UInt64, at offset: Int, _ tracker: AccessUnitTracker?, _ log: inout FindingLog) -> MediaTime? {
    let reference = tracker?.unwrapper.reference
    let time = reference == nil ? unwrapper.unwrap(timestamp) : tracker?.unwrapper.peek(timestamp) ?? unwrapper.unwrap(timestamp)
    if !hasTags, reference == nil {
      let text = "the PTS \(timestamp), long before the first picture: players that start with it show all later"
      first = (timestamp, log.place(at: offset, text))
    }
    hasTags = true
    if let reference, (time - reference).magnitude > Self.longestLead {
      if far.count < Self.mostFar { far.append(Self.far(timestamp, after: reference, at: offset, log)) }
      latest = nil
      return nil
    }
    if let latest, time < latest, latest - time < Self.longestLead {
      log.add(.pesOrder, at: offset, "a tag \((latest - time).decimalSeconds) s before the one in front of it")
    }
    latest = time
    checkWrap(time, at: offset, &log)
    return time
  }

  /// Checks the far tags again, after an access unit.
  mutating func recheck(_ tracker: AccessUnitTracker?, _ log: inout FindingLog) {
    guard !far.isEmpty || first != nil, let tracker, let reference = tracker.unwrapper.reference else { return }
    if let tag = first.take(), reference - tracker.unwrapper.peek(tag.timestamp) >= Self.longestStart {
      log.add(.pesFar, tag.place)
    }
    for index in far.indices { far[index].unitsWaited += 1 }
    far = far.filter { tag in
      let time = tracker.unwrapper.peek(tag.timestamp)
      // A tag of a new clock is near now; a tag between distant pictures has no nearer one.
      return (time - reference).magnitude > Self.longestLead && !(tag.before <= time && time <= reference)
    }
    for tag in far where tag.unitsWaited >= Self.mostUnitsToNewClock { log.add(.pesFar, tag.place) }
    far = far.filter { $0.unitsWaited < Self.mostUnitsToNewClock }
  }

  /// Ends a stream, or the part of it before a discontinuity: the expected access units will not arrive.
  mutating func finish(_ log: inout FindingLog) {
    for tag in far { log.add(.pesFar, tag.place) }
    self = TagTimes()
  }

  private static func far(_ timestamp: UInt64, after unit: MediaTime, at offset: Int, _ log: FindingLog) -> Far {
    let place = log.place(at: offset, "the PTS \(timestamp), more than 10 s from the pictures")
    return Far(timestamp: timestamp, place: place, before: unit)
  }

  private mutating func checkWrap(_ time: MediaTime, at offset: Int, _ log: inout FindingLog) {
    guard !hasWrapped, time.ticks >= TimestampUnwrapper.period else { return }
    hasWrapped = true
    log.add(.pesWrap, at: offset, "a timestamp after the wrap of 33 bits")
  }
}

import Basics
import TransportStream

/// The presentation times of tags in a transport stream: their order, their distance from the pictures, and the wrap of the clock.
struct TagTimes: Sendable {
  /// A tag far from the pictures, which may belong to a clock that starts anew with the next ones.
  private struct Far: Sendable {
    var timestamp: UInt64
    var offset: Int
    var unitsWaited = 0
  }

  private var unwrapper = TimestampUnwrapper()
  private var latest: MediaTime?
  private var far: [Far] = []
  private var hasWrapped = false

  /// Tags may be so far from the pictures (ten seconds).
  private static let longestLead = MediaTime(ticks: 900_000)
  /// After so many access units a new clock would have shown.
  private static let patience = 3
  /// So many tags wait for a new clock; what comes then is taken as it is.
  private static let mostFar = 64

  /// The time of a tag with this timestamp (33 bits).
  mutating func take(_ timestamp: UInt64, at offset: Int, _ tracker: AccessUnitTracker?, _ log: inout FindingLog) -> MediaTime {
    let reference = tracker?.unwrapper.reference
    let time = reference == nil ? unwrapper.unwrap(timestamp) : tracker?.unwrapper.peek(timestamp) ?? unwrapper.unwrap(timestamp)
    if let reference, (time - reference).magnitude > Self.longestLead {
      if far.count < Self.mostFar { far.append(Far(timestamp: timestamp, offset: offset)) }
      latest = nil
      return time
    }
    if let latest, time < latest, latest - time < Self.longestLead {
      log.add(.pesOrder, at: offset, "a tag \((latest - time).decimalSeconds) s before the one in front of it")
    }
    latest = time
    noteWrap(time, at: offset, &log)
    return time
  }

  /// Takes note that an access unit has passed.
  mutating func passPicture(_ tracker: AccessUnitTracker?, _ log: inout FindingLog) {
    guard !far.isEmpty, let tracker, let reference = tracker.unwrapper.reference else { return }
    for index in far.indices { far[index].unitsWaited += 1 }
    // A tag of the clock that has started is near now.
    far = far.filter { (tracker.unwrapper.peek($0.timestamp) - reference).magnitude > Self.longestLead }
    for tag in far where tag.unitsWaited >= Self.patience { Self.report(tag, &log) }
    far = far.filter { $0.unitsWaited < Self.patience }
  }

  /// Ends a stream or a segment: what is far stays far.
  mutating func finish(_ log: inout FindingLog) {
    for tag in far { Self.report(tag, &log) }
    far = []
  }

  private static func report(_ tag: Far, _ log: inout FindingLog) {
    log.add(.pesFar, at: tag.offset, "the PTS \(tag.timestamp), more than 10 s from the pictures")
  }

  private mutating func noteWrap(_ time: MediaTime, at offset: Int, _ log: inout FindingLog) {
    guard !hasWrapped, time.ticks >= TimestampUnwrapper.period else { return }
    hasWrapped = true
    log.add(.pesWrap, at: offset, "a timestamp behind the wrap of 33 bits")
  }
}

import Basics
import CueSheet
import LiveGame

/// Follows the timecode of a live programme: at which rate it counts, and which frame has which number.
///
/// Timecodes arrive in decoding order, and are compared in that of presentation. Four of them in a row that count at a supported rate are needed to
/// believe a timecode, and to believe that it has jumped, so that one that is damaged changes nothing.
struct TimecodeKeeper: Sendable {
  /// Something for the operator.
  enum Notice: Equatable, Sendable, CustomStringConvertible {
    /// The timecode has begun to run, with this one.
    case began(String, FrameRate)
    /// The timecode has jumped, from one to the other.
    case jumped(from: String, to: String)
    /// There has been none for a second.
    case ended

    var description: String {
      switch self {
      case .began(let text, let rate): "the stream has a timecode: \(text), at \(rate.name) frames a second"
      case .jumped(let from, let to): "the stream's timecode has jumped from \(from) to \(to): events that wait for a timecode follow it"
      case .ended: "the stream's timecode has stopped: events that wait for a timecode go on waiting"
      }
    }
  }

  /// A timecode with the time of the first picture that has it.
  private struct Stamp: Equatable, Sendable {
    var label: TimecodeLabel
    var time: MediaTime
  }

  /// The timecode now.
  private(set) var timecode = StreamTimecode.unknown
  /// The timecodes of pictures before which others may still be presented, in the order of presentation.
  private var waiting: [Stamp] = []
  /// The latest timecode in the order of presentation, without repeats: above 30 frames a second, two pictures often share a number.
  private var latest: Stamp?
  /// The latest timecodes that do not continue the timecode, at most ``believed``.
  private var candidates: [Stamp] = []
  /// The first timecode since the last jump, and how many numbers have passed at the next check of the rate.
  private var start: Stamp?
  private var nextCheck = 0
  /// The latest time with a timecode, whatever it is.
  private var lastSeen: MediaTime?
  /// The latest time at which the timecode ran, or at which the stream began.
  private var lastGood: MediaTime?

  /// The number of timecodes in a row that are believed.
  private static let believed = 4
  /// By how much a picture may miss its place (2 ms): some inputs round times to milliseconds.
  private static let tolerance = MediaTime(ticks: 180)
  /// The stream has no timecode after this time without one.
  private static let patience = MediaTime(seconds: 1)
  /// The maximum number of reordered pictures.
  private static let mostWaiting = 32

  /// Receives the timecodes of pictures in decoding order, and the time of the latest access unit.
  ///
  /// - Parameter stretch: The start of the stretch that has begun; `nil` for none.
  mutating func push(_ found: [FoundTimecode], to time: MediaTime, stretch: MediaTime?) -> [Notice] {
    if stretch != nil { (waiting, candidates) = ([], []) }
    if let start = stretch ?? (lastGood == nil ? time : nil) { lastGood = start }
    return found.flatMap { push($0) } + advance(to: time)
  }

  private mutating func push(_ found: FoundTimecode) -> [Notice] {
    let stamp = Stamp(label: found.label, time: found.time)
    waiting.insert(stamp, at: waiting.partitionIndex { $0.time > stamp.time })
    var notices: [Notice] = []
    // No picture is presented before it is decoded.
    while let first = waiting.first, first.time <= found.decodingTime || waiting.count > Self.mostWaiting {
      waiting.removeFirst()
      notices += settle(first)
    }
    return notices
  }

  /// Records the time of an access unit.
  private mutating func advance(to time: MediaTime) -> [Notice] {
    guard let lastGood, time - lastGood > Self.patience else { return [] }
    let wasRunning = if case .running = timecode { true } else { false }
    timecode = lastSeen.map { time - $0 <= Self.patience } ?? false ? .unusable : .absent
    return wasRunning ? [.ended] : []
  }

  /// Receives the next timecode in the order of presentation.
  private mutating func settle(_ stamp: Stamp) -> [Notice] {
    lastSeen = stamp.time
    guard latest.map({ $0.label != stamp.label && $0.time < stamp.time }) ?? true else { return [] }
    latest = stamp
    if case .running(var anchor) = timecode, let expected = try? anchor.time(of: stamp.label, near: stamp.time),
      (stamp.time - expected).magnitude <= Self.tolerance
    {
      candidates = []
      lastGood = stamp.time
      // No event goes before its picture.
      if stamp.time > expected { anchor.time = anchor.time + (stamp.time - expected) }
      timecode = .running(checked(anchor, stamp))
      return []
    }
    candidates.append(stamp)
    if candidates.count > Self.believed { candidates.removeFirst() }
    guard let anchor = believedAnchor() else { return [] }
    defer {
      (timecode, start, nextCheck, lastGood, candidates) = (.running(anchor), stamp, 2 * Self.believed, stamp.time, [])
    }
    let text = stamp.label.text
    guard case .running(let before) = timecode else { return [.began(text, anchor.rate)] }
    let distance = (try? before.time(of: stamp.label, near: stamp.time)).map { ($0 - stamp.time).magnitude }
    // A frame more or less is no jump.
    guard distance.map({ $0 > before.rate.duration(of: 2) }) ?? true else { return [] }
    return [.jumped(from: before.text(at: stamp.time), to: text)]
  }

  /// The anchor that the candidates agree on; `nil` if they do not count.
  private func believedAnchor() -> TimecodeAnchor? {
    guard candidates.count == Self.believed, let first = candidates.first, let last = candidates.last,
      candidates.allSatisfy({ $0.label.isInSecond(of: first.label) }),
      let rate = FrameRate.nearest(to: last.time - first.time, of: last.label.frames - first.label.frames, isDrop: last.label.isDrop),
      let timecode = Timecode(last.label, counting: rate)
    else { return nil }
    var anchor = TimecodeAnchor(time: last.time, timecode: timecode, rate: rate)
    for stamp in candidates {
      guard let expected = try? anchor.time(of: stamp.label, near: stamp.time), (stamp.time - expected).magnitude <= Self.tolerance else {
        return nil
      }
      if stamp.time > expected { anchor.time = anchor.time + (stamp.time - expected) }
    }
    return anchor
  }

  /// An anchor with the rate that shows after a longer time: times in milliseconds hide whether it is 29.97 or 30 at first.
  private mutating func checked(_ anchor: TimecodeAnchor, _ stamp: Stamp) -> TimecodeAnchor {
    guard let start, let end = Timecode(stamp.label, counting: anchor.rate), let begin = Timecode(start.label, counting: anchor.rate),
      case let count = end.frame - begin.frame, count >= nextCheck
    else { return anchor }
    nextCheck = 2 * count
    guard let rate = FrameRate.nearest(to: stamp.time - start.time, of: count, isDrop: stamp.label.isDrop), rate != anchor.rate,
      rate.numbers == anchor.rate.numbers,
      let timecode = Timecode(stamp.label, counting: rate)
    else { return anchor }
    return TimecodeAnchor(time: stamp.time, timecode: timecode, rate: rate)
  }
}

extension TimecodeLabel {
  /// Whether the frame is in the same second as another one.
  fileprivate func isInSecond(of other: TimecodeLabel) -> Bool {
    (hours, minutes, seconds, isDrop) == (other.hours, other.minutes, other.seconds, other.isDrop)
  }
}

extension Timecode {
  /// The frame with a label of a stream, which may say drop frame at rates that have none; `nil` if no frame has it.
  fileprivate init?(_ label: TimecodeLabel, counting rate: FrameRate) {
    let isDrop = label.isDrop && rate.hasDropFrame
    guard let label = label.counted(isDrop: isDrop), let timecode = try? Timecode(label, rate: rate) else { return nil }
    self = timecode
  }
}

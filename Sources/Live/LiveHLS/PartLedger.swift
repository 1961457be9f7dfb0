package import Basics
package import PacketStamping

/// What is known of the parts of segments that another thread makes: told by access unit here, taken there when a part is complete.
package struct PartLedger: Sendable {
  /// What is known of a part besides its bytes.
  package struct Entry: Equatable, Sendable {
    /// When its segment starts, on the programme's timeline.
    package var segmentStart: MediaTime
    /// The date of that, in milliseconds since 1970.
    package var wallClock: Int64
    /// Its number in its segment, from 0.
    package var number: Int
    /// How long it lasts, at most ``target``.
    package var duration: MediaTime
    /// Whether decoding can start in it.
    package var isIndependent: Bool
    /// The longest that a part may last.
    package var target: MediaTime
  }

  private struct Open: Sendable {
    var start: MediaTime
    var wallClock: Int64
    var number = 0
    var isIndependent: Bool
  }

  private var clock: PartClock
  private var open: Open?
  /// When the latest access unit ends, on the programme's timeline.
  private var end = MediaTime.zero
  private var complete = Queue<Entry>()

  /// Parts that came to nothing need not be kept.
  private static let mostEntries = 1_024

  /// A ledger before the first access unit.
  ///
  /// - Parameter duration: How long parts should be.
  package init(duration: MediaTime) { clock = PartClock(duration: duration) }

  /// Receives the access unit that begins a segment; it begins a part.
  ///
  /// - Parameter wallClock: The date of its time, in milliseconds since 1970.
  package mutating func beginSegment(_ unit: LiveAccessUnit, wallClock: Int64) {
    // Where nothing came for a while, the segment ends with what has come.
    endSegment(at: unit.boundary == .discontinuity ? min(unit.time, end) : unit.time)
    clock.beginSegment(unit)
    open = Open(start: unit.time, wallClock: wallClock, isIndependent: unit.isRandomAccess)
    end = unit.time + unit.frameDuration
  }

  /// Receives the next access unit of the segment; returns whether it begins a part.
  package mutating func push(_ unit: LiveAccessUnit) -> Bool {
    end = max(end, unit.time + unit.frameDuration)
    guard let duration = clock.push(unit) else {
      if unit.isRandomAccess { open?.isIndependent = true }
      return false
    }
    endPart(duration)
    open?.number += 1
    open?.isIndependent = unit.isRandomAccess
    return true
  }

  /// Ends the segment that is open.
  ///
  /// - Parameter time: Where the next one starts, on the programme's timeline; `nil` for the end of the last access unit.
  package mutating func endSegment(at time: MediaTime? = nil) {
    if let open, let last = clock.lastPart(ofSegment: (time ?? end) - open.start) { endPart(last) }
    open = nil
  }

  private mutating func endPart(_ duration: MediaTime) {
    guard let open, let target = clock.target else { return }
    complete.append(
      Entry(
        segmentStart: open.start, wallClock: open.wallClock, number: open.number, duration: duration, isIndependent: open.isIndependent,
        target: target))
    if complete.count > Self.mostEntries { _ = complete.popFirst() }
  }

  /// Takes what is known of a complete part; `nil` where nothing is. Those before it have come to nothing.
  package mutating func take(segmentStart: MediaTime, number: Int) -> Entry? {
    guard let index = complete.elements.firstIndex(where: { $0.segmentStart == segmentStart && $0.number == number }) else { return nil }
    var taken: Entry?
    for _ in complete.elements.startIndex...index { taken = complete.popFirst() }
    return taken
  }
}

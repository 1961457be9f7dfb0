package import Basics
package import GameEvents

/// When the events of a stream happen as it plays now, which differs from what they state if the stream was cut.
///
/// Where something was cut out, the distance between both changes: the stream has a stretch for each distance. The first copy of an event decides.
/// An event from before the stretch of its first copy, because its time was cut out, happens where the stretch begins.
package struct PresentedTimes: Sendable {
  /// A part of the stream whose events are presented at the same distance from the times that they state.
  package struct Stretch: Equatable, Sendable {
    /// Where its first copy is.
    package var start: MediaTime
    /// How much later than stated events are presented; negative for earlier.
    package var distance: MediaTime
  }

  /// The stretches, in the order of the stream.
  package private(set) var stretches: [Stretch] = []
  /// When each event happens, from the first picture on.
  package private(set) var times: [GUID: MediaTime] = [:]
  /// The events that happened before the first picture. They happen there now.
  package private(set) var early: Set<GUID> = []

  private static let mostStretches = 10_000

  package init() {}

  /// Receives the next copy.
  ///
  /// - Parameter time: When it is presented, from the first picture on.
  package mutating func receive(_ copy: EventCopy, at time: MediaTime) {
    let guid = copy.event.guid
    var happened = time - copy.age
    if let stated = copy.event.at {
      let distance = happened - stated
      if stretches.last.map({ ($0.distance - distance).magnitude > ProgrammeClock.tolerance }) ?? true, stretches.count < Self.mostStretches
      {
        stretches.append(Stretch(start: time, distance: distance))
      }
    }
    guard times[guid] == nil, times.count < CueSheet.largestCueCount else { return }
    if stretches.count > 1, let stretch = stretches.last { happened = max(happened, stretch.start) }
    if happened < .zero { early.insert(guid) }
    times[guid] = max(happened, .zero)
  }

  /// Whether events are presented at other times than they state.
  package var differ: Bool { stretches.contains { $0.distance.magnitude > ProgrammeClock.tolerance } }

  /// The distances in words, for example `5 s earlier` or `as stated at first, 10 s earlier from 01:00.000 on`.
  package var distances: String {
    let parts = stretches.prefix(4).enumerated().map { index, stretch in
      let off = stretch.distance
      let isSame = off.magnitude <= ProgrammeClock.tolerance
      let text = isSame ? "as stated" : "\(off.magnitude.text(decimals: 3)) s \(off < .zero ? "earlier" : "later")"
      guard stretches.count > 1 else { return text }
      return index == 0 ? "\(text) at first" : "\(text) from \(stretch.start.clockText) on"
    }
    return parts.joined(separator: ", ") + (stretches.count > 4 ? ", and so on" : "")
  }
}

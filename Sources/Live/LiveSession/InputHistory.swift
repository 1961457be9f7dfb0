import Basics
import TransportStream

/// What has come of an input lately, for a node that may have to go on where another one has stopped.
struct InputHistory: Sendable {
  /// What comes, in order.
  enum Item: Equatable, Sendable {
    /// Whole packets.
    case packets([UInt8])
    /// What follows does not continue what came before.
    case discontinuity
    /// The input has come, or has gone.
    case input(isUp: Bool)
  }

  /// An access unit that decoding can start with.
  struct Mark: Equatable, Sendable {
    /// Where its first packet is among the bytes of the item.
    var offset: Int
    /// When it is presented, 33 bits.
    var timestamp: UInt64
  }

  /// An item with the moment of its arrival.
  struct Arrival: Equatable, Sendable {
    var item: Item
    var instant: ContinuousClock.Instant
    var marks: [Mark] = []

    var byteCount: Int { if case .packets(let bytes) = item { bytes.count } else { 0 } }
  }

  /// Where somebody may begin who goes on behind a time.
  struct Place: Equatable, Sendable {
    /// The number of the arrival, from 0, and where the access unit is in it.
    var index: Int
    var offset: Int
    /// How long after that time the access unit is presented; `nil` where it is of another clock, or that is not known.
    var distance: MediaTime?
  }

  private(set) var arrivals = Queue<Arrival>()
  private(set) var byteCount = 0

  /// Access units that are further away are of another clock.
  private static let reach: Int64 = 30 * MediaTime.ticksPerSecond
  /// How long before a picture the audio may arrive that is played with it.
  private static let longestLead = Duration.seconds(2)

  mutating func append(_ arrival: Arrival) {
    arrivals.append(arrival)
    byteCount += arrival.byteCount
  }

  /// Forgets what came before an instant, and the oldest where there is more than `limit` bytes.
  mutating func expire(before instant: ContinuousClock.Instant, limit: Int) {
    while let first = arrivals.first, first.instant < instant || byteCount > limit { drop() }
  }

  private mutating func drop() {
    if let first = arrivals.popFirst() { byteCount -= first.byteCount }
  }

  /// Takes everything out.
  mutating func takeAll() -> [Arrival] {
    defer { self = InputHistory() }
    return Array(arrivals.elements)
  }

  /// Where the access unit is that is presented at a time, 33 bits, or the first one behind it; `nil` where none has come.
  func place(at timestamp: UInt64) -> Place? {
    var later: Place?
    for (index, arrival) in arrivals.elements.enumerated() {
      for mark in arrival.marks {
        let distance = TimestampUnwrapper.distance(from: timestamp, to: mark.timestamp)
        if distance == 0 { return Place(index: index, offset: mark.offset, distance: .zero) }
        guard later == nil, (1...Self.reach).contains(distance) else { continue }
        later = Place(index: index, offset: mark.offset, distance: MediaTime(ticks: distance))
      }
    }
    return later
  }

  /// The first access unit that has come since an instant, or the last one; `nil` where there is none.
  func place(since instant: ContinuousClock.Instant) -> Place? {
    var last: Place?
    for (index, arrival) in arrivals.elements.enumerated() {
      for mark in arrival.marks {
        last = Place(index: index, offset: mark.offset, distance: nil)
        if arrival.instant >= instant { return last }
      }
    }
    return last
  }

  /// Forgets what came before a place, except the latest tables, and the other streams of the last two seconds: their packets come before the picture
  /// that they are played with.
  ///
  /// - Parameters:
  ///   - tablePIDs: Those of the tables.
  ///   - leadingPID: That of the video, if the other streams are needed; `nil` if they are not.
  mutating func begin(at place: Place, tables tablePIDs: [PID], besides leadingPID: PID? = nil) {
    let all = Array(arrivals.elements)
    guard all.indices.contains(place.index), case .packets(let bytes) = all[place.index].item else { return }
    var tables: [PID: [UInt8]] = [:]
    var others: [UInt8] = []
    for (index, arrival) in all[...place.index].enumerated() {
      guard case .packets(let bytes) = arrival.item else { continue }
      let end = index == place.index ? place.offset : bytes.count
      let isRecent = arrival.instant >= all[place.index].instant - Self.longestLead
      bytes.span.extracting(..<end).forEachPacket { packet in
        let pid = TransportPacket.pid(of: packet)
        if tablePIDs.contains(pid) {
          if TransportPacket.startsUnit(packet) { tables[pid] = [] }
          tables[pid]?.append(copying: packet)
        } else if let leadingPID, isRecent, pid != leadingPID, pid != TransportPacket.nullPID {
          others.append(copying: packet)
        }
      }
    }
    let rest = all[(place.index + 1)...]
    self = InputHistory()
    let beginning = tablePIDs.flatMap { tables[$0] ?? [] } + others + bytes[place.offset...]
    append(Arrival(item: .packets(beginning), instant: all[place.index].instant))
    for arrival in rest { append(arrival) }
  }
}

import Basics
import LiveGame
import TransportStream

/// The latest packets of an input, for a node that may have to continue where another one has stopped.
struct InputHistory: Sendable {
  enum Item: Equatable, Sendable {
    /// Whole packets.
    case packets([UInt8])
    case discontinuity
    case input(isUp: Bool)
    /// An event of the publisher.
    case event(ForeignEvent)
  }

  /// A random access point.
  struct Mark: Equatable, Sendable {
    /// The offset of its first packet in the bytes of the item.
    var offset: Int
    /// Its PTS, 33 bits.
    var timestamp: UInt64
  }

  /// An item with the instant of its arrival.
  struct Arrival: Equatable, Sendable {
    var item: Item
    var instant: ContinuousClock.Instant
    var marks: [Mark] = []

    var byteCount: Int { if case .packets(let bytes) = item { bytes.count } else { 0 } }
  }

  /// A random access point at which a session can begin.
  struct Place: Equatable, Sendable {
    /// The number of the arrival, from 0, and the offset of the access unit in it.
    var index: Int
    var offset: Int
    /// How much later than wanted it is presented; `nil` if it has another clock, or that is unknown.
    var distance: MediaTime?
  }

  private(set) var arrivals = Queue<Arrival>()
  private(set) var byteCount = 0

  /// Access units that are further away have another clock.
  private static let reach: Int64 = 30 * MediaTime.ticksPerSecond
  /// How long before a picture the audio may arrive that is played with it.
  private static let longestLead = Duration.seconds(2)

  mutating func append(_ arrival: Arrival) {
    arrivals.append(arrival)
    byteCount += arrival.byteCount
  }

  /// Forgets all arrivals before an instant, and the oldest ones beyond `limit` bytes.
  mutating func expire(before instant: ContinuousClock.Instant, limit: Int) {
    while let first = arrivals.first, first.instant < instant || byteCount > limit {
      byteCount -= first.byteCount
      _ = arrivals.popFirst()
    }
  }

  /// Takes all arrivals out.
  mutating func takeAll() -> [Arrival] { Array(exchange(&self, with: InputHistory()).arrivals.elements) }

  /// The place of the access unit with a PTS, 33 bits, or of the first later one; `nil` if there is none.
  func place(at timestamp: UInt64) -> Place? {
    let places = marks.map { index, mark in
      (place: Place(index: index, offset: mark.offset), distance: TimestampUnwrapper.distance(from: timestamp, to: mark.timestamp))
    }
    guard var found = places.first(where: { $0.distance == 0 }) ?? places.first(where: { (1...Self.reach).contains($0.distance) })
    else { return nil }
    found.place.distance = MediaTime(ticks: found.distance)
    return found.place
  }

  /// The place of the first access unit since an instant, or of the last one; `nil` if there is none.
  func place(since instant: ContinuousClock.Instant) -> Place? {
    let arrivals = Array(arrivals.elements)
    let found = marks.first { arrivals[$0.index].instant >= instant } ?? marks.last
    return found.map { Place(index: $0.index, offset: $0.mark.offset) }
  }

  /// All marks, with the numbers of their arrivals.
  private var marks: [(index: Int, mark: Mark)] {
    arrivals.elements.enumerated().flatMap { index, arrival in arrival.marks.map { (index, $0) } }
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

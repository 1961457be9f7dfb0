import Basics
import TransportStream

/// Decides the positions of the packets of a rewritten PMT: those of the old packets and, if there are more packets now, those of null packets before
/// or after them.
struct PMTPlacement: Sendable {
  /// How a packet is marked for the editor.
  enum Mark: Sendable {
    case none
    /// It was added to a stream with null packets.
    case added
    /// Packets before it are in the places of null packets.
    case movedUp
  }

  /// The places of a PMT that is not complete.
  private var places: [Int] = []
  /// The place of the last packet of a PMT. Packets of the next PMT go after it.
  private var lastPlace = -1
  /// How the latest packet is marked, as its repeat must be.
  private(set) var latestMark = Mark.none
  /// Packets that have no place yet, and the time since they wait.
  private var overflow = Queue<[UInt8]>()
  private var overflowTime = MediaTime.zero

  /// Whether a PMT has begun and is not complete.
  var isIncomplete: Bool { !places.isEmpty }
  /// The place of the first packet of a PMT that is not complete.
  var firstPlace: Int? { places.first }
  /// Whether packets wait for their places.
  var hasOverflow: Bool { !overflow.isEmpty }

  /// Records a packet of a PMT that is not complete.
  mutating func append(_ place: Int) { places.append(place) }

  /// Gives up a PMT that is not complete.
  mutating func abandon() { places = [] }

  /// Keeps all packets at or after a place, before which readers do not know the PID of the PMT.
  mutating func stay(after place: Int) { lastPlace = max(lastPlace, place - 1) }

  /// Gives the packets of a complete PMT their places. Packets without a place wait.
  ///
  /// - Parameter free: The places of null packets. The latest ones are used.
  mutating func complete(_ packets: [[UInt8]], at time: MediaTime, free: inout Queue<Int>) -> [(place: Int, packet: [UInt8])] {
    var packets = packets
    let count = places.count
    while places.count < packets.count, let latest = free.last, latest > lastPlace {
      _ = free.popLast()
      places.append(latest)
    }
    latestMark = .none
    if places.count > count, places.count == packets.count, let last = packets.popLast() {
      packets.append(TransportPacket.markedMovedUp(last))
      latestMark = .movedUp
    }
    places.sort()
    for packet in packets.dropFirst(places.count) { overflow.append(packet) }
    lastPlace = places.last ?? lastPlace
    overflowTime = time
    defer { places = [] }
    return zip(places, packets).map { ($0, $1) }
  }

  /// Gives the next waiting packet a place, if one waits.
  ///
  /// - Parameter mark: How it will be marked.
  mutating func popOverflow(at place: Int, _ mark: Mark = .none) -> [UInt8]? {
    guard let packet = overflow.popFirst() else { return nil }
    (lastPlace, latestMark) = (place, mark)
    return packet
  }

  /// Whether waiting packets may wait longer for a null packet.
  func mayWait(at time: MediaTime) -> Bool { time - overflowTime <= OutputWindow.longestWait }
}

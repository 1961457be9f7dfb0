import Basics

/// Decides where in the output the packets of a rewritten PMT go: where the packets of the old one are and, where there are more of them now,
/// to null packets in front or behind.
struct PMTPlacement: Sendable {
  /// The places of a PMT that is not complete.
  private var places: [Int] = []
  /// Where the last packet of a PMT is. Packets of the next PMT go behind it.
  private var lastPlace = -1
  /// Packets that have no place yet, and since when.
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

  /// Lets no packet go in front of a place: readers do not know the PID of the PMT before it.
  mutating func stayBehind(_ place: Int) { lastPlace = max(lastPlace, place - 1) }

  /// Gives the packets of a complete PMT their places. Packets for which there is none wait.
  ///
  /// - Parameter free: The places of null packets. The latest ones are used.
  mutating func complete(_ packets: [[UInt8]], at time: MediaTime, free: inout Queue<Int>) -> [(place: Int, packet: [UInt8])] {
    while places.count < packets.count, let latest = free.last, latest > lastPlace {
      _ = free.popLast()
      places.append(latest)
    }
    places.sort()
    for packet in packets.dropFirst(places.count) { overflow.append(packet) }
    lastPlace = places.last ?? lastPlace
    overflowTime = time
    defer { places = [] }
    return zip(places, packets).map { ($0, $1) }
  }

  /// Gives the next waiting packet a place, if one waits.
  mutating func popOverflow(at place: Int) -> [UInt8]? {
    guard let packet = overflow.popFirst() else { return nil }
    lastPlace = place
    return packet
  }

  /// Whether waiting packets may wait longer for a null packet.
  func mayWait(at time: MediaTime) -> Bool { time - overflowTime <= OutputWindow.longestWait }
}

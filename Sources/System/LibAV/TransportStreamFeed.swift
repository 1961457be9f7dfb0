package import Basics

/// A transport stream that is still being made, and the time that its clock has in the copy.
package struct TransportStreamFeed: Sendable {
  /// What messages call it.
  package var name: String
  /// A timestamp of the stream, of 33 bits, and which time it is in the copy. Others are counted from it.
  package var timestamp: UInt64
  package var time: MediaTime
  /// The next bytes, which it waits for; `nil` at the end.
  package var next: @Sendable () -> [UInt8]?

  package init(name: String, timestamp: UInt64, is time: MediaTime, next: @escaping @Sendable () -> [UInt8]?) {
    (self.name, self.timestamp, self.time, self.next) = (name, timestamp, time, next)
  }
}

/// Which times the packets of a feed have in the copy.
struct FeedClock {
  private var unwrapper = TimestampUnwrapper()
  /// What is added to times of the stream's clock.
  private let shift: MediaTime

  init(_ feed: TransportStreamFeed) { shift = feed.time - unwrapper.unwrap(feed.timestamp) }

  /// Gives a packet the times that it has in the copy. libavformat lets clocks wrap once at most, and takes jumps for wraps.
  mutating func setTimes(of packet: inout MediaPacket) {
    let times = packet.times
    guard let decoding = (times.decoding ?? times.presentation).map({ unwrapper.unwrap(TimestampUnwrapper.timestamp(of: $0)) + shift })
    else { return }
    let presentation = times.presentation.map { unwrapper.peek(TimestampUnwrapper.timestamp(of: $0)) + shift }
    packet.setTimes(presentation: presentation ?? decoding, decoding: decoding)
  }
}

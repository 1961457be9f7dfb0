import Basics

/// Checks that a transport stream has frames often enough for readers to follow its clock.
///
/// A PES header cannot state that nothing is missing, so readers take decoding times that are further apart for a jump of the clock.
struct ClockSteps {
  /// The stream that carries the clock.
  let stream: Int
  /// When the timeline origin is presented.
  let origin: MediaTime
  private var latest: MediaTime?

  /// The longest time from one frame to the next.
  static let longest = MediaTime(seconds: 10)

  init(_ source: borrowing PacketSource) { (stream, origin) = (source.program.index, source.timeline.origin) }

  /// Checks the next packet.
  ///
  /// - Throws: `framesFarApart`.
  mutating func check(_ packet: PlacedPacket) throws(RemuxError) {
    guard packet.stream == stream else { return }
    if let latest, packet.decoding - latest > Self.longest {
      throw .framesFarApart(at: latest - origin, distance: packet.decoding - latest)
    }
    latest = packet.decoding
  }
}

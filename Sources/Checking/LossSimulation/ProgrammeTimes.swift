import Basics
import TransportStream

/// Tells when what a transport packet belongs to is presented, on the programme's timeline.
struct ProgrammeTimes: Sendable {
  private var tables = ProgramTables()
  private var tracker: AccessUnitTracker?
  /// The presentation time of what each PID is in the middle of.
  private var times: [PID: MediaTime] = [:]
  /// The latest time of the stream by which the programme's time is told.
  private var latest = MediaTime.zero

  /// The time of a packet: that of its PES packet, or else the latest. What comes before the programme's zero is known happens at zero.
  mutating func time(of packet: Span<UInt8>) -> MediaTime {
    guard let header = try? TransportPacket(packet), !header.hasError else { return latest }
    let payload = packet.extracting(header.payload)
    if tables.follows(header.pid) {
      follow(tables.push(header, payload: payload))
      return latest
    }
    if tracker?.pid == header.pid, let unit = tracker?.push(header, payload: payload), let zero = tracker?.zero {
      latest = max(latest, unit.presentationTime - zero)
    }
    if header.startsUnit, let pes = try? PESHeader(payload), let timestamp = pes.presentationTime {
      times[header.pid] = tracker.flatMap { tracker in tracker.zero.map { tracker.unwrapper.peek(timestamp) - $0 } } ?? .zero
    }
    return times[header.pid] ?? latest
  }

  private mutating func follow(_ changes: [ProgramTables.Change]) {
    for case .map(let map) in changes {
      guard let reference = map.referenceStream, map.programNumber == tables.maps.keys.min() else { continue }
      if reference.pid != tracker?.pid || reference.type != tracker?.type {
        tracker = AccessUnitTracker(reference, following: tracker)
      }
    }
  }
}

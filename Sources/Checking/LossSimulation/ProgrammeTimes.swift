import Basics
import TransportStream

/// Finds the programme time at which the content of a transport packet is presented.
struct ProgrammeTimes: Sendable {
  private var tables = ProgramTables()
  private var tracker: AccessUnitTracker?
  /// The time of the current PES packet of each PID.
  private var times: [PID: MediaTime] = [:]
  /// The latest time of the reference stream.
  private var latest = MediaTime.zero

  /// The time of a packet: the time of its PES packet, or else the latest time. It is zero before the timeline origin is known.
  mutating func time(of packet: Span<UInt8>) -> MediaTime {
    guard let header = try? TransportPacket(packet), !header.hasError else { return latest }
    let payload = packet.extracting(header.payload)
    if tables.follows(header.pid) {
      follow(tables.push(header, payload: payload))
      return latest
    }
    if tracker?.pid == header.pid, let unit = tracker?.push(header, payload: payload), let origin = tracker?.origin {
      latest = max(latest, unit.presentationTime - origin)
    }
    if header.startsUnit, let pes = try? PESHeader(payload), let timestamp = pes.presentationTime {
      times[header.pid] = tracker.flatMap { tracker in tracker.origin.map { tracker.unwrapper.peek(timestamp) - $0 } } ?? .zero
    }
    return times[header.pid] ?? latest
  }

  private mutating func follow(_ changes: [ProgramTables.Change]) {
    for case .map(let pmt) in changes {
      guard let reference = pmt.referenceStream, pmt.programNumber == tables.maps.keys.min() else { continue }
      if reference.pid != tracker?.pid || reference.type != tracker?.type {
        tracker = AccessUnitTracker(reference, following: tracker)
      }
    }
  }
}

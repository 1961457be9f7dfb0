import Basics
package import EventReading
package import EventSchedule
package import GameEvents
package import ID3
package import PacketStamping

/// Puts events into a stream, pushed in chunks of a size (or as a whole).
///
/// - Throws: what `PacketStamper` throws.
package func stamp(
  _ stream: [UInt8], with events: [PlannedEvent], _ policy: CopyPolicy = CopyPolicy(), _ options: PacketStamper.Options = .init(),
  chunk: Int? = nil
) throws(PacketStampingError) -> (bytes: [UInt8], report: PacketStamper.Report) {
  var stamper = PacketStamper(EventSchedule(events, policy: policy), options)
  var output: [UInt8] = []
  for start in stride(from: 0, to: stream.count, by: chunk ?? max(stream.count, 1)) {
    let end = min(start + (chunk ?? stream.count), stream.count)
    try stamper.push(stream.span.extracting(start..<end), into: &output)
  }
  let report = try stamper.finish(into: &output)
  return (output, report)
}

/// Reads a stream, pushed in chunks of a size (or as a whole).
///
/// - Throws: what `EventReader` throws.
package func read(_ stream: [UInt8], chunk: Int? = nil) throws(ReadingError) -> [StreamItem] {
  var reader = EventReader()
  var items: [StreamItem] = []
  for start in stride(from: 0, to: stream.count, by: chunk ?? max(stream.count, 1)) {
    let end = min(start + (chunk ?? stream.count), stream.count)
    items += try reader.push(stream.span.extracting(start..<end))
  }
  items += try reader.finish()
  return items
}

extension [StreamItem] {
  /// The copies of events, with their places.
  package var copies: [(copy: EventCopy, place: Place)] {
    compactMap { if case .copy(let copy, let place) = $0 { (copy, place) } else { nil } }
  }

  /// The tags that carry no event, with their places.
  package var tags: [(tag: ID3Tag, place: Place)] {
    compactMap { if case .tag(let tag, let place) = $0 { (tag, place) } else { nil } }
  }

  /// What could not be read.
  package var damages: [Damage] { compactMap { if case .damage(let damage) = $0 { damage } else { nil } } }
}

extension SampleStream {
  /// What a schedule puts into this stream, by its access units.
  ///
  /// - Throws: what `EventSchedule` throws.
  package func scheduledCopies(_ events: [PlannedEvent], _ policy: CopyPolicy = CopyPolicy()) throws -> [EventSchedule.TimedCopy] {
    var schedule = EventSchedule(events, policy: policy)
    var copies: [EventSchedule.TimedCopy] = []
    for unit in accessUnits {
      copies += try schedule.copies(before: .init(time: MediaTime(ticks: unit.presentation), duration: MediaTime(ticks: unit.duration)))
    }
    let duration = MediaTime(ticks: accessUnits.last?.duration ?? 0)
    return copies + (try schedule.finish(at: MediaTime(ticks: end), frameDuration: duration))
  }
}

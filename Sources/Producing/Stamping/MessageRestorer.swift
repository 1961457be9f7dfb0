import Basics
import EventReading
import EventSchedule
import Files
import GameEvents
import PacketStamping

/// Puts events of a transport stream that are in SEI messages of the video alone back as timed ID3: many programs copy the video and drop the ID3
/// stream.
///
/// The file is read twice. Each copy gets the time that its message tells from its picture.
public struct MessageRestorer: Sendable {
  /// The file to read.
  public var input: String
  /// The file to write, or `-` for standard output.
  public var output: String
  /// Whether an existing output is replaced.
  public var overwrite = false
  /// Asked from time to time; once it returns `true`, the work ends and leaves nothing behind.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Receives from time to time how far the work has come.
  public var progress: @Sendable (WorkProgress) -> Void = { _ in }

  /// The result.
  public struct Report: Equatable, Sendable {
    /// The number of events that were put back.
    public var events = 0
    /// The number of their copies.
    public var copies = 0
  }

  /// The maximum number of copies that are put back: those of a show of a day.
  public static let mostCopies = 1_000_000

  /// A restorer from one file to another.
  public init(input: String, output: String) {
    self.input = input
    self.output = output
  }

  /// Does the work. Without such events the output is the input.
  ///
  /// - Throws: ``StampingError``; then there is no output.
  public func restore() throws(StampingError) -> Report {
    let (copies, events) = try missingCopies()
    var stamper = PacketStamper(EventSchedule(copies, policy: CopyPolicy(copies: 1, refreshInterval: nil)))
    var sink = CheckedSink(try writing(FileSink(path: output, overwrite: overwrite)))
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    let isUnchanged = copies.isEmpty
    try file.forEachPiece(after: [], progress) { (bytes) throws(StampingError) in
      if isUnchanged { sink.write(bytes) } else { try stamping(stamper.push(bytes, into: &sink)) }
      try sink.file.passOn()
    }
    if !isUnchanged {
      let stamped = try stamping(stamper.finish(into: &sink))
      guard stamper.pending.isEmpty else { throw .eventsAfterTheEnd(of: stamped.end) }
      try sink.requireTags(copies.count)
    }
    try sink.complete()
    return Report(events: events, copies: copies.count)
  }

  /// The copies of events that only SEI messages have, each as a tag at its time, and the number of the events.
  private func missingCopies() throws(StampingError) -> ([PlannedEvent], events: Int) {
    var file = try reading(FileInput(path: input, isInterrupted: isInterrupted))
    guard file.size != nil else { throw .notRepeatable }
    var reader = EventReader()
    var found: [(copy: EventCopy, time: MediaTime)] = []
    var known: Set<GUID> = []
    func record(_ items: [StreamItem]) {
      for case .copy(let copy, let place) in items {
        guard case .sei = place.carriage else {
          known.insert(copy.event.guid)
          continue
        }
        if found.count < Self.mostCopies { found.append((copy, place.time)) }
      }
    }
    do {
      while try reading(file.fill()) {
        record(try reader.push(file.bytes))
        if let container = reader.container, container != .transportStream { throw StampingError.notEditable(container) }
      }
      record(try reader.finish())
    } catch let error as StampingError {
      throw error
    } catch {
      throw .packets(.notATransportStream)
    }
    var planned: [PlannedEvent] = []
    var guids: Set<GUID> = []
    for (copy, time) in found where !known.contains(copy.event.guid) {
      let tag: [UInt8]
      do throws(EventError) { tag = try copy.encodedTag() } catch { throw .event(error) }
      planned.append(PlannedEvent(tag: tag, at: max(time, .zero), guid: copy.event.guid, game: copy.event.game ?? ""))
      guids.insert(copy.event.guid)
    }
    return (planned, guids.count)
  }
}

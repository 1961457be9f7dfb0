import Basics
import CMAF
import EventReading
import EventSchedule
import Files
import GameEvents
import NALUnits
import PacketStamping

/// Checks whether a file has game events that stamping would double or lose.
enum EventScan {
  /// Refuses a file whose events would be missing in the output, because libavformat copies only video and audio, or would be in it twice.
  ///
  /// - Parameter isReplacing: Whether the user wants to replace the events. Then only events that the copy would keep are refused.
  /// - Returns: The ID3 tags of the file that are no events, which the copy would lose as well.
  @discardableResult
  static func check(
    _ path: String, isReplacing: Bool, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StampingError) -> [PlannedEvent] {
    if isReplacing { try requireNoneInVideo(in: path, isInterrupted) }
    let (event, tags) = try read(path, pastEvents: isReplacing, isInterrupted)
    guard let (game, place) = event else { return tags }
    if case .sei = place.carriage { throw .packets(.eventInVideo(game, offset: place.offset)) }
    // The refusal says that events can be replaced, so replacing them must be possible.
    try requireNoneInVideo(in: path, isInterrupted)
    throw .carriesEvents(game, offset: place.offset)
  }

  /// The largest number of tags, and of their bytes, that are kept of an input.
  private static let mostTags = 1_000_000
  private static let mostTagBytes = 64 << 20

  /// Whether tags of a carriage are kept: those that a player of the input hands to its page.
  private static func isKept(_ carriage: Carriage) -> Bool {
    switch carriage {
    case .id3, .eventMessage: true
    case .sei, .packedAudio, .dateRange: false
    }
  }

  /// Reads a stream up to its first event.
  ///
  /// - Parameter pastEvents: Whether events do not matter, so that all of the stream is read.
  /// - Returns: The game of the first event and its place, and the tags that are no events. Both are empty if the input is not a stream.
  private static func read(
    _ path: String, pastEvents: Bool, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StampingError) -> (event: (GameID, Place)?, tags: [PlannedEvent]) {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    // Only a file can be read twice.
    guard file.size != nil else { return (nil, []) }
    var reader = EventReader()
    var tags: [PlannedEvent] = []
    var byteCount = 0
    func receive(_ items: [StreamItem]) -> (GameID, Place)? {
      for item in items {
        switch item {
        case .copy(let copy, let place): if !pastEvents { return (copy.event.gameID, place) }
        case .tag(_, let place):
          guard isKept(place.carriage), tags.count < mostTags, byteCount < mostTagBytes, let bytes = item.tagBytes,
            bytes.count <= CopyPolicy.largestPESPayload, let guid = GUID("tag \(tags.count)")
          else { continue }
          var planned = PlannedEvent(tag: bytes, at: max(place.time, .zero), guid: guid, game: "")
          planned.isOfInput = true
          tags.append(planned)
          byteCount += bytes.count
        case .damage: break
        }
      }
      return nil
    }
    while try reading(file.fill()) {
      guard let items = try? reader.push(file.bytes) else { return (nil, []) }
      if let found = receive(items) { return (found, []) }
      reader.skip(bytes: try reading(file.skip(reader.skippable)))
    }
    let found = (try? reader.finish()).flatMap(receive)
    return (found, tags)
  }

  /// Refuses a file with events in SEI messages, which libavformat would copy along with the new ones.
  static func requireNoneInVideo(in path: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    guard file.size != nil else { return }
    var detector = ContainerDetector()
    var packets = PacketEditor(.init(.strip(nil)))
    var fragments = FragmentReader(samples: .always)
    var editor = TagEditor(.strip(nil))
    var nowhere = NoSink()
    func search(_ bytes: Span<UInt8>) throws(StampingError) {
      switch detector.container {
      case .transportStream:
        // If it is not a transport stream, libavformat reads it.
        try? packets.push(bytes, into: &nowhere)
        if let offset = packets.eventInVideo { throw .packets(.eventsInVideo(offset: offset)) }
      case .fragmentedMP4:
        for case .tags(let tags, _, let offset) in fragments.push(bytes) where tags.contains(where: { editor.edit(payload: $0.tag).hasOwn })
        {
          throw .packets(.eventsInVideo(offset: offset))
        }
      case .packedAudio, nil: break
      }
    }
    while try reading(file.fill()) {
      if detector.container != nil {
        try search(file.bytes)
      } else if let beginning = detector.push(file.bytes) {
        try search(beginning.span)
      }
      if detector.container == .fragmentedMP4 { fragments.skip(try reading(file.skip(fragments.skippable))) }
    }
  }
}

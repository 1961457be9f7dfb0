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
    let (event, tags) = try read(path, isReplacing: isReplacing, isInterrupted)
    guard let (game, place) = event else { return tags }
    if case .sei = place.carriage { throw .packets(.eventInVideo(game, offset: place.offset)) }
    // The refusal says that events can be replaced, so replacing them must be possible.
    try requireNoneInVideo(in: path, isInterrupted)
    throw .carriesEvents(game, offset: place.offset)
  }

  /// The largest number of tags, and of their bytes, that are kept of an input.
  private static let mostTags = 1_000_000
  private static let mostTagBytes = 64 << 20

  /// Reads a stream up to its first event, or all of it if its events are replaced.
  ///
  /// - Returns: The game of the first event and its place, and the tags that are no events. Both are empty if the input is not a stream.
  /// - Throws: `eventsInVideo` if events are to be replaced that are in SEI messages.
  private static func read(
    _ path: String, isReplacing: Bool, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StampingError) -> (event: (GameID, Place)?, tags: [PlannedEvent]) {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    // Only a file can be read twice.
    guard file.size != nil else { return (nil, []) }
    var reader = EventReader()
    var search = isReplacing ? VideoSearch() : nil
    var isStream = true
    var tags: [PlannedEvent] = []
    var byteCount = 0
    func receive(_ items: [StreamItem]) -> (GameID, Place)? {
      for item in items {
        switch item {
        case .copy(let copy, let place): if !isReplacing { return (copy.event.gameID, place) }
        case .tag(_, let place):
          guard place.carriage.isHandedToPages, tags.count < mostTags, byteCount < mostTagBytes, let bytes = item.tagBytes,
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
      try search?.push(file.bytes)
      if isStream {
        let items = try? reader.push(file.bytes)
        if let found = items.flatMap(receive) { return (found, []) }
        isStream = items != nil
      }
      guard isStream || search != nil else { return (nil, []) }
      let count = try reading(file.skip(min(isStream ? reader.skippable : .max, search?.skippable ?? .max)))
      if isStream { reader.skip(bytes: count) }
      search?.skip(count)
    }
    guard isStream else { return (nil, []) }
    let found = (try? reader.finish()).flatMap(receive)
    return (found, tags)
  }

  /// Refuses a file with events in SEI messages, which libavformat would copy along with the new ones.
  static func requireNoneInVideo(in path: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    guard file.size != nil else { return }
    var search = VideoSearch()
    while try reading(file.fill()) {
      try search.push(file.bytes)
      search.skip(try reading(file.skip(search.skippable)))
    }
  }
}

/// Searches the video of a stream for events in SEI messages.
private struct VideoSearch {
  private var detector = ContainerDetector()
  private var packets = PacketEditor(.init(.strip(nil)))
  private var fragments = FragmentReader(samples: .always)
  private var editor = TagEditor(.strip(nil))

  /// Receives the next bytes.
  ///
  /// - Throws: `eventsInVideo`.
  mutating func push(_ bytes: Span<UInt8>) throws(StampingError) {
    if detector.container != nil { return try search(bytes) }
    if let beginning = detector.push(bytes) { try search(beginning.span) }
  }

  /// The number of next bytes that are not needed.
  var skippable: Int { detector.container == .fragmentedMP4 ? fragments.skippable : 0 }

  /// Skips bytes that are not pushed, at most ``skippable``.
  mutating func skip(_ count: Int) { if detector.container == .fragmentedMP4 { fragments.skip(count) } }

  private mutating func search(_ bytes: Span<UInt8>) throws(StampingError) {
    switch detector.container {
    case .transportStream:
      var nowhere = NoSink()
      // If it is not a transport stream, libavformat reads it.
      try? packets.push(bytes, into: &nowhere)
      if let offset = packets.eventInVideo { throw .packets(.eventsInVideo(offset: offset)) }
    case .fragmentedMP4:
      for case .tags(let tags, _, let offset) in fragments.push(bytes) where tags.contains(where: { editor.edit(payload: $0.tag).hasOwn }) {
        throw .packets(.eventsInVideo(offset: offset))
      }
    case .packedAudio, nil: break
    }
  }
}

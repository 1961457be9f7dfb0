import Basics
import CMAF
import EventReading
import Files
import GameEvents
import NALUnits
import PacketStamping

/// Checks whether a file has game events that stamping would double or lose.
enum EventScan {
  /// Refuses a file whose events would be missing in the output, because libavformat copies only video and audio, or would be in it twice.
  ///
  /// - Parameter isReplacing: Whether the user wants to replace the events. Then only events that the copy would keep are refused.
  static func check(_ path: String, isReplacing: Bool, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    guard !isReplacing else { return try requireNoneInVideo(in: path, isInterrupted) }
    guard let (game, place) = try firstGame(in: path, isInterrupted) else { return }
    if case .sei = place.carriage { throw .packets(.eventInVideo(game, offset: place.offset)) }
    // The refusal says that events can be replaced, so replacing them must be possible.
    try requireNoneInVideo(in: path, isInterrupted)
    throw .carriesEvents(game, offset: place.offset)
  }

  /// Returns the game of the first event in a stream, and its offset; `nil` if there is none, or if the input is not a stream.
  private static func firstGame(
    in path: String, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StampingError) -> (GameID, Place)? {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    // Only a file can be read twice.
    guard file.size != nil else { return nil }
    var reader = EventReader()
    while try reading(file.fill()) {
      guard let items = try? reader.push(file.bytes) else { return nil }
      if let found = first(items) { return found }
      reader.skip(bytes: try reading(file.skip(reader.skippable)))
    }
    return (try? reader.finish()).flatMap(first)
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

  private static func first(_ items: [StreamItem]) -> (GameID, Place)? {
    for case .copy(let copy, let place) in items { return (copy.event.gameID, place) }
    return nil
  }
}

import Basics

/// Recognizes tags that a stream carries twice, as timed metadata and in SEI messages: the second one says nothing new.
///
/// Of each tag a checksum and the size are remembered, for the latest tags.
struct TagPairs: Sendable {
  private struct Entry: Equatable, Sendable {
    var checksum: UInt32
    var size: Int
    var isMessage: Bool
  }

  private var latest = Queue<Entry>()

  /// The number of tags that are remembered: more than lie between the two that belong together.
  private static let mostEntries = 256

  /// Whether a tag has come by the other carriage; otherwise it is remembered.
  mutating func isSecond(_ tag: Span<UInt8>, isMessage: Bool) -> Bool {
    var entry = Entry(checksum: CRC32MPEG2.checksum(tag), size: tag.count, isMessage: !isMessage)
    if latest.elements.contains(entry) { return true }
    entry.isMessage = isMessage
    latest.append(entry)
    if latest.count > Self.mostEntries { _ = latest.popFirst() }
    return false
  }
}

import Basics

/// Recognizes tags that a stream has in several carriages, such as timed metadata and SEI messages: those after the first one are redundant.
///
/// A checksum and the size of each of the latest tags are remembered.
struct TagPairs: Sendable {
  private struct Entry: Sendable {
    var checksum: UInt32
    var size: Int
    var carriage: Carriage.Kind
  }

  private var latest = Queue<Entry>()

  /// The number of tags that are remembered: more than there are between two that belong together.
  private static let mostEntries = 256

  /// Returns whether a tag has already come in another carriage. Otherwise it is remembered.
  mutating func isSecond(_ tag: Span<UInt8>, in carriage: Carriage) -> Bool {
    let entry = Entry(checksum: CRC32MPEG2.checksum(tag), size: tag.count, carriage: carriage.kind)
    let isKnown = latest.elements.contains { $0.checksum == entry.checksum && $0.size == entry.size && $0.carriage != entry.carriage }
    guard !isKnown else { return true }
    latest.append(entry)
    if latest.count > Self.mostEntries { _ = latest.popFirst() }
    return false
  }
}

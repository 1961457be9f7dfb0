import Basics
import NALUnits
import SCTE35
import TransportStream

/// Recognises metadata that is sent again: sections of splices are repeated every second, and encoders put the same user data into every picture.
struct SeenMetadata: Sendable {
  /// What is known of metadata: user data by its owner, the rest by its content.
  private struct Entry: Equatable, Sendable {
    var content: TimedMetadata.Content
    var pid: PID?
    /// The time, if equal metadata at another time is another event.
    var time: MediaTime?
  }

  private var entries: [(entry: Entry, number: Int)] = []
  private var count = 0

  /// The number of items that are remembered. What is repeated later counts as new.
  private static let most = 128

  /// Gives metadata its number, or says that it repeats another.
  mutating func note(_ item: TimedMetadata) -> MetadataFinding {
    var entry = Entry(content: item.content, pid: item.pid, time: nil)
    switch item.content {
    case .splice(let section): entry.time = section.time == nil && section.command != .null ? item.time : nil
    case .userData(let data): entry.content = .userData(UserData(data.owner, byteCount: 0))
    case .klv(let units): entry.content = .klv(units.map { KLVUnit(key: $0.key, length: 0) })
    case .eventMessage, .message: entry.time = item.time
    case .dateRange: break
    case .playlistTag, .unreadable: entry.time = item.time
    }
    if let index = entries.lastIndex(where: { $0.entry == entry }) { return .repeated(number: entries[index].number) }
    if entries.count >= Self.most { entries.removeFirst() }
    entries.append((entry, count))
    count += 1
    return .new(item, number: count - 1)
  }
}

import Basics

/// Event messages that wait for the earliest presentation time of their segment, in order.
///
/// Only messages of version 0 must wait. Later messages wait with them, so that the order stays.
struct HeldMessages: Sendable {
  private var messages: [(message: EventMessageBox, offset: Int)] = []
  private var byteCount = 0

  private static let mostMessages = 1_024
  private static let mostBytes = 4 << 20

  /// Whether one has to wait. It is the first one, since earlier ones were released.
  var isWaiting: Bool { messages.first?.message.version == 0 }

  /// Holds a message that starts at `offset`. If there are too many messages then, all of them are released.
  mutating func hold(_ message: EventMessageBox, offset: Int, _ items: inout [FragmentItem]) {
    messages.append((message, offset))
    byteCount += message.messageData.count + message.schemeID.bytes.count + message.value.bytes.count
    if messages.count > Self.mostMessages || byteCount > Self.mostBytes { release(segmentStart: nil, &items) }
  }

  /// Releases all. Messages of version 0 whose segment's start is not known have no time, and are reported as damage.
  mutating func release(segmentStart: MediaTime?, _ items: inout [FragmentItem]) {
    for (message, offset) in messages { items.append(Self.item(message, offset: offset, segmentStart: segmentStart)) }
    messages = []
    byteCount = 0
  }

  private static func item(_ message: EventMessageBox, offset: Int, segmentStart: MediaTime?) -> FragmentItem {
    guard message.version == 0, segmentStart == nil else {
      return .eventMessage(message, time: message.presentationTime(segmentStart: segmentStart ?? .zero), offset: offset)
    }
    return .damage(offset: offset, reason: "event message of version 0 in a segment whose earliest presentation time is not known")
  }
}

import Basics
import CMAF
import GameEvents

/// Checks single event messages.
enum MessageChecker {
  /// Checks the fields of a message that do not depend on other boxes.
  static func check(_ message: EventMessageBox, at offset: Int, _ movie: MovieHeader?, _ log: inout FindingLog) {
    if message.version != 1 { log.add(.messageVersion, at: offset, "version \(message.version)") }
    if message.schemeID != EventMessageBox.id3Scheme { log.add(.messageScheme, at: offset, "the scheme \(message.schemeID.text)") }
    // MediaPackage writes 0, and announces that in its MPD.
    if !message.value.bytes.isEmpty, message.value != "0" { log.add(.messageValue, at: offset, "the value \(message.value.text)") }
    if message.eventDuration == 0 { log.add(.messageDuration, at: offset, "event_duration 0") }
    if message.timescale != .mediaTime, movie?.tracks.contains(where: { $0.timescale == message.timescale }) != true {
      log.add(.messageTimescale, at: offset, "a timescale of \(message.timescale.ticksPerSecond)")
    }
  }

  /// Whether the data of a message are an ID3 tag, whatever its scheme is.
  static func isTag(_ message: EventMessageBox) -> Bool { TagLayout(message.messageData)?.length == message.messageData.count }

  /// The tags of a message, which should be one. A tag that repeats the one in front of it is left out, as readers leave it out.
  static func tags(of message: EventMessageBox, at offset: Int, _ log: inout FindingLog) -> [[UInt8]] {
    let data = message.messageData
    var tags: [[UInt8]] = []
    var position = 0
    while position < data.count, let layout = TagLayout(Array(data[position...])) {
      // ``TagChecker`` reports a size that cannot be read or is too large.
      let end = layout.length.map { min(position + $0, data.count) } ?? data.count
      let tag = Array(data[position..<end])
      if tags.last != tag { tags.append(tag) }
      if position > 0 { log.add(.messageData, at: offset, "a further tag of \(tag.count) bytes") }
      position = end
    }
    if position == 0 {
      log.add(.messageData, at: offset, "\(hexadecimal(data.prefix(8))) at the start of the message")
    } else if position < data.count {
      log.add(.messageData, at: offset, "\(data.count - position) bytes after the tag")
    }
    return tags
  }
}

/// The ids of the messages of a presentation, in bounded memory.
struct MessageIDs: Sendable {
  /// Messages with the same key are repeats of one.
  private struct Key: Hashable, Sendable {
    var scheme: BoxText
    var value: BoxText
    var id: UInt32
  }

  private var seen: Set<Key> = []
  /// The event of the copies with each id.
  private var events: [UInt32: GUID] = [:]
  /// The id of each event.
  private var ids: [GUID: UInt32] = [:]
  private var seenBytes = 0

  /// The number of messages that are remembered; more events than a show has.
  private static let mostMessages = 65_536
  /// No more messages are remembered once their texts have this number of bytes.
  private static let mostBytes = 4 << 20

  /// Forgets the messages of earlier periods: a DASH player compares messages within a period only (ISO/IEC 23009-1, 5.10.3.3).
  mutating func startPeriod() { (seen, seenBytes) = ([], 0) }

  /// Records a message, and returns whether an earlier one had the same scheme, value and id.
  mutating func recordRepeat(_ message: EventMessageBox) -> Bool {
    let key = Key(scheme: message.schemeID, value: message.value, id: message.id)
    guard !seen.contains(key) else { return true }
    if seen.count < Self.mostMessages, seenBytes < Self.mostBytes {
      seen.insert(key)
      seenBytes += key.scheme.bytes.count + key.value.bytes.count
    }
    return false
  }

  /// Compares a message's id with those of other copies and events.
  mutating func check(_ message: EventMessageBox, _ copy: EventCopy, at offset: Int, _ log: inout FindingLog) {
    let guid = copy.event.guid
    if let other = events[message.id], other != guid {
      return log.add(.messageSharedID, at: offset, "the id \(message.id) for \(guid.text) and for \(other.text)")
    }
    if let other = ids[guid], other != message.id {
      return log.add(.messageSecondID, at: offset, "the id \(message.id) instead of \(other) for \(guid.text)")
    }
    guard ids[guid] == nil, ids.count < Self.mostMessages else { return }
    (events[message.id], ids[guid]) = (guid, message.id)
    let usual = CRC32MPEG2.checksum(guid.text)
    // Another event may have the same checksum, and was first.
    if message.id != usual, events[usual] == nil { log.add(.messageForeignID, at: offset, "the id \(message.id) for \(guid.text)") }
  }
}

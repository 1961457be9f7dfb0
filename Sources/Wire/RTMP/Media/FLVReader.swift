package import Basics

/// Reads a file of FLV (Adobe Flash Video File Format 10.1, Annex E): its script data, and when its video and audio are presented.
///
/// Chunks may have any size. Only script data is kept until it is complete, within a limit.
package struct FLVReader: Sendable {
  /// What is found, in the order of the file. Times are those of the file.
  package enum Item: Equatable, Sendable {
    /// A message: its name and its values. Its tag starts at `offset`.
    case message(name: String, [AMF0Value], time: MediaTime, offset: Int, byteCount: Int)
    /// An access unit of the video.
    case video(at: MediaTime)
    /// An access unit of the audio.
    case audio(at: MediaTime)
    /// Script data that cannot be read.
    case unreadable(time: MediaTime, offset: Int, byteCount: Int, reason: String)
    /// A place after which nothing can be read.
    case damage(offset: Int, reason: String)
  }

  /// The largest script data that is read, in bytes.
  package static let largestMessage = 1 << 20

  /// The type of a tag (TagType).
  private enum Kind: UInt8 {
    case audio = 8
    case video = 9
    case script = 18
  }

  /// A tag that is being read.
  private struct Tag: Sendable {
    var kind: Kind
    var isEncrypted: Bool
    var time: Int
    var size: Int
    var offset: Int
  }

  private enum State: Sendable {
    case fileHeader
    case tagHeader
    case body(Tag)
    /// Nothing more can be read.
    case ended
  }

  private var state = State.fileHeader
  private var kept: [UInt8] = []
  /// The number of bytes that are kept before they are read.
  private var needed = Self.fileHeaderSize
  /// The number of bytes that follow those and are not needed.
  private var left = 0
  private var offset = 0

  private static let fileHeaderSize = 9
  /// PreviousTagSize, and the header of a tag.
  private static let tagHeaderSize = 15
  /// How much of a tag of video or audio tells its time.
  private static let mediaHeaderSize = 16

  /// Starts at the beginning of a file.
  package init() {}

  /// Receives the next bytes, and returns what they complete.
  package mutating func push(_ chunk: Span<UInt8>) -> [Item] {
    var items: [Item] = []
    var position = 0
    while position < chunk.count {
      if case .ended = state { break }
      let skipped = min(left, chunk.count - position)
      left -= skipped
      position += skipped
      offset += skipped
      guard left == 0 else { break }
      let count = min(needed - kept.count, chunk.count - position)
      kept.append(copying: chunk.extracting(position..<position + count))
      position += count
      offset += count
      if kept.count == needed { readKept(&items) }
    }
    return items
  }

  /// Ends the file. Script data that is cut off is unreadable.
  package mutating func finish() -> [Item] {
    guard case .body(let tag) = state, tag.kind == .script else { return [] }
    state = .ended
    return [unreadable(tag, "script data is cut off: \(tag.size) bytes needed, \(kept.count) there")]
  }

  private mutating func readKept(_ items: inout [Item]) {
    let bytes = kept
    kept = []
    switch state {
    case .fileHeader:
      let start = bytes[5...].reduce(0) { $0 << 8 | Int($1) }
      guard start >= Self.fileHeaderSize, start <= 1 << 16 else { return end("header of \(start) bytes in an FLV file", &items) }
      expectTag(after: start - Self.fileHeaderSize)
    case .tagHeader: readHeader(bytes, &items)
    case .body(let tag): read(tag, bytes, &items)
    case .ended: break
    }
  }

  private mutating func readHeader(_ bytes: [UInt8], _ items: inout [Item]) {
    let size = bytes[5..<8].reduce(0) { $0 << 8 | Int($1) }
    // The highest byte of the time comes last.
    let time = bytes[8..<11].reduce(Int(bytes[11])) { $0 << 8 | Int($1) }
    guard bytes[4] & 0xC0 == 0 else { return end("no tag where one should start in an FLV file", &items) }
    guard let kind = Kind(rawValue: bytes[4] & 0x1F) else { return expectTag(after: size) }
    let tag = Tag(kind: kind, isEncrypted: bytes[4] & 0x20 != 0, time: time, size: size, offset: offset - Self.tagHeaderSize + 4)
    guard kind != .script || size <= Self.largestMessage else {
      items.append(unreadable(tag, "script data is larger than \(Self.largestMessage) bytes"))
      return expectTag(after: size)
    }
    needed = kind == .script ? size : min(size, Self.mediaHeaderSize)
    state = .body(tag)
    if needed == 0 { readKept(&items) }
  }

  private mutating func read(_ tag: Tag, _ bytes: [UInt8], _ items: inout [Item]) {
    expectTag(after: tag.size - bytes.count)
    guard !tag.isEncrypted else {
      if tag.kind == .script { items.append(unreadable(tag, "script data is encrypted")) }
      return
    }
    let time = MediaTime(milliseconds: Int64(tag.time))
    switch tag.kind {
    case .audio: if let media = try? MediaTag(audio: bytes.view), media.content != .configuration { items.append(.audio(at: time)) }
    case .video:
      guard let media = try? MediaTag(video: bytes.view), let codec = media.codec else { return }
      // Other codecs have no configuration and no offset.
      if case .other = codec {} else if media.content != .accessUnit { return }
      items.append(.video(at: time + MediaTime(milliseconds: Int64(media.compositionOffset))))
    case .script:
      do throws(ParseError) {
        let values = try AMF0Value.values(bytes.view)
        guard let name = values.first?.string else { throw ParseError(.invalid("no name in front of the values"), at: 0) }
        items.append(.message(name: name, Array(values.dropFirst()), time: time, offset: tag.offset, byteCount: tag.size))
      } catch {
        items.append(unreadable(tag, "\(error.reason)"))
      }
    }
  }

  private func unreadable(_ tag: Tag, _ reason: String) -> Item {
    .unreadable(time: MediaTime(milliseconds: Int64(tag.time)), offset: tag.offset, byteCount: tag.size, reason: reason)
  }

  private mutating func expectTag(after count: Int) { (state, needed, left) = (.tagHeader, Self.tagHeaderSize, count) }

  private mutating func end(_ reason: String, _ items: inout [Item]) {
    state = .ended
    items.append(.damage(offset: offset, reason: reason))
  }
}

import Basics
import ID3

/// Finds the ID3 tags in the transport packets of one PID (Apple, "Timed Metadata for HTTP Live Streaming", section 2).
///
/// Cuelight writes one tag into a PES packet; other writers may write several. A tag can continue in the next PES packets, which then have no
/// presentation time.
/// Memory is bounded: a PES packet has at most ``PESAssembler/largestSize`` bytes, and a tag ``largestTag``.
public struct TimedMetadataAssembler: Sendable {
  /// Which tags are found.
  public enum Scope: Sendable {
    /// Tags that `ID3Tag.decode` can read, in PES packets with a presentation time; those that FFmpeg has cut are restored.
    case readable
    /// Everything that starts with `ID3`, so that a checker can say what is wrong with it.
    case malformedToo
  }

  /// A PES packet.
  public struct Packet: Equatable, Sendable {
    /// The header of the packet.
    public var header: PESHeader
    /// The bytes of the packet, header included.
    public var bytes: [UInt8]
    /// Where the first transport packet of the PES packet starts, in bytes from the start of the stream.
    public var offset: Int
  }

  /// The bytes of a tag.
  public struct Tag: Equatable, Sendable {
    /// The bytes of the tag from its header on.
    public var bytes: [UInt8]
    /// The size that the tag states. `bytes` is shorter if the end of the tag is missing.
    public var size: Int
    /// The header of the PES packet in which the tag starts.
    public var header: PESHeader
    /// Where the first transport packet of that PES packet starts, in bytes from the start of the stream.
    public var offset: Int
    /// The number of tags in front of it in that PES packet.
    public var index: Int
    /// Whether the tag continues in further PES packets.
    public var isContinued = false
    /// Whether its first bytes were missing: see `ID3Tag.restored`.
    public var isRestored = false
  }

  /// The rest of a PES packet's payload, which is not a tag.
  public struct Rest: Equatable, Sendable {
    /// The bytes.
    public var bytes: ArraySlice<UInt8>
    /// The header of their PES packet.
    public var header: PESHeader
    /// Where the first transport packet of the PES packet starts, in bytes from the start of the stream.
    public var offset: Int
    /// The number of tags in front of them in the PES packet.
    public var tagCount: Int

    /// Whether the bytes only fill the packet up after its tags.
    public var isStuffing: Bool { tagCount > 0 && bytes.allSatisfy { $0 == 0 || $0 == 0xFF } }
  }

  /// A result of a transport packet.
  public enum Event: Equatable, Sendable {
    /// A PES packet is complete. Events for its content follow.
    case packet(Packet, continuesTag: Bool)
    /// A tag is complete.
    case tag(Tag)
    /// The end of a tag is missing.
    case cutOff(Tag)
    /// Bytes that are not a tag.
    case rest(Rest)
    /// A PES packet that starts at `offset` is broken.
    case damaged(offset: Int, reason: String)
  }

  /// The largest tag that is assembled, in bytes.
  public static let largestTag = 1 << 20

  private let scope: Scope
  private var packets = PESAssembler()
  /// A tag whose end is expected in the next PES packet.
  private var partial: Tag?

  private static let identifier = Array("ID3".utf8)
  /// The size of a tag is known from this number of bytes on (ID3v2.4 structure, section 3.1).
  private static let tagHeaderLength = 10

  /// Starts at the beginning of a stream.
  public init(_ scope: Scope = .readable) { self.scope = scope }

  /// Whether a tag, or a PES packet that may contain one, is incomplete.
  public var isInsideTag: Bool {
    guard let packet = packets.partial else { return partial != nil }
    guard packet.statedSize == nil else { return true }
    guard let header = try? PESHeader(packet.bytes.view) else { return packet.bytes.count < PESHeader.largestSize }
    // A PES packet that does not state its length ends with its tags.
    var position = header.size
    if let partial, continues(partial, header, packet.bytes[position...]) { position += partial.size - partial.bytes.count }
    while position < packet.bytes.count, let size = tagSize(packet.bytes.view.extracting(position...)) { position += size }
    let restCount = packet.bytes.count - position
    guard 0..<Self.tagHeaderLength ~= restCount else { return restCount < 0 }
    return position == header.size || packet.bytes[position...].first == Self.identifier[0]
  }

  /// Whether the incomplete tag continues in the PES packet that starts with `payload`. Otherwise no more of it will arrive.
  public func isContinued(in payload: Span<UInt8>) -> Bool {
    let hasPresentationTime = payload.count > 7 && payload[7] & 0x80 != 0
    return !hasPresentationTime && packets.partial?.statedSize == nil && isInsideTag
  }

  /// Receives the next transport packet of the PID, which starts at `offset`.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [Event] {
    packets.push(header, payload: payload, offset: offset).flatMap { receive($0) }
  }

  /// Ends the stream.
  public mutating func finish() -> [Event] { packets.finish().flatMap { receive($0) } + abandonPartial() }

  /// Records that transport packets are missing here. An incomplete tag does not continue.
  public mutating func interrupt() -> [Event] { packets.interrupt().flatMap { receive($0) } + abandonPartial() }

  private mutating func receive(_ event: PESAssembler.Event) -> [Event] {
    switch event {
    case .damaged(let offset, let reason): return abandonPartial() + [.damaged(offset: offset, reason: reason)]
    case .packet(let packet):
      do throws(ParseError) {
        return receive(Packet(header: try PESHeader(packet.bytes.view), bytes: packet.bytes, offset: packet.offset))
      } catch {
        return [.damaged(offset: packet.offset, reason: "\(error.reason)")]
      }
    }
  }

  private mutating func receive(_ packet: Packet) -> [Event] {
    let payload = packet.bytes[packet.header.size...]
    if let partial, continues(partial, packet.header, payload) {
      return [.packet(packet, continuesTag: true)] + extendPartial(by: payload)
    }
    return abandonPartial() + [.packet(packet, continuesTag: false)] + tags(of: packet)
  }

  /// Whether a payload continues the incomplete tag.
  private func continues(_ partial: Tag, _ header: PESHeader, _ payload: ArraySlice<UInt8>) -> Bool {
    header.presentationTime == nil && (scope == .readable || !payload.starts(with: Self.identifier))
  }

  private mutating func extendPartial(by payload: ArraySlice<UInt8>) -> [Event] {
    guard var tag = partial.take() else { return [] }
    let part = payload.prefix(tag.size - tag.bytes.count)
    guard tag.bytes.count + part.count <= Self.largestTag else { return [.cutOff(tag)] }
    tag.bytes += part
    tag.isContinued = true
    if tag.bytes.count == tag.size { return [.tag(tag)] }
    partial = tag
    return []
  }

  /// The tags of a payload, one after another. The last one may continue in the next PES packet.
  private mutating func tags(of packet: Packet) -> [Event] {
    let (bytes, header) = (packet.bytes, packet.header)
    guard scope == .malformedToo || header.presentationTime != nil else {
      return [.rest(Rest(bytes: bytes[header.size...], header: header, offset: packet.offset, tagCount: 0))]
    }
    var events: [Event] = []
    var position = header.size
    repeat {
      let index = events.count
      if index == 0, let (tag, count) = restoredTag(of: packet) {
        position += count
        events.append(.tag(tag))
        continue
      }
      if scope == .readable, ID3Payload.startsCell(bytes.view.extracting(position...)) { position += ID3Payload.cellHeaderLength }
      guard let size = tagSize(bytes.view.extracting(position...)) else {
        return events + [.rest(Rest(bytes: bytes[position...], header: header, offset: packet.offset, tagCount: index))]
      }
      let tag = Tag(bytes: Array(bytes[position...].prefix(size)), size: size, header: header, offset: packet.offset, index: index)
      position += size
      if position <= bytes.count { events.append(.tag(tag)) } else { partial = tag }
    } while position < bytes.count
    return events
  }

  /// The tag that a packet starts with, if its first bytes are missing, and the number of those that are there. That happens only at the start of a
  /// packet.
  private func restoredTag(of packet: Packet) -> (Tag, count: Int)? {
    let payload = packet.bytes.view.extracting(packet.header.size...)
    guard scope == .readable, !payload.starts(with: Self.identifier.view) else { return nil }
    guard let whole = ID3Tag.restored(payload) ?? ID3Tag.restoredHeader(payload) else { return nil }
    let tag = Tag(bytes: whole, size: whole.count, header: packet.header, offset: packet.offset, index: 0, isRestored: true)
    return (tag, min(whole.count - ID3Tag.cutLength, payload.count))
  }

  /// The size of the tag at the start of `bytes`; `nil` if there is none.
  private func tagSize(_ bytes: Span<UInt8>) -> Int? {
    switch scope {
    case .readable: return ID3Tag.encodedLength(bytes).flatMap { $0 <= Self.largestTag ? $0 : nil }
    case .malformedToo:
      guard bytes.starts(with: Self.identifier.view) else { return nil }
      // If the size cannot be read, the tag is assumed to fill the packet.
      return ID3Tag.statedLength(bytes) ?? bytes.count
    }
  }

  private mutating func abandonPartial() -> [Event] {
    guard var tag = partial.take() else { return [] }
    // A tag may state more bytes than it has.
    guard scope == .readable, let whole = ID3Tag.shortened(tag.bytes.view) else { return [.cutOff(tag)] }
    (tag.bytes, tag.size) = (whole, whole.count)
    return [.tag(tag)]
  }
}

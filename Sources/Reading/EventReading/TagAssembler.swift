import Basics
import ID3
import TransportStream

/// Takes the ID3 tags out of the PES packets of one PID.
///
/// A packet holds one tag or, in streams of others, several; a large tag may go on in packets without a presentation time (Apple, "Timed
/// Metadata for HLS", section 2.4).
struct TagAssembler: Sendable {
  /// A tag, its presentation time as it was written, and where its first packet lies.
  struct TimedTag: Equatable, Sendable {
    var tag: ID3Tag
    var byteCount: Int
    var timestamp: UInt64
    var offset: Int
  }

  enum Result: Equatable, Sendable {
    case tag(TimedTag)
    case damaged(Damage)
  }

  /// A tag whose end has not come.
  private struct Partial: Sendable {
    var bytes: [UInt8]
    var size: Int
    var timestamp: UInt64
    var offset: Int
  }

  private var packets = PESAssembler()
  private var partial: Partial?

  /// The largest tag that is put together, in bytes.
  static let largestTag = 1 << 20

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int) -> [Result] {
    packets.push(header, payload: payload, offset: offset).flatMap { take($0) }
  }

  mutating func finish() -> [Result] {
    packets.finish().flatMap { take($0) } + abandonPartial()
  }

  /// Takes note that packets are missing here.
  mutating func interrupt() -> [Result] {
    packets.interrupt().flatMap { take($0) } + abandonPartial()
  }

  private mutating func take(_ event: PESAssembler.Event) -> [Result] {
    switch event {
    case .damaged(let offset, let reason):
      return abandonPartial() + [.damaged(Damage(offset: offset, reason: reason))]
    case .packet(let packet):
      let header: PESHeader
      do throws(ParseError) {
        header = try PESHeader(packet.bytes.span)
      } catch {
        return [.damaged(Damage(offset: packet.offset, reason: "\(error.reason)"))]
      }
      return take(packet.bytes[header.size...], header, offset: packet.offset)
    }
  }

  private mutating func take(_ payload: ArraySlice<UInt8>, _ header: PESHeader, offset: Int) -> [Result] {
    guard let timestamp = header.presentationTime else {
      guard partial != nil else { return [.damaged(Damage(offset: offset, reason: "metadata without a presentation time"))] }
      partial?.bytes += payload
      return completePartial()
    }
    var results = abandonPartial()
    let bytes = Array(payload)
    var position = 0
    while position < bytes.count {
      let rest = bytes.span.extracting(position...)
      guard let size = ID3Tag.encodedLength(rest) else {
        let isCut = position == 0 && Self.isCutByFFmpeg(bytes)
        results.append(.damaged(Damage(offset: offset, reason: isCut ? Self.cutReason : "no ID3 tag where one should start")))
        break
      }
      guard size <= rest.count else {
        guard size <= Self.largestTag else {
          results.append(.damaged(Damage(offset: offset, reason: "ID3 tag is larger than \(Self.largestTag) bytes")))
          break
        }
        partial = Partial(bytes: Array(bytes[position...]), size: size, timestamp: timestamp, offset: offset)
        break
      }
      results.append(Self.decode(rest.extracting(..<size), timestamp: timestamp, offset: offset))
      position += size
      // Some writers fill a packet up behind its tag.
      if bytes[position...].allSatisfy({ $0 == 0 || $0 == 0xFF }) { break }
    }
    return results
  }

  private static let cutReason =
    "ID3 tag without its first five bytes: FFmpeg before 6.1 cuts them, even with -c copy; remux with a newer one, or stamp afterwards"

  /// Whether a payload is a tag of ID3v2.4 but for its first five bytes, the identifier and the version.
  private static func isCutByFFmpeg(_ payload: [UInt8]) -> Bool {
    let restored = [0x49, 0x44, 0x33, 4, 0] + payload
    return ID3Tag.encodedLength(restored.span) == restored.count
  }

  private mutating func completePartial() -> [Result] {
    guard let tag = partial, tag.bytes.count >= tag.size else { return [] }
    partial = nil
    return [Self.decode(tag.bytes.span.extracting(..<tag.size), timestamp: tag.timestamp, offset: tag.offset)]
  }

  private mutating func abandonPartial() -> [Result] {
    guard let tag = partial else { return [] }
    partial = nil
    return [.damaged(Damage(offset: tag.offset, reason: "ID3 tag is cut off: \(tag.size) bytes needed, \(tag.bytes.count) there"))]
  }

  private static func decode(_ bytes: Span<UInt8>, timestamp: UInt64, offset: Int) -> Result {
    do throws(ParseError) {
      return .tag(TimedTag(tag: try ID3Tag.decode(bytes), byteCount: bytes.count, timestamp: timestamp, offset: offset))
    } catch {
      return .damaged(Damage(offset: offset, reason: "broken ID3 tag: \(error.reason), at byte \(error.offset) of the tag"))
    }
  }
}

import Basics
import NALUnits
import TransportStream

/// Finds out whether a segment starts with an open group of pictures: then some pictures after the first one need pictures of the segment before, and
/// EXT-X-INDEPENDENT-SEGMENTS would be wrong (RFC 8216, 4.3.5.1).
struct GroupStart: Sendable {
  /// Whether the search has ended.
  private(set) var isKnown = false
  /// Whether the group is known to be open: only H.264, HEVC and MPEG-2 video are inspected.
  private(set) var isOpen = false
  private var head: AccessUnitHead?
  /// The first bytes of an access unit of MPEG-2 video; `nil` for another codec.
  private var start: [UInt8]?

  /// The number of bytes in which the header of a group of pictures is searched.
  private static let largestStart = 1_024

  /// Receives a packet of the video, starting with the first one of the segment.
  mutating func push(_ packet: Span<UInt8>, _ type: StreamType) {
    guard !isKnown, let header = try? TransportPacket(packet), header.hasPayload else { return }
    var payload = packet.extracting(header.payload)
    if header.startsUnit {
      // If the first access unit does not answer the question, the group counts as unknown.
      guard head == nil, start == nil, let size = (try? PESHeader(payload))?.size, size <= payload.count else { return isKnown = true }
      payload = payload.extracting(size..<payload.count)
      head = type.nalUnitCodec.map { AccessUnitHead($0, .startCodes) }
      if type == .mpeg2Video || type == .mpeg1Video { start = [] }
      if head == nil, start == nil { return isKnown = true }
    }
    if start != nil { return pushPicture(payload) }
    guard let progress = head?.push(payload), progress != .incomplete else { return }
    isKnown = true
    if case .found(let slice, _) = progress, let head { isOpen = !head.codec.startsClosedGroup(head.bytes[slice + 3]) }
    head = nil
  }

  /// Reads closed_gop in the header of the group, in front of the first picture (ISO/IEC 13818-2, 6.2.2.6).
  private mutating func pushPicture(_ payload: Span<UInt8>) {
    start?.append(copying: payload)
    guard let bytes = start else { return }
    for index in bytes.indices.dropLast(7) where bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 {
      guard bytes[index + 3] == 0xB8 || bytes[index + 3] == 0 else { continue }
      (isKnown, isOpen, start) = (true, bytes[index + 3] == 0xB8 && bytes[index + 7] & 0x40 == 0, nil)
      return
    }
    if bytes.count > Self.largestStart { (isKnown, start) = (true, nil) }
  }
}

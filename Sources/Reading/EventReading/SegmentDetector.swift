import Basics
import TransportStream

/// What a segment of a presentation is, by its first bytes and the type of its rendition.
package enum SegmentContents: Equatable, Sendable {
  /// A container that can carry events. An input that cannot be told is a transport stream.
  case stream(Container)
  /// Something that carries no events, as its rendition should have it: WebVTT, other subtitles, an image, frames of audio without a tag.
  case silent
  /// Text where a stream should be, such as the error page of a web server.
  case misplaced

  /// The container; `nil` for anything else.
  package var container: Container? { if case .stream(let container) = self { container } else { nil } }
}

/// Finds out what a segment of a presentation is. Its first bytes are held until that is certain, at most 64 KiB.
package struct SegmentDetector: Sendable {
  /// What the segment is; `nil` while more bytes are needed.
  package private(set) var contents: SegmentContents?
  /// Whether the rendition is one of subtitles.
  private let isSubtitles: Bool
  /// Finds packets, if their absence means that the segment is no transport stream; `nil` if it need not be certain.
  private var framer: PacketFramer?
  private var beginning: [UInt8] = []

  /// The number of bytes that are examined for text.
  private static let prefixLength = 32
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The first bytes of JPEG, PNG and GIF, and of AVIF and WebP after four bytes of length.
  private static let images: [(offset: Int, bytes: [UInt8])] = [
    (0, [0xFF, 0xD8, 0xFF]), (0, [0x89, 0x50, 0x4E, 0x47]), (0, Array("GIF8".utf8)), (4, Array("ftypavif".utf8)), (8, Array("WEBP".utf8)),
  ]

  /// Starts at the beginning of a segment.
  ///
  /// - Parameters:
  ///   - isSubtitles: Whether its rendition is one of subtitles, in which any text is as it should be.
  ///   - isCertain: Whether a transport stream must have packets; otherwise it is what is nothing else.
  package init(isSubtitles: Bool = false, isCertain: Bool = false) {
    self.isSubtitles = isSubtitles
    framer = isCertain ? PacketFramer() : nil
  }

  /// Receives the next bytes while ``contents`` is not known.
  ///
  /// - Returns: All bytes so far, once it is known.
  package mutating func push(_ bytes: Span<UInt8>) -> [UInt8]? {
    beginning.append(copying: bytes)
    framer?.push(bytes, packet: { _, _ in }, skip: { _ in })
    return decide(isLast: false)
  }

  /// Ends a segment of which ``contents`` is not known.
  ///
  /// - Returns: All bytes of it.
  package mutating func finish() -> [UInt8] { decide(isLast: true) ?? [] }

  private mutating func decide(isLast: Bool) -> [UInt8]? {
    guard isLast || beginning.count >= Self.prefixLength else { return nil }
    contents = found(isLast: isLast)
    guard contents != nil else { return nil }
    defer { beginning = [] }
    return beginning
  }

  private func found(isLast: Bool) -> SegmentContents? {
    if Self.isText(of: "WEBVTT", beginning) || isImage { return .silent }
    let prefix = beginning.view
    guard let container = Container(startingWith: prefix) else {
      guard isLast else { return nil }
      return isSubtitles || framer?.isTransportStreamAtEnd == false ? .silent : .stream(.transportStream)
    }
    guard container == .transportStream else { return .stream(container) }
    if case .frame = PackedAudioHeader(prefix) { return .silent }
    if Self.isText(beginning.prefix(Self.prefixLength)) { return isSubtitles ? .silent : .misplaced }
    guard let framer else { return .stream(.transportStream) }
    guard let hasPackets = isLast ? framer.isTransportStreamAtEnd : framer.isTransportStream else { return nil }
    return hasPackets ? .stream(.transportStream) : .silent
  }

  private var isImage: Bool {
    Self.images.contains { image in beginning.dropFirst(image.offset).starts(with: image.bytes) }
  }

  /// Whether the bytes begin with a text, or with a byte order mark and the text.
  private static func isText(of text: String, _ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    return bytes.dropFirst(start).starts(with: text.utf8)
  }

  /// Whether the bytes are text: no control characters but those of lines.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || [0x09, 0x0A, 0x0D].contains($0) }
  }
}

import Basics
import ID3

/// The header and the frames of a tag as written. Unlike `ID3Tag`, it also reads invalid ones.
struct TagLayout: Equatable, Sendable {
  /// A frame as its header describes it.
  struct Frame: Equatable, Sendable {
    /// Three or four characters.
    var id: String
    /// Where its header starts in the tag.
    var offset: Int
    /// The size field as written.
    var bits: UInt32
    /// The range of its content in the tag.
    var content: Range<Int>
    /// The two bytes of flags; 0 in 2.2.
    var flags: UInt16
  }

  /// The major version and the revision.
  var version: UInt8
  var revision: UInt8
  /// The flags of the tag.
  var flags: UInt8
  /// The size without the header; `nil` if it is not synchsafe.
  var size: Int?
  /// The frames up to the first unreadable one. Sizes are read as synchsafe in 2.4 and as plain integers before.
  var frames: [Frame]
  /// Whether the frames lead to the end or to padding.
  var isComplete: Bool

  /// The size of a tag's header, and since 2.3 of a frame's header.
  static let headerLength = 10

  /// The flags of a tag (ID3v2.4 structure, 3.1).
  enum Flag {
    static let unsynchronisation: UInt8 = 0x80
    static let extendedHeader: UInt8 = 0x40
    static let footer: UInt8 = 0x10
  }

  /// The length of the whole tag with its footer; `nil` if the size field is not synchsafe.
  var length: Int? { size.map { Self.headerLength + $0 + (flags & Flag.footer != 0 ? Self.headerLength : 0) } }

  /// Reads a tag at the start of `bytes`; `nil` if there is no header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength, bytes.starts(with: Array("ID3".utf8)) else { return nil }
    version = bytes[3]
    revision = bytes[4]
    flags = bytes[5]
    size = SynchsafeInteger.decode(Self.bits(bytes[...], at: 6))
    let end = min(size.map { Self.headerLength + $0 } ?? bytes.count, bytes.count)
    (frames, isComplete) = Self.frames(bytes[..<end], version: version, flags: flags, isPlain: version < 4)
  }

  /// The frames with their sizes read as plain integers; `nil` if that does not lead to the end.
  func plainFrames(_ bytes: [UInt8]) -> [Frame]? {
    let (frames, isComplete) = Self.frames(bytes[..<min(length ?? bytes.count, bytes.count)], version: version, flags: flags, isPlain: true)
    return isComplete ? frames : nil
  }

  private static func bits(_ bytes: ArraySlice<UInt8>, at offset: Int, count: Int = 4) -> UInt32 {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func frames(_ bytes: ArraySlice<UInt8>, version: UInt8, flags: UInt8, isPlain: Bool) -> ([Frame], isComplete: Bool) {
    let isShort = version == 2
    let header = isShort ? 6 : headerLength
    var position = headerLength
    if !isShort, flags & Flag.extendedHeader != 0 {
      guard bytes.count >= position + 4 else { return ([], false) }
      let bits = bits(bytes, at: position)
      // In 2.3 the size does not count itself.
      position += version == 3 ? 4 + Int(clamping: bits) : SynchsafeInteger.decode(bits) ?? bytes.count
    }
    var frames: [Frame] = []
    while position < bytes.count, bytes[position] != 0 {
      guard bytes.count - position >= header else { return (frames, false) }
      let id = bytes[position..<position + (isShort ? 3 : 4)]
      guard id.allSatisfy({ $0 < 0x80 }) else { return (frames, false) }
      let bits = bits(bytes, at: position + id.count, count: isShort ? 3 : 4)
      let size = isPlain ? Int(clamping: bits) : SynchsafeInteger.decode(bits) ?? Int(clamping: bits)
      let start = position + header
      guard size <= bytes.count - start else { return (frames, false) }
      let flags = isShort ? 0 : UInt16(bytes[position + 8]) << 8 | UInt16(bytes[position + 9])
      frames.append(
        Frame(id: String(decoding: id, as: UTF8.self), offset: position, bits: bits, content: start..<start + size, flags: flags))
      position = start + size
    }
    let padding = position <= bytes.count ? bytes[position...] : []
    return (frames, position <= bytes.count && padding.allSatisfy { $0 == 0 })
  }
}

extension TagLayout {
  /// The first five bytes of every tag of 2.4. FFmpeg up to 6.0 removes them from the payloads of stream_type 15.
  private static let missingBytes: [UInt8] = [0x49, 0x44, 0x33, 4, 0]

  /// The whole tag if `payload` is a tag without its first five bytes: it has flags, a size that fits, and a frame.
  static func restored(_ payload: [UInt8]) -> [UInt8]? {
    let bytes = missingBytes + payload
    guard let layout = TagLayout(bytes), layout.length == bytes.count, layout.isComplete, !layout.frames.isEmpty else { return nil }
    return bytes
  }
}

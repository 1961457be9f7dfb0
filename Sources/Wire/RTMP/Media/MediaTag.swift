package import Basics

/// The body of a video or audio message: what it carries, in the form of FLV (Adobe Flash Video File Format 10.1, Annex E.4) or of enhanced RTMP.
package struct MediaTag: Equatable, Sendable {
  /// A codec.
  package enum Codec: Equatable, Sendable {
    case h264
    case hevc
    case aac
    /// A codec that is not carried, by its name.
    case other(String)
  }

  /// What the body holds.
  package enum Content: Equatable, Sendable {
    /// How the stream is to be decoded.
    case configuration
    /// An access unit.
    case accessUnit
    /// Nothing that belongs to the stream.
    case nothing
  }

  /// The codec; `nil` if the body does not state one.
  package var codec: Codec?
  /// What the body holds.
  package var content: Content
  /// Whether decoding can start with the access unit.
  package var isRandomAccess = false
  /// The composition time offset in milliseconds: presentation time less decoding time.
  package var compositionOffset = 0
  /// Where the configuration or the access unit begins.
  package var start = 0
}

extension MediaTag {
  private static let keyFrame: UInt8 = 1
  /// A frame type for commands, which contain no picture.
  private static let commandFrame: UInt8 = 5

  /// Reads the start of a video message.
  package init(video bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    let first = try reader.readUInt8()
    let frameType = first >> 4 & 7
    self.init(content: .nothing)
    guard frameType != Self.commandFrame else { return }
    isRandomAccess = frameType == Self.keyFrame
    if first & 0x80 != 0 { try readEnhancedVideo(&reader, packetType: first & 0x0F) } else { try readVideo(&reader, codec: first & 0x0F) }
    start = reader.position
  }

  private mutating func readVideo(_ reader: inout ByteReader, codec number: UInt8) throws(ParseError) {
    switch number {
    case 7: codec = .h264
    // Some encoders used this number before enhanced RTMP existed.
    case 12: codec = .hevc
    default: return codec = .other("video codec \(number) of FLV")
    }
    switch try reader.readUInt8() {
    case 0: content = .configuration
    case 1: content = .accessUnit
    default: return
    }
    compositionOffset = try Self.readSigned(&reader)
  }

  private mutating func readEnhancedVideo(_ reader: inout ByteReader, packetType: UInt8) throws(ParseError) {
    let name = String(bytes: try reader.readSpan(4))
    switch name {
    case FourCC.h264: codec = .h264
    case FourCC.hevc: codec = .hevc
    default: return codec = .other(name)
    }
    switch packetType {
    case 0: content = .configuration
    case 1:
      content = .accessUnit
      compositionOffset = try Self.readSigned(&reader)
    // Without the offset, which is 0.
    case 3: content = .accessUnit
    default: break
    }
  }

  private static func readSigned(_ reader: inout ByteReader) throws(ParseError) -> Int {
    let value = Int(try reader.readInteger(byteCount: 3))
    return value >= 1 << 23 ? value - 1 << 24 : value
  }

  /// Reads the start of an audio message.
  package init(audio bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    let first = try reader.readUInt8()
    self.init(content: .nothing)
    isRandomAccess = true
    switch first >> 4 {
    case 9:
      let name = String(bytes: try reader.readSpan(4))
      codec = name == FourCC.aac ? .aac : .other(name)
      if codec == .aac { content = first & 0x0F == 0 ? .configuration : first & 0x0F == 1 ? .accessUnit : .nothing }
    case 10:
      codec = .aac
      let type = try reader.readUInt8()
      content = type == 0 ? .configuration : type == 1 ? .accessUnit : .nothing
    case let number: codec = .other("audio codec \(number) of FLV")
    }
    start = reader.position
  }
}

package import Basics

/// The header before a frame of AAC without a container (ISO/IEC 14496-3, 1.A.3.2).
package struct ADTSHeader: Equatable, Sendable {
  /// The audio object type of the coded audio, less 1. The decoder detects SBR and parametric stereo.
  private let profile: UInt8
  /// The sampling_frequency_index.
  private let frequencyIndex: UInt8
  /// The channelConfiguration.
  private let channels: UInt8

  /// The size of the header in bytes.
  package static let size = 7
  private static let mostBytes = 0x1FFF

  /// Makes the header for an AudioSpecificConfig.
  ///
  /// - Throws: `ParseError` if it is cut off, or ADTS cannot describe it: another object type than AAC Main, LC, SSR and LTP, a sample rate that is
  ///   not one of the table, or channels that only the stream itself describes.
  package init(audioSpecificConfig bytes: Span<UInt8>) throws(ParseError) {
    var bits = BitReader(bytes, baseOffset: 0)
    var type = try bits.readUInt8(5)
    frequencyIndex = try bits.readUInt8(4)
    guard frequencyIndex < 13 else { throw bits.error("a sample rate that ADTS does not have") }
    channels = try bits.readUInt8(4)
    // SBR and parametric stereo are signalled first, followed by the underlying object type.
    if type == 5 || type == 29 {
      guard try bits.readUInt8(4) < 15 else { throw bits.error("a sample rate that ADTS does not have") }
      type = try bits.readUInt8(5)
    }
    guard (1...4).contains(type) else { throw bits.error("audio object type \(type), which ADTS does not have") }
    guard (1...7).contains(channels) else { throw bits.error("channels that ADTS does not have") }
    profile = type - 1
  }

  /// The header of a frame of this number of bytes.
  ///
  /// - Throws: `ParseError` if the frame is too long.
  package func encoded(frameSize: Int) throws(ParseError) -> [UInt8] {
    let size = frameSize + Self.size
    guard size <= Self.mostBytes else {
      throw ParseError(.aboveLimit(what: "the size of an AAC frame", limit: Self.mostBytes - Self.size), at: 0)
    }
    // MPEG-4, no checksum; the buffer's fullness is not stated.
    return [
      0xFF, 0xF1, profile << 6 | frequencyIndex << 2 | channels >> 2, channels << 6 & 0xC0 | UInt8(size >> 11),
      UInt8(size >> 3 & 0xFF), UInt8(size << 5 & 0xE0) | 0x1F, 0xFC,
    ]
  }
}

import Basics

/// The format of audio that came without a container, and its sample entry.
package struct AudioFormat: Equatable, Sendable {
  /// The codings that fragmented MP4 for HLS carries.
  package enum Coding: Equatable, Sendable {
    case aac
    case mp3
    case ac3
    case eac3
    case opus
  }

  package var coding: Coding
  /// Samples per second, which is the timescale of the track.
  package var sampleRate: Int
  package var channelCount: Int
  /// The decoder's configuration: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), or the payload of `dac3`, `dec3` (ETSI TS 102 366, Annex F) or
  /// `dOps`.
  var configuration: [UInt8] = []

  /// The coding as RFC 6381 writes it. For MP3 it is Apple's name, because browsers refuse to play MP3 under the name of MP4 files.
  package var codec: String {
    switch coding {
    case .aac: "mp4a.40.\(configuration.first.map { $0 >> 3 } ?? 2)"
    case .mp3: SampleEntry.FixedCodec.mp3
    case .ac3: SampleEntry.FixedCodec.ac3
    case .eac3: SampleEntry.FixedCodec.ec3
    case .opus: "Opus"
    }
  }

  /// Whether both are the same for a decoder. The configuration of E-AC-3 includes its data rate, which may vary.
  func isSame(as other: AudioFormat) -> Bool {
    let rate = coding == .eac3 ? 2 : 0
    return (coding, sampleRate, channelCount) == (other.coding, other.sampleRate, other.channelCount)
      && configuration.dropFirst(rate) == other.configuration.dropFirst(rate)
  }

  /// Writes the sample entry (ISO/IEC 14496-12, 12.2.3).
  func write(to writer: inout ByteWriter) throws(ParseError) {
    let types: (entry: BoxType, configuration: BoxType) =
      switch coding {
      case .aac, .mp3: (.mp4a, BoxType("esds"))
      case .ac3: (.ac3, BoxType("dac3"))
      case .eac3: (.ec3, BoxType("dec3"))
      case .opus: (.opus, BoxType("dOps"))
      }
    try writer.writeBox(types.entry) { entry throws(ParseError) in
      entry.writeSampleEntryStart()
      entry.fill(0, count: 8)
      entry.writeUInt16(UInt16(clamping: channelCount))
      entry.writeUInt16(16)
      entry.fill(0, count: 4)
      // The integer part has 16 bits. A higher rate does not fit, and is only in the configuration.
      entry.writeUInt32(UInt32(UInt16(exactly: sampleRate) ?? 0) << 16)
      try entry.writeBox(types.configuration) { box throws(ParseError) in
        if coding == .aac || coding == .mp3 { try writeDescriptor(&box) } else { box.write(configuration) }
      }
    }
  }

  /// Writes the payload of `esds` (ISO/IEC 14496-1, 7.2.6).
  private func writeDescriptor(_ box: inout ByteWriter) throws(ParseError) {
    let info = configuration.isEmpty ? [] : [5, UInt8(clamping: configuration.count)] + configuration
    // The object type, audio, and an unknown buffer size and unknown bit rates.
    let decoder = [coding == .mp3 ? 0x6B : ElementaryStreamDescriptor.mpeg4Audio, 0x15] + [UInt8](repeating: 0, count: 11) + info
    let stream: [UInt8] = [0, UInt8(FragmentWriter.trackID), 0, 4, UInt8(clamping: decoder.count)] + decoder + [6, 1, 2]
    box.writeUInt32(0)
    box.write([3, UInt8(clamping: stream.count)] + stream)
  }
}

import CMAF
package import ID3

/// The header of a tag or a frame in packed audio.
package enum PackedAudioHeader: Equatable, Sendable {
  /// An ID3 tag of `size` bytes.
  case tag(size: Int)
  /// A frame of AAC in ADTS, of MP3, of AC-3 or of E-AC-3.
  case frame(Frame)
  /// More bytes are needed to tell.
  case incomplete
  /// Not part of packed audio.
  case none

  /// An audio frame.
  package struct Frame: Equatable, Sendable {
    /// The number of bytes, header included.
    package var size: Int
    /// What it is.
    package var format: Format
    /// The number of samples of each channel; zero in a part of E-AC-3 that only adds channels to the previous one.
    package var sampleCount: Int
    /// Samples a second.
    package var sampleRate: Int
  }

  /// A format of sound.
  package enum Format: String, Equatable, Sendable {
    case aac = "AAC"
    case mp3 = "MP3"
    case ac3 = "AC-3"
    case eac3 = "E-AC-3"
  }

  /// Examines the first bytes.
  package init(_ bytes: Span<UInt8>) {
    guard bytes.count >= 4 else {
      self = .incomplete
      return
    }
    if bytes[0] == UInt8(ascii: "I"), bytes[1] == UInt8(ascii: "D"), bytes[2] == UInt8(ascii: "3") {
      self = bytes.count < 10 ? .incomplete : ID3Tag.encodedLength(bytes).map { .tag(size: $0) } ?? .none
    } else if bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 {
      self = bytes.count < 7 ? .incomplete : Self.adts(bytes).map { .frame($0) } ?? .none
    } else if bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 {
      self = Self.layerIII(bytes).map { .frame($0) } ?? .none
    } else if bytes[0] == 0x0B, bytes[1] == 0x77 {
      self = bytes.count < 6 ? .incomplete : Self.dolby(bytes).map { .frame($0) } ?? .none
    } else {
      self = .none
    }
  }

  /// A frame of AAC (ISO/IEC 14496-3, 1.A.2.2), by its seven bytes.
  private static func adts(_ bytes: Span<UInt8>) -> Frame? {
    guard let configuration = try? AACConfiguration(adtsHeader: bytes) else { return nil }
    let size = Int(bytes[3] & 0x03) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
    let blockCount = Int(bytes[6] & 0x03) + 1
    return size < 7 ? nil : Frame(size: size, format: .aac, sampleCount: blockCount * 1_024, sampleRate: configuration.sampleRate)
  }

  /// A frame of Layer III, by its four bytes.
  private static func layerIII(_ bytes: Span<UInt8>) -> Frame? {
    AudioFrames.mp3(bytes).map { Frame(size: $0.size, format: .mp3, sampleCount: $0.sampleCount, sampleRate: $0.format.sampleRate) }
  }

  /// A frame of AC-3 (ETSI TS 102 366, 4.4.1) or of E-AC-3 (E.1.3.1), by its six bytes.
  private static func dolby(_ bytes: Span<UInt8>) -> Frame? {
    let identification = Int(bytes[5] >> 3)
    guard identification > 10 else {
      guard let size = AudioFrames.ac3FrameSize(bytes[4]) else { return nil }
      // Identification 9 halves the sample rate, and 10 quarters it.
      let sampleRate = AudioFrames.dolbySampleRates[Int(bytes[4] >> 6)] >> max(identification - 8, 0)
      return Frame(size: size, format: .ac3, sampleCount: 1_536, sampleRate: sampleRate)
    }
    guard let header = try? AudioFrames.eac3(bytes), header.size >= 6 else { return nil }
    return Frame(
      size: header.size, format: .eac3, sampleCount: header.continues ? 0 : header.sampleCount, sampleRate: header.format.sampleRate)
  }
}

extension ID3Tag {
  /// The owner of the `PRIV` frame with the timestamp of packed audio (RFC 8216, 3.4).
  package static let timestampOwner = "com.apple.streaming.transportStreamTimestamp"

  /// The 33-bit timestamp of the first audio frame after this tag, with which every segment of packed audio starts (RFC 8216, 3.4).
  package var transportStreamTimestamp: UInt64? {
    for case .privateData(let owner, let data) in frames where owner.utf8.elementsEqual(Self.timestampOwner.utf8) && data.count == 8 {
      return data.reduce(0) { $0 << 8 | UInt64($1) } & 0x1_FFFF_FFFF
    }
    return nil
  }
}

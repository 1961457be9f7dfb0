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

  /// A frame of MPEG-1, MPEG-2 or MPEG-2.5 Layer III (ISO/IEC 11172-3, 2.4.1.3), by its four bytes.
  private static func layerIII(_ bytes: Span<UInt8>) -> Frame? {
    let (version, bitrate, rate) = (Int(bytes[1] >> 3 & 0x03), Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 0x03))
    // Excludes reserved values, and the free format, whose frames do not state their size.
    guard version != 1, 1...14 ~= bitrate, rate < 3 else { return nil }
    let isMPEG1 = version == 3
    let kilobits =
      isMPEG1
      ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let sampleRate = [44_100, 48_000, 32_000][rate] / (isMPEG1 ? 1 : version == 2 ? 2 : 4)
    let sampleCount = isMPEG1 ? 1_152 : 576
    let padding = Int(bytes[2] >> 1 & 0x01)
    return Frame(
      size: sampleCount * 125 * kilobits[bitrate - 1] / sampleRate + padding, format: .mp3, sampleCount: sampleCount,
      sampleRate: sampleRate)
  }

  /// A frame of AC-3 (ETSI TS 102 366, 4.4.1) or of E-AC-3 (E.1.3.1), by its six bytes.
  private static func dolby(_ bytes: Span<UInt8>) -> Frame? {
    let identification = bytes[5] >> 3
    let rateCode = Int(bytes[4] >> 6)
    let rates = [48_000, 44_100, 32_000]
    guard identification > 10 else {
      let code = Int(bytes[4] & 0x3F)
      guard rateCode < 3, code < 38 else { return nil }
      let kilobits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640][code >> 1]
      // At 44.1 kHz the average number of words in a frame is not whole: every other frame has one more.
      let words = [kilobits * 2, kilobits * 320 / 147 + code & 1, kilobits * 3][rateCode]
      // Identification 9 halves the sample rate, and 10 quarters it.
      return Frame(size: words * 2, format: .ac3, sampleCount: 1_536, sampleRate: rates[rateCode] >> max(Int(identification) - 8, 0))
    }
    guard identification <= 16 else { return nil }
    let (type, substream) = (bytes[2] >> 6, bytes[2] >> 3 & 0x07)
    let size = (Int(bytes[2] & 0x07) << 8 | Int(bytes[3])) * 2 + 2
    let second = Int(bytes[4] >> 4 & 0x03)
    guard type < 3, size >= 6, rateCode < 3 || second < 3 else { return nil }
    let blocks = rateCode == 3 ? 6 : [1, 2, 3, 6][second]
    return Frame(
      size: size, format: .eac3, sampleCount: type == 1 || substream > 0 ? 0 : blocks * 256,
      sampleRate: rateCode == 3 ? rates[second] / 2 : rates[rateCode])
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

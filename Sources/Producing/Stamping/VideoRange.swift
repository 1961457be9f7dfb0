/// The dynamic range of video, as EXT-X-STREAM-INF has it (RFC 8216bis, 4.4.6.2, VIDEO-RANGE).
package enum VideoRange: String, Sendable {
  case standard = "SDR"
  /// Hybrid Log-Gamma (ARIB STD-B67).
  case hybridLogGamma = "HLG"
  /// The perceptual quantizer (SMPTE ST 2084), as HDR10 and Dolby Vision have it.
  case perceptualQuantizer = "PQ"

  /// The range of transfer characteristics, a code point of ISO/IEC 23091-2; `nil` if it is not known, or has no name in playlists.
  package init?(transferCharacteristics: Int?) {
    switch transferCharacteristics {
    case 1, 6, 13, 14, 15: self = .standard
    case 16: self = .perceptualQuantizer
    case 18: self = .hybridLogGamma
    default: return nil
    }
  }

  /// The code point that an MPD states; `nil` for standard dynamic range, which players assume.
  var statedTransfer: Int? {
    switch self {
    case .standard: nil
    case .perceptualQuantizer: 16
    case .hybridLogGamma: 18
    }
  }
}

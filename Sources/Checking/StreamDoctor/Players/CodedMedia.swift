import CMAF
import TransportStream

/// Video or sound in a coding that some of the named players do not play.
struct CodedMedia: Hashable, Sendable {
  /// What the coding is called.
  var name: String
  /// Who plays it, and who does not.
  var players: String

  private static let browsers = "hls.js, video.js, Shaka Player and dash.js"
  private static let hevc = CodedMedia(
    name: "HEVC", players: "\(browsers) play it only where the browser does: Safari, and others with a decoder in hardware")
  private static let dolby = CodedMedia(
    name: "AC-3 or E-AC-3", players: "\(browsers) play it only where the browser does: Safari and Edge, neither Chrome nor Firefox")
  private static let vp9 = CodedMedia(name: "VP9", players: "AVFoundation plays no VP9 in HLS")
  private static let av1 = CodedMedia(name: "AV1", players: "AVFoundation plays it only with a decoder in hardware, video.js in no HLS")
  private static let opus = CodedMedia(name: "Opus", players: "older systems of Apple play no Opus in HLS")
  private static let lossless = CodedMedia(name: "ALAC", players: "\(browsers) play it in Safari alone")

  /// The codings of fragmented MP4 by the first four characters of their codecs.
  private static let codecs: [String: CodedMedia] = [
    "hvc1": hevc, "hev1": hevc, "dvh1": hevc, "dvhe": hevc, "ac-3": dolby, "ec-3": dolby, "vp08": vp9, "vp09": vp9, "av01": av1,
    "opus": opus, "alac": lossless,
  ]

  /// The coding of a track of fragmented MP4; `nil` if all players play it.
  init?(_ codec: String) {
    guard let known = Self.codecs[String(codec.lowercased().prefix(4))] else { return nil }
    self = known
  }

  /// The coding of a stream of a transport stream; `nil` if all players play it, or if it is neither video nor sound.
  init?(_ stream: ProgramMapTable.ElementaryStream) {
    switch stream.type {
    case .h264, .aac, .aacLATM, .aacRaw, .mpeg1Audio, .mpeg2Audio: return nil
    case .hevc: self = Self.hevc
    case .ac3, .eac3: self = Self.dolby
    case let type where type.isVideo || stream.isAudio:
      let name = type == .privateData ? "sound of a private type" : type.name
      self.init(name: "\(name) in a transport stream", players: "\(Self.browsers) do not play it")
    default: return nil
    }
  }

  private init(name: String, players: String) { (self.name, self.players) = (name, players) }
}

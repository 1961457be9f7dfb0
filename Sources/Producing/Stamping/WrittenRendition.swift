package import CMAF
package import HLSPlaylist
package import LibAV
import PacketStamping

/// One input whose tracks are written.
struct WrittenRendition {
  /// The track that carries the events: video, in transport streams with audio, or else audio.
  var main: TrackTimeline
  /// The codecs of the main track; `nil` if one has no name.
  var mainCodecs: String?
  /// The main track, if it is audio.
  var mainAudio: Audio?
  /// Audio in tracks of its own, which may be those of another input.
  var audio: [Audio] = []
  /// The name of its audio group; `nil` if there is none.
  var audioGroup: String?
  /// Whether the main track has video.
  var hasVideo = false
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  var videoRange: VideoRange?
  /// What was inserted into the stream, and what libavformat copied.
  var stamped: PacketStamper.Report
  var remuxed: RemuxSummary

  /// An audio track.
  struct Audio {
    var track: TrackTimeline
    /// The codec as RFC 6381 writes it; `nil` if it has no such name.
    var codecs: String?
    var stream: MediaStream
    var channelCount: Int?
    /// The hash of its files.
    var hash: UInt64
  }

  /// All tracks of an input that is audio alone.
  var allAudio: [Audio] { [mainAudio].compactMap { $0 } + audio }

  /// The codecs of all tracks as RFC 6381 writes them, joined by commas; `nil` if one has no such name.
  var codecs: String? {
    let all = ([mainCodecs] + audio.map { $0.codecs }).compactMap { $0 }
    guard all.count == audio.count + 1 else { return nil }
    let names = all.flatMap { $0.split(separator: ",") }
    return names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map { String($0.element) }.joined(separator: ",")
  }

  /// The entry of the multivariant playlist, with measured bandwidths.
  func variant(targetDuration: UInt64) -> Variant {
    // A player chooses one rendition of the audio group, at most the largest.
    let peaks = ([main] + audio.map { $0.track }).map { $0.peakBitRate(targetDuration: targetDuration) }
    let peak = peaks[0] + (peaks.dropFirst().max() ?? 0)
    var variant = Variant(uri: URIReference(relativePath: main.playlistName).text, bandwidth: peak)
    variant.averageBandwidth = main.averageBitRate + (audio.map { $0.track.averageBitRate }.max() ?? 0)
    variant.codecs = codecs
    variant.resolution = pictureSize.map { Resolution($0) }
    variant.frameRate = frameRate.map { PlaylistDecimal($0) }
    variant.audio = audioGroup
    if let videoRange { variant.attributes.attributes.append(Attribute("VIDEO-RANGE", .unquoted(videoRange.rawValue))) }
    return variant
  }

  /// The audio group's renditions.
  func audioRenditions(group: String) -> [Rendition] {
    AudioTrack.renditions(
      audio.map { AudioTrack(language: $0.stream.language, channelCount: $0.channelCount, playlist: $0.track.playlistName) }, group: group)
  }
}

extension PictureSize {
  /// The size at which the picture is shown.
  func shown(_ orientation: PictureOrientation?) -> PictureSize {
    guard orientation?.swapsSides ?? false else { return self }
    var turned = self
    (turned.width, turned.height) = (height, width)
    return turned
  }
}

extension Resolution {
  package init(_ size: PictureSize) { self.init(width: UInt64(size.width), height: UInt64(size.height)) }
}

extension PlaylistDecimal {
  /// Frames per second, to three decimals.
  package init(_ rate: CodecParameters.FrameRate) {
    self.init(billionths: (Int64(rate.numerator) * 1_000_000 / Int64(rate.denominator) + 500) / 1_000 * 1_000_000)
  }
}

/// The description of a separate audio track for a multivariant playlist.
package struct AudioTrack: Equatable, Sendable {
  /// The language as the container has it.
  package var language: String?
  package var channelCount: Int?
  /// The media playlist's name.
  package var playlist: String

  package init(language: String?, channelCount: Int?, playlist: String) {
    (self.language, self.channelCount, self.playlist) = (language, channelCount, playlist)
  }

  /// The renditions of an audio group, of which the first is the default.
  package static func renditions(_ tracks: [AudioTrack], group: String) -> [Rendition] {
    tracks.enumerated().map { index, track in
      // Names must differ within a group; languages need not.
      let language = track.language.flatMap { LanguageTag(container: $0)?.text }
      let isFirst = !tracks[..<index].contains { $0.language == track.language }
      var rendition = Rendition(
        type: .audio, groupID: group, name: language.map { isFirst ? $0 : "\($0) \(index + 1)" } ?? "Audio \(index + 1)",
        uri: URIReference(relativePath: track.playlist).text)
      rendition.language = language
      rendition.isDefault = index == 0
      rendition.isAutoselected = true
      rendition.channels = track.channelCount.map { String($0) }
      return rendition
    }
  }
}

extension [WrittenRendition] {
  /// The multivariant playlist, with a variant for each input.
  func multivariantPlaylist(_ type: SegmentType, targetDuration: UInt64) -> MultivariantPlaylist {
    var playlist = MultivariantPlaylist(variants: [])
    for rendition in self {
      playlist.variants.append(rendition.variant(targetDuration: targetDuration))
      guard let group = rendition.audioGroup, !playlist.renditions.contains(where: { $0.groupID == group }) else { continue }
      playlist.renditions += rendition.audioRenditions(group: group)
    }
    playlist.version = type == .transportStream ? 3 : 7
    playlist.hasIndependentSegments = allSatisfy { $0.main.hasIndependentSegments }
    return playlist
  }
}

/// The description of a track by its initialization segment.
package struct TrackDescription {
  /// The codecs as RFC 6381 writes them; `nil` for a codec without such a name.
  package private(set) var codecs: [String?] = []
  package private(set) var pictureSize: PictureSize?

  package init(initializationSegment bytes: Span<UInt8>) {
    var reader = FragmentReader()
    for case .initialisation(let movie) in reader.push(bytes) {
      let entries = movie.tracks.flatMap { $0.sampleEntries }
      codecs += entries.map { Self.playlistName(of: $0.codec) }
      pictureSize = pictureSize ?? entries.compactMap { $0.pictureSize }.first
    }
  }

  /// Returns a codec's name in playlists. For MP3 it is Apple's, because browsers refuse to play transport streams under the name of MP4 files.
  private static func playlistName(of codec: String?) -> String? {
    codec == "mp4a.6B" || codec == "mp4a.69" ? SampleEntry.FixedCodec.mp3 : codec
  }
}

extension [TrackDescription] {
  /// The codecs of all tracks, joined by commas; `nil` if one has no name.
  package var codecs: String? {
    let all = flatMap { $0.codecs }
    let known = all.compactMap { $0 }
    let different = known.enumerated().filter { !known[..<$0.offset].contains($0.element) }.map { $0.element }
    return known.isEmpty || known.count < all.count ? nil : different.joined(separator: ",")
  }
}

import CMAF
import HLSPlaylist
import LibAV
import PacketStamping

/// One input whose tracks are written.
struct WrittenRendition {
  /// The track that the events ride in: the picture, in transport streams with the sound, else the sound.
  var main: WrittenTrack
  /// Sound in tracks of its own.
  var sounds: [(track: WrittenTrack, stream: MediaStream, channelCount: Int?)] = []
  /// The codecs of all tracks as RFC 6381 writes them, joined by commas; `nil` where one has no such name.
  var codecs: String?
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  /// What was put into the stream, and what libavformat copied.
  var stamped: PacketStamper.Report
  var remuxed: RemuxSummary

  /// The entry of the multivariant playlist, with bandwidths as they were measured.
  func variant(audioGroup: String, targetDuration: UInt64) -> Variant {
    // What a player may choose of a group is at most its largest.
    let peaks = ([main] + sounds.map { $0.track }).map { $0.peakBitRate(targetDuration: targetDuration) }
    let peak = peaks[0] + (peaks.dropFirst().max() ?? 0)
    var variant = Variant(uri: URIReference(relativePath: main.playlist).text, bandwidth: peak)
    variant.averageBandwidth = main.averageBitRate + (sounds.map { $0.track.averageBitRate }.max() ?? 0)
    variant.codecs = codecs
    variant.resolution = pictureSize.map { Resolution(width: UInt64($0.width), height: UInt64($0.height)) }
    variant.frameRate = frameRate.map { rate in
      PlaylistDecimal(billionths: (Int64(rate.numerator) * 1_000_000 / Int64(rate.denominator) + 500) / 1_000 * 1_000_000)
    }
    if !sounds.isEmpty { variant.audio = audioGroup }
    return variant
  }

  /// The audio group's renditions.
  func audioRenditions(group: String) -> [Rendition] {
    sounds.enumerated().map { index, sound in
      // Names must differ within a group; languages need not.
      let language = sound.stream.language.flatMap { LanguageTag(container: $0)?.text }
      let isFirst = !sounds[..<index].contains { $0.stream.language == sound.stream.language }
      var rendition = Rendition(
        type: .audio, groupID: group, name: language.map { isFirst ? $0 : "\($0) \(index + 1)" } ?? "Audio \(index + 1)",
        uri: URIReference(relativePath: sound.track.playlist).text)
      rendition.language = language
      rendition.isDefault = index == 0
      rendition.isAutoselected = true
      rendition.channels = sound.channelCount.map { String($0) }
      return rendition
    }
  }
}

extension [WrittenRendition] {
  /// The multivariant playlist, a variant an input.
  func multivariantPlaylist(_ type: SegmentType, targetDuration: UInt64) -> Playlist {
    var playlist = MultivariantPlaylist(variants: [])
    for (index, rendition) in enumerated() {
      let group = count == 1 ? "audio" : "audio-\(index + 1)"
      playlist.variants.append(rendition.variant(audioGroup: group, targetDuration: targetDuration))
      playlist.renditions += rendition.audioRenditions(group: group)
    }
    playlist.version = type == .transportStream ? 3 : 7
    playlist.hasIndependentSegments = true
    return .multivariant(playlist)
  }
}

/// What an initialisation section says of its track.
struct TrackDescription {
  /// The codecs as RFC 6381 writes them; `nil` for one that has no such name.
  var codecs: [String?] = []
  var pictureSize: PictureSize?

  init(initialisation bytes: Span<UInt8>) {
    var reader = FragmentReader()
    for case .initialisation(let movie) in reader.push(bytes) {
      let entries = movie.tracks.flatMap { $0.sampleEntries }
      codecs += entries.map { Self.playlistName(of: $0.codec) }
      pictureSize = pictureSize ?? entries.compactMap { $0.pictureSize }.first
    }
  }

  /// A codec's name in playlists. For MP3 that is Apple's; by the one of MP4 files browsers refuse to play transport streams.
  private static func playlistName(of codec: String?) -> String? {
    codec == "mp4a.6B" || codec == "mp4a.69" ? SampleEntry.FixedCodec.mp3 : codec
  }
}

extension [TrackDescription] {
  /// The codecs of all tracks, joined by commas; `nil` where one has no name.
  var codecs: String? {
    let all = flatMap { $0.codecs }
    let known = all.compactMap { $0 }
    let different = known.enumerated().filter { !known[..<$0.offset].contains($0.element) }.map { $0.element }
    return known.isEmpty || known.count < all.count ? nil : different.joined(separator: ",")
  }
}

import CMAF
import HLSPlaylist
import LibAV
import MediaTime

/// The segments of a stream, and the playlists that name them.
struct SegmentList {
  var segments: [SegmentWriter.Segment]
  /// When the programme's zero is presented, and when the last picture ends, on the stream's timeline.
  var zero: MediaTime
  var end: MediaTime
  var programDateTime: PlaylistDate?

  /// How long a segment is: up to the start of the next one.
  private func duration(of index: Int) -> MediaTime {
    (index + 1 < segments.count ? segments[index + 1].start : end) - segments[index].start
  }

  /// The media playlist: complete, so of type VOD.
  var mediaPlaylist: Playlist {
    var playlist = MediaPlaylist(targetDuration: 1)
    for (index, written) in segments.enumerated() {
      var segment = MediaSegment(uri: written.name, duration: PlaylistDecimal(duration(of: index)))
      if let programDateTime {
        let sinceZero = (written.start - zero).ticks / (MediaTime.ticksPerSecond / 1_000)
        segment.programDateTime = PlaylistDate(milliseconds: programDateTime.milliseconds + sinceZero)
      }
      playlist.segments.append(segment)
    }
    playlist.version = 3
    playlist.targetDuration = playlist.smallestTargetDuration
    playlist.playlistType = .onDemand
    playlist.hasIndependentSegments = true
    playlist.isEnded = true
    return .media(playlist)
  }

  /// The multivariant playlist, with bandwidths as they were measured.
  func multivariantPlaylist(media: String, _ description: StreamDescription) -> Playlist {
    let total = segments.reduce(0) { $0 + $1.byteCount }
    let peak = segments.indices.map { Self.bitRate(segments[$0].byteCount, over: duration(of: $0)) }.max() ?? 0
    var variant = Variant(uri: media, bandwidth: peak)
    variant.averageBandwidth = Self.bitRate(total, over: end - (segments.first?.start ?? zero))
    variant.codecs = description.codecs
    variant.resolution = description.pictureSize.map { Resolution(width: UInt64($0.width), height: UInt64($0.height)) }
    variant.frameRate = description.frameRate.map { rate in
      PlaylistDecimal(billionths: (Int64(rate.numerator) * 1_000_000 / Int64(rate.denominator) + 500) / 1_000 * 1_000_000)
    }
    var playlist = MultivariantPlaylist(variants: [variant])
    playlist.version = 3
    playlist.hasIndependentSegments = true
    return .multivariant(playlist)
  }

  /// Bits a second, rounded up.
  private static func bitRate(_ byteCount: Int, over duration: MediaTime) -> UInt64 {
    let ticks = UInt64(max(duration.ticks, 1))
    let (bits, overflow) = UInt64(byteCount).multipliedReportingOverflow(by: 8 * UInt64(MediaTime.ticksPerSecond))
    return overflow ? .max : (bits + ticks - 1) / ticks
  }
}

extension PlaylistDecimal {
  /// A duration, to the nanosecond: 90 kHz ticks are longer than 11 microseconds.
  fileprivate init(_ time: MediaTime) {
    let (seconds, ticks) = time.ticks.quotientAndRemainder(dividingBy: MediaTime.ticksPerSecond)
    self.init(billionths: seconds * 1_000_000_000 + (ticks * 1_000_000_000 + MediaTime.ticksPerSecond / 2) / MediaTime.ticksPerSecond)
  }
}

/// What a multivariant playlist says of a file's streams.
struct StreamDescription {
  /// The codecs as RFC 6381 writes them, joined by commas; `nil` where one has no such name.
  var codecs: String?
  var pictureSize: PictureSize?
  var frameRate: CodecParameters.FrameRate?
  var hasVideo = false

  /// Reads the beginning of a file, as far as it takes to make the header of a fragmented MP4, which says all of it.
  init(_ input: consuming MediaInput) throws(RemuxError) {
    let streams = input.streams
    let video = streams.first { $0.kind == .video && !$0.isAttachedPicture }
    hasVideo = video != nil
    frameRate = video.flatMap { input.codecParameters(of: $0.index)?.frameRate }
    guard streams.allSatisfy({ SegmentRemuxer.carriedCodecs.contains($0.codecName) || ($0.kind != .video && $0.kind != .audio) }) else {
      return
    }
    var remuxer = try SegmentRemuxer(input, cuts: .every(MediaTime(ticks: 1)))
    var names: [String?] = []
    reading: while let piece = try remuxer.next() {
      switch consume piece {
      case .fragment: break reading
      case .initialisation(_, let bytes):
        var reader = FragmentReader()
        for case .initialisation(let movie) in reader.push(bytes.span) {
          let entries = movie.tracks.flatMap { $0.sampleEntries }
          names += entries.map { $0.codec }
          pictureSize = pictureSize ?? entries.compactMap { $0.pictureSize }.first
        }
      }
    }
    let known = names.compactMap { $0 }
    if !known.isEmpty, known.count == names.count { codecs = known.joined(separator: ",") }
  }
}

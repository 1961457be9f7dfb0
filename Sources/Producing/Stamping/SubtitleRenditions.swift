import Basics
import HLSPlaylist
import LibAV

/// The text subtitles of an input as renditions of WebVTT, in segments that go with those of the video.
struct SubtitleRenditions: Sendable {
  /// A stream of subtitles.
  private struct Track: Sendable {
    var stream: MediaStream
    var cues: [SubtitleCue]
  }

  /// The name of the group of all subtitles.
  static let group = "subtitles"

  private var tracks: [Track] = []

  /// Reads the subtitles of a file; none if it has no text subtitles with a video. A second reading of the file is needed only if there are some.
  init(of input: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) {
    let streams = try remuxing(input, SubtitleReader.streams(of: openMedia(input, details: .header, isInterrupted)))
    guard !streams.isEmpty else { return }
    let packets = try remuxing(input, SubtitleReader.packets(openMedia(input, details: .header, isInterrupted), of: streams))
    for stream in streams {
      let cues = SubtitleCue.cues(packets.filter { $0.stream == stream.index }, codec: stream.codecName)
      if !cues.isEmpty { tracks.append(Track(stream: stream, cues: cues)) }
    }
  }

  /// The indices of the streams that become renditions.
  var streams: Set<Int> { Set(tracks.map(\.stream.index)) }

  /// Writes the segments and playlists.
  ///
  /// - Parameters:
  ///   - presentation: The multivariant playlist's name without its extension.
  ///   - main: The track of the video.
  ///   - encryption: How segments are encrypted; `nil` if they are not.
  /// - Returns: The entries of the multivariant playlist.
  func write(
    _ presentation: String, along main: TrackTimeline, targetDuration: UInt64, _ date: PlaylistDate?, _ encryption: SegmentEncryption?,
    into folder: inout PresentationFolder
  ) throws(StampingError) -> [Rendition] {
    var renditions: [Rendition] = []
    for (index, track) in tracks.enumerated() {
      let names = TrackNames(presentation: presentation, rendition: nil, .subtitles, number: index + 1, type: .transportStream)
      var timeline = TrackTimeline(playlistName: names.playlist)
      (timeline.origin, timeline.fixedTargetDuration, timeline.isEnded) = (main.origin, targetDuration, true)
      for (number, segment) in main.segments.enumerated() {
        let start = segment.start - main.origin
        // What is shown before the first picture belongs to the first segment.
        let part = (number == 0 ? min(start, .zero) : start)..<max(start + segment.duration, start)
        let name = "\(names.segments.prefix)\(number.digits(5)).vtt"
        var entry = TrackTimeline.Segment(name: name, number: number, start: segment.start, duration: segment.duration)
        entry.key = encryption?.key(of: number, in: names.playlist)
        let text = Array(track.cues.segment(part, origin: main.origin).utf8)
        if let encryption, let key = entry.key {
          let encrypted = try encryption.encrypted(text, by: key)
          try folder.write(name, encrypted.span)
          entry.byteCount = encrypted.count
        } else {
          try folder.write(name, text.span)
          entry.byteCount = text.count
        }
        _ = timeline.append(entry)
      }
      try folder.write(timeline.playlistName, .media(timeline.mediaPlaylist(.init(programDateTime: date))))
      renditions.append(rendition(track.stream, index, timeline.playlistName))
    }
    return renditions
  }

  private func rendition(_ stream: MediaStream, _ index: Int, _ playlist: String) -> Rendition {
    // Names must differ within a group; languages need not.
    let language = stream.language.flatMap { LanguageTag(container: $0)?.text }
    let isFirst = !tracks[..<index].contains { $0.stream.language == stream.language }
    var rendition = Rendition(
      type: .subtitles, groupID: Self.group, name: language.map { isFirst ? $0 : "\($0) \(index + 1)" } ?? "Subtitles \(index + 1)",
      uri: URIReference(relativePath: playlist).text)
    rendition.language = language
    rendition.isAutoselected = language != nil
    return rendition
  }
}

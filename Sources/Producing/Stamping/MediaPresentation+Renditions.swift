import Basics
import CMAF
import DASH
import HLSPlaylist
import LibAV

extension [WrittenRendition] {
  /// Returns the presentation of the same segments for MPEG-DASH players: an adaptation set for video, and one for each audio language.
  func mediaPresentation(targetDuration: UInt64, _ splices: InputSplices = InputSplices()) -> MediaPresentation {
    let tracks = flatMap { [$0.main] + $0.audio.map { $0.track } }
    let end = tracks.map { $0.end - $0.origin }.max() ?? .zero
    var presentation = MediaPresentation(duration: end, minimumBuffer: MediaTime(seconds: Int(clamping: targetDuration)))
    let events = SpliceMessages(splices).events(origin: first?.main.origin ?? .zero).filter { $0.time < end }
    if !events.isEmpty { presentation.eventStreams = [EventStream(scheme: EventStream.spliceScheme, events: events)] }
    var sets = AdaptationSets(hasSplices: !splices.all.isEmpty)
    for rendition in self { sets.add(rendition) }
    presentation.adaptationSets = sets.all
    return presentation
  }
}

/// Groups tracks that a player may switch between.
private struct AdaptationSets {
  /// What the tracks of a set have in common. Players do not switch to another codec, language or channel layout by themselves.
  private struct Key: Hashable {
    var carriesEvents: Bool
    var number: Int
    var language: String?
    var codec: String?
    var transfer: Int?
  }

  /// Whether the segments have sections of SCTE 35.
  let hasSplices: Bool
  private var keys: [Key] = []
  private(set) var all: [MediaPresentation.AdaptationSet] = []
  private var count = 0
  private var added: Set<String> = []

  init(hasSplices: Bool) { self.hasSplices = hasSplices }

  mutating func add(_ rendition: WrittenRendition) {
    let content: MediaPresentation.Content = rendition.hasVideo ? .video : .audio
    var main = representation(rendition.main, codecs: rendition.mainCodecs)
    main.width = rendition.pictureSize?.width
    main.height = rendition.pictureSize?.height
    main.frameRate = rendition.frameRate.map { $0.denominator == 1 ? "\($0.numerator)" : "\($0.numerator)/\($0.denominator)" }
    add(
      main, rendition.main, content,
      Key(carriesEvents: true, number: 0, codec: rendition.mainCodecs.map(Self.codec), transfer: rendition.videoRange?.statedTransfer))
    for (number, audio) in rendition.audio.enumerated() {
      // Variants may have audio tracks in common.
      guard added.insert(audio.track.playlistName).inserted else { continue }
      let language = audio.stream.language.flatMap { LanguageTag(container: $0)?.text }
      var written = representation(audio.track, codecs: audio.codecs)
      written.channelCount = audio.channelCount
      add(written, audio.track, .audio, Key(carriesEvents: false, number: number, language: language, codec: audio.codecs.map(Self.codec)))
    }
  }

  /// A codec without its profile and level.
  private static func codec(_ codecs: String) -> String { String(codecs.prefix { $0 != "." && $0 != "," }) }

  private mutating func representation(_ track: TrackTimeline, codecs: String?) -> MediaPresentation.Representation {
    count += 1
    let bandwidth = track.peakBitRate(targetDuration: track.targetDuration)
    var representation = MediaPresentation.Representation(id: String(count), bandwidth: bandwidth, segments: track.segmentTemplate)
    representation.codecs = codecs
    return representation
  }

  private mutating func add(
    _ representation: MediaPresentation.Representation, _ track: TrackTimeline, _ content: MediaPresentation.Content, _ key: Key
  ) {
    if let index = keys.firstIndex(of: key) {
      all[index].representations.append(representation)
      all[index].startsWithKeyFrames = all[index].startsWithKeyFrames && track.hasIndependentSegments
      return
    }
    var set = MediaPresentation.AdaptationSet(content, representations: [representation])
    set.language = key.language
    set.transferCharacteristics = key.transfer
    if key.carriesEvents { set.eventSchemes = [EventMessageBox.id3Scheme.text] + (hasSplices ? [EventMessageBox.spliceScheme.text] : []) }
    set.startsWithKeyFrames = track.hasIndependentSegments
    keys.append(key)
    all.append(set)
  }
}

extension TrackTimeline {
  /// The names and times of the track's segments.
  fileprivate var segmentTemplate: MediaPresentation.SegmentTemplate {
    func uri(_ name: String) -> String { URIReference(relativePath: name).text }
    // A relative path may need a prefix so that it is not misread, for example as a scheme. A suffix never does.
    let media = MediaPresentation.SegmentTemplate.Media(prefix: uri(segmentNames?.prefix ?? ""), suffix: segmentNames?.suffix ?? "")
    return MediaPresentation.SegmentTemplate(
      initialization: uri(initializationSegment ?? ""), media: media, start: origin,
      segments: segments.map { .init(start: $0.start, duration: $0.duration) })
  }
}

import Basics
import GameEvents
import HLSPlaylist

/// Compares the renditions of a presentation with its multivariant playlist and with each other.
struct PresentationChecker {
  let playlist: MultivariantPlaylist
  let layout: PlaylistLayout
  let renditions: [RenditionFacts]

  /// The maximum distance between the boundaries of a segment in two renditions (0.1 s).
  private static let boundaryTolerance = MediaTime(ticks: 9_000)
  /// The maximum distance between the times of an event in two renditions (20 ms).
  private static let eventTolerance = MediaTime(ticks: 1_800)

  /// Checks all renditions.
  func check(_ log: inout FindingLog) {
    for (index, variant) in playlist.variants.enumerated() {
      let facts = rendition(variant.uri)
      if variant.codecs == nil, facts?.hasUnnamedCodec != true { add(.codecs, index, "no CODECS for \(variant.uri)", &log) }
      guard let facts else { continue }
      let audios = playlist.renditions.filter { $0.type == .audio && $0.groupID == variant.audio }.compactMap { rendition($0.uri) }
      checkCodecs(variant, index, [facts] + audios, &log)
      checkSound(variant, index, facts, &log)
      checkRange(variant, index, facts, &log)
      checkBandwidth(variant, index, facts, audios, &log)
    }
    checkAudioGroups(&log)
    let variants = renditions.filter { $0.isVariant && $0.hasVideo }
    guard let first = variants.first else { return }
    for other in variants.dropFirst() {
      checkBoundaries(first, other, &log)
      checkEvents(first, other, &log)
    }
    // A viewer with sound alone has the same game, unless the sound belongs to the video.
    for other in renditions where other.isVariant && !other.hasVideo && other.hasAudio && first.tagCount > 0 && other.tagCount == 0 {
      guard !isInGroup(other.uri) else { continue }
      log.add(.renditionEvents, in: other.uri, "no event, and \(first.eventTimes.count) in \(first.uri)")
    }
  }

  /// Whether a playlist is a rendition of a group that a variant names.
  private func isInGroup(_ uri: String) -> Bool {
    playlist.renditions.contains { rendition in rendition.uri == uri && playlist.variants.contains { $0.audio == rendition.groupID } }
  }

  private func rendition(_ uri: String?) -> RenditionFacts? { renditions.first { $0.uri == uri } }

  private func add(_ rule: DoctorRule, _ index: Int, _ found: String, _ log: inout FindingLog) {
    log.add(rule, line: layout.line("#EXT-X-STREAM-INF", index), found)
  }

  private func checkCodecs(_ variant: Variant, _ index: Int, _ renditions: [RenditionFacts], _ log: inout FindingLog) {
    guard let stated = variant.codecs else { return }
    let names = stated.split(separator: ",").map { $0.filter { $0 != " " } }
    for codec in renditions.flatMap({ $0.codecs }) where !names.contains(where: { Self.names($0, codec) }) {
      add(.codecsDiffer, index, "CODECS=\"\(stated)\" without \(codec) for \(variant.uri)", &log)
    }
    let held = renditions.flatMap { $0.codecs }
    guard let video = names.first(where: { Self.isVideo($0) }), !held.isEmpty, !held.contains(where: { Self.isVideo($0) }) else { return }
    add(.codecsDiffer, index, "CODECS=\"\(stated)\" with \(video), and only \(held.joined(separator: ",")) for \(variant.uri)", &log)
  }

  /// Whether a codec is H.264 or HEVC, by its name.
  private static func isVideo(_ name: some StringProtocol) -> Bool { ["avc", "hvc", "hev", "dvh"].contains { name.hasPrefix($0) } }

  /// Whether a name in CODECS covers a codec. Transport streams state only the family of a codec, such as `avc1`.
  private static func names(_ stated: String, _ codec: String) -> Bool {
    guard !codec.contains(".") else {
      let (stated, codec) = (stated.lowercased(), codec.lowercased())
      return stated == codec || (namesOfMP3.contains(stated) && namesOfMP3.contains(codec))
    }
    return codec.split(separator: "|").contains { stated.hasPrefix($0) }
  }

  /// The names of MP3; browsers know only the first.
  private static let namesOfMP3 = ["mp4a.40.34", "mp4a.6b", "mp4a.69", "mp3"]

  /// Checks that a variant has sound if the presentation has any.
  private func checkSound(_ variant: Variant, _ index: Int, _ facts: RenditionFacts, _ log: inout FindingLog) {
    guard facts.hasVideo, !facts.hasAudio, variant.audio == nil, let other = renditions.first(where: { $0.hasAudio }) else { return }
    add(.silent, index, "no sound and no AUDIO for \(variant.uri), beside the sound of \(other.uri)", &log)
  }

  /// Checks that the range of a variant's video is stated: 16 is that of PQ, and 18 of HLG (ISO/IEC 23091-2).
  private func checkRange(_ variant: Variant, _ index: Int, _ facts: RenditionFacts, _ log: inout FindingLog) {
    guard let transfer = facts.transfer, let range = [16: "PQ", 18: "HLG"][transfer] else { return }
    let stated = variant.attributes["VIDEO-RANGE"]?.text
    guard stated != range else { return }
    let found = stated.map { "VIDEO-RANGE=\($0)" } ?? "no VIDEO-RANGE"
    add(.videoRange, index, "\(found) for \(variant.uri), whose transfer characteristic is \(transfer) (\(range))", &log)
  }

  private func checkBandwidth(
    _ variant: Variant, _ index: Int, _ facts: RenditionFacts, _ audios: [RenditionFacts], _ log: inout FindingLog
  ) {
    guard ([facts] + audios).allSatisfy({ $0.areAllRead }) else { return }
    let peak = facts.peakBitRate + (audios.map { $0.peakBitRate }.max() ?? 0)
    guard peak > Double(variant.bandwidth) * 1.1, peak < 1e15 else { return }
    add(.bandwidth, index, "BANDWIDTH=\(variant.bandwidth) with a peak of \(Int64(peak)) for \(variant.uri)", &log)
  }

  private func checkAudioGroups(_ log: inout FindingLog) {
    guard renditions.contains(where: { $0.isVariant && $0.hasVideo && $0.tagCount > 0 }) else { return }
    for facts in renditions where !facts.isVariant && facts.tagCount > 0 {
      log.add(.audioGroupEvents, in: facts.uri, "\(facts.tagCount) tags in an audio group")
    }
  }

  private func checkBoundaries(_ first: RenditionFacts, _ other: RenditionFacts, _ log: inout FindingLog) {
    guard first.areAllRead, other.areAllRead else { return }
    guard first.segments.count == other.segments.count else {
      return log.add(.boundaries, in: other.uri, "\(other.segments.count) segments instead of \(first.segments.count) as in \(first.uri)")
    }
    var (start, otherStart) = (MediaTime.zero, MediaTime.zero)
    for (number, (segment, otherSegment)) in zip(first.segments, other.segments).enumerated() {
      start += segment.duration
      otherStart += otherSegment.duration
      guard (start - otherStart).magnitude <= Self.boundaryTolerance else {
        let found = "segment \(number) ends at \(otherStart.decimalSeconds) s instead of \(start.decimalSeconds) s as in \(first.uri)"
        return log.add(.boundaries, in: other.uri, found)
      }
    }
  }

  private func checkEvents(_ first: RenditionFacts, _ other: RenditionFacts, _ log: inout FindingLog) {
    guard first.areAllRead, other.areAllRead else { return }
    let guids = Set(first.eventTimes.keys).union(other.eventTimes.keys).sorted { $0.text < $1.text }
    for guid in guids {
      let found: String
      switch (first.eventTimes[guid], other.eventTimes[guid]) {
      case (_?, nil): found = "no event \(guid.text), which is in \(first.uri)"
      case (nil, _?): found = "an event \(guid.text), which is not in \(first.uri)"
      case (let time?, let otherTime?):
        guard (time - otherTime).magnitude > Self.eventTolerance else { continue }
        found = "\(guid.text) \((time - otherTime).magnitude.decimalSeconds) s off its time in \(first.uri)"
      case (nil, nil): continue
      }
      log.add(.renditionEvents, in: other.uri, found)
    }
  }
}

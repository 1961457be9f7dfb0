import Basics
import GameEvents
import HLSPlaylist

/// Compares the renditions of a presentation with what its multivariant playlist says, and with each other.
struct RenditionComparison {
  let playlist: MultivariantPlaylist
  let layout: PlaylistLayout
  let renditions: [RenditionFacts]

  /// Cuts may be so far apart (0.1 s), and the times of events (20 ms).
  private static let cutTolerance = MediaTime(ticks: 9_000)
  private static let eventTolerance = MediaTime(ticks: 1_800)

  /// Checks all of them.
  func check(_ log: inout FindingLog) {
    for (index, variant) in playlist.variants.enumerated() {
      guard let facts = rendition(variant.uri) else { continue }
      let sounds = playlist.renditions.filter { $0.type == .audio && $0.groupID == variant.audio }.compactMap { rendition($0.uri) }
      checkCodecs(variant, index, [facts] + sounds, &log)
      checkBandwidth(variant, index, facts, sounds, &log)
    }
    checkGroups(&log)
    let variants = renditions.filter { $0.isVariant && $0.hasPictures }
    guard let first = variants.first else { return }
    for other in variants.dropFirst() {
      checkCuts(first, other, &log)
      checkEvents(first, other, &log)
    }
  }

  private func rendition(_ uri: String?) -> RenditionFacts? { renditions.first { $0.uri == uri } }

  private func add(_ rule: DoctorRule, _ index: Int, _ found: String, _ log: inout FindingLog) {
    PlaylistChecker.add(rule, layout.line("#EXT-X-STREAM-INF", index), found, &log)
  }

  private func checkCodecs(_ variant: Variant, _ index: Int, _ renditions: [RenditionFacts], _ log: inout FindingLog) {
    guard let stated = variant.codecs else { return }
    let names = stated.split(separator: ",").map { $0.filter { $0 != " " } }
    for codec in renditions.flatMap({ $0.codecs }) where !names.contains(where: { Self.names($0, codec) }) {
      add(.codecsDiffer, index, "CODECS=\"\(stated)\" without \(codec) for \(variant.uri)", &log)
    }
  }

  /// Whether a name in CODECS covers a codec; of transport streams only the families are known, such as `avc1`.
  private static func names(_ stated: String, _ codec: String) -> Bool {
    guard !codec.contains(".") else {
      let (stated, codec) = (stated.lowercased(), codec.lowercased())
      return stated == codec || (namesOfMP3.contains(stated) && namesOfMP3.contains(codec))
    }
    return codec.split(separator: "|").contains { stated.hasPrefix($0) }
  }

  /// What MP3 is called; browsers know the first only.
  private static let namesOfMP3 = ["mp4a.40.34", "mp4a.6b", "mp4a.69", "mp3"]

  private func checkBandwidth(
    _ variant: Variant, _ index: Int, _ facts: RenditionFacts, _ sounds: [RenditionFacts], _ log: inout FindingLog
  ) {
    guard ([facts] + sounds).allSatisfy({ $0.areAllRead }) else { return }
    let peak = facts.peakBitRate + (sounds.map { $0.peakBitRate }.max() ?? 0)
    guard peak > Double(variant.bandwidth) * 1.1, peak < 1e15 else { return }
    add(.bandwidth, index, "BANDWIDTH=\(variant.bandwidth) with a peak of \(Int64(peak)) for \(variant.uri)", &log)
  }

  private func checkGroups(_ log: inout FindingLog) {
    guard renditions.contains(where: { $0.isVariant && $0.hasPictures && $0.tagCount > 0 }) else { return }
    for facts in renditions where !facts.isVariant && facts.tagCount > 0 {
      log.add(.audioGroupEvents, FindingPlace(resource: facts.uri, position: nil, found: "\(facts.tagCount) tags in an audio group"))
    }
  }

  private func checkCuts(_ first: RenditionFacts, _ other: RenditionFacts, _ log: inout FindingLog) {
    guard first.areAllRead, other.areAllRead else { return }
    guard first.segments.count == other.segments.count else {
      let found = "\(other.segments.count) segments instead of \(first.segments.count) as in \(first.uri)"
      return log.add(.cuts, FindingPlace(resource: other.uri, position: nil, found: found))
    }
    var (start, otherStart) = (MediaTime.zero, MediaTime.zero)
    for (number, (segment, otherSegment)) in zip(first.segments, other.segments).enumerated() {
      start += segment.duration
      otherStart += otherSegment.duration
      guard (start - otherStart).magnitude <= Self.cutTolerance else {
        let found = "segment \(number) ends at \(otherStart.decimalSeconds) s instead of \(start.decimalSeconds) s as in \(first.uri)"
        return log.add(.cuts, FindingPlace(resource: other.uri, position: nil, found: found))
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
      log.add(.renditionEvents, FindingPlace(resource: other.uri, position: nil, found: found))
    }
  }
}

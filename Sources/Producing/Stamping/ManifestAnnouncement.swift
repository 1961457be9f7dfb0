import CMAF

/// Announces event messages in an MPD (InbandEventStream, ISO/IEC 23009-1, 5.10.3.3), without which players pass over them.
enum ManifestAnnouncement {
  private static let element = Array("<InbandEventStream schemeIdUri=\"https://aomedia.org/emsg/ID3\" value=\"\"/>".utf8)
  private static let start = Array("<AdaptationSet".utf8)
  private static let end = Array("</AdaptationSet>".utf8)
  /// What follows the element in an adaptation set (5.3.3.3 and 5.3.7.3).
  private static let following = [
    "Switching", "RandomAccess", "GroupLabel", "Label", "ProducerReferenceTime", "ContentPopularityRate", "Resync", "Accessibility", "Role",
    "Rating", "Viewpoint", "ContentComponent", "BaseURL", "SegmentBase", "SegmentList", "SegmentTemplate", "Representation",
  ].map { Array("<\($0)".utf8) }

  /// Makes an MPD announce ID3 in all its adaptation sets of video. One that announces it stays as it is.
  static func add(to mpd: inout [UInt8]) {
    let announcements = mpd.split(separator: UInt8(ascii: "<")).filter { $0.starts(with: Array("InbandEventStream".utf8)) }
    guard !announcements.contains(where: { $0.contains(Array("/emsg/ID3\"".utf8)) || $0.contains(Array("emsg-id3\"".utf8)) }) else {
      return
    }
    var output: [UInt8] = []
    var position = 0
    while let set = mpd[position...].firstRange(of: start) {
      let end = mpd[set.upperBound...].firstRange(of: end)?.lowerBound ?? mpd.endIndex
      let content = mpd[set.upperBound..<end]
      let isVideo = content.contains(Array("contentType=\"video\"".utf8)) || content.contains(Array("mimeType=\"video/".utf8))
      let place = following.compactMap { content.firstRange(of: $0)?.lowerBound }.min()
      if isVideo, let place { output += mpd[position..<place] + element + mpd[place..<end] } else { output += mpd[position..<end] }
      position = end
    }
    mpd = output + mpd[position...]
  }
}

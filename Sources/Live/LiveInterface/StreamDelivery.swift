package import Basics

/// Measurements of a live stream that decide how far viewers are behind the live edge.
package struct StreamDelivery: Equatable, Sendable {
  /// How long segments should be.
  package var segmentDuration: MediaTime
  /// The target duration of the playlists.
  package var targetDuration: MediaTime
  /// The maximum duration of a part of low-latency HLS; `nil` without parts.
  package var partTarget: MediaTime?
  /// The longest recent time between two key frames; `nil` before the second one.
  package var keyFrameInterval: MediaTime?

  /// How many target durations, or parts, players stay behind the end of the playlist (RFC 8216bis, 4.4.3.8).
  private static let heldBack: Int64 = 3
  /// The time for loading and decoding.
  private static let loading = MediaTime(seconds: 1)

  package init(segmentDuration: MediaTime, targetDuration: MediaTime, partTarget: MediaTime? = nil, keyFrameInterval: MediaTime? = nil) {
    (self.segmentDuration, self.targetDuration) = (segmentDuration, targetDuration)
    (self.partTarget, self.keyFrameInterval) = (partTarget, keyFrameInterval)
  }

  /// How far players without parts are behind the end of the playlist.
  package var behind: MediaTime { MediaTime(ticks: targetDuration.ticks * Self.heldBack) }

  /// How far the last of these players are behind the live edge, in whole seconds. Their first playlist ended up to a segment before it.
  package var furthestBehind: MediaTime {
    let ticks = behind.ticks + targetDuration.ticks + Self.loading.ticks
    return MediaTime(seconds: Int((ticks + MediaTime.ticksPerSecond - 1) / MediaTime.ticksPerSecond))
  }

  /// Whether segments are too long because key frames are too rare. One in two seconds is always enough.
  private var hasLongSegments: Bool { targetDuration.ticks > acceptable.ticks + MediaTime.ticksPerSecond / 2 }

  private var acceptable: MediaTime { max(segmentDuration, MediaTime(seconds: 2)) }

  /// Advice to the operator for less delay, in words; `nil` if the delay is as short as the settings allow.
  package var advice: String? {
    guard hasLongSegments else { return nil }
    guard let keyFrameInterval, keyFrameInterval <= acceptable else { return "set the key frame interval to 2 s" }
    return "the stream began with key frames further apart, and its segments stay as long: begin anew with another --data folder"
  }

  // MARK: JSON

  /// The measurement as JSON, as ``init(_:)`` reads it.
  package var object: JSONObject {
    JSONObject(fields: [
      "segmentDuration": segmentDuration, "targetDuration": targetDuration, "partTarget": partTarget, "keyFrameInterval": keyFrameInterval,
    ])
  }

  /// The durations that are accepted.
  private static let plausible = MediaTime(ticks: 1)...MediaTime(seconds: 3_600)

  /// Reads the measurements of another process; `nil` if the object has none.
  package init?(_ object: JSONObject) {
    func time(_ key: String) -> MediaTime? {
      object[key]?.number.flatMap { MediaTime(decimalSeconds: $0.text) }.flatMap { Self.plausible.contains($0) ? $0 : nil }
    }
    guard let segmentDuration = time("segmentDuration"), let targetDuration = time("targetDuration") else { return nil }
    self.init(
      segmentDuration: segmentDuration, targetDuration: targetDuration, partTarget: time("partTarget"),
      keyFrameInterval: time("keyFrameInterval"))
  }
}

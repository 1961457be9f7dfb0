package import Basics

/// How a live stream reaches viewers, as it was measured: it decides how far behind the live edge they are.
package struct StreamDelivery: Equatable, Sendable {
  /// How long segments should be.
  package var segmentDuration: MediaTime
  /// The target duration of the playlists.
  package var targetDuration: MediaTime
  /// The longest that a part of low-latency HLS may last; `nil` without parts.
  package var partTarget: MediaTime?
  /// The longest time between two key frames lately; `nil` before the second one.
  package var keyFrameInterval: MediaTime?

  /// How many target durations, or parts, players stay behind the end of the playlist (RFC 8216bis, 4.4.3.8).
  private static let heldBack: Int64 = 3
  /// Decoding and loading take this long besides.
  private static let loading = MediaTime(seconds: 1)

  /// What was measured of a stream.
  package init(segmentDuration: MediaTime, targetDuration: MediaTime, partTarget: MediaTime? = nil, keyFrameInterval: MediaTime? = nil) {
    (self.segmentDuration, self.targetDuration) = (segmentDuration, targetDuration)
    (self.partTarget, self.keyFrameInterval) = (partTarget, keyFrameInterval)
  }

  /// How far behind the end of the playlist players are that do not load parts.
  package var behind: MediaTime { MediaTime(ticks: targetDuration.ticks * Self.heldBack) }

  /// How far behind the live edge the last of these players are: the playlist that they began with ended up to a segment before it. In whole seconds.
  package var furthestBehind: MediaTime {
    let ticks = behind.ticks + targetDuration.ticks + Self.loading.ticks
    return MediaTime(seconds: Int((ticks + MediaTime.ticksPerSecond - 1) / MediaTime.ticksPerSecond))
  }

  /// Whether segments last longer than they should, since key frames are further apart. Nobody is asked for more than one in two seconds.
  private var hasLongSegments: Bool { targetDuration.ticks > acceptable.ticks + MediaTime.ticksPerSecond / 2 }

  private var acceptable: MediaTime { max(segmentDuration, MediaTime(seconds: 2)) }

  /// What the operator can do so that viewers are less far behind, in words; `nil` where they are as near as the settings allow.
  package var advice: String? {
    guard hasLongSegments else { return nil }
    guard let keyFrameInterval, keyFrameInterval <= acceptable else { return "set the key frame interval to 2 s" }
    return "the stream began with key frames further apart, and its segments stay as long: begin anew with another --data folder"
  }

  // MARK: JSON

  /// The measurement as JSON, as ``init(_:)`` reads it.
  package var object: JSONObject {
    var object = JSONObject()
    object.append("segmentDuration", segmentDuration)
    object.append("targetDuration", targetDuration)
    object.append("partTarget", orNull: partTarget)
    object.append("keyFrameInterval", orNull: keyFrameInterval)
    return object
  }

  /// The longest durations that are believed.
  private static let plausible = MediaTime(ticks: 1)...MediaTime(seconds: 3_600)

  /// Reads a measurement of another process; `nil` where it is none.
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

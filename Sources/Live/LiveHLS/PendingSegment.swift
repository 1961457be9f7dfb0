import Basics
import GameEvents
import HLSPlaylist
import PacketStamping

/// A segment that still waits for bytes. The last one may be the open segment.
struct PendingSegment: Sendable {
  var start: MediaTime
  var boundary: SegmentClock.Boundary
  var isIndependent: Bool
  var unitCount = 0
  /// The decoding times of its first and its latest access unit, on the stream's clock.
  var (firstDecoding, latestDecoding): (MediaTime, MediaTime)
  var guids: [GUID] = []
  /// Whether its first picture starts a closed group, as far as that is known.
  var group = GroupStart()
  /// The properties of the segment apart from the bytes, once it has ended; `nil` if it is left out.
  var segment: LiveSegment?
  var hasEnded = false
  /// Its parts that have ended, without their bytes; and whether decoding can start in the open one.
  var parts: [LivePart] = []
  var isPartIndependent: Bool
  /// The bytes of the tracks, and the number of portions in them.
  var tracks: [[UInt8]?] = []
  var portionCount = 0
  /// The complete parts with the bytes of each track, until they are taken.
  var ready: [(part: LivePart, tracks: [[UInt8]?])] = []
  /// Whether its parts are released together with it, because their initialization segments are.
  var holdsParts: Bool
  var program: LiveProgram?

  init(_ unit: LiveAccessUnit, _ boundary: SegmentClock.Boundary, holdsParts: Bool) {
    (start, self.boundary, isIndependent, isPartIndependent) = (unit.time, boundary, unit.isRandomAccess, unit.isRandomAccess)
    (firstDecoding, latestDecoding) = (unit.decodingTime, unit.decodingTime)
    self.holdsParts = holdsParts
  }

  /// Its frame rate, from the frames after the first one: the duration of the last frame is unknown.
  var frameRate: PlaylistDecimal? { PlaylistDecimal(frames: unitCount - 1, in: latestDecoding - firstDecoding) }

  /// Ends the open part, and begins the next one.
  mutating func endPart(_ duration: MediaTime, target: MediaTime, isNextIndependent: Bool) {
    let listed = parts.reduce(0) { $0 + $1.guids.count }
    parts.append(
      LivePart(
        bytes: [], number: parts.count, segmentStart: start, boundary: boundary, duration: duration, isIndependent: isPartIndependent,
        target: target, guids: Array(guids.dropFirst(listed))))
    isPartIndependent = isNextIndependent
  }

  /// Receives the next portion.
  mutating func append(_ portion: SegmentPortion) {
    if portionCount == 0 {
      tracks = portion.tracks
      if portion.isCodingChanged { (holdsParts, boundary) = (true, .discontinuity) }
    } else {
      for (index, bytes) in portion.tracks.enumerated() {
        if let bytes { tracks[index] = (tracks[index].take() ?? []) + bytes }
      }
    }
    if portionCount < parts.count { ready.append((parts[portionCount], portion.tracks)) }
    portionCount += 1
    program = portion.program ?? program
  }

  /// Whether all portions have arrived.
  var isComplete: Bool { hasEnded && portionCount == max(parts.count, 1) }

  /// Returns the complete parts, once.
  mutating func takeParts(listed: [Int]) -> [LivePart] {
    defer { ready = [] }
    return ready.compactMap { part, tracks in
      let (main, audio) = SegmentPortion.listed(listed, of: tracks)
      guard let main else { return nil }
      var part = part
      (part.bytes, part.audio, part.boundary) = (main, audio, boundary)
      return part
    }
  }

  /// The segment, once it is complete; `nil` if it is left out.
  mutating func finished(listed: [Int]) -> LiveSegment? {
    let (main, audio) = SegmentPortion.listed(listed, of: tracks)
    guard var segment, let main else { return nil }
    (segment.bytes, segment.audio, segment.boundary, segment.program) = (main, audio, boundary, program)
    if program?.resolution != nil { segment.program?.frameRate = segment.frameRate }
    segment.parts = takeParts(listed: listed)
    return segment
  }
}

import Basics
import TransportStream

/// When picture and sound of a program are presented, as far as rules and players count on it.
struct PictureTimes: Sendable {
  /// What the pictures (or, without them, the sound) of one segment say.
  struct SegmentTimes: Equatable, Sendable {
    /// When the access unit is presented that comes first.
    var first: MediaTime
    /// When the one is presented that is presented first.
    var earliest: MediaTime
    /// When the one ends that ends last.
    var end: MediaTime
    /// How far off that may be: a packet of sound holds as many frames as it likes.
    var endTolerance = MediaTime.zero
    /// Whether decoding can start with the first.
    var isRandomAccess: Bool
    /// Whether these are pictures.
    var isVideo: Bool
  }

  /// Follows the stream by which the program's time is told.
  private(set) var tracker: AccessUnitTracker?
  /// The current segment's times; `nil` before its first access unit.
  private(set) var segment: SegmentTimes?
  /// When the first sound is presented, and the first picture presented and decoded.
  private(set) var firstSound: MediaTime?
  private(set) var firstPicture: MediaTime?
  private(set) var firstDecoding: MediaTime?

  private var reference: ProgramMapTable.ElementaryStream?
  private var soundPID: PID?

  /// Follows the streams of a map.
  mutating func follow(_ map: ProgramMapTable?) {
    guard let stream = map?.referenceStream else { return }
    if tracker?.pid != stream.pid || tracker?.type != stream.type { tracker = AccessUnitTracker(stream, following: tracker) }
    reference = stream
    soundPID = stream.type.isVideo ? map?.streams.first { $0.isAudio }?.pid : nil
  }

  /// Whether packets of this PID tell time.
  func follows(_ pid: PID) -> Bool { tracker?.pid == pid || soundPID == pid }

  /// Takes note that a segment starts.
  mutating func startSegment() { segment = nil }

  /// Takes note that what follows does not go on with what was.
  mutating func interrupt() { tracker = reference.map { AccessUnitTracker($0) } }

  /// Takes a packet; returns whether an access unit of the reference stream starts in it.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard header.pid == tracker?.pid else {
      if firstSound == nil, header.startsUnit, let time = (try? PESHeader(payload))?.presentationTime {
        firstSound = tracker?.unwrapper.peek(time) ?? MediaTime(ticks: Int64(clamping: time))
      }
      return false
    }
    guard let unit = tracker?.push(header, payload: payload), let type = tracker?.type else { return false }
    if firstPicture == nil, type.isVideo { (firstPicture, firstDecoding) = (unit.presentationTime, unit.decodingTime) }
    let end = unit.presentationTime + unit.frameDuration
    guard var times = segment else {
      let isRandomAccess = unit.isRandomAccess || RandomAccess.isLikely(payload, type: type)
      segment = SegmentTimes(
        first: unit.presentationTime, earliest: unit.presentationTime, end: end,
        endTolerance: type.isVideo ? .zero : unit.frameDuration, isRandomAccess: isRandomAccess, isVideo: type.isVideo)
      return true
    }
    times.earliest = min(times.earliest, unit.presentationTime)
    times.end = max(times.end, end)
    if !type.isVideo { times.endTolerance = unit.frameDuration }
    segment = times
    return true
  }
}

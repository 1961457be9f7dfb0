import Basics
import TransportStream

/// When the video and the audio of a program are presented, as far as rules and players depend on it.
struct AccessUnitTimes: Sendable {
  /// Follows the stream that determines the program's time.
  private(set) var tracker: AccessUnitTracker?
  /// The current segment's times; `nil` before its first access unit.
  private(set) var segment: SegmentTimes?
  /// When the first audio frame is presented, and the first video frame presented and decoded.
  private(set) var firstAudio: MediaTime?
  private(set) var firstVideo: MediaTime?
  private(set) var firstDecoding: MediaTime?
  /// How long after its presentation time the latest access unit is decoded; `nil` if it is decoded in time.
  private(set) var decodedLate: MediaTime?

  /// The transfer characteristics of the video; `nil` if they are not known.
  var transfer: UInt8? { parameters.transfer }

  private var parameters = ParameterSearch()
  private var reference: ProgramMapTable.ElementaryStream?
  private var audioPID: PID?

  /// Follows the streams of a PMT.
  mutating func follow(_ pmt: ProgramMapTable?) {
    guard let stream = pmt?.referenceStream else { return }
    if tracker?.pid != stream.pid || tracker?.type != stream.type { tracker = AccessUnitTracker(stream, following: tracker) }
    reference = stream
    audioPID = stream.type.isVideo ? pmt?.streams.first { $0.isAudio }?.pid : nil
  }

  /// Whether packets of this PID determine times.
  func follows(_ pid: PID) -> Bool { tracker?.pid == pid || audioPID == pid }

  /// Starts a segment.
  mutating func startSegment() { segment = nil }

  /// Starts again: the following packets do not continue the earlier stream.
  mutating func interrupt() { tracker = reference.map { AccessUnitTracker($0) } }

  /// Reads a packet; returns whether an access unit of the reference stream starts in it.
  mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> Bool {
    guard header.pid == tracker?.pid else {
      if firstAudio == nil, header.startsUnit, let time = (try? PESHeader(payload))?.presentationTime {
        firstAudio = tracker?.unwrapper.peek(time) ?? MediaTime(ticks: Int64(clamping: time))
      }
      return false
    }
    parameters.push(payload, startsUnit: header.startsUnit, tracker?.type.nalUnitCodec)
    guard let unit = tracker?.push(header, payload: payload), let type = tracker?.type else { return false }
    let (time, end) = (unit.presentationTime, unit.presentationTime + unit.frameDuration)
    decodedLate = unit.decodingTime > time ? unit.decodingTime - time : nil
    if firstVideo == nil, type.isVideo { (firstVideo, firstDecoding) = (time, unit.decodingTime) }
    var times =
      segment
      ?? SegmentTimes(
        first: time, earliest: time, end: end, isRandomAccess: unit.isRandomAccess || RandomAccess.isLikely(payload, type: type),
        isVideo: type.isVideo)
    times.earliest = min(times.earliest, time)
    times.end = max(times.end, end)
    if !type.isVideo { times.endTolerance = unit.frameDuration }
    segment = times
    return true
  }
}

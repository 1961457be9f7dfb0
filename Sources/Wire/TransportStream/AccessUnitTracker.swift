public import Basics

/// Follows the access units of a program's video (or audio), and finds the timeline origin: the presentation time of the first random-access
/// video frame, or of the first audio frame if there is no video.
public struct AccessUnitTracker: Equatable, Sendable {
  /// An access unit, as its PES header describes it.
  public struct AccessUnit: Equatable, Sendable {
    /// When it is presented, unwrapped.
    public var presentationTime: MediaTime
    /// When it is decoded, unwrapped.
    public var decodingTime: MediaTime
    /// Whether decoding can start with it.
    public var isRandomAccess: Bool
    /// The duration of a frame: the distance to the decoding time of the access unit before, or a likely value for the first one.
    public var frameDuration: MediaTime
  }

  /// The PID that is followed.
  public let pid: PID
  /// What its stream is.
  public let type: StreamType
  /// The presentation time of the timeline origin; `nil` until it was found.
  public private(set) var origin: MediaTime?
  /// The presentation time of the first access unit.
  public private(set) var start: MediaTime?
  /// The latest end of an access unit so far.
  public private(set) var end: MediaTime?
  /// Unwraps the timestamps of the whole program.
  public private(set) var unwrapper = TimestampUnwrapper()

  /// The clock's jump between the previous access unit and the latest one; `nil` if the clock did not jump.
  public private(set) var lastJump: MediaTime?

  /// The time on the timeline of the first random-access point.
  private let startTime: MediaTime
  /// Whether the stream is live: every random-access point matters, and jumps of the clock are believed at once.
  private let isLive: Bool
  private var lastDecodingTime: MediaTime?
  /// Whether the last decoding time belongs to the stream that was followed before.
  private var isFirstOfStream: Bool
  /// A decoding time that jumped and is not confirmed yet.
  private var suspect: MediaTime?
  /// Whether the stream announced a discontinuity of its clock before the next access unit.
  private var isJumpAnnounced = false
  private var frameDuration: MediaTime
  private var unitCount = 0
  /// The duration that is known to be missing before the next access unit.
  private var missing: MediaTime?

  /// The number of video frames (ten seconds) without a random-access point after which the next frame counts as one.
  static let mostUnitsToRandomAccess = 250
  /// If access units are further apart than this (ten seconds), the clock has jumped; a shorter distance is a gap.
  package static let longestGap = MediaTime(ticks: 900_000)
  /// Decoding times further apart than this (a second) say nothing about the duration of a frame, and are a jump if one is announced.
  private static let longestFrame = MediaTime(ticks: 90_000)

  /// In a live stream, decoding times that go back by more than this (0.1 s) are a jump. Smaller steps back are a muxer's mistake.
  private static let smallestStepBack = MediaTime(ticks: 9_000)

  /// Follows a stream of a program. If another stream was followed before, its time is continued.
  ///
  /// - Parameter liveStart: The time on the timeline at which a live stream begins; `nil` for a stream that was recorded and begins at zero.
  public init(
    _ stream: ProgramMapTable.ElementaryStream, following previous: AccessUnitTracker? = nil, liveStart: MediaTime? = nil
  ) {
    startTime = liveStart ?? .zero
    isLive = liveStart != nil
    lastDecodingTime = previous?.lastDecodingTime
    isFirstOfStream = previous != nil
    pid = stream.pid
    type = stream.type
    origin = previous?.origin
    start = previous?.start
    end = previous?.end
    unwrapper = previous?.unwrapper ?? TimestampUnwrapper()
    // 25 video frames or about 43 AAC frames a second, until the decoding times of two access units are known.
    frameDuration = MediaTime(ticks: stream.type.isVideo ? 3_600 : 2_090)
  }

  /// Whether a packet of the PID, of 188 bytes, can change anything: an access unit starts in it, or its stream's clock or counter restarts.
  @inlinable @inline(__always)
  public static func concerns(_ packet: Span<UInt8>) -> Bool {
    packet[1] & 0x40 != 0 || (packet[3] & 0x20 != 0 && packet[4] != 0 && packet[5] & 0x80 != 0)
  }

  /// Receives a packet of the PID. Returns the access unit that starts in it, if one does and has a presentation time.
  ///
  /// If the stream's clock jumps, the programme continues: ``origin`` and ``end`` move with the clock (see ``lastJump``). A PES header has no
  /// checksum. A jump that no discontinuity_indicator announces must therefore be confirmed by the next access unit; until then the access
  /// unit is skipped. A live stream does not wait for that, because it would lose an access unit.
  public mutating func push(_ header: TransportPacket, payload: Span<UInt8>) -> AccessUnit? {
    if header.adaptation?.isDiscontinuous == true { isJumpAnnounced = true }
    guard header.startsUnit, header.scrambling == 0, !header.hasError, let pes = try? PESHeader(payload), let time = pes.presentationTime
    else { return nil }
    lastJump = nil
    guard let decodingTime = acceptDecodingTime(pes.decodingTime ?? time) else { return nil }
    let presentationTime = unwrapper.peek(time)
    // No decoder holds a frame for ten seconds, so one of the two times is damaged.
    guard (presentationTime - decodingTime).magnitude <= Self.longestGap else { return nil }
    unitCount += 1
    let isRandomAccess = isRandomAccess(header, payload)
    if origin == nil, isRandomAccess { origin = presentationTime - startTime }
    start = start ?? presentationTime
    end = max(end ?? presentationTime, presentationTime + frameDuration)
    return AccessUnit(
      presentationTime: presentationTime, decodingTime: decodingTime, isRandomAccess: isRandomAccess, frameDuration: frameDuration)
  }

  /// Records that about `duration` of the stream is missing before the next access unit, which is no jump of its clock.
  ///
  /// Up to twice as much is accepted as missing, since playlists round durations, and ten seconds to either side; beyond that a clock jumps.
  public mutating func skip(_ duration: MediaTime) {
    missing = (missing ?? .zero) + max(duration, .zero)
    unwrapper.skip(max(duration, .zero))
  }

  /// Moves the timeline origin, because another stream determines it.
  package mutating func move(origin: MediaTime) { self.origin = origin }

  /// Unwraps the next decoding time; `nil` if it jumps without being announced or confirmed.
  private mutating func acceptDecodingTime(_ timestamp: UInt64) -> MediaTime? {
    let time = unwrapper.peek(timestamp)
    defer { isJumpAnnounced = false }
    if let last = lastDecodingTime {
      let step = time - last
      let isJump = isJump(step)
      if isJump, !isJumpAnnounced, !isLive, suspect.map({ (time - $0).magnitude > Self.longestGap }) ?? true {
        suspect = time
        return nil
      }
      if isJump {
        // The access unit that was the first to jump follows the one before the jump; an announced jump begins here.
        let first = isJumpAnnounced ? time : suspect ?? time
        let jump = first - last - frameDuration - (missing ?? .zero)
        lastJump = jump
        origin = origin.map { $0 + jump }
        start = start.map { $0 + jump }
        end = end.map { $0 + jump }
      } else if missing == nil, !isFirstOfStream, time > last, step <= Self.longestFrame {
        frameDuration = step
      }
    }
    suspect = nil
    missing = nil
    isFirstOfStream = false
    lastDecodingTime = unwrapper.unwrap(timestamp)
    return lastDecodingTime
  }

  /// Whether two access units whose decoding times are `step` apart belong to two clocks.
  private func isJump(_ step: MediaTime) -> Bool {
    if isLive {
      return step < .zero - Self.smallestStepBack || step > max(Self.longestFrame, frameDuration + frameDuration + frameDuration)
    }
    guard let missing else { return step.magnitude > (isJumpAnnounced ? Self.longestFrame : Self.longestGap) }
    return step > missing + missing + Self.longestGap || step < MediaTime.zero - Self.longestGap
  }

  private func isRandomAccess(_ header: TransportPacket, _ payload: Span<UInt8>) -> Bool {
    guard type.isVideo else { return true }
    if header.adaptation?.isRandomAccess == true { return true }
    // The timeline origin needs only the first random-access point. Later ones are searched for only in a live stream, where segments start there.
    guard origin == nil || isLive else { return false }
    return (origin == nil && unitCount > Self.mostUnitsToRandomAccess) || RandomAccess.isLikely(payload, type: type)
  }
}

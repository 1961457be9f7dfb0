public import Basics

/// Finds the stream time of the timeline origin from the copies of events: presentation time - age - `at`.
///
/// A PES header has no checksum, so a damaged one can give a copy a wrong presentation time. The origin is firm once two verified copies agree;
/// until then the first copy's origin is used. A copy whose origin differs by more than a frame does not change it.
///
/// A copy may also come from another programme, with the times of that one. So the origin of a first copy is not settled (``isSettled``) if it is
/// further than ``longestLead`` from the origin of the video, or if it is another one after a jump of the clock. A second copy must agree
/// with it; a copy that is nearer to the video replaces it.
public struct ProgrammeClock: Equatable, Sendable {
  /// The largest distance between the origins of two copies that agree: a little more than a frame of a film (24,000/1,001 frames a second).
  public static let tolerance = MediaTime(ticks: 3_760)

  /// How far a copy may be from its place in the stream (ten seconds): metadata is muxed within a second of its time.
  package static let longestLead = MediaTime(ticks: 900_000)

  /// The stream time of the timeline origin; `nil` while it is unknown.
  public var origin: MediaTime? { fromCopies ?? fromVideo }

  /// Whether the origin may be relied on: `false` while it comes from one copy alone that is far from the video.
  package var isSettled: Bool { isFirm || fromCopies.map { isNearVideo($0) && !(isBehindJump && candidate != nil) } ?? true }

  private var fromCopies: MediaTime?
  private var fromVideo: MediaTime?
  private var isFirm = false
  /// Another origin that one copy gave. It becomes the origin if a second copy agrees with it before the origin is firm.
  private var candidate: MediaTime?
  /// Whether the stream's clock has jumped since the origin was firm: a copy with another origin may be the first one after the jump.
  private var isBehindJump = false
  /// The programme time of the first video frame.
  private var startTime: MediaTime

  /// Starts knowing only the programme time of the stream's first random-access video frame, which is more than zero in a stream that continues a
  /// programme.
  public init(startingAt startTime: MediaTime = .zero) { self.startTime = startTime }

  /// Records the presentation time of the stream's first random-access video frame (or first audio, if there is no video). The origin follows
  /// from it as long as no copy gives another one.
  public mutating func startsAt(_ presentationTime: MediaTime) {
    if fromVideo == nil { fromVideo = presentationTime - startTime }
  }

  /// Records that `duration` of the stream is missing here. If no video has arrived yet, it starts that much later in the programme.
  public mutating func skip(_ duration: MediaTime) {
    if fromVideo == nil { startTime += duration }
  }

  /// Receives a copy with its presentation time in the stream. Unverified copies and those without `at` are ignored.
  ///
  /// - Returns: Whether the copy agrees with the origin, or was ignored.
  @discardableResult
  public mutating func accept(_ copy: EventCopy, presentationTime: MediaTime) -> Bool {
    guard copy.isVerified, let at = copy.event.at else { return true }
    let origin = presentationTime - copy.age - at
    guard let known = fromCopies else {
      fromCopies = origin
      return true
    }
    if (origin - known).magnitude <= Self.tolerance {
      isFirm = true
      isBehindJump = false
      candidate = nil
      return true
    }
    guard !isFirm else { return false }
    if !isNearVideo(known), isNearVideo(origin) {
      fromCopies = origin
      return true
    }
    if let candidate, (origin - candidate).magnitude <= Self.tolerance {
      fromCopies = candidate
      self.candidate = nil
      isFirm = true
      isBehindJump = false
      return true
    }
    candidate = origin
    return false
  }

  /// Whether an origin is near that of the video; `true` while that is not known.
  private func isNearVideo(_ origin: MediaTime) -> Bool { fromVideo.map { (origin - $0).magnitude <= Self.longestLead } ?? true }

  /// Moves the origin: the stream's clock jumps by `jump`, and the programme continues. The next two copies may give another origin.
  public mutating func shift(by jump: MediaTime) {
    isFirm = false
    isBehindJump = true
    fromCopies = fromCopies.map { $0 + jump }
    fromVideo = fromVideo.map { $0 + jump }
    candidate = candidate.map { $0 + jump }
  }
}

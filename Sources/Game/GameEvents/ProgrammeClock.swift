public import Basics

/// Finds the stream time of the programme's zero from the copies of events: presentation time - age - `at`.
///
/// A PES header has no checksum, so a damaged one can give a copy a wrong presentation time. The zero therefore is firm once two verified
/// copies agree; until then the first one's holds. A copy that leads elsewhere by more than a frame is no clock.
public struct ProgrammeClock: Equatable, Sendable {
  /// How far the zeros of two copies may lie apart: a little more than a frame of a film (24,000/1,001 frames a second).
  public static let tolerance = MediaTime(ticks: 3_760)

  /// The stream time of the programme's zero; `nil` while nothing tells it.
  public var zero: MediaTime? { fromCopies ?? fromVideo }

  private var fromCopies: MediaTime?
  private var fromVideo: MediaTime?
  private var isFirm = false
  private var challenger: MediaTime?
  /// The programme time of the first picture.
  private var startTime: MediaTime

  /// Starts knowing nothing but the programme time of the stream's first random-access picture, which is more than zero in a stream that goes
  /// on with a programme.
  public init(startingAt startTime: MediaTime = .zero) { self.startTime = startTime }

  /// Takes the presentation time of the stream's first random-access picture (or first sound, where there is no picture), by which the
  /// programme's time is told as long as no copy says otherwise.
  public mutating func startsAt(_ presentationTime: MediaTime) {
    if fromVideo == nil { fromVideo = presentationTime - startTime }
  }

  /// Takes note that so much of the stream is missing here: pictures that have not come by now start so much later in the programme.
  public mutating func skip(_ duration: MediaTime) {
    if fromVideo == nil { startTime += duration }
  }

  /// Takes a copy with the presentation time at which it lies in the stream. Unverified copies and those without `at` tell nothing.
  ///
  /// - Returns: Whether the copy agrees with the programme's zero, or had nothing to tell.
  @discardableResult
  public mutating func accept(_ copy: EventCopy, presentationTime: MediaTime) -> Bool {
    guard copy.isVerified, let at = copy.event.at else { return true }
    let zero = presentationTime - copy.age - at
    guard let known = fromCopies else {
      fromCopies = zero
      return true
    }
    if (zero - known).magnitude <= Self.tolerance {
      isFirm = true
      challenger = nil
      return true
    }
    guard !isFirm else { return false }
    if let challenger, (zero - challenger).magnitude <= Self.tolerance {
      fromCopies = challenger
      isFirm = true
      return true
    }
    challenger = zero
    return false
  }

  /// Moves the zero: the stream's clock jumps by `jump`, and the programme goes on. Two copies may tell that it does not.
  public mutating func shift(by jump: MediaTime) {
    isFirm = false
    fromCopies = fromCopies.map { $0 + jump }
    fromVideo = fromVideo.map { $0 + jump }
    challenger = challenger.map { $0 + jump }
  }
}

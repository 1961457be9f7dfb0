public import Basics

/// The result of copying a file into a transport stream or into segments.
public struct RemuxSummary: Equatable, Sendable {
  /// The streams that were copied.
  public var copied: [MediaStream]
  /// The streams that were left out.
  public var leftOut: [MediaStream]
  /// How many packets were copied.
  public var packets: Int
  /// When the timeline origin is presented, in ticks of the transport stream.
  public var origin: MediaTime
  /// When the last video or audio frame ends, in ticks of the transport stream.
  public var end: MediaTime
  /// The duration that the input states, which a transport stream does not. If much less was copied, the file is cut off.
  public var inputDuration: MediaTime?
  /// For how long, from the timeline origin on, players show video frames that the input's edit list hides. Neither MPEG-TS nor segments can
  /// hide them.
  public var hiddenVideo: MediaTime
  /// How many packets have times that were missing, went back, or were decoded after being presented, and were repaired.
  public var repairedPackets: Int
  /// How many packets could not be read, or are not what their codec says, and were skipped.
  public var invalidPackets: Int
  /// How many video frames before the first key frame were left out. A transport stream in one file keeps them.
  public var framesBeforeKey = 0
  /// How many video frames that follow the first key frame, are presented before it and need frames before it were left out. A transport stream
  /// in one file keeps them.
  public var leadingFrames = 0
  /// How many packets were left out because neither they nor their neighbours have a presentation time.
  public var untimedPackets = 0
  /// The time from the start of the first stream to the timeline origin: the duration of the input before the first key frame.
  public var beforeOrigin = MediaTime.zero
  /// Those of `leftOut` that the input announces, but that had no packets.
  public var absent: [MediaStream] = []
  /// Those of `leftOut` that are audio with an unknown sample rate: they begin late, are scrambled or damaged.
  public var undescribed: [MediaStream] = []
  /// Those of `leftOut` that began after the start of the input.
  public var late: [MediaStream] = []
  /// How the picture is rotated; `nil` if it is shown as it is. MPEG-TS cannot state it.
  public var orientation: PictureOrientation?
}

/// Counts the packets that were copied, and the damaged ones.
struct PacketTally {
  private(set) var copied = 0
  private(set) var damaged = 0

  /// The number of invalid packets that are skipped in any file; in a long file, a hundredth of its packets.
  private static let damagedAllowed = 64

  /// Copies one packet; `false` if it is damaged and skipped.
  ///
  /// - Throws: The error of a packet that is not damaged but cannot be copied, and that of a damaged packet if too many were damaged: then the
  ///   file describes the stream wrongly.
  @discardableResult
  mutating func count(_ body: @autoclosure () throws(RemuxError) -> Void) throws(RemuxError) -> Bool {
    do {
      try body()
      copied += 1
      return true
    } catch {
      damaged += 1
      guard case .library(let cause) = error, cause.isInvalidData, damaged <= max(Self.damagedAllowed, copied / 100) else { throw error }
      return false
    }
  }
}

public import Basics

/// What copying a file into a transport stream or into segments did.
public struct RemuxSummary: Equatable, Sendable {
  /// The streams that were copied.
  public var copied: [MediaStream]
  /// The streams that were not.
  public var leftOut: [MediaStream]
  /// How many packets were copied.
  public var packets: Int
  /// When the timeline origin is presented, in ticks of the transport stream.
  public var origin: MediaTime
  /// When the last video or audio frame ends, in ticks of the transport stream.
  public var end: MediaTime
  /// How long the input says it is, if it does; a transport stream does not. Where much less was copied, the file is cut off.
  public var inputDuration: MediaTime?
  /// For how long, from the timeline origin on, players show video frames that the input's edit list hides. Neither MPEG-TS nor segments can
  /// hide them.
  public var hiddenVideo: MediaTime
  /// How many packets have times that were missing, went back, or were decoded after being presented, and were repaired.
  public var repairedPackets: Int
  /// How many packets could not be read, or are not what their codec says, and were skipped.
  public var invalidPackets: Int
  /// How many video frames before the first key frame were left out. A transport stream in one piece keeps them.
  public var framesBeforeKey = 0
  /// How many video frames that follow the first key frame, are presented before it and need frames before it were left out. A transport stream
  /// in one piece keeps them.
  public var leadingFrames = 0
  /// How many packets were left out because neither they nor their neighbours tell when they are presented.
  public var untimedPackets = 0
  /// The time from the start of the first stream to the timeline origin: how long the input lasts before a key frame comes.
  public var beforeOrigin = MediaTime.zero
  /// Those of `leftOut` that the input announces, and of which nothing came.
  public var absent: [MediaStream] = []
  /// Those of `leftOut` that are audio of which nothing tells the sample rate: they begin late, are scrambled or damaged.
  public var undescribed: [MediaStream] = []
  /// Those of `leftOut` that began after the start of the input.
  public var late: [MediaStream] = []
  /// How the picture is to be turned; `nil` if it is shown as it is. MPEG-TS cannot say it.
  public var orientation: PictureOrientation?
}

/// Counts the packets that were copied, and those that could not be.
struct PacketTally {
  private(set) var copied = 0
  private(set) var damaged = 0

  /// The number of invalid packets that are skipped in any file; in a long file, a hundredth of its packets.
  private static let damagedAllowed = 64

  /// Copies one packet; `false` if it is damaged and skipped.
  ///
  /// - Throws: The error of a packet that is not damaged but cannot be copied, and that of a damaged packet if too many were damaged: then the
  ///   stream is not what its file says.
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

public import Basics
package import EventSchedule
import GameEvents

extension PacketStamper {
  /// Options of stamping.
  public struct Options: Equatable, Sendable {
    /// The number of the program that the events belong to; `nil` for the only one.
    public var program: UInt16?
    /// Whether no packet may be added, so that a constant bit rate stays one.
    public var keepsRate = false
    /// The carriages of each tag besides timed ID3.
    public var carriages: AddedCarriages = []
    /// Whether packets of 192 and 204 bytes are refused.
    public var onlyPlainPackets = false

    /// Options for the only program, with any rate and framing.
    public init() {}
  }

  /// The result of stamping.
  public struct Report: Equatable, Sendable {
    /// The number of events.
    public var events = 0
    /// The number of their copies, refreshes included.
    public var copies = 0
    /// The number of ID3 tags that are no events of a game, without their copies.
    public var tags = 0
    /// The number of null packets that were replaced.
    public var replacedPackets = 0
    /// The number of packets that were added, by which the stream is longer.
    public var addedPackets = 0
    /// The number of copies that are also in SEI messages.
    public var messages = 0
    /// The number of bytes of the input that belonged to no packet. Those between packets were left out.
    public var skippedBytes = 0
    /// The time on the timeline at which the video (or the audio) ends.
    public var end = MediaTime.zero

    /// A report of these numbers.
    public init(
      events: Int = 0, copies: Int = 0, replacedPackets: Int = 0, addedPackets: Int = 0, messages: Int = 0, skippedBytes: Int = 0,
      end: MediaTime = .zero
    ) {
      self.events = events
      self.copies = copies
      self.replacedPackets = replacedPackets
      self.addedPackets = addedPackets
      self.messages = messages
      self.skippedBytes = skippedBytes
      self.end = end
    }

    /// Counts copies that were placed.
    package mutating func count(_ placed: [EventSchedule.TimedCopy]) {
      for copy in placed {
        if !copy.isForeign { copies += 1 }
        guard copy.copy.copy == 1 else { continue }
        if copy.isForeign { tags += 1 } else { events += 1 }
      }
    }
  }
}

import Basics
import GameEvents

/// The facts about one tag that determine how players handle it.
struct TagObservation: Sendable {
  /// The carrier of the tag.
  enum Carrier: Equatable, Sendable {
    case packet(PacketFacts)
    case message(MessageFacts)
    case packedAudio
  }

  /// Facts about the PES packet of a tag.
  struct PacketFacts: Equatable, Sendable {
    /// Whether the stream is the first of stream_type 15 in the first program.
    var isFirstStream = true
    /// Whether the PMT lists the stream with type 15.
    var isListed = true
    var isAligned = true
    var hasTime = true
    /// The number of tags before it in its packet.
    var index = 0
    /// Whether the tag continues in further packets.
    var isContinued = false
    /// Whether FFmpeg has cut off its first bytes.
    var isCut = false
    /// Whether the tag has all of its bytes.
    var isWhole = true
    var hasDescriptors = true
    /// Whether the program has H.264 or AAC, the only codecs that video.js 7 supports.
    var hasBasicCodecs = true
    /// Whether the program has both video and audio.
    var isMuxed = true
  }

  /// Facts about the event message of a tag.
  struct MessageFacts: Equatable, Sendable {
    var version: UInt8 = 1
    /// Whether an earlier message had the same scheme, value and id.
    var isRepeatedID = false
    /// Whether it lies in a rendition of a group, and not in a variant.
    var isInGroup = false
  }

  /// A frame of the tag.
  struct Frame: Equatable, Sendable {
    var id: String
    /// The number of bytes of its content.
    var size: Int
    /// The text encoding of a TXXX frame.
    var encoding: UInt8?
    var hasPlainDescription = true
    /// The event in it.
    var event: GUID?
    /// Whether it is the timestamp at the start of packed audio.
    var isTimestamp = false
  }

  /// Whether it is only the timestamp at the start of packed audio.
  var isTimestamp: Bool { carrier == .packedAudio && !frames.isEmpty && frames.allSatisfy { $0.isTimestamp } }

  var carrier: Carrier

  /// The same tag in a rendition of a group.
  var inGroup: TagObservation {
    guard case .message(var message) = carrier else { return self }
    var observation = self
    message.isInGroup = true
    observation.carrier = .message(message)
    return observation
  }

  var frames: [Frame]
  /// The copies of events in the tag.
  var copies: [EventCopy]
  /// Whether players that read only ID3v2.4 misread the tag.
  var isMisread = false
  /// Whether its flags announce an extended header or unsynchronisation.
  var hasExtendedHeader = false
  var isUnsynchronised = false
  /// The presentation time in stream time; `nil` if it has none.
  var time: MediaTime?
  /// How far the stream's clock has jumped between the previous tag and this one; the programme continues across the jump. `nil` if it has not.
  var clockJump: MediaTime?
  var byteCount: Int
  /// Where the tag, or the packet or box around it, starts in the current resource.
  var offset: Int
}

import Basics
import GameEvents

/// What is to be seen of one tag: everything that decides what players make of it.
struct TagObservation: Sendable {
  /// What carries it.
  enum Carrier: Equatable, Sendable {
    case packet(PacketFacts)
    case message(MessageFacts)
    case packedAudio
  }

  /// What a PES packet tells of the tag in it.
  struct PacketFacts: Equatable, Sendable {
    /// Whether the stream is the first of stream_type 15 in the first program.
    var isFirstStream = true
    /// Whether the program map says that the stream is of type 15.
    var isListed = true
    var isAligned = true
    var hasTime = true
    /// How many tags are before it in its packet.
    var index = 0
    /// Whether the tag goes on in further packets.
    var isContinued = false
    /// Whether FFmpeg has cut its first bytes off.
    var isCut = false
    /// Whether the tag has all of its bytes.
    var isWhole = true
    var hasDescriptors = true
    /// Whether the program has H.264 or AAC, which is all that video.js 7 knows.
    var hasBasicCodecs = true
    /// Whether the program has both picture and sound.
    var isMuxed = true
  }

  /// What an event message tells of the tag in it.
  struct MessageFacts: Equatable, Sendable {
    var version: UInt8 = 1
    /// Whether a message with the same scheme, value and id came before.
    var isRepeatedID = false
    /// Whether the file has tracks of both picture and sound.
    var isMuxed = false
  }

  /// A frame of the tag.
  struct Frame: Equatable, Sendable {
    var id: String
    /// How many bytes its content has.
    var size: Int
    /// The text encoding of a TXXX frame.
    var encoding: UInt8?
    var hasPlainDescription = true
    /// The event in it.
    var event: GUID?
    /// Whether it is the timestamp that packed audio starts with.
    var isTimestamp = false
  }

  var carrier: Carrier
  var frames: [Frame]
  /// The copies of events in it.
  var copies: [EventCopy]
  /// What players that read frames by ID3v2.4 only make of it.
  var hasForeignForm = false
  /// Whether its flags tell of an extended header or of unsynchronisation.
  var hasExtendedHeader = false
  var isUnsynchronised = false
  /// Stream time; `nil` where it has none.
  var time: MediaTime?
  var byteCount: Int
  /// Where it starts in what is being looked at.
  var offset: Int
}

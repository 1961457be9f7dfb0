public import Basics
public import GameEvents
public import TransportStream

/// Why events could not be put into a transport stream.
public indirect enum PacketStampingError: Error, Equatable, Sendable {
  /// The input has no transport packets.
  case notATransportStream
  /// The packets carry timestamps or parity, and only plain ones are accepted.
  case unsupportedFraming(PacketFramer.Framing)
  /// Packets of 204 bytes end with bytes that are neither their parity nor always the same.
  case unknownParity
  /// No PMT was found.
  case noProgram
  /// The PMT or PAT on a PID comes only with wrong checksums, too rarely to be used.
  case wrongChecksum(PID)
  /// There are several programs, and none was chosen for the events.
  case severalPrograms([ProgramSummary])
  /// There is no program of this number. The existing programs are given.
  case unknownProgram(UInt16, [ProgramSummary])
  /// The program leaves the PAT before all events were inserted.
  case programEnds(UInt16, offset: Int)
  /// The program has neither video nor audio that is known as such.
  case noTimedStream(ProgramSummary)
  /// The video (or the audio) of the program has no presentation times, or is missing.
  case noAccessUnits
  /// The video has no frame with which decoding can start.
  case noStartingPoint
  /// The video (or the audio) that could tell the time is scrambled, from this offset on if it was not from the start.
  case scrambled(PID, offset: Int?)
  /// All PIDs are in use.
  case noFreePID
  /// The stream has begun to use the PID that was chosen for the events.
  case pidClash(PID, offset: Int)
  /// The stream already has events of this game.
  case alreadyStamped(GameID, offset: Int)
  /// The video already has events of this game in SEI messages, first in the picture at this offset; `nil` if the offset does not refer to the input.
  case eventInVideo(GameID, offset: Int?)
  /// The PMT is too large to hold another stream.
  case pmt(ParseError)
  /// The rate must be kept, and the 0.7 s before this tag do not have enough null packets for it.
  case noNullPacket(UnplacedTag)
  /// The rate must be kept, and there is no null packet for a PMT that needs one more packet.
  case noNullPacketForPMT(offset: Int)
  /// The rate must be kept, and bytes between packets that belong to no packet would be dropped.
  case bytesBetweenPackets(count: Int, offset: Int)
  /// Tags should go into SEI messages too, but the stream that tells the time has none.
  case withoutMessages(StreamType)
  /// Events should be removed that the video also carries in SEI messages, and they would stay there.
  case eventsInVideo(offset: Int)
  /// An event does not fit into a tag or a packet.
  case event(EventError)
}

extension PacketStampingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .notATransportStream: "no MPEG transport stream"
    case .unsupportedFraming(let framing):
      "packets of \(framing.stride) bytes cannot be stamped here: convert the stream to plain packets of 188 bytes first"
    case .unknownParity:
      "the 16 bytes after each of its packets are neither their parity nor a filling: convert the stream to plain packets of 188 bytes first"
    case .noProgram: "the transport stream has no program map"
    case .wrongChecksum(let pid):
      "the transport stream has no program map that can be used: the table on PID \(pid) has a wrong checksum (CRC_32)"
    case .severalPrograms(let programs):
      "the transport stream has \(Self.count(programs)) programs, and one must be chosen: \(Self.list(programs))"
    case .unknownProgram(let number, let programs):
      "the transport stream has no program \(number), but \(programs.count == 1 ? "this one" : "these"): \(Self.list(programs))"
    case .programEnds(let number, let offset):
      "at byte \(offset) the stream has no program \(number) any more, and not all events have come by then"
    case .noTimedStream(let program): "nothing is known as picture or sound in program \(program)"
    case .noAccessUnits: "the program map announces picture or sound, and nothing of it comes that has a presentation time"
    case .noStartingPoint: "none of its pictures is known as one that decoding can start with"
    case .scrambled(let pid, let offset?):
      "from byte \(offset) on PID \(pid), which tells the time, is scrambled, and not all events have come by then: stamp before scrambling"
    case .scrambled(let pid, nil): "PID \(pid), which could tell the time, is scrambled: stamp before scrambling"
    case .noFreePID: "the transport stream has no PID to spare"
    case .pidClash(let pid, let offset):
      "at byte \(offset) the stream begins to use PID \(pid), which was free at its beginning and now carries the events"
    case .alreadyStamped(let game, let offset):
      "at byte \(offset) the stream carries an event of the game \(game) already"
    case .eventInVideo(let game, let offset):
      "\(offset.map { "the picture at byte \($0)" } ?? "a picture") carries an event of the game \(game) already, in an SEI message: take it out of a "
        + "transport stream or of fragmented MP4 with cuelight strip, or go back to the video before it was stamped with --sei"
    case .pmt(let error): "the program map cannot hold another stream: \(error.reason)"
    case .noNullPacket(let tag): Self.text(tag)
    case .noNullPacketForPMT(let offset):
      "at byte \(offset) there is no null packet for the program map, which takes one more, and the rate is to be kept"
    case .bytesBetweenPackets(let count, let offset):
      "at byte \(offset) there are \(count) bytes that belong to no packet and would be left out, and the rate is to be kept"
    case .withoutMessages(let type): "SEI messages belong to H.264 and HEVC video, and this stream's time is told by \(type.name)"
    case .eventsInVideo(let offset):
      "the picture at byte \(offset) has events in SEI messages: take them out of a transport stream or of fragmented MP4 with cuelight strip first, "
        + "or, if that refuses them, go back to the video before it was stamped with --sei"
    case .event(let error): "\(error)"
    }
  }

  private static func text(_ tag: UnplacedTag) -> String {
    let event = "\(tag.copy.event.type)\(tag.copy.event.sequence.map { " \($0)" } ?? "")"
    let number = tag.copy.isRefresh ? "a refresh" : "copy \(tag.copy.copy) of \(tag.copy.copies)"
    let room = tag.roomFrom.map { "there is room from \($0.clockText) on" } ?? "there is no room in the 10 s after it either"
    return "at byte \(tag.offset) there are too few null packets, in the 0.7 s before, for \(event) at \(tag.time.clockText) (\(number)), "
      + "and the rate is to be kept; \(room)"
  }

  /// The maximum number of programs that are named. More are counted.
  private static let namedPrograms = 8

  private static func list(_ programs: [ProgramSummary]) -> String {
    let named = programs.prefix(namedPrograms).map { $0.description }.joined(separator: ", ")
    return programs.count > namedPrograms ? "\(named) and \(programs.count - namedPrograms) more" : named
  }

  /// Returns the number of programs in words. The start of the stream is searched for a limited number of them.
  private static func count(_ programs: [ProgramSummary]) -> String {
    programs.count < StreamProbe.mostPrograms ? "\(programs.count)" : "\(programs.count) or more"
  }
}

public import ByteCursor
public import GameEvents
public import TransportStream

/// Why events could not be put into a transport stream.
public enum PacketStampingError: Error, Equatable, Sendable {
  /// The input has no transport packets.
  case notATransportStream
  /// The packets carry timestamps or parity, which inserted packets would need too.
  case unsupportedFraming(PacketFramer.Framing)
  /// No program map was found.
  case noProgram
  /// There are several programs, so it is not said which one the events belong to.
  case severalPrograms(Int)
  /// The program has neither picture nor sound with presentation times.
  case noAccessUnits
  /// All PIDs are in use.
  case noFreePID
  /// The stream uses the PID that was chosen for the events: it did not at first.
  case pidClash(PID, offset: Int)
  /// The stream has events of this game already.
  case alreadyStamped(GameID, offset: Int)
  /// The program map is too large to hold another stream.
  case map(ParseError)
  /// An event does not fit into a tag or a packet.
  case event(EventError)
}

extension PacketStampingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .notATransportStream: "no MPEG transport stream"
    case .unsupportedFraming(let framing):
      "packets of \(framing.stride) bytes cannot be stamped: convert the stream to plain packets of 188 bytes first"
    case .noProgram: "the transport stream has no program map"
    case .severalPrograms(let count): "the transport stream has \(count) programs; only streams with one can be stamped"
    case .noAccessUnits: "the program has neither picture nor sound with presentation times"
    case .noFreePID: "the transport stream has no PID to spare"
    case .pidClash(let pid, let offset):
      "at byte \(offset) the stream begins to use PID \(pid), which was free at its beginning and now carries the events"
    case .alreadyStamped(let game, let offset):
      "at byte \(offset) the stream carries an event of the game \(game) already: stamp the original, or give the game another name"
    case .map(let error): "the program map cannot hold another stream: \(error.reason)"
    case .event(let error): "\(error)"
    }
  }
}

public import FileInput
public import LibAV
public import MediaTime
public import PacketStamping

/// Why no stamped file was made.
public enum StampingError: Error, Equatable, Sendable {
  /// The input could not be read.
  case input(FileInputError)
  /// The input is empty.
  case emptyInput
  /// Standard input carries something other than a transport stream.
  case notATransportStreamOnStandardInput
  /// libavformat could not read the input, or not copy it into a transport stream.
  case remuxing(path: String, RemuxError)
  /// Events could not be put into the transport stream.
  case packets(PacketStampingError)
  /// The output could not be written.
  case output(FileSinkError)
  /// The programme ends, at this time, before the last events.
  case eventsAfterTheEnd(of: MediaTime)
  /// The user has interrupted.
  case interrupted
}

extension StampingError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .input(let error): "\(error)"
    case .emptyInput: "the input is empty"
    case .notATransportStreamOnStandardInput: "standard input is no transport stream; other formats are read from files only"
    case .remuxing(let path, let error): "\(path): \(error)"
    case .packets(let error): "\(error)"
    case .output(let error): "\(error)"
    case .eventsAfterTheEnd(let end): "the programme ends at \(end.clockText), before the last events"
    case .interrupted: "interrupted"
    }
  }
}

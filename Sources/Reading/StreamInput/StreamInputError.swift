public import EventReading
public import Files
public import HLSReading
public import HTTPClient

/// Why an input could not be read at all.
public enum StreamInputError: Error, Equatable, Sendable {
  /// A file could not be read.
  case file(FileInputError)
  /// A resource could not be loaded.
  case network(NetworkInputError)
  /// It is no stream that can be read.
  case stream(ReadingError)
  /// It is no presentation that can be read.
  case presentation(HLSReadingError)
  /// A playlist came on standard input, where it has no folder that its segments could lie in.
  case playlistOnStandardInput
  /// The user has interrupted.
  case interrupted
}

extension StreamInputError {
  /// What is said of a file that is not there.
  static let noSuchFile = "no such file"

  /// Whether the input, or the playlist that it starts with, is not there.
  public var isMissing: Bool {
    switch self {
    case .file(.missing): return true
    case .network(let error):
      if case .notFound = error.reason { return true }
      return false
    case .presentation(.playlistNotLoaded(_, let reason)):
      return [Self.noSuchFile, "\(NetworkInputError.Reason.notFound(status: 404))", "\(NetworkInputError.Reason.notFound(status: 410))"]
        .contains(reason)
    case .file, .stream, .presentation, .playlistOnStandardInput, .interrupted: return false
    }
  }
}

extension StreamInputError {
  /// Whether a library is missing that the input needs.
  public var isLibraryMissing: Bool {
    if case .network(let error) = self, case .libraryMissing = error.reason { true } else { false }
  }
}

extension StreamInputError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .network(let error): "\(error)"
    case .stream(let error): "\(error)"
    case .presentation(let error): "\(error)"
    case .playlistOnStandardInput: "standard input is a playlist, whose segments cannot be found from here: give its path or URL instead"
    case .interrupted: "interrupted"
    }
  }
}

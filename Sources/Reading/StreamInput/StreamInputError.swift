package import EventReading
package import Files
package import HLSReading
package import HTTPClient

/// Why an input could not be read at all.
package enum StreamInputError: Error, Equatable, Sendable {
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
  /// What is chosen of a presentation was chosen for another input.
  case noPresentation(PresentationChoice)
  /// The user has interrupted.
  case interrupted
}

/// What can be chosen of a presentation, and of no other input.
package enum PresentationChoice: String, Equatable, Sendable {
  /// The rendition that is read.
  case rendition = "so there is no rendition to choose"
  /// The time up to which it is read.
  case duration = "so it is read to its end; leave the duration out"
}

extension StreamInputError {
  /// Whether the input, or the playlist that it starts with, does not exist.
  package var isMissing: Bool {
    switch self {
    case .file(.missing): true
    case .network(let error): error.isMissing
    case .presentation(.playlistNotLoaded(_, let failure)): failure.kind == .missing
    case .file, .stream, .presentation, .playlistOnStandardInput, .noPresentation, .interrupted: false
    }
  }

  /// Whether a library is missing that the input needs.
  package var isLibraryMissing: Bool {
    if case .network(let error) = self, case .libraryMissing = error.reason { true } else { false }
  }

  /// Whether the first playlist of a server may be another one, or there at all, later.
  package var isWorthWaiting: Bool {
    guard case .presentation(let error) = self else { return false }
    return switch error {
    case .playlistNotLoaded(let uri, _), .playlist(let uri, _): StreamInput.isURL(uri)
    case .nestedMultivariant, .noSuchRendition: false
    }
  }

  /// Why a resource of a presentation could not be loaded, without its name, which the loader of presentations knows; `nil` for what ends
  /// reading.
  var loadFailure: HLSLoadFailure? {
    switch self {
    case .network(let error):
      // Only servers may answer otherwise later. Files do not change by waiting.
      HLSLoadFailure(error.isMissing ? .missing : error.isWorthRetrying ? .temporary : .refused, "\(error.reason)")
    case .file(.missing): HLSLoadFailure(.missing, "no such file")
    case .file(.outside): HLSLoadFailure(.refused, "it is no file of the playlist's folder")
    case .file(.folder): HLSLoadFailure(.refused, "it is a folder")
    case .file(.special): HLSLoadFailure(.refused, "it is a pipe or a device")
    case .file(let error): HLSLoadFailure(.refused, "\(error)")
    case .stream, .presentation, .playlistOnStandardInput, .noPresentation, .interrupted: nil
    }
  }
}

extension StreamInputError: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .network(let error): "\(error)"
    case .stream(let error): "\(error)"
    case .presentation(let error): "\(error)"
    case .playlistOnStandardInput: "standard input is a playlist, whose segments cannot be found from here: give its path or URL instead"
    case .noPresentation(let choice): "no presentation, \(choice.rawValue)"
    case .interrupted: "interrupted"
    }
  }
}

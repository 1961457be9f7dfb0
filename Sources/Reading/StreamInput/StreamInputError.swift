package import DASHReading
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
  /// It is not a readable stream.
  case stream(ReadingError)
  /// It is not a readable presentation.
  case presentation(HLSReadingError)
  /// It is not a readable MPD.
  case manifest(name: String, ManifestError)
  /// Standard input is a playlist, which has no folder for its segments.
  case playlistOnStandardInput
  /// An option for presentations was given for another input.
  case noPresentation(PresentationChoice)
  /// The user has interrupted.
  case interrupted
}

/// The options that only presentations have.
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
    case .file, .stream, .presentation, .manifest, .playlistOnStandardInput, .noPresentation, .interrupted: false
    }
  }

  /// Whether a library is missing that the input needs.
  package var isLibraryMissing: Bool {
    switch self {
    case .network(let error): if case .libraryMissing = error.reason { true } else { false }
    case .manifest(_, let error): error.isLibraryMissing
    default: false
    }
  }

  /// Whether the first playlist of a server may appear or change later.
  package var isWorthWaiting: Bool {
    guard case .presentation(let error) = self else { return false }
    return switch error {
    case .playlistNotLoaded(let uri, _), .playlist(let uri, _): StreamInput.isURL(uri)
    case .nestedMultivariant, .noSuchRendition: false
    }
  }

  /// Why a resource of a presentation could not be loaded, without its name, which the loader of presentations knows; `nil` for errors that end
  /// reading.
  var loadFailure: HLSLoadFailure? {
    switch self {
    case .network(let error):
      // Only servers may respond differently later. Waiting does not change files.
      HLSLoadFailure(error.isMissing ? .missing : error.isWorthRetrying ? .temporary : .refused, "\(error.reason)")
    case .file(.missing): HLSLoadFailure(.missing, "no such file")
    case .file(.outside): HLSLoadFailure(.refused, "it is not in the playlist's folder")
    case .file(.folder): HLSLoadFailure(.refused, "it is a folder")
    case .file(.special): HLSLoadFailure(.refused, "it is a pipe or a device")
    case .file(let error): HLSLoadFailure(.refused, "\(error)")
    case .stream, .presentation, .manifest, .playlistOnStandardInput, .noPresentation, .interrupted: nil
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
    case .manifest(let name, let error): "\(name): \(error)"
    case .playlistOnStandardInput: "standard input is a playlist, whose segments cannot be found from here: give its path or URL instead"
    case .noPresentation(let choice): "no presentation, \(choice.rawValue)"
    case .interrupted: "interrupted"
    }
  }
}

package import EventReading
import Files
import HLSReading
import HTTPClient
package import StreamInput

// The failures of a command that reads streams.
extension CommandFailure {
  /// - Parameter input: The input as the user names it.
  package init(_ error: StreamInputError, input: String) {
    let name = input == "-" ? "standard input" : input
    let folder = StreamInput.isURL(input) ? "" : PathParts.prefix(of: input)
    switch error {
    case .file(let error): self.init(error)
    case .stream(let error): self.init(error, input: name)
    case .network(let cause): self.init(cause)
    case .presentation(.playlistNotLoaded(let uri, let failure)):
      self.init("\(folder)\(uri): \(failure.reason)", status: error.isMissing ? Self.missingInput : Self.ioError)
    case .manifest: self.init("\(folder)\(error)", status: error.isLibraryMissing ? Self.libraryMissing : Self.invalidInput)
    case .presentation(let error): self.init(invalid: "\(folder)\(error)")
    case .playlistOnStandardInput: self.init(invalid: "\(error)")
    case .noPresentation: self.init("\(name): \(error)", status: Self.wrongUsage)
    case .interrupted: self = .interruption
    }
  }

  /// - Parameter input: The name of the input in messages.
  package init(_ error: ReadingError, input: String) {
    let isVideo = if case .notATransportStream(let format?) = error { format.isMediaFile } else { error == .plainMP4 }
    let advice = isVideo ? "; stamp it first: cuelight stamp \(Self.stampArguments(input))" : ""
    self.init(invalid: "\(input): \(error)\(advice)")
  }

  /// The arguments that stamp the input. A video that is not from a file has no name.
  private static func stampArguments(_ input: String) -> String {
    let isFile = input != "standard input" && !StreamInput.isURL(input)
    return "\(isFile ? input.shellWord : "VIDEO") --cues CUES -o OUTPUT.ts"
  }
}

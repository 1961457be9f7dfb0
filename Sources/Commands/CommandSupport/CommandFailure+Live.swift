import LibAV
package import LiveSession
import StreamInput

// The failures of a command that runs a live session.
extension CommandFailure {
  /// - Parameter cues: The sheet for the start.
  package init(_ error: LiveSessionError, cues: String?) {
    switch error {
    case .cues(let problems): self.init(problems, cues: cues ?? "")
    case .input(let error): self.init(error)
    case .media(.notOpened(let cause)) where cause.missingLibrary != nil: self.init("\(cause)", status: Self.libraryMissing)
    case .media(let error): self.init(invalid: "\(error)")
    case .output(let error): self.init(error)
    case .notATransportStream(let name): self.init(invalid: "\(name): no MPEG transport stream")
    case .presentation(let error):
      let status = error.isLibraryMissing ? Self.libraryMissing : error.isMissing ? Self.missingInput : Self.invalidInput
      self.init("\(error)", status: status)
    case .origin(let name, let reason): self.init("\(name): \(reason)", status: Self.ioError)
    case .variant(let name, let reason): self.init(invalid: "\(name): \(reason)")
    case .journal(let path, let reason): self.init(invalid: "\(path): \(reason)")
    }
  }
}

package import ArgumentParser
import Basics
package import Files
package import HTTPClient
package import Sheets
import Terminal

/// Why a command ends without having done its work: a message, and the exit status that tells scripts the reason.
package struct CommandFailure: Error {
  /// The message for standard error, a line for each mistake; `nil` if everything was already reported.
  package var message: String?
  /// The program's exit status.
  package var status: Int32

  package static let wrongUsage: Int32 = 64
  package static let invalidInput: Int32 = 65
  package static let missingInput: Int32 = 66
  package static let libraryMissing: Int32 = 69
  package static let cannotCreate: Int32 = 73
  package static let ioError: Int32 = 74
  package static let interrupted: Int32 = 130

  package init(_ message: String?, status: Int32) { (self.message, self.status) = (message, status) }

  /// An input is invalid.
  package init(invalid message: String) { self.init(message, status: Self.invalidInput) }

  /// A check has failed. The differences were printed.
  package static let checkFailed = CommandFailure(nil, status: 1)
  /// The reader of the output is gone, which is not an error.
  package static let closedPipe = CommandFailure(nil, status: 0)
  /// Not all of the input could be loaded. Messages have named the missing parts.
  package static let incomplete = CommandFailure(nil, status: ioError)
  /// The user has interrupted.
  package static let interruption = CommandFailure("interrupted", status: interrupted)

  /// Ends the command if the user has interrupted.
  package static func requireNoInterruption() throws(CommandFailure) {
    if Interruption.isRequested { throw .interruption }
  }

  /// Waits, and ends the command if the user interrupts.
  package static func pause(_ duration: Duration) throws(CommandFailure) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      try requireNoInterruption()
      Interruption.pause(milliseconds: 50)
    }
  }

  package init(_ error: FileInputError) {
    switch error {
    case .missing, .unreadableName: self.init("\(error)", status: Self.missingInput)
    case .interrupted: self = .interruption
    case .folder, .outside, .special: self.init(invalid: "\(error)")
    case .system: self.init("\(error)", status: Self.ioError)
    }
  }

  package init(_ error: FileSinkError) {
    guard error.reason != .interrupted else {
      self = .interruption
      return
    }
    guard error.reason != .closed || error.path != "-" else {
      self = .closedPipe
      return
    }
    self.init(Self.message(error), status: [.create, .lock].contains(error.operation) ? Self.cannotCreate : Self.ioError)
  }

  /// What keeps a file from being written, with the way where there is one.
  private static func message(_ error: FileSinkError) -> String {
    switch error.reason {
    case .exists: return "\(error.path): exists already; add --force to replace it"
    case .isDirectory: return "\(error.path): is a folder; name a file in it"
    case .folderMissing where error.operation == .create && !PathParts(error.path).folder.isEmpty:
      return "\(error.path): there is no folder \(PathParts(error.path).folder); make it first"
    default: return "\(error)"
    }
  }

  package init(_ error: NetworkInputError) {
    switch error.reason {
    case .interrupted: self = .interruption
    case .libraryMissing: self.init("\(error)", status: Self.libraryMissing)
    case .notFound: self.init("\(error)", status: Self.missingInput)
    default: self.init("\(error)", status: Self.ioError)
    }
  }

  /// The maximum number of mistakes that are listed. Nobody corrects more before trying again.
  package static let mostProblems = 100

  /// Each mistake of a cue sheet on a line of its own, as compilers print them.
  ///
  /// - Parameter programme: The input that the cue sheet does not fit, if there are several.
  package init(_ problems: [SheetProblem], cues: String, programme: String? = nil) {
    var lines = problems.prefix(Self.mostProblems).map { "\(cues):\($0)\(programme.map { " (\($0))" } ?? "")" }
    if problems.count > Self.mostProblems { lines.append("\(cues): \(problems.count - Self.mostProblems) more mistakes") }
    self.init(invalid: lines.joined(separator: "\n"))
  }

  /// The lines that name mistakes whose questions are left out of a file, as many as are listed.
  package static func leftOut(_ problems: [SheetProblem], of file: String) -> [String] {
    var lines = problems.prefix(mostProblems).map { "\(file):\($0): left out" }
    if problems.count > mostProblems { lines.append("\(file): \(problems.count - mostProblems) more mistakes: left out") }
    return lines
  }

  /// The failure of a program whose arguments were not parsed: wrong usage, which is reported on standard error, or requested help, which is an
  /// output like any other.
  ///
  /// - Throws: If the help cannot be written.
  package static func parsing(_ error: any Error, of command: any ParsableCommand.Type) throws(CommandFailure) -> CommandFailure {
    let (message, status) = (command.fullMessage(for: error), command.exitCode(for: error))
    if status == .success {
      var output = StandardOutput()
      // The root command has the number alone, since finding FFmpeg's libraries takes a while.
      try output.raw((message.hasSameBytes(as: Version.number) ? Version.text(of: command._commandName) : message) + "\n")
    } else {
      StandardError.write(message)
    }
    return CommandFailure(nil, status: status.rawValue)
  }

  /// Reports on standard error why the program ends, each line with the program's name before it.
  package func report(by program: String) {
    guard let message else { return }
    StandardError.write(
      message.split(separator: "\n", omittingEmptySubsequences: false).map { "\(program): \($0)" }.joined(separator: "\n"))
  }
}

/// Returns the value of an expression. `failure` converts its error.
///
/// The expression is an autoclosure, because the compiler infers the type of its error.
package func orFail<Value: ~Copyable, Reason: Error>(
  _ value: @autoclosure () throws(Reason) -> Value, _ failure: (Reason) -> CommandFailure
) throws(CommandFailure) -> Value {
  do throws(Reason) { return try value() } catch { throw failure(error) }
}

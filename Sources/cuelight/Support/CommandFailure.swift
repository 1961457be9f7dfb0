import Basics
import CueSheet
import EventReading
import Files
import GameEvents
import HLSReading
import HTTPClient
import LibAV
import PacketStamping
import Sheets
import Stamping
import StreamInput
import Terminal

/// Why a command ends without having done its work: a message, and the exit status by which scripts know the reason.
struct CommandFailure: Error {
  var message: String?
  var status: Int32

  static let wrongUsage: Int32 = 64
  static let invalidInput: Int32 = 65
  static let missingInput: Int32 = 66
  static let libraryMissing: Int32 = 69
  static let cannotCreate: Int32 = 73
  static let ioError: Int32 = 74
  static let interrupted: Int32 = 130

  init(_ message: String?, status: Int32) {
    self.message = message
    self.status = status
  }

  /// A check has failed; what differs was printed.
  static let checkFailed = CommandFailure(nil, status: 1)
  /// The reader of the output is gone, which is no error.
  static let closedPipe = CommandFailure(nil, status: 0)
  /// Not all of the input could be loaded. Messages have named the missing parts.
  static let incomplete = CommandFailure(nil, status: ioError)
  /// The user has interrupted.
  static let interruption = CommandFailure("interrupted", status: interrupted)

  /// Ends the command where the user has interrupted.
  static func requireNoInterruption() throws(CommandFailure) {
    if Interruption.isRequested { throw .interruption }
  }

  /// Waits, and ends the command where the user interrupts.
  static func pause(_ duration: Duration) throws(CommandFailure) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      try requireNoInterruption()
      Interruption.pause(milliseconds: 50)
    }
  }

  init(_ error: FileInputError) {
    switch error {
    case .missing, .unreadableName: self.init("\(error)", status: Self.missingInput)
    case .interrupted: self = .interruption
    case .folder, .outside, .special: self.init("\(error)", status: Self.invalidInput)
    case .system: self.init("\(error)", status: Self.ioError)
    }
  }

  init(_ error: FileSinkError) {
    guard error.reason != .interrupted else {
      self = .interruption
      return
    }
    self.init(
      error.reason == .exists ? "\(error.path): exists already; add --force to replace it" : "\(error)",
      status: error.operation == .create ? Self.cannotCreate : Self.ioError)
  }

  init(_ error: StreamInputError, input: StreamSource) {
    switch error {
    case .file(let error): self.init(error)
    case .stream(let error): self.init(error, input: input.name)
    case .network(let cause): self.init(cause)
    case .presentation(.playlistNotLoaded(let uri, let failure)):
      self.init("\(input.folder)\(uri): \(failure.reason)", status: error.isMissing ? Self.missingInput : Self.ioError)
    case .presentation(let error): self.init("\(input.folder)\(error)", status: Self.invalidInput)
    case .playlistOnStandardInput: self.init("\(error)", status: Self.invalidInput)
    case .noPresentation: self.init("\(input.name): \(error)", status: Self.wrongUsage)
    case .interrupted: self = .interruption
    }
  }

  init(_ error: NetworkInputError) {
    switch error.reason {
    case .interrupted: self = .interruption
    case .libraryMissing: self.init("\(error)", status: Self.libraryMissing)
    case .notFound: self.init("\(error)", status: Self.missingInput)
    default: self.init("\(error)", status: Self.ioError)
    }
  }

  init(_ error: ReadingError, input: String) {
    let isVideo = if case .notATransportStream(let format?) = error { format.isMediaFile } else { error == .plainMP4 }
    let advice = isVideo ? "; stamp it first: cuelight stamp \(Self.stampArguments(input))" : ""
    self.init("\(input): \(error)\(advice)", status: Self.invalidInput)
  }

  /// The arguments that stamp the input; a video that came from elsewhere has no name.
  private static func stampArguments(_ input: String) -> String {
    let isFile = input != "standard input" && !StreamInput.isURL(input)
    return "\(isFile ? input.shellWord : "VIDEO") --cues CUES -o OUTPUT.ts"
  }

  /// The most mistakes that are listed: nobody corrects more before trying again.
  static let mostProblems = 100

  /// Each mistake of a cue sheet on a line of its own, as compilers print them.
  ///
  /// - Parameter programme: The input that the cue sheet does not fit, where there are several.
  init(_ problems: [SheetProblem], cues: String, programme: String? = nil) {
    var lines = problems.prefix(Self.mostProblems).map { "\(cues):\($0)\(programme.map { " (\($0))" } ?? "")" }
    if problems.count > Self.mostProblems { lines.append("\(cues): \(problems.count - Self.mostProblems) more mistakes") }
    self.init(lines.joined(separator: "\ncuelight: "), status: Self.invalidInput)
  }

  init(_ error: StampingError, input: String) {
    switch error {
    case .input(let error): self.init(error)
    case .output(let error): self.init(error)
    case .interrupted: self.init("interrupted; nothing was written", status: Self.interrupted)
    case .remuxing(let path, .notOpened(let cause)):
      if let missing = cause.missingLibrary {
        self.init("\(path): \(missing)", status: Self.libraryMissing)
      } else {
        self.init("\(path): neither a transport stream nor a whole file of another format that FFmpeg reads", status: Self.invalidInput)
      }
    case .remuxing(let path, .severalPrograms(let numbers)):
      // What passes through keeps all of its programs, so that --program would not help here.
      let copying = "ffmpeg -i \(path.shellWord) -map 0:p:\(numbers.first ?? 1) -c copy one.ts"
      self.init("\(error): copy the one that you want first: \(copying)", status: Self.invalidInput)
    case .remuxing: self.init("\(error)", status: Self.invalidInput)
    case .rendition(let input, let error): self.init(error, input: input)
    case .packets(.severalPrograms): self.init("\(input): \(error); choose one with --program", status: Self.invalidInput)
    case .packets(.noNullPacket(let tag)):
      self.init("\(input): \(error): \(tag.advice)", status: Self.invalidInput)
    case .packets(.noNullPacketForPMT), .packets(.bytesBetweenPackets):
      self.init("\(input): \(error): leave --constant-rate out", status: Self.invalidInput)
    case .notATransportStream(_, let choice):
      self.init("\(error); leave \(choice.option) out", status: Self.wrongUsage)
    case .noCommonKeyFrame: self.init("\(error)", status: Self.invalidInput)
    case .outputIsInput: self.init("\(error)", status: Self.cannotCreate)
    case .presentationFromStandardInput: self.init("\(error)", status: Self.invalidInput)
    case .emptyInput, .notATransportStreamOnStandardInput, .packets, .openBoundary, .event, .box, .playlist, .playlistTooLarge,
      .eventsAfterTheEnd:
      self.init("\(input): \(error)", status: Self.invalidInput)
    }
  }
}

extension UnplacedTag {
  /// What a producer can do about it.
  fileprivate var advice: String {
    var choices: [String] = []
    if let delay { choices.append("move its cue \(delay.shortestDecimalSeconds) s later") }
    if copy.isRefresh { choices.append("let --refresh be longer, or off") } else if copy.copy > 1 { choices.append("lower --copies") }
    return (choices + ["leave --constant-rate out"]).joined(separator: ", or ")
  }
}

extension TransportStreamChoice {
  /// The option that makes it.
  fileprivate var option: String {
    switch self {
    case .program: "--program"
    case .constantRate: "--constant-rate"
    case .remux: "--remux"
    }
  }
}

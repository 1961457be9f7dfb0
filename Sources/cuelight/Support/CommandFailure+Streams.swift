import Basics
import CommandSupport
import GameEvents
import LibAV
import PacketStamping
import Stamping
import StreamInput

// What ends a command that reads or stamps streams.
extension CommandFailure {
  init(_ error: StreamInputError, input: StreamSource) { self.init(error, input: input.path) }

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
    case .packets(.alreadyStamped), .carriesEvents:
      self.init(
        "\(input): \(error): add --replace to take out all events that it has, or take them out with cuelight strip",
        status: Self.invalidInput)
    case .packets(.severalPrograms): self.init("\(input): \(error); choose one with --program", status: Self.invalidInput)
    case .packets(.noNullPacket(let tag)):
      self.init("\(input): \(error): \(tag.advice)", status: Self.invalidInput)
    case .packets(.noNullPacketForPMT), .packets(.bytesBetweenPackets):
      self.init("\(input): \(error): leave --constant-rate out", status: Self.invalidInput)
    case .packets(.withoutMessages), .samplesWithoutMessages:
      self.init("\(input): \(error): leave --sei out", status: Self.invalidInput)
    case .notATransportStream(_, let choice):
      self.init("\(error); leave \(choice.option) out", status: Self.wrongUsage)
    case .noCommonKeyFrame: self.init("\(error)", status: Self.invalidInput)
    case .outputIsInput: self.init("\(error)", status: Self.cannotCreate)
    case .presentation: self.init("\(error)", status: Self.invalidInput)
    case .presentationFromStandardInput: self.init("\(error)", status: Self.invalidInput)
    case .emptyInput, .notATransportStreamOnStandardInput, .packets, .notEditable, .plainMP4, .noRandomAccess, .event, .box, .playlist,
      .playlistTooLarge,
      .eventsAfterTheEnd:
      self.init("\(input): \(error)", status: Self.invalidInput)
    }
  }
}

extension UnplacedTag {
  /// What a producer can do about it, for an error message.
  fileprivate var advice: String {
    var choices: [String] = []
    if let delay { choices.append("move its cue \(delay.shortestDecimalSeconds) s later") }
    if copy.isRefresh { choices.append("let --refresh be longer, or off") } else if copy.copy > 1 { choices.append("lower --copies") }
    return (choices + ["leave --constant-rate out"]).joined(separator: ", or ")
  }
}

extension TransportStreamChoice {
  /// The option that makes this choice.
  fileprivate var option: String {
    switch self {
    case .program: "--program"
    case .constantRate: "--constant-rate"
    case .remux: "--remux"
    }
  }
}

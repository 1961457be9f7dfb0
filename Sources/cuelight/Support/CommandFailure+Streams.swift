import Basics
import CommandSupport
import GameEvents
import LibAV
import PacketStamping
import Stamping
import StreamInput

// The failures of a command that reads or stamps streams.
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
        self.init(invalid: "\(path): neither a transport stream nor a whole file of another format that FFmpeg reads")
      }
    case .remuxing(let path, .severalPrograms(let numbers)):
      // A stream whose packets are kept has all its programs, so --program would not help here.
      let copying = "ffmpeg -i \(path.shellWord) -map 0:p:\(numbers.first ?? 1) -c copy one.ts"
      self.init(invalid: "\(error): copy the one that you want first: \(copying)")
    case .remuxing(_, .codecsNotCarried(let streams)) where streams.allSatisfy({ SegmentRemuxer.carriedCodecs.contains($0.codecName) }):
      self.init(invalid: "\(error); fragmented MP4 can: write it with -o NAME.mp4, or HLS of it with --segment-type fmp4 -o NAME.m3u8")
    case .rendition(let input, let error): self.init(error, input: input)
    case .packets(.alreadyStamped), .carriesEvents:
      self.init(invalid: "\(input): \(error): add --replace to take out all events that it has, or take them out with cuelight strip")
    case .packets(.severalPrograms): self.init(invalid: "\(input): \(error); choose one with --program")
    case .packets(.noNullPacket(let tag)):
      self.init(invalid: "\(input): \(error): \(tag.advice)")
    case .packets(.noNullPacketForPMT), .packets(.bytesBetweenPackets):
      self.init(invalid: "\(input): \(error): leave --constant-rate out")
    case .packets(.withoutMessages), .samplesWithoutMessages:
      self.init(invalid: "\(input): \(error): leave --sei out")
    case .notATransportStream(_, let choice):
      self.init("\(error); leave \(choice.option) out", status: Self.wrongUsage)
    case .outputIsInput: self.init("\(error)", status: Self.cannotCreate)
    case .remuxing, .noCommonKeyFrame, .presentation, .presentationFromStandardInput, .fileFromStandardInput, .notRepeatable,
      .inputChanged, .notATransportStreamOnStandardInput:
      self.init(invalid: "\(error)")
    case .emptyInput, .packets, .notEditable, .plainMP4, .fragment, .noRandomAccess, .event, .box,
      .playlist,
      .playlistTooLarge, .eventsAfterTheEnd, .notEncrypted, .unreadable, .notRepairable, .unreadableTags:
      self.init(invalid: "\(input): \(error)")
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

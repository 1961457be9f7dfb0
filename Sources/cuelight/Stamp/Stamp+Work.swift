import Basics
import CommandSupport
import CueSheet
import EventSchedule
import HLSPlaylist
import LibAV
import PacketStamping
import Seals
import Stamping
import Terminal

extension Stamp {
  mutating func run() throws {
    let policy = try policy.policy()
    let inputFiles = InputFiles(inputs + [cues, sealKey, sign, key])
    try inputFiles.requireOther([output])
    let answers: CueSheet.AnswerMode = openAnswers ? .open : .sealed(try SealKeySource(path: sealKey, isReproducible: reproducible).key())
    let signer = try sign.map { path throws(CommandFailure) in try SignatureKeyFile(path: path).signer() }
    let encryption = try encryption()
    let sheet = try CueSheetFile(path: cues).read(
      policy, answers: answers, offset: cueOffset.duration, programmeDuration: inputDuration, sign: signer)
    try sheet.tellWarnings(path: cues, isStrict: strict)
    let hidden = inputs[0] == "-" ? .zero : HiddenStart.duration(of: inputs[0]) { Interruption.isRequested }
    let events = hidden > .zero ? sheet.events.compactMap { $0.later(by: hidden, sign: signer) } : sheet.events
    let schedule = EventSchedule(events, policy: policy)
    let progress = ProgressBar()
    let results: [StampedInput]
    do throws(StampingError) {
      defer { progress.clear() }
      results =
        isPlaylist
        ? try stampSegments(schedule, inputFiles, encryption, progress)
        : isMP4 ? try stampMP4(schedule, progress) : try stampFile(schedule, progress)
    } catch {
      if let (input, end) = error.endBeforeEvents {
        let problems = sheet.problems(programmeDuration: end - hidden)
        // If the clock of the input jumps, there may be no room for events although none of them is after the end.
        guard problems.isEmpty else { throw CommandFailure(problems, cues: cues, programme: inputs.count > 1 ? input : nil) }
      }
      throw CommandFailure(error, input: inputNames)
    }
    for result in results { StampingNotices(result, showsTurned: isPlaylist && segmentType == .fragmentedMP4).write() }
    StampingNotices.writeLengths(results)
    if json { return try StandardOutput.write(object(results)) }
    guard output != "-" else {
      for result in results { StandardError.write(text(result, isOneOfSeveral: false)) }
      return
    }
    let lines = results.map { text($0, isOneOfSeveral: results.count > 1) }
    try StandardOutput.write(lines + ["See the game: cuelight replay \(output.shellWord)"])
  }

  /// The results as `--json` prints them.
  private func object(_ results: [StampedInput]) -> JSONObject {
    let inputs = results.map { result in
      JSONObject(fields: [
        "input": result.input, "events": result.stamped.events, "copies": result.stamped.copies, "duration": result.stamped.end,
      ])
      .with("tags", result.stamped.tags > 0 ? result.stamped.tags : nil)
      .with("segments", result.segments).with("commonAudio", result.isCommonAudio ? true : nil)
      .with("messages", sei ? result.stamped.messages : nil)
      .with("replacedPackets", result.remuxed == nil ? result.stamped.replacedPackets : nil)
      .with("addedPackets", result.remuxed == nil ? result.stamped.addedPackets : nil)
    }
    return JSONObject(fields: ["type": "summary", "output": output, "inputs": inputs])
  }

  private func text(_ result: StampedInput, isOneOfSeveral: Bool) -> String {
    let (stamped, segments) = (result.stamped, result.segments)
    let pieces = segments.map { ", in \($0.of("segment"))" } ?? ""
    let name = isOneOfSeveral ? "\(output) (\(result.input))" : output == "-" ? "standard output" : output
    if result.isCommonAudio { return "\(name): audio of all variants over \(stamped.end.clockText)\(pieces)" }
    // A stream that libavformat copies has no rate to keep.
    let packets =
      result.remuxed == nil ? ", \(stamped.replacedPackets.of("null packet")) replaced, \(stamped.addedPackets.of("packet")) added" : ""
    let tags = stamped.tags > 0 ? ", \(stamped.tags.of("ID3 tag"))" : ""
    let messages = sei ? ", \(stamped.messages.of("copy", "copies")) in SEI messages too" : ""
    return
      "\(name): \(stamped.events.of("event")) in \(stamped.copies.of("copy", "copies"))\(tags) over \(stamped.end.clockText)\(pieces)\(messages)"
      + packets
  }

  /// The duration that the input states, if it is a file that states one. That of a transport stream is not reliable, because its clock may jump.
  private func inputDuration() -> MediaTime? {
    guard let input = inputs.first, input != "-", let media = try? MediaInput(path: input, isInterrupted: { Interruption.isRequested }),
      media.formatName != "mpegts"
    else { return nil }
    return media.duration
  }

  private func stampMP4(_ schedule: EventSchedule, _ progress: ProgressBar) throws(StampingError) -> [StampedInput] {
    var stamper = FragmentedFileStamper(input: inputs[0], output: output)
    (stamper.overwrite, stamper.replacesEvents) = (replacing.force, replace)
    stamper.carriages = carriages
    stamper.isInterrupted = { Interruption.isRequested }
    stamper.progress = { progress.show($0) }
    let summary = try stamper.stamp(schedule)
    return [StampedInput(input: inputs[0], stamped: summary.stamped, remuxed: summary.remuxed)]
  }

  private func stampFile(_ schedule: EventSchedule, _ progress: ProgressBar) throws(StampingError) -> [StampedInput] {
    var stamper = Stamper(input: inputs[0], output: output)
    (stamper.overwrite, stamper.replacesEvents) = (replacing.force, replace)
    stamper.options.program = program
    stamper.options.keepsRate = constantRate
    stamper.options.carriages = carriages
    stamper.remuxesTransportStreams = remux
    stamper.isInterrupted = { Interruption.isRequested }
    if output != "-" { stamper.progress = { progress.show($0) } }
    let summary = try stamper.stamp(schedule)
    return [StampedInput(input: inputs[0], stamped: summary.stamped, remuxed: summary.remuxed)]
  }

  /// The encryption of segments; `nil` if they are not encrypted.
  private func encryption() throws -> SegmentEncryption? {
    guard let path = key, let keyURI else { return nil }
    let key = try require(
      try SegmentKeyFile(path: path).key(), "--key takes a file of 16 bytes, or of 32 hexadecimal digits, and \(path) has something else.")
    return SegmentEncryption(keyURI: keyURI, encrypt: try SegmentKeyFile.encryption(key))
  }

  private func stampSegments(
    _ schedule: EventSchedule, _ inputFiles: InputFiles, _ encryption: SegmentEncryption?, _ progress: ProgressBar
  ) throws(StampingError) -> [StampedInput] {
    var stamper = HLSStamper(inputs: inputs, output: output)
    (stamper.overwrite, stamper.replacesEvents) = (replacing.force, replace)
    stamper.protectedFiles = inputFiles.paths
    stamper.segmentType = segmentType
    stamper.segmentDuration = segmentDuration.flatMap { MediaTime(decimalSeconds: $0) } ?? stamper.segmentDuration
    stamper.programDateTime = programDateTime.flatMap { PlaylistDate($0) }
    stamper.writesDateRanges = daterange
    stamper.writesDASH = dash
    stamper.encryption = encryption
    stamper.carriages = carriages
    stamper.datesResults = openAnswers
    stamper.isInterrupted = { Interruption.isRequested }
    stamper.progress = { progress.show($0) }
    return try stamper.stamp(schedule).map {
      StampedInput(input: $0.input, stamped: $0.stamped, remuxed: $0.remuxed, segments: $0.segments, isCommonAudio: $0.isCommonAudio)
    }
  }
}

/// The result for one input.
struct StampedInput {
  var input: String
  var stamped: PacketStamper.Report
  var remuxed: RemuxSummary?
  var segments: Int?
  /// Whether it is audio that all variants have in common.
  var isCommonAudio = false
}

extension StampingError {
  /// When the programme ends, if that is before its last events.
  fileprivate var endBeforeEvents: (input: String?, end: MediaTime)? {
    switch self {
    case .eventsAfterTheEnd(let end): (nil, end)
    case .rendition(let input, let error): error.endBeforeEvents.map { (input, $0.end) }
    default: nil
    }
  }
}

import ArgumentParser
import Basics
import CommandSupport
import EventReading
import Files
import Foundation
import GameEvents
import HLSReading
import ID3
import StreamInput
import Terminal
import Verification

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "List every copy of every event, and every other ID3 tag, as it lies in the stream.",
    discussion: """
      Example:
        cuelight inspect show.ts
        cuelight inspect --json show.ts | jq 'select(.duplicate == false)'
        cuelight inspect --all show.ts
        cuelight inspect --all-renditions https://example.com/show.m3u8
      """)

  @OptionGroup var input: InputOptions

  @Flag(
    name: .long, help: "List every timed metadata of the stream, in the order of time: splices (SCTE 35), KLV, user data and others, too.")
  var all = false

  @Flag(name: .long, help: "HLS: read all renditions, and say how their events differ.")
  var allRenditions = false

  @Flag(name: .long, help: "The stream need not have a game: the status is 0 even if there is no timed ID3.")
  var noGame = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    guard !allRenditions || input.rendition == nil else { throw ValidationError("--all-renditions and --rendition exclude each other.") }
  }

  mutating func run() throws {
    var output = StandardOutput(isLineBuffered: Terminal.isOutput)
    // Lines before an error must not be lost.
    defer { try? output.flush() }
    var comparison = RenditionComparison()
    var losses = 0
    var found = 0
    let isWhole = try input.forEachRendition(all: allRenditions) { (source, choice, loads) throws(CommandFailure) in
      comparison.start(choice?.uri ?? source.name)
      if let choice, !json { try output.line("\(choice):") }
      let (progress, copies, others) = try list(source, choice, loads, &output, &comparison)
      found += copies + others
      if copies == 0, choice?.isVariant == false { comparison.dropLast() }
      losses += progress.losses
      return progress
    }
    if allRenditions { try compare(comparison, &output) }
    try output.flush()
    guard losses == 0, isWhole else { throw CommandFailure.incomplete }
    guard found > 0 || noGame else { throw CommandFailure.checkFailed }
  }

  /// Lists one rendition. Returns the numbers of copies, and of other tags and damaged places.
  private func list(
    _ source: StreamSource, _ choice: HLSChoice?, _ loads: PresentationLoads, _ output: inout StandardOutput,
    _ comparison: inout RenditionComparison
  ) throws(CommandFailure) -> (StreamInput.Progress, copies: Int, others: Int) {
    var log = EventLog()
    var (events, copies, tags, damages) = (0, 0, 0, 0)
    var summary = DamageSummary(source: source)
    defer { summary.finish() }
    let printNotice: (HLSNotice) -> Void = { notice in if json { try? output.line(notice.line(of: choice)) } }
    var listing = MetadataListing()
    let listen: StreamInput.Change = { portion in
      listing.receive(portion)
      return [portion]
    }
    var source = source
    source.passesFLV = all
    let progress = try source.read(
      through: all ? listen : nil, sharing: loads, notice: printNotice
    ) { (item, place, _) throws(CommandFailure) in
      var isDuplicate = false
      switch item {
      case .copy(let copy, let place):
        copies += 1
        let outcome = log.accept(copy, at: place.time)
        isDuplicate = outcome != .new && outcome != .recovered
        if !isDuplicate { events += 1 }
        comparison.add(copy, at: place)
      case .tag: tags += 1
      case .damage(let damage):
        damages += 1
        summary.add(damage, in: place)
      }
      if all {
        listing.add(item, isDuplicate: isDuplicate, in: place)
        try listing.write(isLast: false, to: &output, json: json, of: choice)
      } else if json {
        try output.line(item.line(isDuplicate: isDuplicate, in: place, of: choice))
      } else if let text = item.text(isDuplicate: isDuplicate, in: place) {
        try output.line(text)
      }
    }
    if all { try listing.write(isLast: true, to: &output, json: json, of: choice) }
    try output.flush()
    if copies + tags + damages + listing.count == 0 {
      // An audio rendition of a video that carries the events needs none of its own.
      guard choice?.isVariant != false else { return (progress, copies, 0) }
      StandardError.write("\(source.name): no timed ID3 found; the stream has \(StreamSource.contents(of: progress))")
      if choice == nil, let place = source.otherPlace(progress) { StandardError.write("\(source.name): \(place)") }
    } else if !json {
      let others = all ? ", \(listing.count.of("other item"))" : ""
      try output.line(
        "\(events.of("event")) in \(copies.of("copy", "copies")), \(tags.of("other tag"))\(others), \(damages.of("damaged place"))")
    }
    return (progress, copies, tags + damages + listing.count)
  }

  private func compare(_ comparison: RenditionComparison, _ output: inout StandardOutput) throws(CommandFailure) {
    let differences = comparison.differences
    guard !json else {
      return try output.line(
        JSONObject(fields: [
          "type": "renditions", "renditions": comparison.renditionCount, "events": comparison.eventCount,
          "differences": differences.map { "\($0)" },
        ]))
    }
    for difference in differences { try output.line("\(difference)") }
    if differences.isEmpty {
      try output.line("\(comparison.renditionCount.of("rendition")) carry the same \(comparison.eventCount.of("event"))")
    }
  }
}

extension StreamItem {
  /// The item as `inspect` prints it for people; `nil` for damage, which is a message.
  func text(isDuplicate: Bool, in source: HLSSource?, withDetails: Bool = false) -> String? {
    switch self {
    case .copy(let copy, let place):
      let number = copy.isRefresh ? "refresh" : "copy \(copy.copy)/\(copy.copies)"
      let sequence = copy.event.sequence.map { "#\($0)" } ?? "#-"
      let notes = [isDuplicate ? nil : "new", copy.isVerified ? nil : "unverified"].compactMap(\.self).joined(separator: ", ")
      let columns = [
        place.time.clockText, sequence.padded(to: 5), copy.event.type.text.padded(to: 12), number.padded(to: 9),
        "age \(copy.age.text(decimals: 3))".padded(to: 12), place.text(in: source), copy.event.guid.text, notes,
      ]
      return columns.joined(separator: "  ").trimmingTrailingSpaces
    case .tag(let tag, let place):
      let frames = tag.frames.map { frame in
        let details = withDetails ? ID3FrameDetails(frame, version: tag.version) : nil
        return details.map { "\(frame.id) \($0.line)" } ?? frame.text
      }.joined(separator: "; ")
      return [place.time.clockText, "tag".padded(to: 5), place.text(in: source), frames].joined(separator: "  ")
    case .damage: return nil
    }
  }
}

extension Place {
  fileprivate func text(in source: HLSSource?) -> String {
    let file = source.map { "\($0.uri)  " } ?? ""
    return switch carriage {
    case .id3(let pid): "\(file)pid \(pid)  byte \(offset)  \(byteCount) bytes"
    case .eventMessage(let id): "\(file)emsg \(id)  byte \(offset)  \(byteCount) bytes"
    case .packedAudio: "\(file)byte \(offset)  \(byteCount) bytes"
    case .dateRange: "daterange  \(byteCount) bytes"
    default: "\(file)\(carriage.name)\(carriage.pid.map { " pid \($0)" } ?? "")  byte \(offset)  \(byteCount) bytes"
    }
  }
}

extension ID3Frame {
  /// The frame as text for people.
  fileprivate var text: String {
    switch self {
    case .userText(let description, let value): "TXXX \(description): \(value)"
    case .text(let id, let values): "\(id) \(values.joined(separator: " / "))"
    case .privateData(let owner, let data): "PRIV \(owner): \(data.count) bytes"
    case .unknown(let id, _, let data): "\(id) \(data.count) bytes"
    case .unreadable(let id, _, let data, let error): "\(id) \(data.count) bytes, unreadable: \(error.reason)"
    }
  }
}

import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import EventReading
import GameEvents
import StreamInput

struct Extract: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Write the cue sheet of the events in a stream.",
    discussion: """
      Stamping the sheet makes the same events with the same GUIDs. Right answers come from the results, which open the seals. What the stream \
      does not say, such as the right answer of a sealed question without a result, is told; the exit status is then 1. Events state the times \
      of the video that was stamped. If the stream was cut since then, --as-presented writes the times at which it presents them now.

      Example:
        cuelight extract show.ts -o show.yaml
        cuelight extract cut.ts --as-presented -o cut.yaml
        cuelight extract https://example.com/show.m3u8 > show.yaml
      """)

  @OptionGroup var input: InputOptions

  @Option(name: .shortAndLong, help: "The cue sheet to write; - for standard output.")
  var output = "-"

  @Option(name: .long, help: "The game whose events are taken, where the stream has several.")
  var game: String?

  @Flag(name: .long, help: "Write the times at which the stream presents the events, from its first picture on, not those that they state.")
  var asPresented = false

  @OptionGroup var replacing: ReplaceOption

  /// Events beyond the limit of a cue sheet are not kept.
  private static let limits = EventLog.Limits(entries: CueSheet.largestCueCount, bytes: 256 << 20)

  mutating func run() throws {
    if output != "-" { try InputFiles([input.input, input.requireSignature]).requireOther([output]) }
    let file = try OutputFile(path: output, overwrites: replacing.force)
    var source = try input.source()
    source.keepsOtherTimes = true
    var log = EventLog(limits: Self.limits)
    var presented: [GameID: PresentedTimes] = [:]
    var damages = DamageSummary(source: source)
    let progress = try source.read { (item, segment, _) throws(CommandFailure) in
      switch item {
      case .copy(let copy, let place):
        _ = log.accept(copy, at: place.time)
        presented[copy.event.gameID, default: PresentedTimes()].receive(copy, at: place.videoTime ?? place.time)
      case .damage(let damage): damages.add(damage, in: segment)
      case .tag: break
      }
    }
    damages.finish()
    let id = try chosenGame(log, source, progress)
    let times = presented[id] ?? PresentedTimes()
    var events = log.countingEntries(of: id).map { entry in
      var event = entry.event
      event.at = (asPresented ? times.times[event.guid] : event.at) ?? entry.time
      return event
    }
    if asPresented { events.sort { ($0.at ?? .zero, $0.sequence ?? 0) < ($1.at ?? .zero, $1.sequence ?? 0) } }
    let extracted = ExtractedSheet(events, of: id, comments: ["Made by cuelight extract of the events of a stream."])
    try file.write(Array(extracted.sheet.yaml.utf8))
    for remark in extracted.remarks { StandardError.write("\(input.name): \(remark.text)") }
    tell(times)
    if let size = extracted.largeTag {
      StandardError.write("\(input.name): its largest tag has \(size) bytes: stamp the sheet with --max-tag-size \(size)")
    }
    guard extracted.isComplete else { throw CommandFailure.checkFailed }
    try progress.requireWhole()
  }

  /// Tells that the stream presents events at other times than they state.
  private func tell(_ times: PresentedTimes) {
    guard asPresented else {
      guard times.differ else { return }
      let what = "the stream presents its events at other times than they state: \(times.distances)"
      StandardError.write("\(input.name): \(what); --as-presented writes the times of the stream")
      return
    }
    guard !times.early.isEmpty else { return }
    StandardError.write("\(input.name): \(times.early.count.of("event")) happened before the first picture, and got the time 0")
  }

  /// The requested game, or the only one.
  private func chosenGame(
    _ log: EventLog, _ source: StreamSource, _ progress: StreamInput.Progress
  ) throws(CommandFailure) -> GameID {
    let games = log.games
    if let game {
      guard games.contains(GameID(game)) else {
        throw CommandFailure(invalid: "\(input.name): no events of the game \(game)\(Self.list(games))")
      }
      return GameID(game)
    }
    guard let only = games.first else {
      let place = source.otherPlace(progress).map { "; \($0)" } ?? ""
      throw CommandFailure(invalid: "\(input.name): no game events found\(place)")
    }
    guard games.count == 1 else {
      throw CommandFailure(invalid: "\(input.name): events of \(games.count) games; choose one with --game\(Self.list(games))")
    }
    return only
  }

  private static func list(_ games: [GameID]) -> String {
    games.isEmpty ? "" : ": \(games.map { $0.text }.sorted().joined(separator: ", "))"
  }
}

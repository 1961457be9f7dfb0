import ArgumentParser
import Basics
import CommandSupport
import Foundation
import LibAV
import LiveGame
import LiveSession
import Seals
import ServerConfiguration
import Sheets
import Webhooks

/// A configuration file whose values were checked, as the commands that it stands for.
struct LoadedConfiguration {
  var configuration: ServerConfiguration
  var process: ProcessOptions

  /// What a stream has of the process, so that it is no key of a stream.
  private static let ofProcess: Set = [
    "listen", "name", "token-file", "cors", "certificate", "private-key", "trusted-proxy", "json", "pair", "webhook",
    "webhook-secret-file", "webhook-events",
  ]

  /// The keys of configurations: the options of the commands.
  static let keys = ServerConfiguration.Keys(
    server: options(of: ProcessOptions.self), stream: options(of: LiveCommand.self).without(ofProcess),
    foreignStream: options(of: ForeignStreamOptions.self), game: options(of: GameEntryOptions.self))

  private static func options(of command: any ParsableCommand.Type) -> CommandOptions {
    CommandOptions(dump: (try? JSONValue(parsing: command._dumpHelp(), limits: JSONLimits(bytes: 1 << 20)))?.object ?? JSONObject())
  }

  /// Reads a file.
  ///
  /// - Throws: `CommandFailure` with every mistake.
  init(path: String) throws(CommandFailure) {
    let bytes = try SmallFile(path: path).bytes()
    do throws(SheetError) { self = try Self(bytes) } catch { throw CommandFailure(error.problems, cues: path) }
  }

  /// - Throws: `SheetError` with every mistake.
  init(_ bytes: [UInt8]) throws(SheetError) {
    let text = try String(sheet: bytes, name: "the configuration")
    var (read, problems) = try ServerConfiguration.read(text, Self.keys)
    problems += Self.mistakes(in: read.server, ProcessOptions.self)
    for stream in read.streams { problems += Self.mistakes(in: stream) }
    for game in read.games { problems += Self.mistakes(in: game, GameEntryOptions.self) }
    var urls: Set<String> = []
    for hook in read.webhooks {
      if !urls.insert(hook.url).inserted { problems.report(at: hook.place, "another webhook has this URL already; each has another one") }
      if let mistake = WebhookSettings.mistake(inURL: hook.url) { problems.report(at: hook.place, "\(mistake)") }
      if hook.secretFile == nil { problems.report(at: hook.place, "\"secret-file\" is missing in the webhook; add it") }
      for event in hook.events where WebhookEvent(rawValue: event) == nil {
        problems.report(at: hook.place, "there is no event \(event.quoted) of webhooks; there are \(WebhookEvent.names)")
      }
    }
    let process = try? ProcessOptions.parse(read.server.words)
    problems += StreamPlaces.problems(read.streams, data: process?.host.data)
    if let process, process.host.data == nil, let game = read.games.first {
      problems.report(at: game.place, "a game needs \"data\", a folder that remembers it; add data: FOLDER")
    }
    guard problems.isEmpty, let process else { throw SheetError(problems) }
    (configuration, self.process) = (read, process)
  }

  /// Reads the settings of the process from a file. The rest of the file may have mistakes.
  ///
  /// - Throws: `CommandFailure` with the mistakes in these settings.
  static func process(path: String) throws(CommandFailure) -> ProcessOptions {
    let bytes = try SmallFile(path: path).bytes()
    do throws(SheetError) {
      let server = try ServerConfiguration.read(String(sheet: bytes, name: "the configuration"), keys).configuration.server
      let problems = server.mistakes { refusal(of: ProcessOptions.self, $0) }
      guard problems.isEmpty, let process = try? ProcessOptions.parse(server.words) else { throw SheetError(problems) }
      return process
    } catch {
      throw CommandFailure(error.problems, cues: path)
    }
  }

  /// The mistakes in the values of a stream.
  static func mistakes(in stream: ConfigurationEntry) -> [SheetProblem] {
    guard !stream.isForeign else { return mistakes(in: stream, ForeignStreamOptions.self) }
    var stream = stream
    // That it has no input is told already.
    if !stream.has("input") {
      stream.arguments.append(.init(option: "input", key: "input", value: "-", isPositional: true, place: stream.place))
    }
    return mistakes(in: stream, LiveCommand.self)
  }

  /// The mistakes in the values of an entry, in words without the secrets of addresses.
  private static func mistakes(in entry: ConfigurationEntry, _ command: any ParsableCommand.Type) -> [SheetProblem] {
    entry.mistakes { refusal(of: command, $0) }.map { problem in
      var shown = problem
      for value in entry.arguments.compactMap(\.value) where shownAddress(value) != value {
        shown.message = shown.message.replacing(value, with: shownAddress(value))
      }
      return shown
    }
  }

  /// Why a command refuses its words; `nil` if it does not.
  private static func refusal(of command: any ParsableCommand.Type, _ words: [String]) -> String? {
    do {
      try ArgumentCheck.require(words, of: command)
      _ = try command.parse(words)
      try ArgumentCheck.requireSingleOptions(words, of: command)
      return nil
    } catch {
      return command.message(for: error)
    }
  }

  /// The command of a stream.
  static func command(of stream: ConfigurationEntry, data: String?) throws(CommandFailure) -> LiveCommand {
    var entry = stream
    entry.add("name", stream.name)
    if let data, !entry.has("journal") { entry.add("journal", journal(of: stream.name, in: data)) }
    do { return try LiveCommand.parse(entry.words) } catch {
      throw CommandFailure(invalid: "\(stream.name): \(LiveCommand.message(for: error))")
    }
  }

  /// The journal of a stream that names none.
  static func journal(of stream: String, in data: String) -> String { "\(data)/streams/\(stream).journal" }

  /// The settings of a stream. Files with keys and cues are read.
  static func settings(of stream: ConfigurationEntry, data: String?) throws(CommandFailure) -> StreamSettings {
    guard !stream.isForeign else { return .foreign(try ForeignStream(stream, data: data)) }
    let command = try command(of: stream, data: data)
    let game = command.game ?? stream.name
    let sealKey = try command.sealKey.map { (path) throws(CommandFailure) in try SealKeyFile(path: path).key() }
    let sign = try command.sign.map { (path) throws(CommandFailure) in try SignatureKeyFile(path: path).signer() }
    let cues = try command.cues.map { (path) throws(CommandFailure) in try LiveSheet(file: path) }
    guard var settings = command.settings(game: game, sealKey: sealKey, sign: sign, cues: cues) else {
      throw CommandFailure(invalid: "\(stream.name): this is no input")
    }
    try command.pushes.apply(to: &settings)
    return .session(settings)
  }

  /// The options of a game.
  static func options(of game: ConfigurationEntry) throws(CommandFailure) -> GameEntryOptions {
    do { return try GameEntryOptions.parse(game.words) } catch {
      throw CommandFailure(invalid: "\(game.name): \(GameEntryOptions.message(for: error))")
    }
  }
}

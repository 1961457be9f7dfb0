import Basics
package import Sheets

/// A configuration file of a server: the settings of the process, its streams and its games.
package struct ServerConfiguration: Equatable, Sendable {
  /// What the parts of a file may say: the options of the commands that they stand for.
  package struct Keys: Sendable {
    package var server: CommandOptions
    package var stream: CommandOptions
    /// What a stream has that another program carries.
    package var foreignStream: CommandOptions
    package var game: CommandOptions

    package init(server: CommandOptions, stream: CommandOptions, foreignStream: CommandOptions, game: CommandOptions) {
      (self.server, self.stream, self.foreignStream, self.game) = (server, stream, foreignStream, game)
    }

    /// The options of a stream by its keys: one that says who puts events into it is carried by another program.
    func options(ofStream keys: [String]) -> CommandOptions {
      keys.contains { ConfigurationEntry.foreignMarks.contains($0) } ? foreignStream : stream
    }
  }

  /// A receiver of messages about what happens.
  package struct Webhook: Equatable, Sendable {
    package var url: String
    package var secretFile: String?
    /// The kinds of messages; empty for all.
    package var events: [String]
    package var place: SheetPlace
  }

  /// The maximum number of streams of a server.
  package static let mostStreams = 500

  /// The settings of the process.
  package var server = ConfigurationEntry(name: "", place: .start)
  package var streams: [ConfigurationEntry] = []
  package var games: [ConfigurationEntry] = []
  package var webhooks: [Webhook] = []
  /// Whether a change of the file is noticed.
  package var isWatched = false

  /// A configuration without streams and games.
  package init() {}

  /// Reads a file in YAML or JSON.
  ///
  /// - Parameter text: The file's text.
  /// - Returns: What could be read, and the mistakes in the form of the file. What values may be is not checked: see
  ///   ``ConfigurationEntry/mistakes(_:)``.
  /// - Throws: `SheetError` if nothing can be read.
  package static func read(_ text: String, _ keys: Keys) throws(SheetError) -> (
    configuration: ServerConfiguration, mistakes: [SheetProblem]
  ) {
    guard let (root, repeated) = try SheetNode.parse(text) else {
      throw SheetError(at: .start, "the configuration is empty; write streams: with a stream")
    }
    guard case .mapping(let members, let place) = root else {
      throw SheetError(at: root.place, "the configuration is \(root.kind); write a mapping with streams:")
    }
    var fields = SheetFields(members, at: place, name: "the configuration")
    var problems = repeated
    var read = ServerConfiguration()
    read.server.place = place
    read.server.arguments = EntryReader.takeServer(keys.server, from: &fields)
    // `streams: {}` says that streams come later, over HTTP.
    var saysStreams = false
    if let node = fields.take("streams") {
      saysStreams = true
      read.streams = EntryReader.entries(node, "streams", "stream", keys.options(ofStream:), &problems)
    }
    if let node = fields.take("games") { read.games = EntryReader.entries(node, "games", "game", { _ in keys.game }, &problems) }
    if let node = fields.take("webhooks") {
      read.webhooks = node.list("webhooks", &problems) { element, problems in webhook(element, &problems) } ?? []
    }
    if let node = fields.take("watch") { read.isWatched = EntryReader.bool("watch", node, &problems) ?? false }
    fields.refuseRest()
    problems += fields.problems
    if !saysStreams, read.games.isEmpty, problems.isEmpty {
      problems.report(at: place, "there is no stream; write streams: { NAME: { input: … } }, or streams: {} if they come later, over HTTP")
    }
    checkStreams(of: read.games, read.streams, &problems)
    if read.streams.count > mostStreams {
      problems.report(at: read.streams[mostStreams].place, "a server has \(mostStreams) streams at most")
    }
    return (read, problems)
  }

  /// Reads the text of one stream as a call over HTTP sends it: a JSON object with the keys of a stream.
  ///
  /// - Throws: `SheetError` with every mistake, one in the name among them.
  package static func stream(_ name: String, parsing text: String, _ keys: Keys) throws(SheetError) -> ConfigurationEntry {
    guard EntryReader.isName(name) else { throw SheetError(at: .start, EntryReader.noName(name, of: "stream")) }
    guard let (root, repeated) = try SheetNode.parse(text), case .mapping(let members, let place) = root else {
      throw SheetError(at: .start, "write an object such as {\"input\":\"udp://0.0.0.0:5000\"}")
    }
    var problems = repeated
    let entry = EntryReader.entry(name, at: place, members, "stream", keys.options(ofStream: members.map(\.key)), &problems)
    guard problems.isEmpty else { throw SheetError(problems) }
    return entry
  }

  private static func webhook(_ node: SheetNode, _ problems: inout [SheetProblem]) -> Webhook? {
    let message = "a webhook is \(node.kind) here; write { url: https://…, events: [input, lost] }"
    guard var fields = node.fields("the webhook", &problems, else: message) else { return nil }
    let (url, secret) = (fields.text("url", isRequired: true), fields.text("secret-file"))
    let events = fields.texts("events") ?? []
    fields.refuseRest()
    problems += fields.problems
    return url.map { Webhook(url: $0, secretFile: secret, events: events, place: node.place) }
  }

  /// Whether the settings that only a start changes are the same as in another configuration.
  package func hasSameProcess(as other: ServerConfiguration) -> Bool {
    func words(_ hook: Webhook) -> [String] { [hook.url, hook.secretFile ?? ""] + hook.events }
    return server.saysTheSame(as: other.server) && webhooks.map(words) == other.webhooks.map(words) && isWatched == other.isWatched
  }

  /// Each game names a stream of the file; where there is one stream, it need not.
  private static func checkStreams(
    of games: [ConfigurationEntry], _ streams: [ConfigurationEntry], _ problems: inout [SheetProblem]
  ) {
    for game in games {
      let named = game.arguments.last { $0.option == "stream" }
      guard let wanted = named?.value else {
        if streams.count != 1 { problems.report(at: game.place, "\"stream\" is missing in the game \(game.name.quoted); add it") }
        continue
      }
      guard !streams.contains(where: { $0.name.hasSameBytes(as: wanted) }) else { continue }
      let nearest = wanted.nearest(of: streams.map(\.name), limit: max(2, min(wanted.utf8.count, 32) / 2))
      let help = nearest.map { "did you mean \($0.quoted)?" } ?? "there is \(streams.map(\.name).joined(separator: ", "))"
      problems.report(at: named?.place ?? game.place, "there is no stream \(wanted.quoted); \(help)")
    }
  }
}

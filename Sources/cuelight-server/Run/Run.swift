import AccessTokens
import ArgumentParser
import Basics
import CommandSupport
import Files
import GameServer
import GameStore
import LiveServer
import LiveSession
import Seals
import ServerConfiguration
import Terminal
import Webhooks
import WebPages
import WebShell

/// Runs a configuration, or a show with defaults.
enum Run {
  static func run(_ command: RunCommand) async throws(CommandFailure) {
    if let quiz = command.quiz { return try await show(command, quiz) }
    guard let path = command.config else { return }
    let loaded = try LoadedConfiguration(path: path)
    guard let place = loaded.process.place else { return }
    FileMode.keepPrivate()
    let console = Console(isJSON: command.json)
    defer { console.end() }
    let say: @Sendable (String) -> Void = { console.report($0) }
    // Keeps a second server out of the folder.
    let folder = try loaded.process.host.data.map { (path) throws(CommandFailure) in
      let folder = try ServedFolder(path)
      try ServedFolder.make("\(path)/streams")
      return folder
    }
    let tokens = CurrentTokens(try tokens(loaded.process.host))
    let gameStreams = GameStreams()
    // The first stream is that of games that name none.
    for stream in loaded.configuration.streams { gameStreams.set(stream.name, nil, address: nil) }
    let webhooks = try webhooks(loaded, say: say)
    let server = try RunningServer(loaded, path: path, tokens: tokens, games: gameStreams, webhooks: webhooks, say: say)
    if server.names.isEmpty { say("there is no stream yet: add some to \(path), or with PUT /v1/streams/NAME") }
    let about = ServerStatus.About(version: Version.number)
    let streams = LiveStreams(tokens: tokens, origins: loaded.process.cors, about: about, server)
    server.serve(by: streams)
    Interruption.onHangUp {
      Task {
        ServiceNotices().reloadBegins()
        await server.loadAgain()
        ServiceNotices().reloadEnds()
      }
    }
    if loaded.configuration.isWatched, let watch = FileWatch(path: path) {
      _ = Worker("configuration") { while watch.wait() { Task { await server.loadAgain() } } }
    }
    let log = command.json ? RequestLog(shownPath: GameServer.shownPath) { console.write($0) } : nil
    let shell = loaded.process.host.connection.settings(place, log)
    let notice = RunNotice(loaded, server, tokens, isJSON: command.json)
    do {
      try await webhooks.sending {
        if let (store, key) = try loaded.process.host.openStore() {
          let games = try loaded.process.host.games(store, key, gameStreams, say: say)
          games.onNews { webhooks?.note(.game, stream: $0, $1) }
          try await serve(games, loaded, shell, server, streams, notice, console)
        } else {
          try await WebShell(shell).serve(streams) { port in
            await server.begin()
            notice.tell(console, port)
            ServiceNotices().ready("\(server.names.count) streams at port \(port)")
          } until: {
            await Interruption.wait { _ = await server.haveFailed() }
            await server.stopWaiting()
          }
        }
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw .cannotListen(on: loaded.process.listen, error)
    }
    _ = consume folder
  }

  /// The sender of the configuration's webhooks; `nil` if there are none.
  private static func webhooks(
    _ loaded: LoadedConfiguration, say: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) -> WebhookSender? {
    guard !loaded.configuration.webhooks.isEmpty else { return nil }
    let hooks = try loaded.configuration.webhooks.map { (hook) throws(CommandFailure) in
      let secret = try WebhookSecret(file: hook.secretFile ?? "")
      let events = hook.events.isEmpty ? Set(WebhookEvent.allCases) : Set(hook.events.compactMap { WebhookEvent(rawValue: $0) })
      return try orFail(WebhookSettings(url: hook.url, secret: secret, events: events)) { (error: WebhookSettings.Mistake) in
        CommandFailure(invalid: "\(error)")
      }
    }
    let folder = loaded.process.host.data.map { ServedFolder.webhooks(in: $0) }
    return try orFail(WebhookSender(hooks, folder: folder, say: say)) { (error: FileSinkError) in CommandFailure(error) }
  }

  /// Serves the games of a configuration with its streams.
  private static func serve(
    _ games: Games, _ loaded: LoadedConfiguration, _ shell: WebShell.Settings, _ server: RunningServer, _ streams: LiveStreams,
    _ notice: RunNotice, _ console: Console
  ) async throws {
    let host = loaded.process.host
    var settings = GameServer.Settings(shell)
    (settings.retention, settings.drain, settings.about) = (host.retention, host.drain, ServerStatus.About(version: Version.number))
    settings.pages = try host.pages.pages(.games, streams: [String](), keptIn: host.data, look: host.look) { console.report($0) }
    let media = try QuizMedia(keptIn: host.data) { console.report($0) }
    settings.media = media.files
    let begun = try BegunGames(games, media, data: host.data ?? "") { console.report($0) }
    server.newGames.reach { entries in Task { await begun.begin(entries) } }
    try await GameServer(settings, games, server, streams).run { port in
      let invitations = await begun.begin(loaded.configuration.games)
      notice.tell(console, port, invitations, operatorToken: games.operatorToken())
      ServiceNotices().ready("\(server.names.count) streams at port \(port)")
    }
  }

  /// The tokens of the operator, or one that is made at the first start and kept.
  private static func tokens(_ host: HostOptions) throws(CommandFailure) -> Tokens {
    guard host.tokenFile == nil else { return try Main.tokens(host.tokenFile) }
    return try Main.newTokens(journal: host.data.map { "\($0)/streams" })
  }

  // MARK: A show with defaults

  private static func show(_ command: RunCommand, _ quiz: String) async throws(CommandFailure) {
    let data = command.data ?? folder(of: quiz)
    try ServedFolder.make(data)
    // Encoders on other machines need a key.
    let made = try Main.newTokens(journal: "\(data)/show")
    let words = command.serveWords(quiz: quiz, data: data, tokens: "\(data)/show.tokens")
    let serve: ServeCommand
    do { serve = try ServeCommand.parse(words) } catch {
      throw CommandFailure(ServeCommand.message(for: error), status: CommandFailure.wrongUsage)
    }
    try await Serve.run(serve, madeKey: made.madeToken)
  }

  /// The folder that remembers the show of a file of questions: `quiz.xlsx` has `quiz-show`.
  static func folder(of quiz: String) -> String {
    let name = PathParts(quiz).name
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    return "\(PathParts.prefix(of: quiz))\(stem.isEmpty ? "quiz" : stem)-show"
  }
}

import ArgumentParser
import Basics
import CommandSupport
import AccessTokens
import Files
import Foundation
import GameServer
import GameStore
import LiveHLS
import LiveInterface
import LiveServer
import LiveSession
import PublisherServer
import Questions
import Sheets
import WebPages
import WebShell
import Webhooks

/// Runs a game server.
enum Serve {
  /// - Parameters:
  ///   - madeKey: The stream key for encoders, if it was made for the operator, who then has to be told.
  ///   - begun: Called with the games and the identifier of the one that the server is started with; it ends with the server.
  static func run(
    _ command: ServeCommand, madeKey: String? = nil, begun: (@Sendable (Games, String) async -> Void)? = nil
  ) async throws(CommandFailure) {
    guard let place = command.place else { return }
    let tokens = CurrentTokens(try Main.tokens(command.host.tokenFile))
    // The files are private: they contain right answers, passwords, and the identifiers of players' clients.
    FileMode.keepPrivate()
    let console = Console(isJSON: command.json)
    defer { console.end() }
    let media = try QuizMedia(keptIn: command.host.data) { console.report($0) }
    let bank = try command.game.quiz.map { (path) throws(CommandFailure) -> QuestionBank in
      try Self.bank(path, media, skipsMistakes: command.game.skipMistakes) { console.report($0) }
    }
    Main.readAgain(command.host.tokenFile, tokens) { console.report($0) }
    let folder = try command.host.data.map { (path) throws(CommandFailure) in try ServedFolder(path) }
    let journal = command.host.data.map { ServedFolder.journal(in: $0) }
    guard let (store, key) = try command.host.openStore() else { return }
    guard !command.copies else {
      try copy(command, store, console)
      _ = consume folder
      return
    }
    if command.closed { console.report("--closed is the default now; --accounts lets others have accounts") }
    let session = try journal.map { (journal) throws(CommandFailure) in try Self.session(command, journal, console) } ?? nil
    let outbound = try journal.map { (journal) throws(CommandFailure) in try Self.outbound(command, journal, console) } ?? nil
    let injector = try injector(command, session, outbound)
    let stream = session.map { "/live/\($0.settings.name)/index.m3u8" } ?? command.injection.address
    let games = try command.host.games(store, key, GameStreams(injector, address: stream)) { console.report($0) }
    let log = command.json ? RequestLog(shownPath: GameServer.shownPath) { console.write($0) } : nil
    var settings = GameServer.Settings(command.host.connection.settings(place, log))
    settings.retention = command.host.retention
    settings.drain = command.host.drain
    settings.about = ServerStatus.About(version: Version.number)
    settings.pages = try command.host.pages.pages(
      .games, streams: [stream].compactMap { $0 }, keptIn: command.host.data, look: command.host.look
    ) {
      console.report($0)
    }
    let live = session.map {
      LiveServer($0, tokens: tokens, origins: ["*"], isOpen: command.host.tokenFile != nil)
    }
    settings.media = media.files
    let server = GameServer(settings, games, session, live)
    let webhooks = try command.webhooks.sender(folder: command.host.data.map { ServedFolder.webhooks(in: $0) }) { console.report($0) }
    if let webhooks {
      let name = session?.settings.name ?? "live"
      games.onNews { webhooks.note(.game, stream: name, $1) }
      if let session { webhooks.follow(session, tellsGames: false) }
    }
    let publishers: PublisherServer? = if let session { try await Main.publishers(session, tokens) } else { nil }
    defer { withExtendedLifetime(publishers) {} }
    let failure: (any Error)?
    do {
      try await webhooks.sending {
        try await server.run { port in
          let reach = command.host.connection.reach(place.host, port)
          let notice = StartNotice(command, games, bank, reach, session, hasKeys: command.host.tokenFile != nil, madeKey: madeKey)
          let game = await notice.tell(console)
          if let game, let begun { Task { await begun(games, game) } }
          ServiceNotices().ready("games at \(reach.listening)")
        }
      }
      failure = nil
    } catch { failure = error }
    await outbound?.stopWaiting()
    if let failure { throw .cannotListen(on: command.listen, failure) }
    if let failure = session?.failure { throw CommandFailure(failure, cues: nil) }
    _ = consume folder
  }

  /// Copies games from one store to another one.
  private static func copy(_ command: ServeCommand, _ store: any GameStore, _ console: Console) throws(CommandFailure) {
    let path = command.export ?? command.importing ?? ""
    // An import must not create a store if there is none.
    guard command.export != nil || FileManager.default.fileExists(atPath: "\(path)/\(SQLiteStore.fileName)") else {
      throw CommandFailure("\(path): there are no games", status: CommandFailure.missingInput)
    }
    let other = try ServedFolder(path)
    let others = try ServedFolder.store(in: path)
    let copy = try orFail(
      command.export == nil ? StoreCopy(from: others, to: store) : StoreCopy(from: store, to: others)
    ) { (error: StoreError) in CommandFailure(error) }
    for id in copy.known { console.report("\(id): the game is there already, and stays as it is") }
    console.report("copied: games: \(copy.games), accounts: \(copy.accounts), quizzes: \(copy.quizzes)")
    _ = consume other
  }

  /// The questions of a file. What was guessed, and which questions are left out, is reported.
  static func bank(_ path: String, _ media: QuizMedia, skipsMistakes: Bool, say: (String) -> Void) throws(CommandFailure) -> QuestionBank {
    let format = BankFormat(path: path)
    let unit = format?.unit ?? "line"
    var reading = QuizFile.read(try SmallFile(path: path).bytes(), format: format)
    try media.serve(&reading, of: path)
    for notice in reading.notices.counted(unit).prefix(CommandFailure.mostProblems) { say("\(path):\(notice)") }
    let problems = reading.problems.counted(unit)
    guard problems.isEmpty || skipsMistakes else {
      if !reading.bank.questions.isEmpty {
        say("\(path): with --skip-mistakes the show begins with the other \(reading.bank.questions.count) questions")
      }
      throw CommandFailure(problems, cues: path)
    }
    for line in CommandFailure.leftOut(problems, of: path) { say(line) }
    guard !reading.bank.questions.isEmpty else {
      throw CommandFailure(invalid: "\(path): there is no question\(problems.isEmpty ? "" : " without a mistake") in it")
    }
    return reading.bank
  }

  private static func session(_ command: ServeCommand, _ journal: String, _ console: Console) throws(CommandFailure) -> LiveSession? {
    guard let text = command.input, let input = LiveInput(text) else { return nil }
    let length = MediaTime(ticks: command.streaming.segment.ticks * 6)
    var settings = LiveSettings(input: input, outputs: [], game: "cuelight", playlist: .window(length))
    settings.title = command.game.title
    command.streaming.apply(to: &settings, usualPart: MediaTime(ticks: MediaTime.ticksPerSecond / 2))
    settings.hasDateRanges = true
    // A delay that follows the audience has to know it.
    settings.hasReach = command.streaming.reach || command.game.autoDelay != nil
    settings.journal = journal
    do throws(LiveSessionError) { return try LiveSession(settings) { console.report($0) } } catch { throw CommandFailure(error, cues: nil) }
  }

  /// The session that sends events to a foreign injector.
  private static func outbound(_ command: ServeCommand, _ journal: String, _ console: Console) throws(CommandFailure) -> OutboundSession? {
    guard let settings = try command.injection.outbound(title: command.game.title, journal: journal) else { return nil }
    let session = try orFail(OutboundSession(settings) { console.report($0) }) { (error: LiveSessionError) in
      CommandFailure(error, cues: nil)
    }
    session.start()
    return session
  }

  private static func injector(
    _ command: ServeCommand, _ session: LiveSession?, _ outbound: OutboundSession?
  ) throws(CommandFailure) -> any Injector {
    if let session { return Injectors.local(session) }
    if let outbound { return Injectors.outbound(outbound) }
    guard let (address, token) = try command.injection.remote() else {
      throw CommandFailure("there is no stream", status: CommandFailure.wrongUsage)
    }
    return Injectors.remote(address, token: token)
  }
}

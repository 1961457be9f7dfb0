import ArgumentParser
import AccessTokens
import CommandSupport
import GameServer
import GameStore

/// The options of a process that serves games, whatever its streams are: where it keeps them, its pages, and its connections.
struct HostOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The folder that remembers games, players and answers; it is made where there is none.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database that remembers all that, for any number of processes: postgresql://USER@HOST:PORT,HOST:PORT/DATABASE.",
      valueName: "address"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "A file with the password for --store, which PGPASSWORD may have, too; only its owner may read it.", valueName: "file"))
  var storePasswordFile: String?

  @Option(help: ArgumentHelp("The address that players know, such as https://quiz.example, where it is another one.", valueName: "url"))
  var publicAddress: String?

  @OptionGroup var pages: PageOptions

  @OptionGroup var look: LookOptions

  @OptionGroup var connection: ConnectionOptions

  @Flag(help: "Others than the operator may have accounts and make games, which the operator approves for the stream.")
  var accounts = false

  @Flag(
    help: "Keep a public record of each game, signed, from which everybody can check its results, and give players receipts for answers.")
  var publicRecord = false

  @Option(help: "How many days games that are over are kept, with their players; without it, for ever.")
  var retention: Int?

  @Option(
    help: ArgumentHelp(
      "How many seconds it goes on once it is to end, while /readyz says so, for load balancers to send nothing more.", valueName: "seconds"
    ))
  var drain = 0

  @Option(help: ArgumentHelp("A file of tokens for the stream's own interface, as for cuelight live.", valueName: "file"))
  var tokenFile: String?

  /// Opens the store of games, and the key of their tokens; `nil` if no games are remembered.
  func openStore() throws(CommandFailure) -> (store: any GameStore, tokens: TokenKey)? {
    if let store {
      let shared = try SharedGames.open(store, passwordFile: storePasswordFile)
      return (shared.0, shared.1)
    }
    guard let data else { return nil }
    return (try ServedFolder.store(in: data), try ServedFolder.tokens(in: data))
  }

  /// The games of a store.
  ///
  /// - Parameter say: Receives messages for the operator.
  func games(
    _ store: any GameStore, _ key: TokenKey, _ streams: GameStreams, say: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) -> Games {
    var boards: (@Sendable (String) -> String)?
    if let publicAddress { boards = { "\(publicAddress)/v1/games/\($0)/board" } }
    let recordKey = try publicRecord ? RecordKeyFile.key(of: store, in: data) : nil
    return try orFail(
      Games(store, streams, tokens: key, hasAccounts: accounts, boardAddress: boards, recordKey: recordKey, say: say)
    ) { (error: StoreError) in
      CommandFailure(error)
    }
  }

  func validate() throws {
    guard store != nil || storePasswordFile == nil else { throw ValidationError("--store-password-file is for --store.") }
    guard retention.map({ (1...36_500).contains($0) }) ?? true else { throw ValidationError("--retention takes days from 1 on.") }
    guard (0...3_600).contains(drain) else { throw ValidationError("--drain takes seconds up to an hour.") }
  }
}

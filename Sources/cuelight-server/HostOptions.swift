import ArgumentParser

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

  @OptionGroup var connection: ConnectionOptions

  @Flag(help: "Others than the operator may have accounts and make games, which the operator approves for the stream.")
  var accounts = false

  @Option(help: "How many days games that are over are kept, with their players; without it, for ever.")
  var retention: Int?

  @Option(
    help: ArgumentHelp(
      "How many seconds it goes on once it is to end, while /readyz says so, for load balancers to send nothing more.", valueName: "seconds"
    ))
  var drain = 0

  @Option(help: ArgumentHelp("A file of tokens for the stream's own interface, as for cuelight live.", valueName: "file"))
  var tokenFile: String?

  func validate() throws {
    guard store != nil || storePasswordFile == nil else { throw ValidationError("--store-password-file is for --store.") }
    guard retention.map({ (1...36_500).contains($0) }) ?? true else { throw ValidationError("--retention takes days from 1 on.") }
    guard (0...3_600).contains(drain) else { throw ValidationError("--drain takes seconds up to an hour.") }
  }
}

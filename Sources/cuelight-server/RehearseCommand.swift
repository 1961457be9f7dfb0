import ArgumentParser
import CommandSupport
import GameServer

/// The options of `cuelight-server rehearse`.
struct RehearseCommand: ParsableCommand, ListeningCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server rehearse",
    abstract: "Rehearse a show: bots play a quiz over a picture of its own, and nothing is kept.",
    discussion: """
      A game server of its own with the host's console, the screen and the players' page, as for cuelight serve. Bots join and answer by chance. The \
      picture says that it is a rehearsal, and so does the title. Games, answers and the stream are in a temporary folder, which goes at the end. No \
      other server, stream or store is touched.

      Example:
        cuelight-server rehearse quiz.xlsx --bots 50
      """)

  @Argument(help: "The quiz, in any format of cuelight questions.")
  var quiz: String

  @Option(help: "How many bots play, 500 at most.")
  var bots = 25

  @Option(help: "How many seconds a question takes answers.")
  var time = "10"

  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:0"

  @OptionGroup var connection: ConnectionOptions

  @OptionGroup var pages: PageOptions

  @Flag(help: "Write messages and a line for each request as JSON.")
  var json = false

  func validate() throws {
    try requirePlace()
    guard Rehearsal.bots.contains(bots) else { throw ValidationError("--bots is a number from 0 to \(Rehearsal.bots.upperBound).") }
  }
}

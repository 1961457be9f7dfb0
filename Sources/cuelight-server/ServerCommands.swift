import ArgumentParser
import CommandSupport

/// All commands of `cuelight-server`: what its help, its completions and its manual pages are made of. Each command parses its own arguments.
struct ServerCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight-server",
    abstract: "The web server of Cuelight: streams that run, games that many play, and previews.",
    discussion: """
      cuelight live, cuelight serve and cuelight preview are these commands, too. Without the name of a command it is live.

      Example:
        cuelight-server live show.mp4 --loop
        cuelight-server serve --data show --input show.mp4 --quiz quiz.yaml
      """,
    version: Version.number,
    subcommands: [
      Entry<LiveCommand>.self, Entry<ServeCommand>.self, Entry<RunCommand>.self, Entry<CheckCommand>.self, Entry<PreviewCommand>.self,
      Entry<RehearseCommand>.self, Entry<StatusCommand>.self, Entry<HealthCommand>.self,
    ])

  /// A command in the list, with the last word of its name.
  struct Entry<Command: ParsableCommand>: ParsableCommand {
    static var configuration: CommandConfiguration {
      var configuration = Command.configuration
      configuration.commandName = configuration.commandName?.split(separator: " ").last.map { String($0) }
      return configuration
    }

    @OptionGroup var command: Command
  }

  /// The first arguments that are about all commands.
  private static let general: Set<String> = ["help", "-h", "--help", "--version"]

  /// Whether a first argument is about all commands: help, the version, completions, or a description of all options.
  static func answers(_ argument: String) -> Bool {
    general.contains(argument) || argument.hasPrefix("--generate-completion-script") || argument.hasPrefix("--experimental-dump-help")
  }

  /// The failure, or what is not one, of a program that does no more than to answer its first argument.
  ///
  /// - Throws: If the answer cannot be written.
  static func answer() throws(CommandFailure) -> CommandFailure {
    do {
      try ArgumentCheck.require(CommandLine.arguments.dropFirst(), of: Self.self)
      // Help is a command of its own, which throws what it has to say.
      var command = try parseAsRoot()
      try command.run()
      return CommandFailure(nil, status: CommandFailure.wrongUsage)
    } catch {
      return try CommandFailure.parsing(error, of: Self.self)
    }
  }

  /// The names of all commands, in words.
  static var names: String {
    let names = configuration.subcommands.map { $0._commandName }
    return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
  }
}

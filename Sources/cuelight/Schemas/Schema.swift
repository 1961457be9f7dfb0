import ArgumentParser
import CommandSupport
import LineSchemas

struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schemas of the lines that --json prints.",
    discussion: """
      Each schema is a line: that of a command describes each line which the command prints. New versions may add types and fields.

      Example:
        cuelight schema inspect > inspect.schema.json
        cuelight schema questions lint
        cuelight schema | jq -r .title
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: "A command, for example inspect --all or questions lint; all of them without it.")
  var command: [String] = []

  func run() throws {
    let name = command.joined(separator: " ")
    let schemas = LineSchema.all.filter { name.isEmpty || $0.command == name }
    guard !schemas.isEmpty else {
      let known = LineSchema.all.map(\.command).joined(separator: ", ")
      throw CommandFailure("there is no schema for \(name); there are those of \(known)", status: CommandFailure.wrongUsage)
    }
    var output = StandardOutput()
    for schema in schemas { try output.raw(schema.text + "\n") }
    try output.flush()
  }
}

import ArgumentParser
import CommandSupport
import WebPages

/// The options for how the pages of games look, and who may show them.
struct LookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An origin, such as https://club.example, whose pages may show the viewers' page in a frame; may be repeated.", valueName: "origin"))
  var embedFrom: [String] = []

  @Option(help: ArgumentHelp("How the pages look: a file in YAML or JSON with name, colors, logo and font.", valueName: "file"))
  var theme: String?

  func validate() throws {
    for origin in embedFrom where !PlayerLibrary.isOrigin(origin) {
      throw ValidationError("--embed-from takes an origin such as https://club.example, without a path, not \(origin).")
    }
  }

  /// The theme; `nil` without one.
  func read() throws(CommandFailure) -> Theme? { try theme.map { (path) throws(CommandFailure) in try ThemeFile(path: path).read() } }
}

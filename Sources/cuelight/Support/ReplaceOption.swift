import ArgumentParser
import CommandSupport

/// The option to replace existing outputs.
struct ReplaceOption: ParsableArguments {
  @Flag(name: .long, help: "Replace an output that exists.")
  var force = false

  /// A text to write, to a file that is none of the inputs or to standard output.
  func text(_ path: String?, besides inputs: [String?]) throws(CommandFailure) -> TextOutput {
    try InputFiles(inputs).requireOther([path])
    return try TextOutput(path: path, overwrites: force)
  }
}

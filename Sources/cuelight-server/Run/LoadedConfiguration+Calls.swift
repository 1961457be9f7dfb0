import Basics
import LiveServer
import ServerConfiguration
import Sheets
import WebSupport

extension LoadedConfiguration {
  /// Keys that only a configuration file may have: those of files that this process reads, some of them secret, whose contents a call could reveal or send
  /// on, and the one that replaces files.
  private static let onlyInFiles: Set = ["live-token-file", "credentials", "seal-key", "sign", "cues", "force"]

  /// Reads the settings that a call has sent for a stream.
  ///
  /// - Throws: `Problem` with every mistake.
  static func sent(_ name: String, _ settings: String) throws(Problem) -> ConfigurationEntry {
    let problems: [SheetProblem]
    do throws(SheetError) {
      let entry = try ServerConfiguration.stream(name, parsing: settings, keys)
      problems = mistakes(in: entry) + keysOfFiles(in: entry)
      if problems.isEmpty { return entry }
    } catch {
      problems = error.problems
    }
    throw .mistakes(problems.map { "\($0)" })
  }

  private static func keysOfFiles(in stream: ConfigurationEntry) -> [SheetProblem] {
    var problems: [SheetProblem] = []
    for argument in stream.arguments {
      if onlyInFiles.contains(argument.option) {
        problems.report(at: argument.place, "\(argument.key.quoted) stands in the configuration file only")
      } else if argument.value == "-" {
        problems.report(at: argument.place, "\(argument.key.quoted) must not be the input or the output of the server itself")
      }
    }
    return problems
  }
}

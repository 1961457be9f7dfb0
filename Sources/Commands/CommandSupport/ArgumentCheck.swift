package import ArgumentParser
import Basics
import Files

/// Refuses arguments that ArgumentParser should not accept.
package enum ArgumentCheck {
  /// Refuses arguments before they are parsed: those that are not UTF-8, and `help` for an unknown command.
  package static func require(_ arguments: some Sequence<String>, of root: any ParsableCommand.Type) throws {
    if let argument = RawArguments.firstUndecodable {
      throw ValidationError("\(argument) is not UTF-8, and would be taken for another name: rename the file, or give it a link.")
    }
    var words = Array(arguments).makeIterator()
    guard words.next() == "help" else { return }
    var command = root
    while let word = words.next(), !word.hasPrefix("-") {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
        throw ValidationError("There is no command \(word).")
      }
      command = next
    }
  }

  /// Refuses an option that takes one value but is given several times, under any of its names. Otherwise the last one would count.
  package static func requireSingleOptions(_ arguments: some Sequence<String>, of command: any ParsableCommand.Type) throws {
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }.map { String($0.prefix { $0 != "=" }) }
    // Listing a command's options is slow, and unnecessary if all names are long and different.
    guard Set(given).count < given.count || given.contains(where: { !$0.hasPrefix("--") }) else { return }
    for names in singleOptions(of: command) {
      let count = given.count { names.contains($0) }
      guard count > 1 else { continue }
      throw ValidationError("\(names[0]) takes one value, and is given \(count == 2 ? "twice" : "\(count) times").")
    }
  }

  /// The names of each option that takes one value.
  private static func singleOptions(of command: any ParsableCommand.Type) -> [[String]] {
    let info = (try? JSONValue(parsing: command._dumpHelp()))?.object
    let options = info?["command"]?.object?["arguments"]?.array ?? []
    return options.compactMap(\.object).filter { $0["kind"]?.string == "option" && $0["isRepeating"]?.bool == false }.map { option in
      (option["names"]?.array ?? []).compactMap(\.object).map { ($0["kind"]?.string == "long" ? "--" : "-") + ($0["name"]?.string ?? "") }
    }
  }
}

import Basics
package import Sheets

/// A part of a configuration file that is one command line in another form: each key is an option.
package struct ConfigurationEntry: Equatable, Sendable {
  /// A key with one of its values.
  package struct Argument: Equatable, Sendable {
    /// The option's name without its dashes.
    package var option: String
    /// The key as it stands in the file.
    package var key: String
    /// The value; `nil` for a flag.
    package var value: String?
    /// Whether the value is an argument without a name.
    package var isPositional = false
    /// Where the value begins.
    package var place: SheetPlace

    package init(option: String, key: String, value: String?, isPositional: Bool = false, place: SheetPlace) {
      (self.option, self.key, self.value, self.isPositional, self.place) = (option, key, value, isPositional, place)
    }
  }

  /// The name of a stream or a game; empty for the settings of the process.
  package var name: String
  /// Where it begins: its name, or the file.
  package var place: SheetPlace
  package var arguments: [Argument]

  package init(name: String, place: SheetPlace, arguments: [Argument] = []) {
    (self.name, self.place, self.arguments) = (name, place, arguments)
  }

  /// The words of the command line. A value with dashes in front is not taken for an option.
  package var words: [String] {
    let named = arguments.filter { !$0.isPositional }.map { argument in
      argument.value.map { "--\(argument.option)=\($0)" } ?? "--\(argument.option)"
    }
    let others = arguments.filter(\.isPositional).compactMap(\.value)
    return named + (others.isEmpty ? [] : ["--"] + others)
  }

  /// Whether two entries say the same, wherever it is written.
  package func saysTheSame(as other: ConfigurationEntry) -> Bool { words.sorted() == other.words.sorted() }

  /// The value of an option.
  package func value(of option: String) -> String? { arguments.last { $0.option == option }?.value }

  /// The options that say who puts events into a stream of another program.
  static let foreignMarks: Set = ["live", "to"]

  /// Whether the stream is carried by another program, so that this one only puts events into it.
  package var isForeign: Bool { arguments.contains { Self.foreignMarks.contains($0.option) } }

  /// Whether an option is given.
  package func has(_ option: String) -> Bool { arguments.contains { $0.option == option } }

  /// Adds an option that the file leaves out.
  package mutating func add(_ option: String, _ value: String?) {
    arguments.append(Argument(option: option, key: option, value: value, place: place))
  }

  /// The entry with one of its keys alone, and the arguments without a name, which every command line needs.
  func alone(with option: String) -> ConfigurationEntry {
    ConfigurationEntry(name: name, place: place, arguments: arguments.filter { $0.option == option || $0.isPositional })
  }

  /// The mistake that a command line's parser finds, at its place in the file.
  ///
  /// - Parameter message: What the parser says, in which options have two dashes.
  func problem(_ message: String) -> SheetProblem {
    let text = message.split(separator: "\n").first.map(String.init) ?? message
    let plain = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
    // The longest name first: --part-duration is not --part.
    let named = arguments.filter { plain.contains("--\($0.option)") }.max { $0.option.utf8.count < $1.option.utf8.count }
    let positional = arguments.first { argument in argument.isPositional && argument.value.map { plain.contains($0) } == true }
    var words = plain
    for argument in arguments.sorted(by: { $0.option.utf8.count > $1.option.utf8.count }) {
      words = words.replacing("--\(argument.option)", with: argument.key)
    }
    let end = words.hasSuffix(".") ? String(words.dropLast()) : words
    return SheetProblem(at: (named ?? positional)?.place ?? place, end.replacing("--", with: ""))
  }
}

extension ConfigurationEntry {
  /// Checks the values of each key by itself, and then all together, with the parser of the command line.
  ///
  /// - Parameter refuse: The parser: why it refuses a command line; `nil` if it does not.
  package func mistakes(_ refuse: (_ words: [String]) -> String?) -> [SheetProblem] {
    var problems: [SheetProblem] = []
    for option in Set(arguments.filter { !$0.isPositional }.map(\.option)) {
      let single = alone(with: option)
      guard let message = refuse(single.words), message.contains("--\(option)") else { continue }
      let problem = single.problem(message)
      // A key that needs another one is no mistake as long as the other one may be there.
      if arguments.contains(where: { $0.option != option && message.contains("--\($0.option)") }) { continue }
      problems.append(problem)
    }
    if problems.isEmpty, let message = refuse(words) { problems.append(problem(message)) }
    return problems.inOrder
  }
}

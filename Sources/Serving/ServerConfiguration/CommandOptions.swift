package import Basics

/// The options of a command line, as far as a configuration file needs them: each is a key of the file.
package struct CommandOptions: Equatable, Sendable {
  /// An option.
  package struct Option: Equatable, Sendable {
    /// What an option takes.
    package enum Kind: Equatable, Sendable {
      /// Nothing: it is there or not. In a file: true or false.
      case flag
      /// One value.
      case value
      /// Any number of values, each with the option's name before it. In a file: a value or a list.
      case list
    }

    /// The long name without its dashes; of an argument without a name, what it stands for.
    package var name: String
    package var kind: Kind
    /// Whether it is an argument without a name, such as the input of a stream.
    package var isPositional: Bool
    /// What it is for, as `--help` says.
    package var help: String

    package init(_ name: String, _ kind: Kind, isPositional: Bool = false, help: String = "") {
      (self.name, self.kind, self.isPositional, self.help) = (name, kind, isPositional, help)
    }
  }

  package var options: [Option]

  package init(_ options: [Option]) { self.options = options }

  /// The options in what `--experimental-dump-help` of a command prints.
  package init(dump: JSONObject) {
    let arguments = dump["command"]?.object?["arguments"]?.array ?? []
    options = arguments.compactMap { argument in
      guard let object = argument.object, let kind = object["kind"]?.string else { return nil }
      let help = object["abstract"]?.string ?? ""
      if kind == "positional" { return object["valueName"]?.string.map { Option($0, .value, isPositional: true, help: help) } }
      let names = (object["names"]?.array ?? []).compactMap(\.object).filter { $0["kind"]?.string == "long" }
      guard let name = names.first?["name"]?.string, name != "help", name != "version" else { return nil }
      return Option(name, kind == "flag" ? .flag : object["isRepeating"]?.bool == true ? .list : .value, help: help)
    }
  }

  /// The options without some of them.
  package func without(_ names: Set<String>) -> CommandOptions { CommandOptions(options.filter { !names.contains($0.name) }) }

  /// The option of a key. An option that may be repeated also has its plural as a key.
  func option(of key: String) -> Option? {
    options.first { $0.name.hasSameBytes(as: key) || ($0.kind == .list && Self.plural($0.name).hasSameBytes(as: key)) }
  }

  /// The keys, for messages and for the schema: of an option that may be repeated, the plural.
  var keys: [String] { options.map { $0.kind == .list ? Self.plural($0.name) : $0.name } }

  static func plural(_ name: String) -> String {
    if name == "cors" { return name }
    return name.hasSuffix("y") ? "\(name.dropLast())ies" : "\(name)s"
  }
}

import Basics
import Sheets

/// Reads the keys of a part of a configuration file as the options of a command.
enum EntryReader {
  typealias Argument = ConfigurationEntry.Argument

  /// The names of keys that group options of the process, or that are shorter than the option.
  private static let groups = ["tls": ["certificate": "certificate", "key": "private-key"]]
  private static let shortNames = ["tokens": "token-file"]

  /// Takes the keys of the process.
  static func takeServer(_ options: CommandOptions, from fields: inout SheetFields) -> [Argument] {
    var arguments: [Argument] = []
    for (group, members) in groups {
      guard let node = fields.take(group) else { continue }
      let message = "\(group.quoted) is \(node.kind); write { \(members.keys.sorted().joined(separator: ": …, ")): … }"
      guard var inner = node.fields(group.quoted, &fields.problems, else: message) else { continue }
      for key in members.keys.sorted() {
        guard let node = inner.take(key), let option = members[key], let text = node.text(key, &inner.problems) else { continue }
        arguments.append(Argument(option: option, key: "\(group).\(key)", value: text, place: node.place))
      }
      inner.refuseRest()
      fields.problems += inner.problems
    }
    for (key, option) in shortNames {
      guard let node = fields.take(key), let text = node.text(key, &fields.problems) else { continue }
      arguments.append(Argument(option: option, key: key, value: text, place: node.place))
    }
    let grouped = Set(groups.values.flatMap(\.values) + shortNames.values)
    for (option, key) in zip(options.options, options.keys) where !grouped.contains(option.name) {
      for name in Set([key, option.name]).sorted() {
        guard let node = fields.take(name) else { continue }
        arguments += read(node, of: option, key: name, &fields.problems)
      }
    }
    return arguments
  }

  /// The named parts of a mapping, such as the streams.
  ///
  /// - Parameter options: The options of a part by its keys.
  static func entries(
    _ node: SheetNode, _ key: String, _ kind: String, _ options: (_ keys: [String]) -> CommandOptions, _ problems: inout [SheetProblem]
  ) -> [ConfigurationEntry] {
    guard case .mapping(let members, _) = node else {
      problems.report(at: node.place, "\(key.quoted) is \(node.kind); write NAME: { … } for each \(kind)")
      return []
    }
    return members.compactMap { member in
      guard isName(member.key) else {
        problems.report(at: member.keyPlace, noName(member.key, of: kind))
        return nil
      }
      guard case .mapping(let inner, _) = member.value else {
        problems.report(at: member.value.place, "the \(kind) \(member.key.quoted) is \(member.value.kind); write { key: value, … }")
        return nil
      }
      return entry(member.key, at: member.keyPlace, inner, kind, options(inner.map(\.key)), &problems)
    }
  }

  /// Whether a text may be the name of a stream or a game: part of addresses, of file names and of metrics.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.first != "."
      && text.utf8.allSatisfy { byte in
        byte.isASCIIDigit || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }

  /// Why a text cannot be a name.
  static func noName(_ text: String, of kind: String) -> String {
    "\(text.quoted) cannot be the name of a \(kind): write 1 to 64 letters, digits, -, _ and ."
  }

  /// A part by its members.
  static func entry(
    _ name: String, at place: SheetPlace, _ members: [SheetMember], _ kind: String, _ options: CommandOptions,
    _ problems: inout [SheetProblem]
  ) -> ConfigurationEntry {
    var entry = ConfigurationEntry(name: name, place: place)
    for member in members {
      guard let option = options.option(of: member.key) else {
        let nearest = member.key.nearest(of: options.keys, limit: max(2, min(member.key.utf8.count, 32) / 2))
        let help = nearest.map { "did you mean \($0.quoted)?" } ?? "a \(kind) has \(options.keys.joined(separator: ", "))"
        problems.report(at: member.keyPlace, "unknown key \(member.key.quoted) in the \(kind) \(name.quoted); \(help)")
        continue
      }
      entry.arguments += read(member.value, of: option, key: member.key, &problems)
    }
    for option in options.options where option.isPositional && !entry.has(option.name) {
      problems.report(at: place, "\(option.name.quoted) is missing in the \(kind) \(name.quoted); add it")
    }
    return entry
  }

  private static func read(
    _ node: SheetNode, of option: CommandOptions.Option, key: String, _ problems: inout [SheetProblem]
  ) -> [Argument] {
    switch option.kind {
    case .flag:
      guard bool(key, node, &problems) == true else { return [] }
      return [Argument(option: option.name, key: key, value: nil, place: node.place)]
    case .value:
      guard let text = node.text(key, &problems) else { return [] }
      return [Argument(option: option.name, key: key, value: text, isPositional: option.isPositional, place: node.place)]
    case .list:
      let nodes = if case .list(let elements, _) = node { elements } else { [node] }
      return nodes.compactMap { node in
        node.text(key, &problems).map { Argument(option: option.name, key: key, value: $0, place: node.place) }
      }
    }
  }

  /// A truth value.
  static func bool(_ key: String, _ node: SheetNode, _ problems: inout [SheetProblem]) -> Bool? {
    guard let scalar = node.scalar(key, "true or false", &problems) else { return nil }
    switch scalar.text {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default: return scalar.refuse(key, "; write true or false", &problems)
    }
  }
}

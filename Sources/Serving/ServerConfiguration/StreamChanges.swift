/// What a new configuration changes about the streams of a server.
package struct StreamChanges: Equatable, Sendable {
  /// The names of streams to end.
  package var removed: [String] = []
  /// Streams that go on with other settings.
  package var changed: [ConfigurationEntry] = []
  package var added: [ConfigurationEntry] = []
  /// The names of streams that go on as they are.
  package var unchanged: [String] = []

  /// Compares the streams that run with those that are wanted.
  package init(from current: [ConfigurationEntry], to wanted: [ConfigurationEntry]) {
    removed = current.map(\.name).filter { name in !wanted.contains { $0.name == name } }
    for entry in wanted {
      guard let known = current.first(where: { $0.name == entry.name }) else {
        added.append(entry)
        continue
      }
      if known.saysTheSame(as: entry) { unchanged.append(entry.name) } else { changed.append(entry) }
    }
  }

  /// Whether nothing changes.
  package var isEmpty: Bool { removed.isEmpty && changed.isEmpty && added.isEmpty }

  /// The changes in words.
  package var text: String {
    let parts = [
      ("new", added.map(\.name)), ("changed", changed.map(\.name)), ("ended", removed), ("unchanged", unchanged),
    ].filter { !$0.1.isEmpty }
    return parts.isEmpty ? "no stream" : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}

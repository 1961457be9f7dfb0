/// What a new configuration changes about the streams of a server.
package struct StreamChanges: Equatable, Sendable {
  /// The names of streams to end.
  package var removed: [String] = []
  /// Streams that go on with other settings.
  package var changed: [ConfigurationEntry] = []
  package var added: [ConfigurationEntry] = []
  /// The names of streams that go on as they are.
  package var unchanged: [String] = []
  /// Streams that go on as they were, since their new settings cannot begin: the name of each, and why.
  package var failed: [Failure] = []

  /// Why a stream cannot go on with its new settings.
  package struct Failure: Equatable, Sendable {
    package var name: String
    package var reason: String

    package init(name: String, reason: String) { (self.name, self.reason) = (name, reason) }
  }

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

  /// Notes that a stream goes on as it was.
  package mutating func fail(_ failure: Failure) {
    changed.removeAll { $0.name == failure.name }
    failed.append(failure)
  }

  /// Whether nothing changes.
  package var isEmpty: Bool { removed.isEmpty && changed.isEmpty && added.isEmpty }

  /// The changes in words.
  package var text: String {
    let parts = [
      ("new", added.map(\.name)), ("changed", changed.map(\.name)), ("ended", removed), ("unchanged", unchanged),
      ("as it was", failed.map(\.name)),
    ].filter { !$0.1.isEmpty }
    return parts.isEmpty ? "no stream" : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}

package import Basics

/// The changes of streams over HTTP, which hold after a restart. Of a change over HTTP and one of the file, the later one counts.
package struct StreamOverrides: Equatable, Sendable {
  private struct Override: Equatable, Sendable {
    /// The settings as they were sent; `nil` if the stream was removed.
    var settings: String?
    /// What the file said about the stream at the time of the change, as words; `nil` if it had no such stream.
    var base: [String]?
  }

  private var overrides: [String: Override] = [:]

  /// No changes.
  package init() {}

  /// Reads what ``object`` has written; what cannot be read is left out.
  package init(_ object: JSONObject) {
    for member in object["streams"]?.object?.members ?? [] {
      guard let override = member.value.object else { continue }
      let base = override["base"]?.array?.compactMap(\.string)
      overrides[member.key] = Override(settings: override["settings"]?.string, base: base)
    }
  }

  package var object: JSONObject {
    var streams = JSONObject()
    for (name, override) in overrides.sorted(by: { $0.key < $1.key }) {
      streams.append(name, JSONObject().with("settings", override.settings).with("base", override.base))
    }
    return JSONObject(fields: ["streams": streams])
  }

  /// Records a change.
  ///
  /// - Parameters:
  ///   - settings: The settings as they were sent; `nil` if the stream is removed.
  ///   - file: What the file says about the stream; `nil` if it has no such stream.
  package mutating func set(_ name: String, _ settings: String?, over file: ConfigurationEntry?) {
    if settings == nil, file == nil {
      overrides[name] = nil
    } else {
      overrides[name] = Override(settings: settings, base: file?.words.sorted())
    }
  }

  /// Whether the settings of a stream were sent over HTTP.
  package func has(_ name: String) -> Bool { overrides[name]?.settings != nil }

  /// Forgets the changes of streams that the file has changed since.
  package mutating func forget(changedIn file: [ConfigurationEntry]) {
    overrides = overrides.filter { name, override in
      override.base == file.first { $0.name == name }?.words.sorted()
    }
  }

  /// The streams of a file with these changes.
  ///
  /// - Parameter read: Reads settings as they were sent; `nil` if they are no settings any more.
  package func applied(to file: [ConfigurationEntry], _ read: (_ name: String, _ settings: String) -> ConfigurationEntry?)
    -> [ConfigurationEntry]
  {
    var streams = file.filter { overrides[$0.name] == nil }
    for (name, override) in overrides.sorted(by: { $0.key < $1.key }) {
      guard let settings = override.settings else { continue }
      if let entry = read(name, settings) ?? file.first(where: { $0.name == name }) { streams.append(entry) }
    }
    return streams
  }
}

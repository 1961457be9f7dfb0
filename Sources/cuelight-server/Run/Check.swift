import Basics
import CommandSupport
import LibAV
import ServerConfiguration

/// Tells what a configuration would run.
enum Check {
  static func run(_ command: CheckCommand) throws(CommandFailure) {
    guard let file = command.file else { return try StandardOutput.write(ConfigurationSchema.document(LoadedConfiguration.keys)) }
    let loaded = try LoadedConfiguration(path: file)
    if command.json { try StandardOutput.write(object(loaded)) } else { try StandardOutput.write(lines(loaded)) }
  }

  /// The values of a stream that people look for first.
  private static let shown = ["segment-type", "part-duration", "game", "journal"]

  private static func lines(_ loaded: LoadedConfiguration) -> [String] {
    let (process, configuration) = (loaded.process, loaded.configuration)
    var lines = ["listens on \(process.listen)\(process.host.connection.certificate == nil ? "" : ", HTTPS")"]
    if let data = process.host.data { lines.append("remembers in \(data)") }
    if process.host.store != nil { lines.append("games are in PostgreSQL") }
    for stream in configuration.streams {
      let input = stream.value(of: "input").map { LoadedConfiguration.shownAddress($0) }
      let injector = stream.value(of: "live") ?? stream.value(of: "to")
      let others = stream.arguments.filter { $0.option == "output" }.compactMap(\.value).map { LoadedConfiguration.shownAddress($0) }
      let values = shown.compactMap { name in stream.value(of: name).map { "\(name) \($0)" } }
      let elsewhere = injector.map { "carried elsewhere, events to \(LoadedConfiguration.shownAddress($0))" }
      let parts = [input, elsewhere].compactMap(\.self) + others.map { "to \($0)" } + values
      lines.append("stream \(stream.name): \(parts.joined(separator: ", "))")
    }
    for game in configuration.games {
      let stream = game.value(of: "stream") ?? configuration.streams.first?.name ?? ""
      lines.append(
        "game \(game.name): \(game.value(of: "quiz") ?? "") on \(stream)\(game.value(of: "start").map { ", begins \($0)" } ?? "")")
    }
    for webhook in configuration.webhooks { lines.append("webhook \(LoadedConfiguration.shownAddress(webhook.url))") }
    return lines
  }

  private static func object(_ loaded: LoadedConfiguration) -> JSONObject {
    func entries(_ entries: [ConfigurationEntry]) -> [JSONObject] {
      entries.map { entry in
        var object = JSONObject(fields: ["name": entry.name])
        for option in Set(entry.arguments.map(\.option)).sorted() {
          let values = entry.arguments.filter { $0.option == option }.map { $0.value.map { LoadedConfiguration.shownAddress($0) } }
          if values.contains(nil) { object.append(option, true) } else { object.append(option, values.compactMap(\.self)) }
        }
        return object
      }
    }
    return JSONObject(fields: [
      "listen": loaded.process.listen, "streams": entries(loaded.configuration.streams), "games": entries(loaded.configuration.games),
      "webhooks": loaded.configuration.webhooks.map { LoadedConfiguration.shownAddress($0.url) },
    ])
  }
}

extension LoadedConfiguration {
  /// A value without the secrets that an address may have.
  static func shownAddress(_ value: String) -> String { value.contains("://") ? value.withoutSecrets : value }

  /// An entry whose values have no secrets.
  static func shown(_ entry: ConfigurationEntry) -> ConfigurationEntry {
    var shown = entry
    for index in shown.arguments.indices { shown.arguments[index].value = shown.arguments[index].value.map { shownAddress($0) } }
    return shown
  }
}

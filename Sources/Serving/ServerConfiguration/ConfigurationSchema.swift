package import Basics

/// The JSON Schema (2020-12) of a configuration file, for editors: made of the options of the commands.
package enum ConfigurationSchema {
  package static func document(_ keys: ServerConfiguration.Keys) -> JSONObject {
    var properties = JSONObject(fields: [
      "tls": object(["certificate": text("A file with a certificate chain (PEM)."), "key": text("A file with its private key (PEM).")]),
      "tokens": text("A file of tokens: lines of manage, publish, read or view, and a token; only its owner may read it."),
      "watch": JSONObject(fields: ["type": "boolean", "description": "Load the file anew whenever it changes."]),
      "webhooks": JSONObject(fields: [
        "type": "array", "description": "Receivers of messages about what happens.",
        "items": object(
          [
            "url": text("The address."), "secret-file": text("A file with the secret that signs the messages."),
            "events": JSONObject(fields: ["type": "array", "items": text("A kind of message.")]),
          ], required: ["url"]),
      ]),
      "streams": named("The streams by their names.", [keys.stream, keys.foreignStream]),
      "games": named("The games by their names.", [keys.game]),
    ])
    for option in keys.server.options where !["certificate", "private-key", "token-file"].contains(option.name) {
      add(option, to: &properties)
    }
    return JSONObject(fields: [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "The configuration of cuelight-server", "type": "object",
      "properties": properties, "additionalProperties": false,
    ])
  }

  /// - Parameter kinds: The options of each kind of entry. An entry is of the first kind, unless it has what marks another one.
  private static func named(_ description: String, _ kinds: [CommandOptions]) -> JSONObject {
    var properties = JSONObject()
    for option in kinds.flatMap(\.options) where properties[option.name] == nil { add(option, to: &properties) }
    let required = kinds.flatMap(\.options).filter(\.isPositional).map(\.name)
    var entry = JSONObject(fields: ["type": "object", "properties": properties, "additionalProperties": false])
    if kinds.count > 1 {
      let one = required + kinds.flatMap(\.options).map(\.name).filter { ConfigurationEntry.foreignMarks.contains($0) }
      entry.append("oneOf", one.map { JSONObject(fields: ["required": [$0]]) })
    } else if !required.isEmpty {
      entry.append("required", required)
    }
    return JSONObject(fields: [
      "type": "object", "description": description, "additionalProperties": entry,
      "propertyNames": JSONObject(fields: ["pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"]),
    ])
  }

  private static func add(_ option: CommandOptions.Option, to properties: inout JSONObject) {
    switch option.kind {
    case .flag: properties.append(option.name, JSONObject(fields: ["type": "boolean", "description": option.help]))
    case .value: properties.append(option.name, text(option.help))
    case .list:
      let list = JSONObject(fields: ["type": "array", "items": text("")])
      for name in Set([option.name, CommandOptions.plural(option.name)]).sorted() {
        properties.append(name, JSONObject(fields: ["description": option.help, "anyOf": [text(""), list]]))
      }
    }
  }

  /// A text or a number: what a command line takes as one word.
  private static func text(_ description: String) -> JSONObject {
    let object = JSONObject(fields: ["type": ["string", "number"]])
    return description.isEmpty ? object : object.with("description", description)
  }

  private static func object(_ properties: [String: JSONObject], required: [String] = []) -> JSONObject {
    var list = JSONObject()
    for key in properties.keys.sorted() { if let value = properties[key] { list.append(key, value) } }
    var object = JSONObject(fields: ["type": "object", "properties": list, "additionalProperties": false])
    if !required.isEmpty { object.append("required", required) }
    return object
  }
}

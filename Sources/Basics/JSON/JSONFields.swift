/// Why an object cannot be read: a member is missing, or its value is of the wrong type.
package struct JSONFieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key of the member.
  package var key: String

  package init(_ key: String) { self.key = key }

  package var description: String { "the member \"\(key)\" is missing, or is not what it should be" }
}

// Reads members that must be present and of the expected type.
extension JSONObject {
  /// Reads a member with `read`.
  ///
  /// - Throws: ``JSONFieldError`` if the member is missing, or `read` returns `nil`.
  package func require<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(JSONFieldError) -> Value {
    guard let value = self[key].flatMap(read) else { throw JSONFieldError(key) }
    return value
  }

  /// A string.
  package func string(_ key: String) throws(JSONFieldError) -> String { try require(key) { $0.string } }

  /// A truth value.
  package func bool(_ key: String) throws(JSONFieldError) -> Bool { try require(key) { $0.bool } }

  /// An integer of a range.
  package func int(_ key: String, in range: ClosedRange<Int> = .exact) throws(JSONFieldError) -> Int {
    try require(key) { $0.int(in: range) }
  }

  /// Seconds as a decimal.
  package func time(_ key: String) throws(JSONFieldError) -> MediaTime {
    try require(key) { $0.number.flatMap { MediaTime(decimalSeconds: $0.text) } }
  }

  /// An object.
  package func object(_ key: String) throws(JSONFieldError) -> JSONObject { try require(key) { $0.object } }

  /// Reads each element of a list with `read`.
  ///
  /// - Throws: ``JSONFieldError`` if there is no list, or `read` throws it or returns `nil`.
  package func list<Element>(
    _ key: String, _ read: (JSONValue) throws(JSONFieldError) -> Element?
  ) throws(JSONFieldError) -> [Element] {
    var elements: [Element] = []
    for value in try require(key, { $0.array }) {
      guard let element = try read(value) else { throw JSONFieldError(key) }
      elements.append(element)
    }
    return elements
  }

  /// Reads a member with `read`; `nil` if the member is missing or `null`.
  ///
  /// - Throws: ``JSONFieldError`` if `read` returns `nil`.
  package func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(JSONFieldError) -> Value? {
    guard let value = self[key], value != .null else { return nil }
    return try require(key, read)
  }
}

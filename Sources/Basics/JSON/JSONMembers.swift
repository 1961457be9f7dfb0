// Appends members by the type of their value, so that numbers, times and missing values are written the same way in all JSON output.

extension JSONObject {
  /// Appends an integer.
  package mutating func append(_ key: String, _ value: Int) { append(key, .number(JSONNumber(value))) }

  /// Appends a string.
  package mutating func append(_ key: String, _ value: String) { append(key, .string(value)) }

  /// Appends a truth value.
  package mutating func append(_ key: String, _ value: Bool) { append(key, .bool(value)) }

  /// Appends seconds, written as briefly as the tick allows.
  package mutating func append(_ key: String, _ value: MediaTime) { append(key, decimal: value.shortestDecimalSeconds) }

  /// Appends seconds with six decimals.
  package mutating func append(sixDecimals value: MediaTime, _ key: String) { append(key, decimal: value.decimalSeconds) }

  /// Appends an object.
  package mutating func append(_ key: String, _ value: JSONObject) { append(key, .object(value)) }

  /// Appends a list of integers.
  package mutating func append(_ key: String, _ values: [Int]) { append(key, .array(values.map { .number(JSONNumber($0)) })) }

  /// Appends a list of strings.
  package mutating func append(_ key: String, _ values: [String]) { append(key, .array(values.map { .string($0) })) }

  /// Appends a list of objects.
  package mutating func append(_ key: String, _ values: [JSONObject]) { append(key, .array(values.map { .object($0) })) }

  /// Appends an integer, or `null` if there is none.
  package mutating func append(_ key: String, orNull value: Int?) { append(key, value.map { .number(JSONNumber($0)) } ?? JSONValue.null) }

  /// Appends a string, or `null` if there is none.
  package mutating func append(_ key: String, orNull value: String?) { append(key, value.map { .string($0) } ?? JSONValue.null) }

  /// Appends seconds, or `null` if there are none.
  package mutating func append(_ key: String, orNull value: MediaTime?) {
    if let value { append(key, value) } else { append(key, JSONValue.null) }
  }

  /// Appends an object, or `null` if there is none.
  package mutating func append(_ key: String, orNull value: JSONObject?) { append(key, value.map { .object($0) } ?? JSONValue.null) }

  /// Appends the members whose keys are neither present already nor `reserved`. Existing members stay as they are.
  package mutating func appendAbsent(_ other: JSONObject, except reserved: [String] = []) {
    for member in other.members where self[member.key] == nil {
      if reserved.contains(where: { member.key.hasSameBytes(as: $0) }) { continue }
      append(member.key, member.value)
    }
  }

  private mutating func append(_ key: String, decimal text: String) {
    // Every decimal that MediaTime writes is a JSON number.
    if let number = JSONNumber(text) { append(key, .number(number)) }
  }
}

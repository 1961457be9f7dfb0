// Writes members by the type of their value, so that numbers, times and missing values are written the same way in all JSON output.

/// A value that a member may have.
package protocol JSONWritable {
  /// The value in JSON.
  var json: JSONValue { get }
}

extension String: JSONWritable { package var json: JSONValue { .string(self) } }
extension Bool: JSONWritable { package var json: JSONValue { .bool(self) } }
extension Int: JSONWritable { package var json: JSONValue { .number(JSONNumber(self)) } }
extension JSONObject: JSONWritable { package var json: JSONValue { .object(self) } }
extension Array: JSONWritable where Element: JSONWritable { package var json: JSONValue { .array(map { $0.json }) } }
extension Optional: JSONWritable where Wrapped: JSONWritable { package var json: JSONValue { self?.json ?? .null } }

/// Seconds, written as briefly as the tick allows.
extension MediaTime: JSONWritable {
  package var json: JSONValue { .number(JSONNumber(checked: shortestDecimalSeconds)) }
}

extension JSONObject {
  /// Appends a member.
  package mutating func append(_ key: String, _ value: some JSONWritable) { append(key, value.json) }

  /// Appends a member, or `null` if there is no value.
  package mutating func append(_ key: String, orNull value: (some JSONWritable)?) { append(key, value.json) }

  /// Appends seconds with six decimals.
  package mutating func append(sixDecimals value: MediaTime, _ key: String) {
    append(key, .number(JSONNumber(checked: value.decimalSeconds)))
  }

  /// Appends the members whose keys are neither present already nor `reserved`. Existing members stay as they are.
  package mutating func appendAbsent(_ other: JSONObject, except reserved: [String] = []) {
    for member in other.members where self[member.key] == nil {
      if reserved.contains(where: { member.key.hasSameBytes(as: $0) }) { continue }
      append(member.key, member.value)
    }
  }

  // Embedded Swift has no existentials, and the reader writes no fields.
  #if !hasFeature(Embedded)
    /// An object of these members, in order.
    package init(fields: KeyValuePairs<String, any JSONWritable>) { self.init(fields.map { Member(key: $0, value: $1.json) }) }
  #endif

  /// The object with one more member if there is a value; the same otherwise.
  package func with(_ key: String, _ value: (some JSONWritable)?) -> JSONObject {
    var object = self
    if let value { object.append(key, value) }
    return object
  }
}

import Basics

/// Reads the keys that a schema knows from a JSON object and keeps the other ones, in order.
///
/// What reads a value of a kind is not inlined: it is called for each key of each event, and would be there as often in the module for the web.
struct EventFields {
  private let members: [JSONObject.Member]
  private var isTaken: [Bool]
  /// Where the next key is looked for first: keys mostly come in the order in which they are asked for.
  private var next = 0

  init(_ object: JSONObject) {
    members = object.members
    isTaken = [Bool](repeating: false, count: members.count)
  }

  /// What nobody has taken yet.
  var rest: JSONObject {
    guard isTaken.contains(false) else { return JSONObject() }
    return JSONObject(members.indices.compactMap { isTaken[$0] ? nil : members[$0] })
  }

  mutating func removeValue(_ key: String) -> JSONValue? {
    guard let index = index(of: key), !isTaken[index] else { return nil }
    isTaken[index] = true
    next = index + 1
    return members[index].value
  }

  private func index(of key: String) -> Int? {
    // By indices: a member that is handed to a closure is copied, with all that its value refers to.
    for index in next..<max(members.count, next) where members[index].key.hasSameBytes(as: key) { return index }
    for index in 0..<next where members[index].key.hasSameBytes(as: key) { return index }
    return nil
  }

  /// Reads and converts a value that may be absent; throws if it is there and the conversion gives `nil`.
  mutating func take<Value>(_ key: String, _ expected: String, _ convert: (JSONValue) -> Value?) throws(EventError) -> Value? {
    guard let value = removeValue(key) else { return nil }
    guard let converted = convert(value) else { throw .invalid(key: key, expected: expected) }
    return converted
  }

  @inline(never) mutating func text(_ key: String) throws(EventError) -> String? { try take(key, "a string") { $0.string } }

  @inline(never) mutating func integer(_ key: String, atLeast minimum: Int = .min) throws(EventError) -> Int? {
    let expected = minimum == .min ? "an integer" : "an integer from \(minimum)"
    return try take(key, expected) { value in value.int.flatMap { $0 >= minimum ? $0 : nil } }
  }

  /// Reads decimal seconds of at least zero and at most `limit`.
  @inline(never) mutating func duration(_ key: String, limit: MediaTime = MediaTime(ticks: .max)) throws(EventError) -> MediaTime? {
    try take(key, "seconds from 0") { value in
      value.number.flatMap { MediaTime(decimalSeconds: $0.text) }.flatMap { $0 >= .zero && $0 <= limit ? $0 : nil }
    }
  }

  /// The signature, if there is one. A value that cannot be one stays an unknown key, as another system may use that name.
  mutating func signature() -> EventSignature? {
    guard let index = index(of: EventSignature.key), let text = members[index].value.string, let signature = EventSignature(base64: text)
    else { return nil }
    isTaken[index] = true
    return signature
  }

  @inline(never) mutating func guid(_ key: String) throws(EventError) -> GUID? {
    try take(key, "a string of 1 to \(GUID.largestLength) bytes") { value in value.string.flatMap { GUID($0) } }
  }

  @inline(never) mutating func integers(_ key: String, atLeast minimum: Int = .min) throws(EventError) -> [Int]? {
    try list(key, "a list of integers") { value in value.int.flatMap { $0 >= minimum ? $0 : nil } }
  }

  @inline(never) mutating func texts(_ key: String) throws(EventError) -> [String]? { try list(key, "a list of strings") { $0.string } }

  mutating func list<Value>(_ key: String, _ expected: String, _ convert: (JSONValue) -> Value?) throws(EventError) -> [Value]? {
    try take(key, expected) { value in
      guard let elements = value.array else { return nil }
      let converted = elements.compactMap(convert)
      return converted.count == elements.count ? converted : nil
    }
  }

  /// The value, or the error that its key is missing.
  static func require<Value>(_ value: Value?, _ key: String) throws(EventError) -> Value {
    guard let value else { throw .missing(key: key) }
    return value
  }
}

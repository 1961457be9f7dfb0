import Basics

/// Reads the known keys of a JSON object and keeps the other ones, in order.
///
/// The functions that read a value are not inlined: they are called for each key of each event, which would enlarge the module for the web.
struct EventFields {
  private let members: [JSONObject.Member]
  private var isTaken: [Bool]
  /// Where to search for the next key first: keys are mostly requested in the order in which they are written.
  private var next = 0

  init(_ object: JSONObject) {
    members = object.members
    isTaken = [Bool](repeating: false, count: members.count)
  }

  /// The members that were not consumed.
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

  /// A value that is not removed.
  func peek(_ key: String) -> JSONValue? { index(of: key).flatMap { isTaken[$0] ? nil : members[$0].value } }

  private func index(of key: String) -> Int? {
    // By indices: a member that is passed to a closure is copied, with everything that its value refers to.
    for index in next..<max(members.count, next) where members[index].key.hasSameBytes(as: key) { return index }
    for index in 0..<next where members[index].key.hasSameBytes(as: key) { return index }
    return nil
  }

  /// Reads and converts a value that may be absent; throws if it is present and the conversion returns `nil`.
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

  /// Reads a number with at most six decimals.
  @inline(never) mutating func decimal(_ key: String) throws(EventError) -> DecimalNumber? {
    try take(key, "a number with at most six decimals") { value in value.number.flatMap { DecimalNumber($0.text) } }
  }

  /// Reads `true` or `false`; absent is `false`.
  @inline(never) mutating func isTrue(_ key: String) throws(EventError) -> Bool { try take(key, "true or false") { $0.bool } ?? false }

  /// Reads decimal seconds of at least zero and at most `limit`.
  @inline(never) mutating func duration(_ key: String, limit: MediaTime = MediaTime(ticks: .max)) throws(EventError) -> MediaTime? {
    try take(key, "seconds from 0") { value in
      value.number.flatMap { MediaTime(decimalSeconds: $0.text) }.flatMap { $0 >= .zero && $0 <= limit ? $0 : nil }
    }
  }

  /// The signature, if there is one. Any other value stays an unknown key, as another system may use that name.
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

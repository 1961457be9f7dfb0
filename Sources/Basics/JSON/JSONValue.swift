/// A JSON value (RFC 8259). Of its text, only whitespace and the choice of escapes are lost.
///
/// Two values are equal if they mean the same: strings byte by byte in UTF-8 (not by canonical equivalence), numbers by
/// their exact decimal value, objects regardless of the order of their keys.
public enum JSONValue: Equatable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, exactly as written.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by key, in order.
  case object(JSONObject)

  /// Whether both mean the same.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}

extension JSONValue {
  /// The string, if the value is one.
  public var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The number as an integer, if the value is a number without a fraction (`2.0` and `2e0` are 2) that `Int` can hold.
  public var int: Int? { number?.intValue }

  /// The integer, if it is within a range. Callers state the range in which they can use a number of untrusted input.
  package func int(in range: ClosedRange<Int>) -> Int? { int.flatMap { range.contains($0) ? $0 : nil } }

  /// The number, if the value is one.
  public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }

  /// The array, if the value is one.
  public var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

  /// The object, if the value is one.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// The truth value, if the value is one.
  public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}

extension JSONValue {
  /// The value as compact JSON: no whitespace, keys in order, numbers as written.
  public var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

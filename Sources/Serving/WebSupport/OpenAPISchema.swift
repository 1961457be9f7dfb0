package import Basics

/// A JSON schema in the form of OpenAPI 3.1 documents.
package struct OpenAPISchema: Sendable {
  /// The schema as JSON.
  package private(set) var json = JSONObject()

  private init(type: String) { json.append("type", type) }

  private init(_ key: String, _ value: JSONValue) { json.append(key, value) }

  private func with(_ key: String, _ value: JSONValue) -> OpenAPISchema {
    var schema = self
    schema.json.append(key, value)
    return schema
  }

  // MARK: Values

  // Each function has a distinct name: overloads in long literals would slow down the compiler.

  /// A text.
  package static let text = OpenAPISchema(type: "string")
  /// A whole number.
  package static let integer = OpenAPISchema(type: "integer")
  /// A non-negative whole number.
  package static let count = integer.with("minimum", .number(JSONNumber(0)))
  /// A number, such as seconds.
  package static let number = OpenAPISchema(type: "number")
  /// A truth value.
  package static let boolean = OpenAPISchema(type: "boolean")
  /// A date and time of RFC 3339.
  package static let date = text.with("format", .string("date-time"))
  /// A UUID of RFC 9562.
  package static let uuid = text.with("format", .string("uuid"))
  /// Bytes of another media type.
  package static let bytes = text.with("format", .string("binary"))
  /// An object of any members.
  package static let anyObject = OpenAPISchema(type: "object")

  /// A text with a number of characters in a range.
  package static func sized(_ lengths: ClosedRange<Int>) -> OpenAPISchema {
    text.with("minLength", .number(JSONNumber(lengths.lowerBound))).with("maxLength", .number(JSONNumber(lengths.upperBound)))
  }

  /// A whole number in a range.
  package static func integers(_ range: ClosedRange<Int>) -> OpenAPISchema { integer.within(range) }

  /// A number in a range.
  package static func numbers(_ range: ClosedRange<Int>) -> OpenAPISchema { number.within(range) }

  private func within(_ range: ClosedRange<Int>) -> OpenAPISchema {
    with("minimum", .number(JSONNumber(range.lowerBound))).with("maximum", .number(JSONNumber(range.upperBound)))
  }

  /// One of several texts.
  package static func choice(_ texts: [String]) -> OpenAPISchema { text.with("enum", .array(texts.map { .string($0) })) }

  /// `true` and nothing else.
  package static let yes = OpenAPISchema("const", .bool(true))

  // MARK: Values of values

  /// A list.
  package static func list(_ element: OpenAPISchema) -> OpenAPISchema {
    OpenAPISchema(type: "array").with("items", .object(element.json))
  }

  /// A list with a number of elements in a range.
  package static func sizedList(_ element: OpenAPISchema, _ counts: ClosedRange<Int>) -> OpenAPISchema {
    list(element).with("minItems", .number(JSONNumber(counts.lowerBound))).with("maxItems", .number(JSONNumber(counts.upperBound)))
  }

  /// An object.
  ///
  /// - Parameters:
  ///   - required: The members that it always has.
  ///   - optional: The members that it may also have.
  package static func object(
    _ required: KeyValuePairs<String, OpenAPISchema>, optional: KeyValuePairs<String, OpenAPISchema> = [:]
  ) -> OpenAPISchema {
    var properties = JSONObject()
    for (key, schema) in required { properties.append(key, schema.json) }
    for (key, schema) in optional { properties.append(key, schema.json) }
    let schema = OpenAPISchema(type: "object").with("properties", .object(properties))
    return required.isEmpty ? schema : schema.with("required", .array(required.map { .string($0.key) }))
  }

  /// The object without any other members.
  package var closed: OpenAPISchema { with("additionalProperties", .bool(false)) }

  /// A schema of the document's components.
  package static func reference(_ name: String) -> OpenAPISchema {
    OpenAPISchema("$ref", .string("#/components/schemas/\(name)"))
  }

  /// A value that one of several schemas describes.
  package static func either(_ schemas: OpenAPISchema...) -> OpenAPISchema {
    OpenAPISchema("anyOf", .array(schemas.map { .object($0.json) }))
  }

  /// A value that all of several schemas describe.
  package static func all(_ schemas: OpenAPISchema...) -> OpenAPISchema {
    OpenAPISchema("allOf", .array(schemas.map { .object($0.json) }))
  }

  /// This, or `null`.
  package var orNull: OpenAPISchema {
    guard let type = json["type"]?.string, json["enum"] == nil else { return .either(self, OpenAPISchema(type: "null")) }
    return with("type", .array([.string(type), .string("null")]))
  }

  /// A refusal, as RFC 9457 describes it.
  ///
  /// - Parameter optional: The members that only some kinds have.
  package static func problem(optional: KeyValuePairs<String, OpenAPISchema>) -> OpenAPISchema {
    object(["type": .text, "title": .text, "status": .integers(400...599), "detail": .text], optional: optional)
  }
}

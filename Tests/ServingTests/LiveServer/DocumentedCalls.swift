import Basics

/// What an OpenAPI document says of its calls, and what is wrong with it.
struct DocumentedCalls {
  /// An operation, and where it is.
  struct Call {
    var path: String
    var method: String
    /// The names of what varies in its path.
    var parts: [String]
    var operation: JSONObject

    var id: String { operation["operationId"]?.string ?? "" }
    /// The answers by their status.
    var responses: [(status: Int, response: JSONObject)] {
      operation["responses"]?.object?.members.compactMap { member in
        member.value.object.map { (status: Int(member.key) ?? 0, response: $0) }
      } ?? []
    }

    /// The kinds of problems that an answer of a status may have.
    func kinds(_ status: Int) -> [String] {
      let response = responses.first { $0.status == status }?.response
      let schema = response?["content"]?.object?["application/problem+json"]?.object?["schema"]?.object
      let types = schema?["allOf"]?.array?.last?.object?["properties"]?.object?["type"]?.object?["enum"]?.array ?? []
      return types.compactMap { $0.string?.split(separator: ":").last.map { String($0) } }
    }

    /// The names of the parameters that its path does not have.
    var parameters: [String] { (operation["parameters"]?.array ?? []).compactMap { $0.object?["name"]?.string } }

    /// How many kinds of authentication the call knows.
    var security: Int? { operation["security"]?.array?.count }

    /// What is missing in the description, in words.
    func mistakes(tags: [String]) -> [String] {
      var found: [String] = []
      if operation["summary"]?.string?.last != "." { found.append("no summary") }
      if !(operation["tags"]?.array ?? []).contains(where: { tags.contains($0.string ?? "") }) { found.append("no tag") }
      if security == nil { found.append("no security") }
      for parameter in operation["parameters"]?.array ?? [] where parameter.object?["schema"]?.object?.isEmpty ?? true {
        found.append("a parameter without a schema")
      }
      if let body = operation["requestBody"]?.object, !Self.isDescribed(body["content"]?.object) { found.append("no schema of its body") }
      if !responses.contains(where: { (200..<300).contains($0.status) }) { found.append("no success") }
      for (status, response) in responses {
        if response["description"]?.string?.isEmpty ?? true { found.append("no description of \(status)") }
        let hasBody = ![204, 304].contains(status)
        if hasBody != Self.isDescribed(response["content"]?.object) { found.append("the content of \(status)") }
        if status >= 400, kinds(status).isEmpty { found.append("no kinds of problems of \(status)") }
        if Set(kinds(status)).count != kinds(status).count { found.append("kinds of \(status) twice") }
      }
      return found.map { "\(id): \($0)" }
    }

    private static func isDescribed(_ content: JSONObject?) -> Bool {
      guard let content, !content.isEmpty else { return false }
      return content.members.allSatisfy { member in member.value.object?["schema"]?.object?.isEmpty == false }
    }
  }

  let document: JSONObject

  var calls: [Call] {
    (document["paths"]?.object?.members ?? []).flatMap { path -> [Call] in
      let item = path.value.object ?? JSONObject()
      let parts = (item["parameters"]?.array ?? []).compactMap { $0.object?["name"]?.string }
      return item.members.filter { $0.key != "parameters" }.map {
        Call(path: path.key, method: $0.key.uppercased(), parts: parts, operation: $0.value.object ?? JSONObject())
      }
    }
  }

  /// What is wrong with calls, and references that lead nowhere.
  var mistakes: [String] {
    let tags = (document["tags"]?.array ?? []).compactMap { $0.object?["name"]?.string }
    let repeated = Dictionary(grouping: calls, by: { $0.id }).filter { $0.value.count > 1 }.keys.map { "\($0): twice" }
    return calls.flatMap { $0.mistakes(tags: tags) } + repeated + references.filter { !leads($0) }.map { "\($0) leads nowhere" }
  }

  /// All `$ref`s.
  var references: [String] { Self.references(in: .object(document)) }

  private static func references(in value: JSONValue) -> [String] {
    var found: [String] = []
    for member in value.object?.members ?? [] {
      if member.key == "$ref", let target = member.value.string { found.append(target) }
      found += references(in: member.value)
    }
    for element in value.array ?? [] { found += references(in: element) }
    return found
  }

  private func leads(_ reference: String) -> Bool {
    var value: JSONValue? = .object(document)
    for part in reference.split(separator: "/").dropFirst() { value = value?.object?[String(part)] }
    return reference.hasPrefix("#/") && value != nil
  }
}

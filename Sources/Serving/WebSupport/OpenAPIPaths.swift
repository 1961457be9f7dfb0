package import Basics
import LiveInterface

/// Makes the OpenAPI 3.1 documents of the servers from the tables by which requests are routed.
package enum OpenAPIPaths {
  /// The document of an interface.
  ///
  /// - Parameters:
  ///   - tags: The groups of calls, and their descriptions.
  ///   - schemas: The schemas that operations refer to.
  ///   - problem: The name of the schema of problems.
  ///   - parts: The schemas of the variable parts of paths, by their names, unless they are plain texts.
  ///   - usual: Who may make a call by its role, and the problems that every call of the interface may have.
  package static func document<Role, Handler>(
    _ title: String, _ description: String, of calls: [Call<Role, Handler>], tags: KeyValuePairs<String, String>,
    schemas: KeyValuePairs<String, OpenAPISchema>, problem: String, parts: [String: OpenAPISchema] = [:],
    usual: (Call<Role, Handler>) -> (security: OpenAPIOperation.Security, problems: [Int: [String]])
  ) -> JSONObject {
    var paths = JSONObject()
    for first in calls where paths[first.route.path] == nil {
      let path = first.route.path
      var item = JSONObject()
      if !first.route.names.isEmpty {
        item.append("parameters", first.route.names.map { OpenAPIParameter.path($0, parts[$0] ?? .sized(1...128)).json })
      }
      for call in calls where call.route.path == path {
        let (security, problems) = usual(call)
        var operation = call.documentation
        operation.security = security
        if operation.successes.contains(where: { $0.status == 304 }) { operation.parameters.append(.ifNoneMatch) }
        let all = Self.problems(of: call).merging(problems) { kinds, more in kinds + more.filter { !kinds.contains($0) } }
        operation.problems.merge(all) { own, usual in usual + own.filter { !usual.contains($0) } }
        item.append(call.route.method.lowercased(), operation.json(id: call.name, problem: problem))
      }
      paths.append(path, item)
    }
    for call in ShellCall.all {
      paths.append(
        call.route.path, JSONObject().with(call.route.method.lowercased(), call.documentation.json(id: call.name, problem: problem)))
    }
    let tags = Array(tags) + [(key: ShellCall.tag.name, value: ShellCall.tag.about)]
    return JSONObject(fields: [
      "openapi": "3.1.0", "info": JSONObject(fields: ["title": title, "version": "1", "description": description]),
      "tags": tags.map { name, about in JSONObject(fields: ["name": name, "description": about]) }, "paths": paths,
      "components": components(schemas),
    ])
  }

  /// The problems that every call of its kind may have.
  private static func problems<Role, Handler>(of call: Call<Role, Handler>) -> [Int: [String]] {
    var problems = [401: ["unauthorized"], 429: ["rate-limited"]]
    if !call.route.names.isEmpty {
      problems[404] = ["notFound"]
      // A path parameter such as `..` turns the path into that of another call.
      problems[405] = ["methodNotAllowed"]
    }
    if call.documentation.body != nil {
      problems[400] = ["invalid"]
      problems[413] = ["tooLarge"]
      problems[422] = ["invalid"]
    }
    return problems
  }

  private static func components(_ schemas: KeyValuePairs<String, OpenAPISchema>) -> JSONObject {
    let named = schemas.reduce(into: JSONObject()) { $0.append($1.key, $1.value.json) }
    let security = JSONObject(fields: ["token": JSONObject(fields: ["type": "http", "scheme": "bearer"])])
    return JSONObject(fields: ["schemas": named, "securitySchemes": security])
  }

  /// The document, with the calls of another one and the schemas that they need. If both have an object, the first one's counts; a name of a call
  /// that both have gets the tag of the other one in front.
  package static func joined(_ document: JSONObject, _ other: JSONObject) -> JSONObject {
    func member(_ object: JSONObject, _ name: String) -> JSONObject { object[name]?.object ?? JSONObject() }
    var joined = document
    let tags = document["tags"]?.array ?? []
    joined.append("tags", .array(tags + (other["tags"]?.array ?? []).filter { !tags.contains($0) }))
    var paths = member(document, "paths")
    let names = Set(paths.members.flatMap { ($0.value.object?.members ?? []).compactMap { $0.value.object?["operationId"]?.string } })
    for path in member(other, "paths").members where paths[path.key] == nil {
      var item = JSONObject()
      for part in path.value.object?.members ?? [] {
        guard var operation = part.value.object, let name = operation["operationId"]?.string, names.contains(name) else {
          item.append(part.key, part.value)
          continue
        }
        operation.append("operationId", "\(operation["tags"]?.array?.first?.string ?? "other")-\(name)")
        item.append(part.key, operation)
      }
      paths.append(path.key, item)
    }
    joined.append("paths", paths)
    var components = member(document, "components")
    var schemas = member(components, "schemas")
    schemas.appendAbsent(member(member(other, "components"), "schemas"))
    components.append("schemas", schemas)
    joined.append("components", components)
    return joined
  }
}

package import Basics
package import LiveInterface

/// What the OpenAPI documents of the servers share.
package enum OpenAPIPaths {
  /// The paths of an interface: each with its parameters, and an operation for each of its calls.
  package static func object<Call: RoutedCall>(of calls: Call.Type, operation: (Call) -> JSONObject) -> JSONObject {
    var paths = JSONObject()
    for call in Call.allCases where paths[call.route.path] == nil { paths.append(call.route.path, item(call.route.path, operation)) }
    return paths
  }

  private static func item<Call: RoutedCall>(_ path: String, _ operation: (Call) -> JSONObject) -> JSONObject {
    var item = JSONObject()
    let names = path.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
    if !names.isEmpty {
      item.append(
        "parameters",
        names.map { json(#"{"name":"\#($0)","in":"path","required":true,"schema":{"type":"string","minLength":1,"maxLength":128}}"#) })
    }
    for call in Call.allCases where call.route.path == path { item.append(call.route.method.lowercased(), operation(call)) }
    return item
  }

  /// A constant in JSON.
  package static func json(_ text: String) -> JSONObject { (try? JSONValue(parsing: text))?.object ?? JSONObject() }
}

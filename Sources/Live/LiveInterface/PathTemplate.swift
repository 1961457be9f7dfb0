import Basics
import HLSPlaylist

/// The calls of an HTTP interface, which are the table that requests are routed by.
package protocol RoutedCall: CaseIterable, Equatable, Sendable {
  /// The method and the path, with names in braces for what varies.
  var route: (method: String, path: String) { get }
}

/// What a path has.
package enum Routing<Call: RoutedCall>: Equatable {
  /// A call, and the varying parts of the path.
  case endpoint(Call, [String: String])
  /// Calls, but none with this method.
  case otherMethods([String])
}

extension RoutedCall {
  /// The call of a path that a method has, and the varying parts of the path, decoded.
  ///
  /// - Returns: `nil` where no call has the path; the methods that there are where none has the method.
  package static func route(_ method: String, _ path: String) -> Routing<Self>? {
    var methods: [String] = []
    for call in allCases {
      guard let parts = path.parts(of: call.route.path) else { continue }
      // An answer to HEAD is one to GET without its body.
      if call.route.method == method || (method == "HEAD" && call.route.method == "GET") { return .endpoint(call, parts) }
      methods += call.route.method == "GET" ? ["GET", "HEAD"] : [call.route.method]
    }
    return methods.isEmpty ? nil : .otherMethods(methods)
  }
}

extension String {
  /// The varying parts of a path, decoded, by the names that a template such as `/games/{game}` or `/games/{game}:end` has for them in braces.
  ///
  /// - Returns: `nil` where the path is not one of the template, or a part is empty.
  package func parts(of template: String) -> [String: String]? {
    let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
    let given = split(separator: "/", omittingEmptySubsequences: false)
    guard wanted.count == given.count else { return nil }
    var parts: [String: String] = [:]
    for (wanted, given) in zip(wanted, given) {
      guard wanted.first == "{", let brace = wanted.firstIndex(of: "}") else {
        guard wanted == given else { return nil }
        continue
      }
      let ending = wanted[wanted.index(after: brace)...]
      guard given.hasSuffix(ending), let decoded = given.dropLast(ending.count).removingPercentEncoding, !decoded.isEmpty,
        // No name has the character U+0000, and no store can look for one.
        !decoded.utf8.contains(0)
      else { return nil }
      parts[String(wanted[..<brace].dropFirst())] = decoded
    }
    return parts
  }
}

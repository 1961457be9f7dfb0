import Basics

/// The method and path of a call. The path has names in braces for its varying parts, such as `/games/{game}` or `/games/{game}:end`.
package struct Route: Hashable, Sendable {
  private enum Segment: Hashable, Sendable {
    case fixed(String)
    case varying(name: String, ending: String)
  }

  package let method: String
  package let path: String
  private let segments: [Segment]

  package init(_ method: String, _ path: String) {
    (self.method, self.path) = (method, path)
    segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      guard segment.first == "{", let brace = segment.firstIndex(of: "}") else { return .fixed(String(segment)) }
      return .varying(name: String(segment[..<brace].dropFirst()), ending: String(segment[segment.index(after: brace)...]))
    }
  }

  /// The names of the varying parts.
  package var names: [String] {
    segments.compactMap { if case .varying(let name, _) = $0 { name } else { nil } }
  }

  /// The methods that the route answers: the answer to HEAD is that to GET without its body.
  package var methods: [String] { method == "GET" ? ["GET", "HEAD"] : [method] }

  /// The path with its varying parts, percent-encoded.
  ///
  /// - Parameter parts: The parts by their names.
  package func path(_ parts: [String: String]) -> String {
    segments.map { segment in
      switch segment {
      case .fixed(let text): text
      case .varying(let name, let ending): (parts[name] ?? "").percentEncodedPart + ending
      }
    }.joined(separator: "/")
  }

  /// The varying parts of a path, decoded, by their names.
  ///
  /// - Parameter given: The path, split at each slash.
  /// - Returns: `nil` if the path is not one of the route, or a part is empty.
  fileprivate func parts(of given: [Substring]) -> [String: String]? {
    guard given.count == segments.count else { return nil }
    var parts: [String: String] = [:]
    for (wanted, given) in zip(segments, given) {
      switch wanted {
      case .fixed(let text): guard given == text else { return nil }
      case .varying(let name, let ending):
        guard given.hasSuffix(ending), let decoded = given.dropLast(ending.count).removingPercentEncoding, !decoded.isEmpty,
          // No name has the character U+0000, which stores reject.
          !decoded.utf8.contains(0)
        else { return nil }
        parts[name] = decoded
      }
    }
    return parts
  }
}

/// A call that requests are routed to.
package protocol Routed: Sendable {
  var route: Route { get }
}

/// What is found for a method and a path.
package enum Routing<Call> {
  /// A call, and the varying parts of the path.
  case call(Call, [String: String])
  /// The path has calls, but only with these methods.
  case otherMethods([String])
}

extension Array where Element: Routed {
  /// The call with a method and a path, and the varying parts of the path, decoded.
  ///
  /// - Returns: `nil` if no call has the path.
  package func find(_ method: String, _ path: String) -> Routing<Element>? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var methods: [String] = []
    for call in self {
      guard let parts = call.route.parts(of: segments) else { continue }
      if call.route.methods.contains(method) { return .call(call, parts) }
      methods += call.route.methods
    }
    return methods.isEmpty ? nil : .otherMethods(methods)
  }
}

extension String {
  /// The varying parts of a path, decoded, by the names that a template such as `/games/{game}` or `/games/{game}:end` has for them in braces.
  ///
  /// - Returns: `nil` if the path is not one of the template, or a part is empty.
  package func parts(of template: String) -> [String: String]? {
    Route("", template).parts(of: split(separator: "/", omittingEmptySubsequences: false))
  }
}

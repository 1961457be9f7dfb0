import Basics

/// The calls of the HTTP interface of a live session: the one table that the server routes requests by, that the OpenAPI document is made of, and
/// that the client takes its paths from.
package enum Endpoint: String, RoutedCall {
  package typealias Route = Routing<Endpoint>

  case postEvent, listEvents, getEvent, putEvent, deleteEvent, postBatch, putCues, postNext, getNow, getStream
  case getPresentation

  /// What a client must be allowed to do.
  package enum Scope: String, Comparable, Sendable {
    case view, read, publish

    /// `publish` includes `read`, which includes `view`.
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .view: 0
      case .read: 1
      case .publish: 2
      }
    }
  }

  /// The method and the path, with names in braces for what varies.
  package var route: (method: String, path: String) {
    switch self {
    case .postEvent: ("POST", "/v1/streams/{stream}/events")
    case .listEvents: ("GET", "/v1/streams/{stream}/events")
    case .getEvent: ("GET", "/v1/streams/{stream}/events/{guid}")
    case .putEvent: ("PUT", "/v1/streams/{stream}/events/{guid}")
    case .deleteEvent: ("DELETE", "/v1/streams/{stream}/events/{guid}")
    case .postBatch: ("POST", "/v1/streams/{stream}/events:batch")
    case .putCues: ("PUT", "/v1/streams/{stream}/cues")
    case .postNext: ("POST", "/v1/streams/{stream}/next")
    case .getNow: ("GET", "/v1/streams/{stream}/now")
    case .getStream: ("GET", "/v1/streams/{stream}/stream")
    case .getPresentation: ("GET", "/live/{stream}/{file}")
    }
  }

  /// The scope that a call needs.
  package var scope: Scope {
    switch self {
    case .postEvent, .listEvents, .getEvent, .putEvent, .deleteEvent, .postBatch, .putCues, .postNext: .publish
    case .getNow, .getStream: .read
    case .getPresentation: .view
    }
  }

  /// The path with what varies in it, percent-encoded.
  ///
  /// - Parameter parts: The varying parts by their names.
  package func path(_ parts: [String: String]) -> String {
    let template = route.path.split(separator: "/", omittingEmptySubsequences: false)
    return template.map { $0.first == "{" ? (parts[String($0.dropFirst().dropLast())] ?? "").percentEncodedPart : String($0) }
      .joined(separator: "/")
  }
}
